"""An error as programs get it: the same fields at every door."""

from __future__ import annotations

from typing import Any, get_args

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse

from errors import CitewiseError, Kind, StoreError
from schema import Language, Message
from validation import told_problems, unfit_values


class ErrorFields(BaseModel):
    """What went wrong, what to do about it, and what one can go on with; in one language, or in both by lines."""

    type: Kind
    message: str
    suggestions: list[str] = []
    still_works: list[str] = []


STATUS: dict[Kind, int] = {"not_found": 404, "internal": 500, "store": 503, "model": 503, "missing_extra": 501}
UNFIT = 400  # status of all others


def problem_of(error: CitewiseError, language: Language | None) -> ErrorFields:
    """In both languages where none is known."""
    works = error.still_works or _STILL_WORKS.get(error.kind)
    return ErrorFields(
        type=error.kind,
        message=_text(error.message, language),
        suggestions=[_text(one, language) for one in error.suggestions],
        still_works=[_text(works, language)] if works else [],
    )


def in_words(error: CitewiseError, language: Language | None) -> str:
    """All of it as one text, where an error has no fields: a line, or one for each language."""
    lines = []
    for one in [language] if language else get_args(Language):
        fields = problem_of(error, one)
        lines.append(("" if one == "zh" else " ").join([fields.message, *fields.suggestions, *fields.still_works]))
    return "\n".join(lines)


async def _unusable_library(_: Request, error: Exception) -> JSONResponse:
    """What is answered where nobody has caught that a database is away, or busy with the same."""
    assert isinstance(error, StoreError)
    return JSONResponse({"error": problem_of(error, None).model_dump(mode="json")}, STATUS["store"])


async def _unfit_address(_: Request, error: Exception) -> JSONResponse:
    """What is answered to an address whose values do not fit, such as one without the name of a document."""
    assert isinstance(error, RequestValidationError)
    named = [{**one, "loc": one["loc"][1:]} for one in error.errors()]  # without "query" or "path"
    unfit = unfit_values([*told_problems(named)])  # type: ignore[arg-type]
    return JSONResponse({"error": problem_of(unfit, None).model_dump(mode="json")}, UNFIT)


REFUSALS: dict[Any, Any] = {StoreError: _unusable_library, RequestValidationError: _unfit_address}


def _text(message: Message, language: Language | None) -> str:
    return message.to(language) if language else f"{message.zh}\n{message.en}"


_STILL_WORKS: dict[Kind, Message] = {  # where an error does not say it itself
    "file": Message(zh="其他文件和已保存的内容照常可用。", en="All other documents, and what was stored, can be used."),
    "settings": Message(zh="没有做任何改动；知识库照常可用。", en="Nothing was changed; the library can be used."),
    "not_found": Message(zh="知识库的其余内容照常可用。", en="The rest of the library can be used."),
    "model": Message(
        zh="不用模型的功能照常可用：检索、摘录原文、管理文件。",
        en="What needs no model works: searching, quoting the sources, managing documents.",
    ),
    "web": Message(zh="知识库照常可用，不受网络影响。", en="The library itself can be used without the web."),
    "store": Message(
        zh="检查、重建、备份和恢复照常可用（cli.py check、rebuild、backup、restore）。",
        en="Checking, rebuilding, backup and restore work (cli.py check, rebuild, backup, restore).",
    ),
}
