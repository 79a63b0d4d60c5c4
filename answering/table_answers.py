"""What a query over a table has come to, as the text of an answer: the result, how it was computed, over which rows."""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Sequence

from schema import Cell, Language, Message, TableResult
from tables.cells import NO_YEAR
from tables.columns import bare_name
from tables.durations import spelled
from tables.measures import symbol
from tables.plain_numbers import is_written_plainly

SHOWN = 20  # rows of a result that stand in an answer
_IN_A_LINE = 8  # cells of a single row
_GROUPED_ZH = 10_000  # from which on Chinese parts the thousands
_SAID = 6  # names that a sentence tells, and its list need not
_LONGEST = 40  # characters of one of them
_parts = re.compile(r"[,，、;；|\n]")  # in a name, which would seem to be several


def result_sentence(result: TableResult, language: Language) -> str:
    """The statement that its rows hold, without a marker."""
    words, value = result.query.words.to(language), _value(result, language == "zh")
    return f"{words}：{value}" if language == "zh" else f"{_begun(words)}: {value}"


def _value(result: TableResult, zh: bool) -> str:
    """What it came to: the cells of a single row, else how many rows there are."""
    rows = result.rows
    if not rows or (len(rows) == 1 and all(cell is None for cell in rows[0])):
        return "没有相符的行" if zh else "no row matches"
    if len(rows) == 1 and len(result.columns) <= _IN_A_LINE:
        last, both = len(rows[0]) - 1, _is_of_two(result)
        plain = _written_plainly(result)
        cells = [
            shown(cell, result.query.unit if both or at == last else "", zh, plain=at in plain)
            for at, cell in enumerate(rows[0])
        ]
        return _sum_in_full(result, cells) if both else " · ".join(cells)
    if _is_said(result):
        names = [shown(row[0], "", zh) for row in rows]
        return f"{'、'.join(names)}（共 {len(rows)} 项）" if zh else f"{', '.join(names)} ({len(rows)} results)"
    if zh:
        return f"{'多于 ' * result.cut}{len(rows)} 项"
    return f"{'more than ' * result.cut}{len(rows)} result{'s' * (len(rows) != 1)}"


def _is_said(result: TableResult) -> bool:
    """Whether the rows are a few short names, which a sentence tells."""
    if result.cut or len(result.columns) != 1 or not 1 < len(result.rows) <= _SAID:
        return False
    cells = [row[0] for row in result.rows]
    return all(isinstance(cell, str) and len(cell) <= _LONGEST and not _parts.search(cell) for cell in cells)


def _sum_in_full(result: TableResult, cells: list[str]) -> str:
    """ "120 − 80 = 40" of a difference or ratio, of which the result has both sides."""
    column = result.columns[2]
    one, other = cells[:2]
    if column.startswith(f"1.0 * {result.columns[0]}"):
        return f"{one} ÷ {other} = {cells[2]}"
    if not column.startswith(result.columns[0]):
        one, other = other, one
    return f"{one} − {other} = {cells[2]}"


def _is_of_two(result: TableResult) -> bool:
    return len(result.columns) == 3 and result.columns[0].startswith(("MAX(", "(SELECT "))


def result_table(result: TableResult, language: Language) -> str:
    """The rows of a result as a Markdown table; "" for what the sentence tells."""
    if _is_said(result) or (len(result.rows) < 2 and len(result.columns) <= _IN_A_LINE):
        return ""
    zh = language == "zh"
    heads = [_in_cell(_column_name(column, zh)) for column in result.columns]
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    last, plain = len(heads) - 1, _written_plainly(result)
    for row in result.rows[:SHOWN]:
        cells = [
            _in_cell(shown(cell, result.query.unit if at == last else "", zh, plain=at in plain))
            for at, cell in enumerate(row)
        ]
        lines.append(f"| {' | '.join(cells)} |")
    if (more := len(result.rows) - SHOWN) > 0:
        lines.append("")
        lines.append(f"另有 {more:,} 行。" if zh else f"And {more:,} more.")
    return "\n".join(lines)


def how_computed(result: TableResult, language: Language) -> str:
    """Over how many rows, and by which query, in Markdown."""
    zh = language == "zh"
    read, used = f"{result.rows_read:,}", f"{result.rows_used:,}"
    said = f"读取 {read} 行，用到 {used} 行。" if zh else f"{read} rows read, {used} used."
    fence = "`" * (3 + max((len(run) for run in re.findall("`+", result.query.sql)), default=0))
    return f"{said}\n\n{fence}sql\n{result.query.sql}\n{fence}"


