"""What was learned about the scores of a space: read from `Space.calibration`, where fitting has put it."""

from __future__ import annotations

from dataclasses import dataclass

from schema import Language, Space


@dataclass(frozen=True)
class Calibration:
    """`vector_weight` in [0, 1] beside the keyword score; `background` is the cosine of unrelated texts."""

    vector_weight: float = 0.1  # safe with the weakest space measured
    background: float = 0.0

    @classmethod
    def of(cls, space: Space | None, language: Language) -> Calibration:
        known = ((space and space.calibration) or {}).get(language, {})
        return cls(float(known.get("vector_weight", cls.vector_weight)), float(known.get("background", cls.background)))

    def similarity(self, cosine: float) -> float:
        """The cosine as a share of the way from the background to 1, in [0, 1]."""
        return max(0.0, (cosine - self.background) / (1 - self.background))
