"""What other programs can have done: ask, search, add_document, list_documents, delete_document, evaluate.

Each is one function here, from a form to a result (doors/forms.py); the doors only translate. A conversation that is
named belongs to the user who names it, and stands in no list of the page's; without a name nothing is kept.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from doors import forms, result_forms
from doors.characters import decode_base64, without_surrogates
from doors.lab import LAB_SERVICES, LabCaller
from doors.lab_forms import LabHappening
from doors.management import MANAGEMENT, call_service, listed, listed_of
from doors.rating import rate_answer
from doors.results import ask_result, passage_of, statements_of, verdict_of
from doors.sources import SOURCE_SERVICES
from errors import CitewiseError
from graph.conversations import thread_of
from graph.live_turn import LiveTurn
from graph.problems import LONGEST_MESSAGE, internal_error, too_long
from graph.request import Request
from graph.request_controls import controls_for
from graph.search import search_passages
from graph.titles import once_thread
from graph.turns import Assistant
from nodes.overrides import Overrides
from schema import Chunking, Language, Message, Scope, WebPolicy
from text import detect_language, language_of
from validation import validation_error

log = logging.getLogger(__name__)

AT_ONCE = 64  # turns of other programs, which mostly wait for a model; more wait


@dataclass(frozen=True)
class Service:
    """One of them, as doors list it."""

    form: type[forms.Form]
    result: type[BaseModel]
    about: Message
    changes: bool = False  # the library


SERVICES = {
    "ask": Service(
        forms.Ask,
        result_forms.AskResult,
        Message(
            zh="根据知识库回答问题，每句话都带有核对过的出处。",
            en="Answer a question from the library; every sentence has a checked citation.",
        ),
    ),
    "search": Service(
        forms.Search,
        result_forms.SearchResult,
        Message(zh="查找与问题最相关的原文段落。", en="Find the passages that fit a question best."),
    ),
    "add_document": Service(
        forms.AddDocument,
        result_forms.AddDocumentResult,
        Message(
            zh="保存一个文件，同名文件会更新；返回时已经可以检索。",
            en="Store a document, or a new version of the one with this name; it can be found when this returns.",
        ),
        changes=True,
    ),
    "list_documents": Service(
        forms.ListDocuments,
        result_forms.DocumentList,
        Message(zh="列出知识库里的文件，新的在前。", en="List the documents of the library, newest first."),
    ),
    "delete_document": Service(
        forms.DeleteDocument,
        result_forms.DeleteDocumentResult,
        Message(zh="从知识库删除一个文件。", en="Delete a document from the library."),
        changes=True,
    ),
    "evaluate": Service(
        forms.Evaluate,
        result_forms.EvaluateResult,
        Message(
            zh="评价检索和答案：相似度、逐句核对，有模型时还有评分。",
            en="Rate retrieval and answer: similarities, each sentence checked, scores by the model if there is one.",
        ),
    ),
}


class Services:
    """The services of one open library."""

    def __init__(self, assistant: Assistant) -> None:
        self.assistant = assistant
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def call(
        self, name: str, given: Mapping[str, Any], user: str = "", data: bytes | None = None,
        on_progress: Callable[[LabHappening], None] | None = None,
    ) -> BaseModel:  # fmt: skip
        """By name, with arguments as they came; `data` are the bytes of an uploaded file. Raises CitewiseError only."""
        given = without_surrogates(given)
        try:
            form = SERVICES[name].form.model_validate(given) if name in SERVICES else None
        except ValidationError as error:
            raise validation_error(error, SERVICES[name].form) from error
        try:
            match form:
                case None if name in SOURCE_SERVICES:
                    return await call_service(SOURCE_SERVICES, self.assistant, name, given)
                case None if name in LAB_SERVICES:
                    caller = LabCaller(self.assistant, user, on_progress)
                    return await call_service(LAB_SERVICES, caller, name, given)
                case None:
                    return await call_service(MANAGEMENT, self.assistant.library, name, given)
                case forms.Ask():
                    return await self.ask(form, user)
                case forms.AddDocument():
                    return await self.add_document(form, data)
            run: Callable[[Any], Awaitable[BaseModel]] = getattr(self, name)
            return await run(form)
        except CitewiseError:
            raise
        except Exception as defect:  # the doors' edge, as the turn's: the log holds the rest under the id
            error_id = uuid.uuid4().hex[:8]
            log.exception("%s failed, error id %s", name, error_id)
            raise internal_error(error_id, defect) from defect

    async def ask(self, wish: forms.Ask, user: str = "") -> result_forms.AskResult:
        async with self.turn(wish, user) as turn:
            return ask_result(await turn.answer(), wish.conversation)

    @asynccontextmanager
    async def turn(
        self, wish: forms.Ask, user: str = "", policy: WebPolicy | None = None, **more: Any
    ) -> AsyncIterator[LiveTurn]:
        """The turn, which ends with the block; `policy` goes before `wish.web`, `more` are fields of `Request`.

        Raises CitewiseError for names that do not exist."""
        controls = controls_for(
            self.assistant.library, wish.doc_sets, wish.documents, wish.strategy, evaluate=wish.evaluate,
            overrides=wish.overrides, kinds=wish.kinds, where=wish.where,
        )  # fmt: skip
        if wish.web is not None or policy is not None:
            controls = controls.model_copy(update={"web": policy or ("always" if wish.web else "never")})
        thread = _thread(user, wish.conversation) if wish.conversation else once_thread(user)
        request = Request(thread, wish.question, controls=controls, **more)
        async with self._turns, self.assistant.asked_by_program(request) as turn:
            yield turn

    async def forget(self, conversation: str, user: str = "") -> None:
        await self.assistant.forget(_thread(user, conversation))

    async def search(self, wish: forms.Search) -> result_forms.SearchResult:
        question, library = _bounded(wish.question), self.assistant.library
        controls = controls_for(
            library, wish.doc_sets, wish.documents, wish.strategy, overrides=wish.overrides, kinds=wish.kinds,
            where=wish.where,
        )  # fmt: skip
        evidence = await search_passages(self.assistant, question, controls)
        language = wish.language or language_of(question, self.assistant.settings.fallback_language)
        return result_forms.SearchResult(
            passages=[passage_of(hit, language) for hit in evidence.hits],
            confidence=evidence.confidence,
            strategy=evidence.strategy,
            notices=[notice.to(language) for notice in evidence.notices],
        )

    async def add_document(self, wish: forms.AddDocument, data: bytes | None = None) -> result_forms.AddDocumentResult:
        """Returns when it can be found; who stops waiting before then cancels it."""
        if not wish.name.strip():
            raise _no_name()
        content = data if data is not None else _content(wish)
        chunking = Chunking(
            strategy=wish.chunker, size=wish.chunk_size, overlap=wish.chunk_overlap, unit=wish.chunk_unit
        )
        stored = await self.assistant.library.add(
            wish.name, content, chunking=chunking, doc_set=wish.doc_set.strip(), metadata=wish.metadata
        )
        return result_forms.AddDocumentResult(outcome=stored.outcome, document=listed_of(stored.document))

    async def list_documents(self, wish: forms.ListDocuments) -> result_forms.DocumentList:
        return await listed(self.assistant.library, wish)

    async def delete_document(self, wish: forms.DeleteDocument) -> result_forms.DeleteDocumentResult:
        library = self.assistant.library
        sets = () if wish.doc_set is None else (wish.doc_set,)
        found = library.documents(Scope(documents=(wish.name,), doc_sets=sets))
        if not found:
            raise _not_there(wish.name)
        return result_forms.DeleteDocumentResult(
            deleted=await library.delete_all([(one.name, one.doc_set) for one in found])
        )

    async def evaluate(self, wish: forms.Evaluate) -> result_forms.EvaluateResult:
        if wish.answer.strip():
            return await rate_answer(self.assistant, wish.model_copy(update={"question": _bounded(wish.question)}))
        ask = forms.Ask(
            question=wish.question, doc_sets=wish.doc_sets, documents=wish.documents, strategy=wish.strategy,
            evaluate=True, web=False, kinds=wish.kinds, where=wish.where, **wish.overrides.model_dump(),
        )  # fmt: skip
        async with self.turn(ask) as turn:
            answer = await turn.answer()
        return result_forms.EvaluateResult(
            answer=answer.text,
            verdict=verdict_of(answer.verdict, answer.language) if answer.verdict else result_forms.AnswerVerdict(),
            statements=statements_of(answer.statements, answer.language),
            confidence=answer.confidence,
            covered=answer.coverage.covered if answer.coverage else None,
            notices=[notice.to(answer.language) for notice in answer.notices],
        )


def error_text(error: CitewiseError, given: Mapping[str, Any]) -> str:
    """What is wrong and what to do: in the language of the request, else in both."""
    language, full = language_for(given), error.in_full
    return full.to(language) if language else f"{full.zh}\n{full.en}"


def language_for(given: Mapping[str, Any]) -> Language | None:
    """That of the answer that is asked for, else that of the question; None where neither tells it."""
    with suppress(ValidationError):
        if wanted := Overrides.model_validate({"language": given.get("language")}).language:
            return wanted
    question = given.get("question")
    return detect_language(without_surrogates(question[:LONGEST_MESSAGE])) if isinstance(question, str) else None


def _thread(user: str, conversation: str) -> str:
    return thread_of(user, f"program-{conversation}")


def _bounded(question: str) -> str:
    if len(question) > LONGEST_MESSAGE:
        raise too_long(len(question))
    return question.encode("utf-8", "replace").decode()  # half a surrogate pair is no character


def _content(wish: forms.AddDocument) -> bytes:
    if (wish.content and wish.base64) or not (wish.content or wish.base64):
        raise _one_content()
    if wish.content:
        return wish.content.encode("utf-8", "replace")
    return decode_base64(wish.base64)


def _no_name() -> CitewiseError:
    return CitewiseError(
        "file",
        Message(zh="文件没有名称。", en="The document has no name."),
        Message(zh="请用 name 给出，如 notes.md。", en="Give one as `name`, such as notes.md."),
    )


def _one_content() -> CitewiseError:
    return CitewiseError(
        "file",
        Message(zh="没有内容，或给了两份内容。", en="There is no content, or more than one."),
        Message(
            zh="请在 content（文本）、base64（字节）和上传的文件中选一种。",
            en="Give one of `content` (text), `base64` (bytes) and an uploaded file.",
        ),
    )


def _not_there(name: str) -> CitewiseError:
    return CitewiseError(
        "not_found",
        Message(zh=f"知识库里没有“{name}”。", en=f"There is no {name} in the library."),
        Message(zh="请用 list_documents 查看已有的文件。", en="See list_documents for what is there."),
    )
