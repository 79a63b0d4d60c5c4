"""What programs hand in with a question, checked: a wrong name is an error, never an empty answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import get_args

from pydantic import ValidationError

from errors import CitewiseError
from library import Library
from nodes.retrieve import known_names
from nodes.state import Controls
from schema import DocType, Message, Scope

Where = Mapping[str, str | bool | int | float] | Sequence[tuple[str, str | bool | int | float]]


def controls_for(
    library: Library,
    doc_sets: Sequence[str] = (),
    documents: Sequence[str] = (),
    strategy: str | None = None,
    evaluate: bool = True,
    *,
    kinds: Sequence[str] = (),
    where: Where = (),
) -> Controls:
    """Raises CitewiseError for a strategy, a set, a document or a kind that does not exist, and where no document has
    the metadata that are asked for. "" are documents in no set; kinds are those of the originals, as lists show them.
    """
    if missing := set(doc_sets) - {"", *library.doc_sets()}:
        raise _not_there(Message(zh="文档集", en="document set"), missing)
    if missing := set(documents) - {*known_names(library)}:
        raise _not_there(Message(zh="文件", en="document"), missing)
    if unknown := set(kinds) - {*get_args(DocType)}:
        raise _no_kind(unknown)
    pairs = (*(where.items() if isinstance(where, Mapping) else where), *(("doc_type", kind) for kind in kinds))
    try:
        scope = Scope(documents=tuple(documents), doc_sets=tuple(doc_sets), metadata=pairs)
        if pairs and not library.documents(scope):
            raise _nothing_fits(pairs)
        return Controls.model_validate({"strategy": strategy, "scope": scope, "evaluate": evaluate})
    except ValidationError as error:
        raise unfit(error) from error


def unfit(error: ValidationError) -> CitewiseError:
    """Values that do not fit their fields, by name."""
    wrong = [f"{'/'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
    return CitewiseError(
        "settings",
        Message(zh=f"值不合适：{'；'.join(wrong)}。", en=f"A value does not fit: {'; '.join(wrong)}."),
        [Message(zh="请改正后重试。", en="Correct it and try again.")],
    )


def _no_kind(unknown: Iterable[str]) -> CitewiseError:
    listed, known = ", ".join(sorted(unknown)), ", ".join(get_args(DocType))
    return CitewiseError(
        "settings",
        Message(zh=f"没有这种类型：{listed}。", en=f"There is no kind {listed}."),
        [Message(zh=f"可用的类型：{known}。", en=f"The kinds are {known}.")],
    )


def _nothing_fits(pairs: Iterable[tuple[str, object]]) -> CitewiseError:
    listed = ", ".join(f"{name}={value}" for name, value in pairs)
    return CitewiseError(
        "not_found",
        Message(zh=f"没有符合条件的文件：{listed}。", en=f"No document meets these conditions: {listed}."),
        [Message(zh="请放宽条件后重试。", en="Ask for less and try again.")],
    )


def _not_there(what: Message, names: Iterable[str]) -> CitewiseError:
    listed = sorted(names)
    return CitewiseError(
        "not_found",
        Message(zh=f"知识库里没有{what.zh}“{'、'.join(listed)}”。", en=f"There is no {what.en} {', '.join(listed)}."),
        [
            Message(
                zh="请查看文件列表（终端：cli.py list）。",
                en="Look at the list of documents (in a terminal: cli.py list).",
            )
        ],
    )
