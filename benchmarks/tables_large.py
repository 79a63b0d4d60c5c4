"""A table of 100,000 orders, made anew from a seed: too large to be kept in the repository."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

ROWS = 100_000
_REGIONS = ("North", "South", "East", "West", "Central")
_PRODUCTS = tuple(
    f"{size} {thing}" for size in ("Small", "Medium", "Large") for thing in ("Box", "Crate", "Drum", "Bag")
)
_STATUS = ("delivered",) * 7 + ("returned", "pending", "cancelled")


class LargeOrder(NamedTuple):
    number: str
    day: date
    region: str
    product: str
    quantity: int
    amount: float
    status: str


def large_rows(rows: int = ROWS, seed: int = 2) -> Iterator[LargeOrder]:
    draw = random.Random(seed)
    for number in range(rows):
        quantity, price = draw.randrange(1, 40), draw.randrange(100, 6_000) / 100
        yield LargeOrder(
            f"SO{number:06d}", date(2023, 1, 1) + timedelta(days=draw.randrange(730)), draw.choice(_REGIONS),
            draw.choice(_PRODUCTS), quantity, round(quantity * price, 2), draw.choice(_STATUS),
        )  # fmt: skip


def write_large(path: Path, rows: int = ROWS, seed: int = 2) -> None:
    """As a spreadsheet program would export it: dates and amounts are written in several ways."""
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(["Order ID", "Order Date", "Region", "Product", "Quantity", "Amount", "Status"])
        for at, one in enumerate(large_rows(rows, seed)):
            day = one.day.isoformat() if at % 2 else f"{one.day.year}/{one.day.month}/{one.day.day}"
            amount = (f"${one.amount:,.2f}", f"{one.amount:.2f}", f"{one.amount:,.2f}")[at % 3]
            out.writerow([one.number, day, one.region, one.product, one.quantity, amount, one.status])
