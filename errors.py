"""The few errors a person may see: what happened, what to do about it, what still works."""

from __future__ import annotations

from typing import Any, Literal

from schema import Message, StrategyName
from schema.names import no_strategy, strategy_name

Kind = Literal["file", "store", "settings", "model", "web", "missing_extra", "not_found", "internal"]


class CitewiseError(Exception):
    """An error with a remedy, in both languages. `still_works` says what the person can go on with."""

    def __init__(self, kind: Kind, message: Message, *suggestions: Message, still_works: Message | None = None) -> None:
        super().__init__(message.en)
        self.kind = kind
        self.message = message
        self.suggestions = suggestions
        self.still_works = still_works

    @property
    def in_full(self) -> Message:
        """What happened and what to do about it."""
        sentences = (self.message, *self.suggestions)
        return Message(zh="".join(one.zh for one in sentences), en=" ".join(one.en for one in sentences))

    def __reduce__(self) -> tuple[Any, ...]:
        """Whole across a process boundary, whatever a subclass's constructor takes."""
        return _revived, (type(self), self.__dict__)


def _revived(kind: type[CitewiseError], fields: dict[str, Any]) -> CitewiseError:
    error = kind.__new__(kind, fields["message"].en)
    error.__dict__.update(fields)
    return error


class FileError(CitewiseError):
    """A file that cannot be read or stored; the other files of the upload go on."""

    def __init__(self, message: Message, *suggestions: Message) -> None:
        super().__init__("file", message, *suggestions)


class StoreError(CitewiseError):
    """The library cannot be opened or written."""

    def __init__(self, message: Message, *suggestions: Message, still_works: Message | None = None) -> None:
        super().__init__("store", message, *suggestions, still_works=still_works)


class ModelError(CitewiseError):
    """A model did not answer, or not in the form that was asked for."""

    def __init__(self, message: Message, *suggestions: Message) -> None:
        super().__init__("model", message, *suggestions)


_EXTRAS = {  # what each one brings
    "local": Message(zh="本地 ONNX 模型", en="local ONNX models"),
    "rerank": Message(zh="本地交叉编码重排器", en="local cross-encoder rerankers"),
    "otel": Message(zh="OpenTelemetry 追踪（CITEWISE_OTEL）", en="traces for OpenTelemetry (CITEWISE_OTEL)"),
    "ocr": Message(zh="扫描件和图片的文字识别", en="text recognition for scans and pictures"),
    "mcp": Message(zh="MCP 工具", en="tools for MCP programs"),
    "postgres": Message(zh="PostgreSQL 里的知识库", en="libraries in PostgreSQL"),
    "milvus": Message(zh="Milvus 里的向量检索", en="the search of vectors in Milvus"),
    "math": Message(zh="数学公式答案的比较", en="the comparison of formulas"),
    "st": Message(zh="sentence-transformers 模型", en="sentence-transformers models"),
}


def missing_extra(extra: str, without: Message | None = None) -> CitewiseError:
    """What to raise when an optional dependency is not installed; `without` says how to go on where nothing works."""
    what, command = _EXTRAS[extra], f"uv sync --extra {extra}"
    install = Message(zh=f"请运行：{command}，然后重新启动程序。", en=f"Run: {command}, then start the program again.")
    return CitewiseError(
        "missing_extra",
        Message(
            zh=f"{what.zh}需要可选组件“{extra}”，它还没有安装。",
            en=f"The extra {extra!r}, which brings {what.en}, is not installed.",
        ),
        *([install] if without is None else [install, without]),
        still_works=Message(zh="不需要它的功能照常可用。", en="Everything that does without it goes on working.")
        if without is None
        else None,
    )


def strategy_named(name: str) -> StrategyName:
    """The strategy that any of its names means. Raises CitewiseError with the known names."""
    try:
        found: StrategyName = strategy_name(name)
    except ValueError as error:
        raise CitewiseError("settings", no_strategy(name)) from error
    return found
