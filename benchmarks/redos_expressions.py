"""Every regular expression of the product, with texts made from its own parts that would show whether it is linear."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import random
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

_parser: Any = importlib.import_module("re._parser")  # how the standard library itself reads a pattern
_METHODS = {"match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"}
_ANCHORED = {"match", "fullmatch"}  # all others begin at every character
_SIZES = (20, 28, 500, 4_000)  # characters; a short text shows an exponential one, which never ends on a long one
_NOTICED, _SQUARE = 0.004, 8.0  # seconds for 4,000 characters; times as long for four times the text (4: linear)
_PARTS = 6  # of a pattern, side by side, in a unit
_signs = ["a", "1", " ", "\n", "年", "-", "!", "<", "A"]


class Expression(NamedTuple):
    """A pattern, where it stands, and by which of its methods it is used."""

    place: str
    pattern: re.Pattern[Any]
    method: str

    def spent(self, text: str) -> float:
        """Seconds of the processor for one text."""
        given = text.encode("utf-8") if isinstance(self.pattern.pattern, bytes) else text
        if self.method in _ANCHORED:
            work: Callable[[Any], object] = getattr(self.pattern, self.method)
        else:
            work = self.pattern.findall
        start = time.thread_time()
        work(given)
        return time.thread_time() - start


class Growth(NamedTuple):
    """How much longer an expression takes for four times the text; what the text begins with."""

    expression: Expression
    times: float
    seconds: float
    beginning: str


def expressions(modules: Sequence[ModuleType]) -> list[Expression]:
    """Those that are compiled in a module, wherever they are used, and those written where they are used."""
    trees = {module: ast.parse(Path(str(module.__file__)).read_text("utf-8")) for module in modules}
    used: dict[int, set[str]] = {}  # the identity of a pattern -> the methods that are called by its name
    others: dict[ModuleType, set[str]] = {}  # the methods that are called by a local name, for patterns in tables
    for module, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in _METHODS:
                if node.value.id in vars(module):
                    used.setdefault(id(vars(module)[node.value.id]), set()).add(node.attr)
                elif node.attr != "split":  # a text has that too
                    others.setdefault(module, set()).add(node.attr)
            match node:
                case ast.Attribute(value=ast.Attribute(attr="pattern"), attr=method) if method in _METHODS:
                    others.setdefault(module, set()).add(method)  # a field of what stands in a table
    found: dict[tuple[Any, int, str], Expression] = {}
    for module, tree in trees.items():
        for name, pattern in _compiled(vars(module)):
            methods = used.get(id(pattern)) or others.get(module) or {"search"}
            for method in sorted(methods if methods <= _ANCHORED else {"search"}):
                one = Expression(f"{module.__name__}.{name}", pattern, method)
                found.setdefault((pattern.pattern, pattern.flags, method), one)
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=method), args=[written, *_]):
                    if method in _METHODS and (made := _evaluated(node, written, module)):
                        one = Expression(f"{module.__name__}:{node.lineno}", made, method)
                        found.setdefault((made.pattern, made.flags, method), one)
    return list(found.values())


def modules(packages: Iterable[str]) -> Iterator[ModuleType]:
    """The modules of some packages, each once; those that need an extra which is not installed are left out."""
    for name in packages:
        top = importlib.import_module(name)
        yield top
        for inner in pkgutil.walk_packages(getattr(top, "__path__", []), f"{name}."):
            yield importlib.import_module(inner.name)


def _compiled(names: dict[str, Any]) -> Iterator[tuple[str, re.Pattern[Any]]]:
    for name, value in names.items():
        yield from ((name, pattern) for pattern in _patterns(value))


def _patterns(value: Any) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, (list, tuple, set, frozenset)):
        for one in value:
            yield from _patterns(one)
    elif isinstance(value, dict):
        yield from _patterns([*value.values()])


def _evaluated(call: ast.Call, written: ast.expr, module: ModuleType) -> re.Pattern[Any] | None:
    flags = next((keyword.value for keyword in call.keywords if keyword.arg == "flags"), ast.Constant(0))
    try:
        return re.compile(*(eval(_code(one), dict(vars(module))) for one in (written, flags)))
    except (NameError, TypeError):  # made of what is only known at work
        return None


def _code(expression: ast.expr) -> Any:
    return compile(ast.fix_missing_locations(ast.Expression(expression)), "<pattern>", "eval")


def growth(expression: Expression, most: int | None = None) -> Growth | None:
    """The first text for which the expression takes more than in proportion; None when none of them is such.

    With `most` so many of the texts are tried, chosen at random, and all that repeat one sign.
    """
    for make in texts(expression.pattern, most):
        size = next((size for size in _SIZES if expression.spent(make(size)) > _NOTICED), None)
        if size is None or (spent := min(expression.spent(make(size)) for _ in range(3))) < _NOTICED:
            continue
        if size < _SIZES[-1]:
            return Growth(expression, inf, spent, make(60))
        longer = expression.spent(make(4 * size))
        if longer > _SQUARE * spent:
            return Growth(expression, longer / spent, longer, make(60))
    return None


def texts(pattern: re.Pattern[Any], most: int | None = None) -> Iterator[Callable[[int], str]]:
    """Runs of each part of the pattern and of parts side by side, behind what comes before; some end otherwise.

    `most` is of how many, chosen at random, beside runs of one sign.
    """
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    flags = pattern.flags & (re.VERBOSE | re.DOTALL | re.MULTILINE | re.IGNORECASE)
    runs: dict[tuple[str, str], None] = {}
    _runs(list(_parser.parse(source, flags)), "", runs)
    made = [(before, unit, after) for before, unit in runs for after in ("", "!a")]
    if most is not None and most < len(made):
        chosen = random.Random(0).sample(made, most)
        made = list(dict.fromkeys([*(one for one in made if not (one[0] or one[2] or one[1][1:])), *chosen]))
    for before, unit, after in made:
        yield (
            lambda size, before=before, unit=unit, after=after: (  # type: ignore[misc]
                before + (unit * (size // len(unit) + 1))[: max(size - len(before) - len(after), 0)] + after
            )
        )


def _runs(parts: list[Any], before: str, runs: dict[tuple[str, str], None]) -> None:
    for first in range(len(parts)):
        ahead = before + _sample(parts[:first])
        for sign in _signs_of(parts[first]):
            runs |= {("", sign): None, (ahead, sign): None}
        for last in range(first + 1, min(first + _PARTS, len(parts)) + 1):
            if unit := _sample(parts[first:last]):
                runs |= {("", unit): None, (ahead, unit): None, ("", f"{unit} "): None}
        for inner in _inner(parts[first]):
            _runs(inner, ahead, runs)


def _inner(part: Any) -> list[list[Any]]:
    name, value = str(part[0]), part[1]
    if name == "BRANCH":
        return [list(branch) for branch in value[1]]
    if name in {"SUBPATTERN", "ASSERT", "ASSERT_NOT", "MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}:
        return [list(value[-1])]
    return [list(value)] if name == "ATOMIC_GROUP" else []


def _sample(parts: Sequence[Any]) -> str:
    """A text that matches the parts, but for what they look ahead to."""
    made = ""
    for part in parts:
        name, value = str(part[0]), part[1]
        if name.endswith("_REPEAT"):
            made += _sample(list(value[2])) * max(value[0], 1)
        elif name in {"BRANCH", "SUBPATTERN", "ATOMIC_GROUP"}:
            made += _sample(_inner(part)[0])
        else:
            made += next(iter(_signs_of(part)), "")
    return made


def _signs_of(part: Any) -> list[str]:
    name, value = str(part[0]), part[1]
    if name == "LITERAL":
        return [chr(value)]
    if name in {"NOT_LITERAL", "ANY"}:
        return [sign for sign in _signs if name == "ANY" or ord(sign) != value][:3]
    if name == "IN":
        negated = str(value[0][0]) == "NEGATE"
        if negated:
            return [sign for sign in _signs if not any(_holds(one, sign) for one in value[1:])][:4]
        literal = [chr(one[1] if str(one[0]) == "LITERAL" else one[1][0]) for one in value if str(one[0]) != "CATEGORY"]
        return [*[sign for sign in _signs if any(_holds(one, sign) for one in value)][:4], *literal[:8]]
    if name.endswith("_REPEAT") and len(value[2]) == 1:
        return _signs_of(value[2][0])
    return []


def _holds(member: Any, sign: str) -> bool:
    name, value = str(member[0]), member[1]
    if name == "LITERAL":
        return bool(ord(sign) == value)
    if name == "RANGE":
        return bool(value[0] <= ord(sign) <= value[1])
    kind = str(value)
    known: dict[str, bool] = {"SPACE": sign.isspace(), "DIGIT": sign.isdigit(), "WORD": sign.isalnum() or sign == "_"}
    return known[kind.rpartition("_")[2]] != ("_NOT_" in kind)
