"""Many rows that one test goes through: each is looked at, whatever became of the others, and each that fails is shown.

For rows that take less time than pytest takes for a test of its own, two milliseconds; `pytest.mark.parametrize` is for
those that need fixtures of their own, or take long."""

from __future__ import annotations

import functools
import inspect
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

Test = Callable[..., Any]


class Rows:
    """What became of the rows so far."""

    def __init__(self) -> None:
        self._failed: list[str] = []
        self._count = 0

    @contextmanager
    def row(self, what: object) -> Iterator[None]:
        self._count += 1
        try:
            yield
        except (Exception, pytest.fail.Exception) as problem:
            place = traceback.extract_tb(problem.__traceback__)[-1]
            why = "".join(traceback.format_exception_only(problem)).strip()
            self._failed.append(f"{what}\n  {place.filename}:{place.lineno}: {place.line}\n  {why}")

    def end(self) -> None:
        assert self._count, "there are no rows"
        if self._failed:
            pytest.fail(f"{len(self._failed)} of {self._count} rows:\n" + "\n".join(self._failed), pytrace=False)


def each_row(names: str | tuple[str, ...], values: Iterable[Any]) -> Callable[[Test], Test]:
    """In place of `pytest.mark.parametrize`, with the same arguments: one test for all rows, which share whatever else
    it asks for."""
    arguments = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    bare = isinstance(names, str) and len(arguments) == 1
    found = [dict(zip(arguments, (value,) if bare else value, strict=True)) for value in values]

    def of(test: Test) -> Test:
        def every(**fixtures: Any) -> None:
            seen = Rows()
            for row in found:
                with seen.row(row):
                    test(**row, **fixtures)
            seen.end()

        assert not inspect.iscoroutinefunction(test), "nobody would await it"
        signature = inspect.signature(test)
        left = [parameter for name, parameter in signature.parameters.items() if name not in arguments]
        assert len(left) == len(signature.parameters) - len(arguments), f"{test.__name__} has no {names}"
        whole: Test = functools.update_wrapper(every, test)
        whole.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]  # what pytest has to give
        return whole

    return of
