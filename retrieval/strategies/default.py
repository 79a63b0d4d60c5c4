"""The policy when nothing is said: calibrated hybrid, and HyDE when the search has found a passage worth asking for."""

from __future__ import annotations

from retrieval.strategies.hyde import hyde

default = hyde
