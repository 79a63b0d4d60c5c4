"""What a turn is asked: one message of one conversation, with what the page or a program says beside it."""

from __future__ import annotations

from dataclasses import dataclass, field

from langchain_core.messages import AnyMessage

from nodes.state import Controls, Upload
from schema import Plan


@dataclass(frozen=True)
class Request:
    """One message of one conversation."""

    thread_id: str
    message: str = ""
    uploads: tuple[Upload, ...] = ()
    controls: Controls = field(default_factory=Controls)
    agree: bool | None = None  # to what was offered; the message is then empty
    replaces: str | None = None  # the turn that this one stands in for, with all that came after it
    plan: Plan | None = None  # to be followed to the letter; the message is what was asked
    listed: bool = False  # the conversation: those of programs are not
    history: tuple[AnyMessage, ...] = ()  # of a conversation that is kept elsewhere: the thread is new
    files: tuple[str, ...] = ()  # that the message came with when it was sent first; `uploads` name their own

    @property
    def names(self) -> tuple[str, ...]:
        """Of the files that the message came with."""
        return tuple(upload.name for upload in self.uploads) or self.files

    def __post_init__(self) -> None:
        """Half a surrogate pair, as browsers send it, is no character: nothing that is stored or sent may hold it."""
        object.__setattr__(self, "message", self.message.encode("utf-8", "replace").decode())
