"""What the calls of a turn cost, in tokens and in money."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from schema import Call, Language


def cost_of(calls: Sequence[Call], language: Language) -> str:
    """By the prices that are set: "USD 0.0012"; "" where there are none."""
    by_currency: defaultdict[str, float] = defaultdict(float)
    for call in calls:
        if call.cost is not None:
            by_currency[call.currency] += call.cost
    total = " + ".join(f"{currency} {_amount(cost)}" for currency, cost in by_currency.items())
    partly = any(call.cost is None and call.output_tokens is not None for call in calls)
    return total and (f"{'至少' if language == 'zh' else 'at least '} {total}".replace("  ", " ") if partly else total)


def _amount(cost: float) -> str:
    """As exact as the last two digits that say anything."""
    return f"{cost:.2f}" if cost >= 1 or cost == 0 else f"{cost:.2g}" if cost >= 0.0001 else f"{cost:.7f}".rstrip("0")


def tokens_of(calls: Sequence[Call]) -> str:
    """ "1,204 → 96"; "" where nobody told."""
    counted = [call for call in calls if call.output_tokens is not None]
    read, written = sum(call.input_tokens or 0 for call in counted), sum(call.output_tokens or 0 for call in counted)
    return f"{read:,} → {written:,}" if counted else ""
