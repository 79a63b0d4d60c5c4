"""One question asked in a conversation of its own, with a clock."""

from __future__ import annotations

import time
import uuid
from contextlib import aclosing

from graph.request import Request
from graph.turns import Assistant
from nodes.events import Failed


async def turn_seconds(assistant: Assistant, question: str) -> float:
    """From the message to the end of the turn. Raises what made it fail."""
    begun = time.perf_counter()
    async with aclosing(assistant.run_turn(Request(str(uuid.uuid4()), question))) as events:
        async for event in events:
            if isinstance(event, Failed):
                raise event.error
    return time.perf_counter() - begun
