"""State: what one turn knows. `messages` is the conversation; the next turn begins everything else anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.channels import UntrackedValue
from langgraph.graph.message import add_messages
from pydantic import BaseModel, ConfigDict, field_validator
from typing_extensions import TypedDict  # of Python before 3.12, pydantic cannot describe the other one

from ingestion.readers import clean_path
from nodes.overrides import AS_SET, Overrides, SearchMethod
from schema import (
    Answer,
    Chunking,
    Coverage,
    Evidence,
    Message,
    Plan,
    Scope,
    Trace,
    Verdict,
    WebPolicy,
)
from schema.names import LanguageCode, StrategyChoice
from settings import Settings


class Upload(BaseModel):
    """A file that came with the message, staged on disk."""

    model_config = ConfigDict(frozen=True)

    name: str
    path: str

    @field_validator("name")
    @classmethod
    def _as_stored(cls, name: str) -> str:
        """The name under which the library will know it, so that words about the file meet it."""
        return clean_path(name)


class Controls(BaseModel):
    """What is set on the page; None or empty means "auto". Controls beat words, words beat defaults."""

    model_config = ConfigDict(frozen=True)

    strategy: StrategyChoice | None = None
    chunking: Chunking = Chunking()
    scope: Scope = Scope()
    doc_set: str | None = None  # that uploads go into, new or not
    evaluate: bool = True  # False: no model judges the answer
    language: LanguageCode | None = None  # of the page: for messages whose own cannot be told
    web: WebPolicy | None = None
    overrides: Overrides = AS_SET  # of the settings, by who asks
    search_method: SearchMethod | None = None  # of a search that is no turn


AUTO = Controls()


@dataclass(frozen=True)
class WebRun:
    """What a turn has brought from the web."""

    documents: tuple[str, ...] = ()  # names
    doc_set: str = ""
    notices: tuple[Message, ...] = ()
    ends: bool = False  # the turn: nothing is left to answer


class State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    plan: Plan
    # of this turn alone, never in a checkpoint
    uploads: Annotated[list[Upload], UntrackedValue]
    controls: Annotated[Controls, UntrackedValue]
    given: Annotated[Plan | None, UntrackedValue]  # as the person has changed it: it is followed to the letter
    saved: Annotated[bool, UntrackedValue]  # at least one file of this turn is in the library now
    evidence: Annotated[Evidence, UntrackedValue]
    coverage: Annotated[Coverage, UntrackedValue]
    policy: Annotated[WebPolicy, UntrackedValue]  # for this question: never for a part of the library, nor twice
    web: Annotated[WebRun | None, UntrackedValue]
    agreed: Annotated[bool, UntrackedValue]  # to search the web
    remembered: Annotated[Record | None, UntrackedValue]  # the answer to the same question before
    answer: Annotated[Answer, UntrackedValue]


def begin_state(
    messages: Sequence[Any] = (),  # also those that take others out
    uploads: Sequence[Upload] = (),
    controls: Controls = AUTO,
    given: Plan | None = None,
) -> State:
    """Of a turn that knows nothing yet."""
    return {
        "messages": list(messages), "uploads": list(uploads), "controls": controls, "given": given, "saved": False,
        "remembered": None, "web": None,
    }  # fmt: skip


class Record(BaseModel):
    """What stands beside a reply in the stored conversation, so that it looks the same after a restart."""

    model_config = ConfigDict(frozen=True)

    plan: Plan
    answer: Answer | None = None
    verdict: Verdict | None = None
    trace: Trace | None = None
    coverage: Coverage | None = None

    def message(self, text: str, message_id: str | None = None) -> AIMessage:
        """The reply as it is checkpointed. JSON, so that later versions can read it."""
        return AIMessage(text, id=message_id, additional_kwargs={"record": self.model_dump(mode="json")})

    @classmethod
    def of(cls, message: AnyMessage) -> Record | None:
        record = message.additional_kwargs.get("record")
        return cls.model_validate(record) if record else None


def last_message(state: State) -> str:
    """What the person just wrote."""
    return str(state["messages"][-1].content)


def earlier_questions(state: State) -> list[str]:
    """What the person wrote before, oldest first."""
    return [str(message.content) for message in state["messages"][:-1] if message.type == "human"]


def last_record(state: State) -> Record | None:
    """What stands beside the last reply."""
    found = (Record.of(message) for message in reversed(state["messages"]))
    return next((record for record in found if record is not None), None)


def web_policy(state: State, settings: Settings) -> WebPolicy:
    """Where the settings say "never", nobody can turn it on."""
    return "never" if settings.web == "never" else state["controls"].web or settings.web
