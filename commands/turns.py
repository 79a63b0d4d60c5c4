"""A conversation for one question: with the library here, or through the program that has it open."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from commands.library_client import RunningProgramClient, running_program
from schema import Message

if TYPE_CHECKING:
    from doors.services import Services
    from doors.turn_stream import Happening
    from settings import Settings


class Turns:
    """Each turn as it happens; what was said is forgotten at the end."""

    def __init__(
        self, ways: Services | RunningProgramClient, stack: AsyncExitStack, notices: tuple[Message, ...] = ()
    ) -> None:
        self.notices = notices  # of the library's opening
        self._ways, self._stack = ways, stack
        self._conversation = f"terminal-{uuid4().hex}"

    @classmethod
    async def open(cls, settings: Settings) -> Turns:
        """Raises CitewiseError where the library can neither be opened nor reached."""
        from doors.services import Services
        from graph.turns import Assistant
        from stores.folder import FolderHeld

        stack = AsyncExitStack()
        try:
            assistant = await Assistant.open(settings)
        except FolderHeld as held:
            return cls(await stack.enter_async_context(running_program(settings, held)), stack)
        stack.push_async_callback(assistant.close)
        return cls(Services(assistant), stack, tuple(assistant.library.notices))

    async def run(self, **given: Any) -> AsyncGenerator[Happening, None]:
        """The fields are those of `AskAndWatch`. Raises CitewiseError."""
        given["conversation"] = self._conversation
        if isinstance(self._ways, RunningProgramClient):
            told = self._ways.turn_stream(given)
        else:
            from doors.turn_stream import turn_stream

            told = turn_stream(self._ways, given)
        async with aclosing(told) as those:
            async for one in those:
                yield one

    async def close(self) -> None:
        try:
            await self._ways.forget(self._conversation)
        finally:
            await self._stack.aclose()
