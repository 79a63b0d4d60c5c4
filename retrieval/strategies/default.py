"""The policy when nothing is said: calibrated hybrid, and HyDE when the search has found a passage worth asking for.

What it finds is put in complementary order (`retrieval/blocking_search.py`).
"""

from __future__ import annotations

from retrieval.strategies.hyde import hyde

default = hyde