def notices_of(result: TableResult) -> list[Message]:
    """What a person has to know of the rows that were left out."""
    notices = []
    if result.left_out:
        count = result.left_out
        notices.append(
            Message(
                zh=f"表中有 {count} 行合计，没有计入。",
                en=f"{count} row{'s' * (count != 1)} of totals {'was' if count == 1 else 'were'} left out.",
            )
        )
    for name, count in result.unread:
        notices.append(
            Message(
                zh=f"“{name}”列有 {count} 个单元格读不出数值，没有计入。",
                en=f"{count} cell{'s' * (count != 1)} of “{name}” could not be read as a value and "
                f"{'was' if count == 1 else 'were'} left out.",
            )
        )
    return notices


def misread_notice(doubts: Sequence[str]) -> Message | None:
    """Of cells that were read from a picture: how many may be misread, and which the least sure is."""
    if not doubts:
        return None
    word, _, score = min(doubts, key=_score).rpartition(" ")
    count = len(doubts)
    return Message(
        zh=f"用到的行里有 {count} 处文字识别把握不大（“{word}”只有 {score}），结果可能因此有误，请对照原页。",
        en=f"{count} word{'s' * (count != 1)} in the rows used may be misread (“{word}” was read with a confidence of "
        f"only {score}), and so the result may be wrong: check the page.",
    )


def least_sure(doubts: Sequence[str]) -> float:
    """1 where there is no doubt."""
    return min(map(_score, doubts), default=1.0)


def _score(doubt: str) -> float:
    return float(doubt.rpartition(" ")[2])


def _written_plainly(result: TableResult) -> set[int]:
    """The places of columns of years and of what tells things apart, and of the least, greatest or mean of them."""
    found: set[int] = set()
    for at, column in enumerate(result.columns):
        call = _call.fullmatch(column)
        if call is not None and call[1].lower() in ("count", "sum"):
            continue
        name = call[2].strip('"') if call is not None else column
        cells = [row[at] for row in result.rows]
        if is_written_plainly(name, [cell for cell in cells if isinstance(cell, int | float)]):
            found.add(at)
    return found


def shown(cell: Cell, unit: str, zh: bool, *, plain: bool = False) -> str:
    """A cell as a person reads it: 12,345.5 元, $12, 4.5%; without separators where it is plain."""
    if cell is None:
        return "—"
    if isinstance(cell, str):
        day = _of_no_year.fullmatch(cell)
        return _written(int(day[1]), int(day[2]), day[3], zh) if day else cell
    if unit == "%":
        return f"{_grouped(cell * 100)}%"
    if (told := spelled(cell, unit)) is not None:
        return told
    number = _grouped(cell)
    if plain or (zh and abs(cell) < _GROUPED_ZH):
        number = number.replace(",", "")
    if not unit:
        return number
    return f"{'-' * (cell < 0)}{unit}{number.lstrip('-')}" if unit in "$€£" else f"{number} {symbol(unit)}"


def _written(month: int, day: int, hour: str, zh: bool) -> str:
    return f"{month}月{day}日{hour}" if zh else f"{month_name[month]} {day}{hour}"


def _grouped(number: float) -> str:
    text = f"{round(number, 4):,.4f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _begun(words: str) -> str:
    return words[:1].upper() + words[1:]


_FUNCTIONS = {  # as a column's head: with the name of the column that is computed
    "count": Message("不同的{}数", "number of different values of {}"), "sum": Message("{}合计", "total {}"),
    "avg": Message("平均{}", "average {}"), "median": Message("{}中位数", "median {}"),
    "min": Message("{}最小值", "lowest {}"), "max": Message("{}最大值", "highest {}"),
}  # fmt: skip
_of_no_year = re.compile(rf"{NO_YEAR}-(\d\d)-(\d\d)((?: \d\d:\d\d)?)")
_quotes = re.compile(r'^(?:minutes\()?"|"\)?$')
_ROWS, _SHARE = Message("行数", "number of rows"), Message("占比", "share")
_call = re.compile(r"(count|sum|avg|median|min|max)\((?:distinct )?(.*)\)", re.IGNORECASE | re.DOTALL)


def _column_name(column: str, zh: bool) -> str:
    """What SQL calls a column of the result, for people: AVG("月薪（元）") is “平均月薪”, or "average salary"."""
    if column.startswith("substr("):
        return column.removeprefix("substr(").split(",")[0].strip('"')
    if column.startswith("1.0 *"):
        return _SHARE.zh if zh else _SHARE.en
    if (found := _call.fullmatch(column)) is None:
        return column
    if found[2].strip() == "*" or found[2].upper().startswith("CASE "):
        return _ROWS.zh if zh else _ROWS.en
    pattern = _FUNCTIONS[found[1].lower()]
    name = bare_name(_quotes.sub("", found[2]).replace('""', '"'))
    if not zh:
        return pattern.en.format(name[:1].lower() + name[1:] if name[1:2].islower() else name)
    latin = pattern.zh.replace("{}", " {} ").strip()  # Chinese and Latin stand apart
    return (latin if name.isascii() else pattern.zh).format(name)


def _in_cell(text: str) -> str:
    return re.sub(r"([\\|`*_\[\]<>])", r"\\\1", " ".join(text.split()))
