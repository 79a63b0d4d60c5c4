"""Which rows of a table a statement is made of."""

from __future__ import annotations

import re
from collections.abc import Iterator

_token = re.compile(  # what nothing closes goes on to the end: else each opening mark would be looked after anew
    r"'(?:[^']|'')*+(?:'|\Z)|\"(?:[^\"]|\"\")*+(?:\"|\Z)|`[^`]*+(?:`|\Z)|\[[^\]]*+(?:\]|\Z)|[A-Za-z_]\w*|[()]|[^\s]",
    re.DOTALL,
)
_CLAUSES = ("SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT")
_aggregate = re.compile(r"\b(?:count|sum|avg|median|min|max|total|group_concat)\s*\(", re.IGNORECASE)
_aggregated_column = re.compile(
    r"\b(?:sum|avg|median|total)\s*\(\s*(?:minutes\s*\(\s*)?(\"(?:[^\"]|\"\")+\")\s*\)", re.IGNORECASE
)


def statements_of_used_rows(sql: str, name: str) -> list[str]:
    """Statements that give the numbers of the rows; none where they cannot be told, as of a join."""
    return [*_statements(sql.strip().rstrip(";"), name, 0)]


def _statements(sql: str, name: str, depth: int) -> Iterator[str]:
    clauses = _clauses(sql)
    if depth > 3 or clauses is None or "SELECT" not in clauses:
        return
    source = clauses.get("FROM", "").strip()
    if source == name or (source and source.strip('"`[]') == name.strip('"')):
        where = clauses.get("WHERE", "").strip()
        tests = [f"({where})"] if where else []
        chosen = clauses["SELECT"]
        if "GROUP" in clauses or _aggregate.search(chosen) or chosen.strip().upper().startswith("DISTINCT"):
            columns = dict.fromkeys(_aggregated_column.findall(chosen))
            tests += [
                f"{column} IS NOT NULL" for column in columns if len(columns) == 1 and "CASE" not in chosen.upper()
            ]
            rest = ""
        else:
            order, limit = clauses.get("ORDER"), clauses.get("LIMIT")
            rest = (f" ORDER {order}" if order else "") + (f" LIMIT {limit}" if limit else "")
        yield f"SELECT _rowid_ FROM {name}{' WHERE ' + ' AND '.join(tests) if tests else ''}{rest}"
        return
    for inner in _inner_selects(source or clauses["SELECT"]):
        yield from _statements(inner, name, depth + 1)


def _clauses(sql: str) -> dict[str, str] | None:
    """The text behind each key word that stands outside of brackets and quotation marks; None for anything else than
    one simple SELECT."""
    found: list[tuple[str, int, int]] = []
    depth = 0
    for token in _token.finditer(sql):
        word = token[0].upper()
        depth += (word == "(") - (word == ")")
        if depth == 0 and word in ("UNION", "EXCEPT", "INTERSECT", "JOIN", "WITH", ";"):
            return None
        if depth == 0 and word in _CLAUSES:
            found.append((word, token.start(), token.end()))
    ends = [*(start for _, start, _ in found[1:]), len(sql)]
    return {word: sql[end:stop] for (word, _, end), stop in zip(found, ends, strict=True)}


def _inner_selects(sql: str) -> Iterator[str]:
    """What stands in brackets and is a SELECT of its own."""
    depth, begin = 0, 0
    for token in _token.finditer(sql):
        if token[0] == "(":
            depth += 1
            begin = token.end() if depth == 1 else begin
        elif token[0] == ")":
            depth -= 1
            inside = sql[begin : token.start()].strip()
            if depth == 0 and inside[:6].upper() == "SELECT":
                yield inside
