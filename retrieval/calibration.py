"""What was learned about the scores of a space: read from `Space.calibration`, where fitting has put it."""

from __future__ import annotations

from dataclasses import dataclass

from schema import Language, Space

_FACT, _SUBJECT = 5, 15  # words of questions that ask for a fact, and of those that describe a subject
_ASKED, _DESCRIBED = 10, 20  # words up to which a question only asks, and from which on it only describes


def described(words: float) -> float:
    """How far a question of so many words describes what it is about, in [0, 1]. Even one that names several things, of
    which each stands in a passage of its own, rarely has more than ten."""
    return min(1.0, max(0.0, (words - _ASKED) / (_DESCRIBED - _ASKED)))


@dataclass(frozen=True)
class Calibration:
    """The defaults are for a space that nothing is known about: safe with the weakest one measured."""

    vector_weight: float = 0.1  # in [0, 1], beside the keyword score, where a question asks for a fact
    background: float = 0.0  # mean cosine of a question and any text
    match: float = 0.5  # median cosine of a question and the text that it comes from
    subject_weight: float | None = None  # of the vectors where a question is about a subject; None: not learned

    @classmethod
    def of(cls, space: Space | None, language: Language) -> Calibration:
        return cls(**((space and space.calibration) or {}).get(language, {}))

    def weight(self, coverage: float, words: float) -> float:
        """Of the vectors for one question: the longer it is and the less of it the best passages say (`coverage`, in
        [0, 1]), the more it is about a subject."""
        if self.subject_weight is None:
            return self.vector_weight
        about = (1 - coverage) * min(1.0, max(0.0, (words - _FACT) / (_SUBJECT - _FACT)))
        return self.vector_weight + about * (self.subject_weight - self.vector_weight)

    def share(self, cosine: float) -> float:
        """The cosine as a share of the way from the background to identity, in [0, 1]."""
        return max(0.0, (cosine - self.background) / (1 - self.background))

    def least_cosine(self, similarity: float) -> float:
        """The cosine that a similarity in [0, 1] stands for: the share of the way from the background to a match.

        Cosines of different spaces are not alike: a right passage has .2 in one, .8 in another.
        """
        return self.background + similarity * (self.match - self.background)

    def similarity(self, cosine: float) -> float:
        """The similarity in [0, 1] that a cosine stands for; a match and more is 1."""
        way = self.match - self.background
        return min(1.0, max(0.0, (cosine - self.background) / way)) if way > 0 else float(cosine >= self.match)
