"""A library that is open between two moments of one event loop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Self

from errors import CitewiseError
from schema import Message

if TYPE_CHECKING:
    from graph.turns import Assistant
    from library import Library
    from settings import Settings


class LibraryLifecycle:
    """Open within `async with`, or between `start` and `close`."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._open: Assistant | None = None
        self._loop: asyncio.AbstractEventLoop | None = None  # that it is open on

    async def start(self) -> Self:
        """Raises CitewiseError when the library cannot be opened, or each user has one and none was named."""
        if self._open is None:
            self._loop = asyncio.get_running_loop()
            from graph.turns import Assistant
            from stores.user_libraries import own_settings

            self._open = await Assistant.open(own_settings(self.settings))
        return self

    async def close(self) -> None:
        """Files on their way stop, and go on when the library is opened again."""
        assistant, self._open = self._open, None
        if assistant is not None:
            await assistant.close()

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(self, *problem: object) -> None:
        await self.close()

    @property
    def assistant(self) -> Assistant:
        """Conversations and events, for what this class does not cover."""
        if self._open is None:
            raise CitewiseError(
                "store",
                Message(zh="知识库没有打开。", en="The library is not open."),
                Message(zh="请在 with 语句之内使用它。", en="Use it inside of its `with` statement."),
            )
        return self._open

    @property
    def library(self) -> Library:
        """Tasks, chunks, document sets, embeddings, for what this class does not cover."""
        return self.assistant.library
