"""The library as a model for any program that speaks the chat API of OpenAI: `/v1/models`, `/v1/chat/completions`.

Nothing is kept: the last message of the user is the question, what comes before it is the conversation so far. System
prompts are passed over: how the library answers is not up to them, and the language is that of the question.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar

from fastapi import APIRouter, Request
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from pydantic import ValidationError
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from answering.inert_markdown import InertMarkdownStream, neutralise_markdown
from doors import forms
from doors.login import user_of
from doors.openai_forms import (
    MODEL,
    MODELS,
    ChatMessage,
    ChatRequest,
    CompletionChunks,
    completion,
    failure_of,
    is_model,
    no_model,
    no_question,
    too_large,
)
from doors.problems import in_words, problem_of
from doors.results import ask_result, notes_in_words, sources_in_words, without_lists
from doors.services import Services, error_text, language_for
from errors import CitewiseError
from graph.live_turn import LiveTurn
from graph.problems import LONGEST_MESSAGE
from graph.turn_result import TurnAnswer
from nodes.events import Replied, Reset, Token
from nodes.overrides import Overrides
from text import count_tokens
from validation import validation_error

LARGEST = 4 * 2**20  # bytes of a request
REMEMBERED = 40  # earlier messages that are read
T = TypeVar("T")
ProgramTurn = AbstractAsyncContextManager[LiveTurn]
_BESIDE = {"answered_by", "statements", "sources", "confidence", "covered", "verdict", "notices", "cut_short", "table"}


def openai_door(services: Services) -> APIRouter:
    door = APIRouter(prefix="/v1", include_in_schema=False)

    @door.get("/models")
    async def models() -> JSONResponse:
        return JSONResponse({"object": "list", "data": [_model(name) for name in MODELS]})

    @door.get("/models/{name:path}")
    async def model(name: str) -> JSONResponse:
        return JSONResponse(_model(name)) if is_model(name) else _no_model(name)

    @door.post("/chat/completions")
    async def chat_completions(request: Request) -> Response:
        try:
            return await answered(request)
        except ClientDisconnect:
            return Response(status_code=499)  # nobody reads it

    async def answered(request: Request) -> Response:
        if (body := await read_body(request, LARGEST)) is None:
            return _refused(too_large(), None, 413)
        try:
            wanted = ChatRequest.model_validate_json(body)
        except ValidationError as error:
            return _unfit(error)
        if not is_model(wanted.model):
            return _no_model(wanted.model)
        asked = max((i for i, one in enumerate(wanted.messages) if one.role == "user"), default=-1)
        if asked < 0 or not wanted.messages[asked].text.strip():  # a picture alone is no question, nor is one before it
            return _refused(no_question(), "messages")
        try:
            wish = _wish(wanted, wanted.messages[asked].text)
        except ValidationError as error:
            return _unfit(error)
        turn = services.turn(wish, user_of(request.scope), history=_history(wanted.messages[:asked]))
        if wanted.stream:
            return CancellableStream(_streamed(turn, wanted, wish), media_type="text/event-stream")
        return await until_gone(request.receive, _whole(turn, wanted, wish))

    return door


async def _whole(opened: ProgramTurn, wanted: ChatRequest, wish: forms.Ask) -> Response:
    try:
        async with opened as turn:
            answer = await turn.answer()
    except CitewiseError as error:
        status, body = _failed(error, wish)
        return JSONResponse(body, status)
    fields, text, below = _fields(answer, wanted)
    message = {"role": "assistant", "content": text + below, "refusal": None, **fields}
    return JSONResponse(completion(wanted.model, message, _finish_reason(answer), _usage(answer, wish.question)))


async def _streamed(opened: ProgramTurn, wanted: ChatRequest, wish: forms.Ask) -> AsyncGenerator[str, None]:
    """Lines of the stream. What a broken model had said cannot be taken back: why it begins anew stands between."""
    chunks, shown = CompletionChunks(wanted.model), InertMarkdownStream()
    yield _line(chunks.piece({"role": "assistant", "content": ""}))
    try:
        async with opened as turn:
            async for event in turn:
                match event:
                    case Token(text) | Replied(text):
                        if piece := shown.feed(text):
                            yield _line(chunks.piece({"content": piece}))
                    case Reset(reason):
                        piece, shown = (
                            f"{shown.end()}\n\n{neutralise_markdown(f'（{reason.zh}）/ ({reason.en})')}\n\n",
                            InertMarkdownStream(),
                        )
                        yield _line(chunks.piece({"content": piece}))
            answer = turn.result.answer()
    except CitewiseError as error:
        yield _line(_failed(error, wish)[1])
        yield "data: [DONE]\n\n"
        return
    fields, _, below = _fields(answer, wanted)
    if last := shown.end() + below:
        yield _line(chunks.piece({"content": last}))
    yield _line({**chunks.piece(fields, _finish_reason(answer)), "sources": fields["sources"]})
    if wanted.stream_options and wanted.stream_options.include_usage:
        yield _line(chunks.usage(_usage(answer, wish.question), fields["sources"]))
    yield "data: [DONE]\n\n"


class CancellableStream(StreamingResponse):
    """Ends what it streams as soon as the client is gone: Starlette would notice when it next has something to send,
    and a model may think for a minute."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await until_gone(receive, self.stream_response(send))
        except (ClientDisconnect, OSError):
            pass
        finally:
            if isinstance(self.body_iterator, AsyncGenerator):
                await self.body_iterator.aclose()


