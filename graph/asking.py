"""What programs hand in with a question, checked: a wrong name is an error, never an empty answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic import ValidationError

from errors import CitewiseError
from library import Library
from nodes.retrieve import known_names
from nodes.state import Controls
from schema import Message, Scope


def controls_for(
    library: Library,
    doc_sets: Sequence[str] = (),
    documents: Sequence[str] = (),
    strategy: str | None = None,
    evaluate: bool = True,
) -> Controls:
    """Raises CitewiseError for a strategy, a set or a document that does not exist; "" are documents in no set."""
    if missing := set(doc_sets) - {"", *library.doc_sets()}:
        raise _not_there(Message(zh="文档集", en="document set"), missing)
    if missing := set(documents) - {*known_names(library)}:
        raise _not_there(Message(zh="文件", en="document"), missing)
    scope = Scope(documents=tuple(documents), doc_sets=tuple(doc_sets))
    try:
        return Controls.model_validate({"strategy": strategy, "scope": scope, "evaluate": evaluate})
    except ValidationError as error:
        raise unfit(error) from error


def unfit(error: ValidationError) -> CitewiseError:
    """Values that do not fit their fields, by name."""
    wrong = [f"{'/'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
    return CitewiseError(
        "settings",
        Message(zh=f"值不合适：{'；'.join(wrong)}", en=f"A value does not fit: {'; '.join(wrong)}"),
        [Message(zh="请改正后重试。", en="Correct it and try again.")],
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
