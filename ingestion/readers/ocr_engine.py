"""What reads the lines of a picture: the contract, and the one that the extra `ocr` installs."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from errors import missing_extra

if TYPE_CHECKING:
    from PIL.Image import Image

Quad = tuple[tuple[float, float], ...]  # corners of a line in pixels: upper left, upper right, lower right, lower left


# Pixels of the sides of a picture in which lines are found: more takes memory (at 2,000 a tenth of a gigabyte for each
# hundred) and finds no more; in less, small letters are lost.
_LONG_SIDE, _SHORT_SIDE = 1_600, 736


class OcrLine(NamedTuple):
    """A line as an engine reads it."""

    text: str
    quad: Quad
    scores: Sequence[float]  # in [0, 1], of each character; of a blank it says nothing
    words: Sequence[tuple[str, float, float]] = ()  # words or characters, from where to where across the picture


class OcrEngine(Protocol):
    @staticmethod
    def is_here() -> bool:
        """Whether it is installed, by a look that loads nothing."""
        return True

    def read(self, picture: Image) -> list[OcrLine]:
        """The lines of an RGB picture in any order; of blank ones none."""


class RapidOcrEngine(OcrEngine):
    """PP-OCR by onnxruntime, on one core. Raises CitewiseError where it is not installed."""

    @staticmethod
    def is_here() -> bool:
        return find_spec("rapidocr") is not None

    def __init__(self) -> None:
        try:
            import rapidocr
        except ImportError as error:
            raise missing_extra("ocr") from error
        from importlib.resources import files

        models = files(rapidocr) / "models"

        def model(part: str) -> str:
            """Named by its path, so that nothing is looked for elsewhere."""
            return str(next(one for one in models.iterdir() if part in one.name and one.name.endswith(".onnx")))

        self._engine = rapidocr.RapidOCR(
            params={
                "EngineConfig.onnxruntime.intra_op_num_threads": 1,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
                "Global.use_cls": False,  # it turns upright English lines
                "Global.text_score": 0.0,  # lines below it would be lost; they are marked
                "Global.log_level": "critical",
                "Rec.rec_batch_num": 1,
                "Det.limit_type": "max",  # lines are found in a smaller picture, and read in the whole one
                "Det.limit_side_len": _LONG_SIDE,
                "Det.model_path": model("det"),
                "Rec.model_path": model("rec"),
                "Cls.model_path": model("cls"),
            }
        )
        self._scores: list[list[float]] = []
        self._engine.update_params(return_word_box=True)
        original = self._engine.calc_word_boxes

        def noted(images: Any, boxes: Any, found: Any) -> Any:
            """Scores of characters are handed over paired with the wrong ones behind a blank: they are taken here."""
            self._scores = [list(word.confs) for word in found.word_results]
            return original(images, boxes, found)

        self._engine.calc_word_boxes = noted

    def read(self, picture: Image) -> list[OcrLine]:
        import numpy as np

        self._scores = []
        larger = _enlarged_by(*picture.size)
        if larger > 1:
            picture = picture.resize((round(picture.width * larger), round(picture.height * larger)))
        found = self._engine(np.asarray(picture)[:, :, ::-1])
        if found.boxes is None or found.txts is None:
            return []
        lines = []
        for nth, (text, box, score) in enumerate(zip(found.txts, found.boxes, found.scores, strict=True)):
            scores = self._scores[nth] if nth < len(self._scores) else []
            if len(scores) != len(text):
                scores = [float(score)] * len(text)
            quad = tuple((float(x) / larger, float(y) / larger) for x, y in box)
            lines.append(OcrLine(text, quad, scores, _words(found, nth, larger)))
        return lines


def _enlarged_by(width: int, height: int) -> float:
    """How many times a small picture is enlarged."""
    return max(1.0, min(_SHORT_SIDE / min(width, height), _LONG_SIDE / max(width, height)))


def _words(found: Any, nth: int, larger: float) -> list[tuple[str, float, float]]:
    """Of a line; none where the library does not tell them."""
    listed = getattr(found, "word_results", None) or ()
    words = []
    for text, _, corners in listed[nth] if nth < len(listed) and len(listed) == len(found.txts) else ():
        xs = [float(x) / larger for x, _ in corners]
        words.append((str(text), min(xs), max(xs)))
    return words
