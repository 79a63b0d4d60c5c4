"""A person's yes or no to what a conversation waits for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from graph.request import Request
from nodes.events import Offer
from planning.agreement import read_agreement
from schema import Message
from text import language_of

AGREED = Message(zh="好，上网搜索。", en="Yes, search the web.")


async def agreeing_with(
    request: Request, offer: Offer | None, waiting: Callable[[str], Awaitable[Offer | None]]
) -> Request | None:
    """The request with a yes or a no where one is waited for, by a button or in words; None for a button that comes too
    late, when the `offer` that was seen is not what the conversation is `waiting` for any more."""
    if request.agree is None:
        agree = None if request.uploads else read_agreement(request.message)
        waited_for = agree is not None and await waiting(request.thread_id) is not None
        return replace(request, agree=agree) if waited_for else request
    if offer is None or await waiting(request.thread_id) != offer:
        return None
    return replace(request, message=AGREED.to(language_of(offer.question)) if request.agree else "")
