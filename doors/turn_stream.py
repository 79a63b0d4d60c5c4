"""What a turn tells while it runs, in words: as a terminal shows it, and line by line to other programs."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from answering.document_titles import fetched_on, title_of
from answering.doubts import doubts
from answering.inert_markdown import InertMarkdownStream
from answering.places import link_to, place_of
from doors.characters import without_surrogates
from doors.forms import Ask
from doors.result_forms import AskResult, Problem
from doors.results import ask_result
from doors.services import Services
from graph.turn_result import TurnResult
from nodes.events import Answered, Event, Offer, PlanMade, Replied, Reset, Token
from schema import Answer, Message, WebPolicy
from validation import validation_error
from web.problems import shown
from web.visit import Gathered


class AskAndWatch(Ask):
    """A question of somebody who can be asked back."""

    web_policy: WebPolicy | None = None  # in place of `web`, which knows no "ask"
    agree: bool = False  # to what this conversation was offered last


class ShownAnswer(BaseModel):
    """What stands below an answer whose text is out."""

    notices: list[Problem]
    sources: list[Problem]  # a line for each that is cited
    doubts: list[Problem]
    confidence: float


class Happening(BaseModel):
    """One of these, and nothing else."""

    text: str | None = None  # to be appended
    begins_anew: Problem | None = None  # the text so far is void, and why
    notices: list[Problem] = []
    fetching: str | None = None  # the address of a page of the web
    answered: ShownAnswer | None = None
    offer: Problem | None = None  # to search the web: `agree` has it done
    asked: AskResult | None = None  # all of it, at the end


async def turn_stream(services: Services, given: Mapping[str, Any], user: str = "") -> AsyncGenerator[Happening, None]:
    """Those of one turn as they happen; `given` has the fields of `AskAndWatch`. Raises CitewiseError."""
    try:
        wish = AskAndWatch.model_validate(without_surrogates(given))
    except ValidationError as error:
        raise validation_error(error, AskAndWatch) from error
    said = InertMarkdownStream()
    async with services.turn(wish, user, policy=wish.web_policy, agree=True if wish.agree else None) as turn:
        async for event in turn:
            for happening in _happenings_of(event, said):
                yield happening
            if isinstance(event, Reset):
                said = InertMarkdownStream()
    result = turn.result
    answer = result.answer()
    if not result.offer and (left := [one for one in answer.notices if one not in _shown_notices(result)]):
        yield Happening(notices=_problems(left))
    yield Happening(asked=ask_result(answer))


def _happenings_of(event: Event, said: InertMarkdownStream) -> Iterator[Happening]:
    match event:
        case Token(text):
            if text := said.feed(text):
                yield Happening(text=text)
        case Replied(text):
            yield Happening(text=said.feed(text) + said.end())
        case Reset(reason):
            yield Happening(begins_anew=_problem(reason))
        case PlanMade(_, notices) if notices:
            yield Happening(notices=_problems(notices))
        case Gathered("fetch", str(url)) if url:
            yield Happening(fetching=shown(url))
        case Gathered(url=str(url), problem=Message() as problem) if url:  # the run's own is a notice of the answer
            yield Happening(notices=[_problem(problem)])
        case Answered(answer):
            if text := said.end():
                yield Happening(text=text)
            yield Happening(answered=_shown_answer(answer))
        case Offer():
            yield Happening(offer=_problem(event.text))


def _shown_notices(result: TurnResult) -> list[Message]:
    """With the plan, and below the answer."""
    planned, answer = result.planned, result.base_answer
    below = (*answer.notices, *doubts(answer.statements)) if answer else ()
    return [*(planned.notices if planned else ()), *below]


def _shown_answer(answer: Answer) -> ShownAnswer:
    return ShownAnswer(
        notices=_problems(answer.notices),
        sources=_problems(_source_lines(answer)),
        doubts=_problems(doubts(answer.statements)),
        confidence=answer.confidence,
    )


def _source_lines(answer: Answer) -> Iterator[Message]:
    """What each cited source is called, its places, and when a page was fetched, its address."""
    cited = [citation for statement in answer.statements for citation in statement.citations]
    for number, hit in enumerate(answer.sources, 1):
        if here := [citation for citation in cited if citation.marker == number]:
            path = " › ".join(shown(" ".join(part.split())) for part in (hit.doc_set, *title_of(hit)) if part)
            place, fetched, link = place_of(hit, here), fetched_on(hit.origin), link_to(hit, here)
            zh, en = (
                "  ".join(filter(None, [f"[{number}] {path} ({where})", when, link]))
                for where, when in zip(place, fetched, strict=True)
            )
            yield Message(zh=zh, en=en)


def _problems(notices: Any) -> list[Problem]:
    return [_problem(one) for one in notices]


def _problem(notice: Message) -> Problem:
    return Problem(zh=notice.zh, en=notice.en)
