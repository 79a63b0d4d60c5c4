"""The plan as a form: what its fields show of a turn, and the plan that they make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from pydantic import ValidationError

from errors import CitewiseError
from graph.conversations import Turn
from library import Library
from planning.question_parts import question_parts
from schema import Action, Language, Message, Plan, Scope, StrategyName, TableQuery
from settings import Settings
from ui.options import read_chunking
from validation import validation_error

ORDER: tuple[Action, ...] = ("save", "fetch_web", "retrieve")  # in which a plan runs


@dataclass(frozen=True)
class PlanForm:
    """The values of the fields, in their order on the page."""

    actions: Sequence[Action]
    question: str
    translated: str
    strategy: StrategyName
    doc_sets: Sequence[str]
    documents: Sequence[str]
    language: Language
    anew: bool
    chunker: str
    size: float | None
    overlap: float | None
    into: str | None
    unit: str | None = ""  # of both sizes
    sql: str = ""  # of the query over a table

    def __post_init__(self) -> None:
        """An emptied field is one where nothing is said."""
        for one in fields(self):
            if getattr(self, one.name) is None and one.name not in ("size", "overlap"):
                object.__setattr__(self, one.name, () if one.name in ("actions", "doc_sets", "documents") else "")


def form_of(turn: Turn, plan: Plan, library: Library) -> PlanForm:
    """A plan that saves what came with its message names these files: by now they are in the library, or gone."""
    saves = "save" in plan.actions and not plan.every_file
    return PlanForm(
        actions=plan.actions,
        question=plan.asked or turn.question,
        translated=plan.translated,
        strategy=plan.strategy or "default",
        doc_sets=plan.scope.doc_sets,
        documents=plan.scope.documents or (tuple(uploads_still_stored(turn, library)) if saves else ()),
        language=plan.language,
        anew=plan.anew,
        chunker=plan.chunking.strategy or "",
        size=plan.chunking.size or 0,
        overlap=plan.chunking.overlap or 0,
        into=plan.doc_set or "",
        unit=plan.chunking.unit or "",
        sql=plan.table.sql if plan.table else "",
    )


def uploads_still_stored(turn: Turn, library: Library) -> list[str]:
    """The files of a message that the library knows; of an archive those that were in it."""
    inside = tuple(f"{file.rpartition('.')[0]}/" for file in turn.files if "." in file)
    return [name for name in library.known_names() if name in turn.files or (inside and name.startswith(inside))]


def uploads_deleted(turn: Turn, library: Library) -> list[str]:
    left = uploads_still_stored(turn, library)
    return [
        file
        for file in turn.files
        if file not in left and not any(name.startswith(f"{file.rpartition('.')[0]}/") for name in left)
    ]


def changed_plan(turn: Turn, plan: Plan, form: PlanForm, library: Library, settings: Settings) -> Plan:
    """The plan that the form makes. Raises CitewiseError where it cannot be followed."""
    before = form_of(turn, plan, library)
    question = form.question.strip()
    actions = tuple(action for action in ORDER if action in form.actions)
    translated = form.translated.strip()
    if question != before.question and translated == before.translated:
        translated = ""  # of another question
    try:
        chunking = read_chunking(form.chunker, form.size, form.overlap, form.unit)
        scope = plan.scope.model_copy(update={"documents": tuple(form.documents), "doc_sets": tuple(form.doc_sets)})
        changed = Plan.model_validate(
            {
                **plan.model_dump(),
                "actions": actions,
                "question": " ".join(filter(None, [question, *plan.urls])),
                "translated": translated,
                "parts": plan.parts if question == plan.asked else question_parts(question),
                "strategy": plan.strategy if form.strategy == before.strategy else form.strategy,
                "scope": scope.model_dump(),
                "missing_files": () if scope else plan.missing_files,
                "missing_sets": () if scope else plan.missing_sets,
                "unclear": None,
                "language": form.language,
                "answer_language": plan.answer_language if form.language == before.language else form.language,
                "anew": form.anew,
                "table": _changed_query(plan.table, form, question != plan.asked),
                "chunking": chunking.model_dump(),
                "doc_set": form.into.strip() if form.into and form.into.strip() else None,
                "origin": "controls",
            }
        )
    except ValidationError as error:
        raise validation_error(error) from error
    if chunking != plan.chunking:
        own = [wish.model_copy(update={"chunking": chunking.over(wish.chunking)}) for wish in plan.per_file]
        changed = changed.model_copy(update={"per_file": tuple(own), "others": chunking.over(plan.others)})
    if "save" not in actions or form.documents:
        changed = changed.model_copy(update={"every_file": False})
    _check(turn, changed, library, settings)
    return changed


def _changed_query(query: TableQuery | None, form: PlanForm, asks_else: bool) -> TableQuery | None:
    """As it was, or as a person has written it; none where it is emptied, or belongs to another question."""
    sql = form.sql.strip()
    if query is None or not sql:
        return None
    if sql != query.sql.strip():
        return query.model_copy(update={"sql": sql, "words": Message("", ""), "unit": "", "by": "person"})
    return None if asks_else else query


async def move_files(plan: Plan, changed: Plan, library: Library) -> Plan:
    """With the files that are cut again moved into the set that the form names. Raises StoreError where they cannot."""
    to = changed.doc_set or ""
    if "save" not in changed.actions or changed.every_file or to == (plan.doc_set or ""):
        return changed
    for one in library.documents(changed.scope):
        if one.doc_set != to:
            await library.move(one.name, one.doc_set, to)
    scope = changed.scope.model_copy(update={"doc_sets": (to,) if changed.scope.doc_sets else ()})
    return changed.model_copy(update={"scope": scope})


def _check(turn: Turn, plan: Plan, library: Library, settings: Settings) -> None:
    if not plan.actions:
        raise _refused(NO_ACTION)
    if "retrieve" in plan.actions and not plan.asked:
        raise _refused(NO_QUESTION)
    if "fetch_web" in plan.actions and settings.web == "never":
        raise _refused(NO_WEB)
    if (plan.chunking.overlap or 0) >= (plan.chunking.size or 10**9):
        raise _refused(OVERLAP)
    _check_scope(plan.scope, library)
    if "save" in plan.actions and not plan.every_file and not plan.scope.documents:
        gone = uploads_deleted(turn, library)
        raise _gone_uploads(gone) if gone else _refused(NO_FILE)


def _check_scope(scope: Scope, library: Library) -> None:
    if missing := [name for name in scope.doc_sets if name not in {"", *library.doc_sets()}]:
        raise _gone(Message(zh="文档集", en="document set"), missing)
    known = set(library.known_names())
    if missing := [name for name in scope.documents if name not in known]:
        raise _gone(Message(zh="文件", en="file"), missing)
    if scope.documents and scope.doc_sets and not library.documents(scope) and not library.waiting(scope):
        raise _refused(APART)


def _gone(what: Message, names: Sequence[str]) -> CitewiseError:
    return CitewiseError(
        "not_found",
        Message(
            zh=f"知识库里已经没有{what.zh}“{'、'.join(names)}”。",
            en=f"The library has no {what.en} {', '.join(names)} any more.",
        ),
        Message(zh="请从范围里去掉，或另选一个。", en="Take it out of the scope, or choose another one."),
    )


def _gone_uploads(names: Sequence[str]) -> CitewiseError:
    return CitewiseError("not_found", uploads_deleted_error(names), NO_FILE)


def uploads_deleted_error(names: Sequence[str]) -> Message:
    return Message(
        zh=f"上传的文件已不在知识库里，也没有另外保留：{'、'.join(names)}。要再保存，请重新上传。",
        en=f"Not in the library any more, and kept nowhere else: {', '.join(names)}. Upload again to save.",
    )


def _refused(message: Message) -> CitewiseError:
    return CitewiseError("settings", message)


NO_ACTION = Message(zh="请至少选择一个动作。", en="Choose at least one action.")
NO_QUESTION = Message(zh="要检索并回答，请写出问题。", en="Write the question that is to be answered.")
NO_WEB = Message(zh="设置里关闭了联网，请去掉“联网”。", en="The web is switched off in the settings: leave it out.")
NO_FILE = Message(
    zh="要重新切片，请在“文件”里选择；否则请去掉“保存”。",
    en="To cut files again, choose them under “Files”; else leave “save” out.",
)
OVERLAP = Message(zh="重叠必须小于每片大小。", en="The overlap has to be less than the chunk size.")
APART = Message(
    zh="选中的文件都不在选中的文档集里，请去掉其中一项。",
    en="None of these files is in these sets: leave one or the other out.",
)
