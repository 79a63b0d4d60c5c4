"""The graph as LangGraph's own tools open it (langgraph.json): they bring the checkpointer and send bare messages.

    {"messages": [{"role": "user", "content": "年假有几天？"}]}

What a turn needs beside its message is added here: the library of the settings, which is opened by the first message
and belongs to this program until it ends, and the turn's own state.
"""

from __future__ import annotations

import asyncio
import functools
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any

from langchain_core.messages import AnyMessage
from langchain_core.runnables import RunnableConfig
from langgraph.config import get_config, get_stream_writer
from langgraph.graph import StateGraph
from langgraph.runtime import Runtime

from answering.doubts import doubts
from graph.build import build_graph
from graph.turns import Assistant
from nodes.context import TurnContext
from nodes.events import Answered, Event, Token
from nodes.state import State, begin_state
from settings import Settings
from stores.user_libraries import own_settings

Node = Callable[..., Awaitable[dict[str, Any]]]

_THREADS = 1_000  # whose turn is remembered between two nodes


class NoQuestionError(ValueError):
    """What was sent holds nothing to answer. LangGraph's tools show an error by its text, so it stands in both."""

    def __init__(self) -> None:
        example = '{"messages": [{"role": "user", "content": "年假有几天？"}]}'
        super().__init__(
            f"messages 里没有新的提问。请以一条 role 为 user、内容为文字的消息结尾，例如 {example}\n"
            "There is no new question in `messages`. End it with a message whose role is user and whose content is "
            f"text, for example {example}"
        )


class StudioLibrary:
    """The library, opened once, and what belongs to the turn of each conversation."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._assistant: Assistant | None = None
        self._turns: OrderedDict[str, TurnContext] = OrderedDict()

    async def context(self, anew: bool) -> TurnContext:
        """Of the conversation that runs; `anew` where its turn begins. Raises CitewiseError."""
        async with self._lock:
            if self._assistant is None:
                self._assistant = await Assistant.open(own_settings(await asyncio.to_thread(Settings)))
        thread = str(get_config().get("configurable", {}).get("thread_id", ""))
        if anew or thread not in self._turns:
            self._turns[thread] = self._assistant.context(_tell)
        self._turns.move_to_end(thread)
        while len(self._turns) > _THREADS:
            self._turns.popitem(last=False)
        return self._turns[thread]

    async def close(self) -> None:
        assistant, self._assistant = self._assistant, None
        self._turns.clear()
        if assistant is not None:
            await assistant.close()


opened = StudioLibrary()


async def graph(config: RunnableConfig) -> StateGraph[State, None, State, State]:
    """Not compiled, as the tools want it: they bring the checkpointer."""
    return build_graph(with_context, None)


def with_context(name: str, node: Node) -> Node:
    """A node that is handed its context, and the state that a bare message lacks."""

    @functools.wraps(node)
    async def with_context(state: State, runtime: Runtime[Any]) -> dict[str, Any]:
        context = await opened.context(anew=name == "route")
        missing = {key: value for key, value in begin_state().items() if key not in state}
        messages = [_plain(one) for one in state.get("messages", ())]
        if name == "route" and not (messages and messages[-1].type == "human" and str(messages[-1].content).strip()):
            raise NoQuestionError
        given: Any = {**missing, **state, "messages": messages}
        changed = await node(given, runtime.override(context=context))
        return {**missing, **changed}

    with_context.__annotations__ = {**node.__annotations__, "runtime": Runtime[Any]}
    return with_context


def _plain(message: AnyMessage) -> AnyMessage:
    """Text alone, where it comes in parts."""
    return message if isinstance(message.content, str) else message.model_copy(update={"content": str(message.text)})


def _tell(event: Event) -> None:
    """To those who look at the custom stream: the answer's text, what is to be said of it, and the names of what else
    happens."""
    payload: dict[str, Any] = {"token": event.text} if isinstance(event, Token) else {"event": type(event).__name__}
    if isinstance(event, Answered):
        answer = event.answer
        notices = [one.to(answer.language) for one in (*answer.notices, *doubts(answer.statements))]
        unsupported = [one.text for one in answer.statements if one.doubtful]
        payload |= {"confidence": answer.confidence, "unsupported": unsupported, "notices": notices}
        payload["cut_short"] = answer.cut_short
    get_stream_writer()(payload)