async def until_gone(receive: Receive, work: Coroutine[Any, Any, T]) -> T:
    """The work's result; it is cancelled when the client goes, with ClientDisconnect."""
    working, watching = asyncio.ensure_future(work), asyncio.ensure_future(_gone(receive))
    try:
        await asyncio.wait([working, watching], return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise ClientDisconnect
    finally:
        for task in (working, watching):
            task.cancel()
        await asyncio.wait([working, watching])


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def read_body(request: Request, largest: int) -> bytes | None:
    """None: too large."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > largest:
            return None
    return bytes(body)


def _wish(wanted: ChatRequest, question: str) -> forms.Ask:
    by_name = wanted.model.removeprefix(MODEL).removeprefix("/") or None
    same = {"doc_sets", "documents", "kinds", "where", "evaluate", "web", *Overrides.model_fields}
    return forms.Ask.model_validate(
        {"question": question, "strategy": wanted.strategy or by_name, **wanted.model_dump(include=same)}
    )


def _history(messages: Sequence[ChatMessage]) -> tuple[AnyMessage, ...]:
    """The conversation so far, the latest of it: what people and the library have said."""
    earlier = [(one.role, one.text[:LONGEST_MESSAGE]) for one in messages if one.role in ("user", "assistant")]
    return tuple(
        HumanMessage(text) if role == "user" else AIMessage(without_lists(text))
        for role, text in earlier[-REMEMBERED:]
        if text.strip()
    )


def _fields(answer: TurnAnswer, wanted: ChatRequest) -> tuple[dict[str, Any], str, str]:
    """What stands on the message beside its text, the text, and the lists of sources and notes that stand below it."""
    asked = ask_result(answer)
    fields = asked.model_dump(mode="json", include=_BESIDE)
    return fields, asked.answer, f"{sources_in_words(asked)}{notes_in_words(asked)}" if wanted.sources_in_text else ""


def _finish_reason(answer: TurnAnswer) -> str:
    return "length" if answer.cut_short else "stop"


def _usage(answer: TurnAnswer, question: str) -> dict[str, int]:
    """As the models have told; without a model, what question and answer have."""
    calls = answer.trace.calls if answer.trace else ()
    read = sum(call.input_tokens or 0 for call in calls) or count_tokens(question)
    written = sum(call.output_tokens or 0 for call in calls) or count_tokens(answer.text)
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": MODEL}


def _line(fields: dict[str, Any]) -> str:
    return f"data: {json.dumps(fields, ensure_ascii=False)}\n\n"


def _failed(error: CitewiseError, wish: forms.Ask) -> tuple[int, dict[str, Any]]:
    given = {"question": wish.question, "language": wish.language}
    return failure_of(error, error_text(error, given), problem_of(error, language_for(given)))


def _refused(
    error: CitewiseError, param: str | None, status: int | None = None, code: str | None = None
) -> JSONResponse:
    """In both languages, as nothing has been understood yet."""
    fitting, body = failure_of(error, in_words(error, None), problem_of(error, None), param, code)
    return JSONResponse(body, status or fitting)


def _no_model(name: str) -> JSONResponse:
    return _refused(no_model(name), "model", 404, "model_not_found")  # as clients of OpenAI know it


def _unfit(error: ValidationError) -> JSONResponse:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or None
    return _refused(validation_error(error, ChatRequest), where)
