"""What programs hand in with a question, checked: a wrong name is an error, never an empty answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import get_args

from pydantic import ValidationError

from errors import CitewiseError
from graph.problems import no_doc_set, no_document
from library import Library
from nodes.overrides import AS_SET, Overrides
from nodes.state import Controls
from schema import DocType, Message, Scope
from validation import validation_error

Where = Mapping[str, str | bool | int | float] | Sequence[tuple[str, str | bool | int | float]]

_EXTRACTED = ("keywords", "entities", "topics")  # of a document, which nobody has read for that as it was stored


def controls_for(
    library: Library,
    doc_sets: Sequence[str] = (),
    documents: Sequence[str] = (),
    strategy: str | None = None,
    evaluate: bool = True,
    *,
    kinds: Sequence[str] = (),
    where: Where = (),
    overrides: Overrides | Mapping[str, object] = AS_SET,
    search_method: int | None = None,
) -> Controls:
    """Raises CitewiseError for a strategy, a set, a document or a kind that does not exist, and where no document has
    the metadata that are asked for. "" are documents in no set; kinds are those of the originals, as lists show them;
    a mapping of overrides is checked here.
    """
    if missing := set(doc_sets) - {"", *library.doc_sets()}:
        raise no_doc_set(missing)
    if missing := set(documents) - {*library.known_names()}:
        raise no_document(missing)
    if unknown := set(kinds) - {*get_args(DocType)}:
        raise _no_kind(unknown)
    pairs = (*(where.items() if isinstance(where, Mapping) else where), *(("doc_type", kind) for kind in kinds))
    if any(name in _EXTRACTED for name, _ in pairs):
        library.complete_structured()
    try:
        scope = Scope(documents=tuple(documents), doc_sets=tuple(doc_sets), metadata=pairs)
        if pairs and not library.documents(scope):
            raise _nothing_fits(pairs)
        given = {"strategy": strategy, "scope": scope, "evaluate": evaluate, "overrides": overrides}
        return Controls.model_validate({**given, "search_method": search_method})
    except ValidationError as error:
        raise validation_error(error, Controls) from error


def _no_kind(unknown: Iterable[str]) -> CitewiseError:
    listed, known = ", ".join(sorted(unknown)), ", ".join(get_args(DocType))
    return CitewiseError(
        "settings",
        Message(zh=f"没有这种类型：{listed}。", en=f"There is no kind {listed}."),
        Message(zh=f"可用的类型：{known}。", en=f"The kinds are {known}."),
    )


def _nothing_fits(pairs: Iterable[tuple[str, object]]) -> CitewiseError:
    listed = ", ".join(f"{name}={value}" for name, value in pairs)
    return CitewiseError(
        "not_found",
        Message(zh=f"没有符合条件的文件：{listed}。", en=f"No document meets these conditions: {listed}."),
        Message(zh="请放宽条件后重试。", en="Ask for less and try again."),
    )
