"""Whether two formulas come to the same, by the extra "math": sqrt 8 is 2 sqrt 2, and (x+1)^2 is x^2+2x+1.

It takes a second to load, and some formulas for ever: it is asked in a process that can be ended.
"""

from __future__ import annotations

import importlib.util
import logging

from errors import missing_extra


def check_installed() -> None:
    """Raises CitewiseError where the package is missing."""
    if importlib.util.find_spec("math_verify") is None:
        raise missing_extra("math")


def equal_formulas(answer: str, reference: str) -> bool:
    """Of two texts that hold one formula each, in LaTeX; what cannot be read is equal to nothing.

    Time limits of the package are left away: they need the main thread, and the process has one.
    """
    from math_verify import parse, verify

    logging.getLogger("math_verify").setLevel(logging.ERROR)  # what cannot be read is an ordinary answer
    wanted, said = (parse(_dressed(one), parsing_timeout=None) for one in (reference, answer))
    return bool(wanted and said and verify(wanted, said, timeout_seconds=None))


def _dressed(text: str) -> str:
    """As the package wants it: between dollars."""
    return text if "$" in text else f"${text}$"
