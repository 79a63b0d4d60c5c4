"""START READING HERE: the state machine that every message goes through.

    START -> route -+-> save -+-----------------------------------------> END
                    |         +-> fetch_web, retrieve (save, then ask)
                    +-> fetch_web (ordered) -+-> retrieve
                    |                        +-------------------------> END
                    +-> retrieve -+-> answer -> evaluate -> offer -----> END
                    |             |                           +-> fetch_web (the person agrees)
                    |             +-> evaluate (computed over the rows of a table)
                    |             +-> fetch_web (not covered, and the policy is "always")
                    |             +-> recall (answered before) --------> END
                    +-> unknown ---------------------------------------> END

Each node is one file in `nodes/` and only translates between State and the packages below it. `turns.py` runs the
graph for one message and hands out its events.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from nodes.answer import answer
from nodes.context import TurnContext
from nodes.evaluate import evaluate
from nodes.fetch_web import fetch_web
from nodes.fetch_web import next_step as after_fetch_web
from nodes.offer import next_step as after_offer
from nodes.offer import offer
from nodes.recall import recall
from nodes.retrieve import next_step as after_retrieve
from nodes.retrieve import retrieve
from nodes.route import next_step as after_route
from nodes.route import route
from nodes.save import next_step as after_save
from nodes.save import save
from nodes.state import State
from nodes.unknown import unknown


def build_graph(
    prepared: Callable[[str, Any], Any] = lambda _, node: node, context: type[Any] | None = TurnContext
) -> StateGraph[State, Any, State, State]:
    """The graph, not compiled: whoever runs it brings the checkpointer.

    Each node is `prepared`, by its name, for those who cannot hand in a context (graph/studio.py)."""
    graph = StateGraph(State, context_schema=context)
    graph.add_node("route", prepared("route", route))
    graph.add_node("save", prepared("save", save))
    graph.add_node("fetch_web", prepared("fetch_web", fetch_web))
    graph.add_node("retrieve", prepared("retrieve", retrieve))
    graph.add_node("answer", prepared("answer", answer))
    graph.add_node("evaluate", prepared("evaluate", evaluate))
    graph.add_node("offer", prepared("offer", offer))
    graph.add_node("recall", prepared("recall", recall))
    graph.add_node("unknown", prepared("unknown", unknown))

    graph.add_edge(START, "route")
    graph.add_conditional_edges("route", _at_once(after_route), ["save", "fetch_web", "retrieve", "unknown"])
    graph.add_conditional_edges(
        "save", _at_once(after_save), {"fetch_web": "fetch_web", "retrieve": "retrieve", "end": END}
    )
    graph.add_conditional_edges("fetch_web", _at_once(after_fetch_web), {"retrieve": "retrieve", "end": END})
    graph.add_conditional_edges("retrieve", _at_once(after_retrieve), ["answer", "evaluate", "fetch_web", "recall"])
    graph.add_edge("recall", END)
    graph.add_edge("answer", "evaluate")
    graph.add_edge("evaluate", "offer")
    graph.add_conditional_edges("offer", _at_once(after_offer), {"fetch_web": "fetch_web", "end": END})
    graph.add_edge("unknown", END)
    return graph


def _at_once(step: Callable[[State], str]) -> Callable[[State], Awaitable[str]]:
    """A plain function would be handed to a thread, which takes longer than its look at the state."""

    @functools.wraps(step)
    async def next_step(state: State) -> str:
        return step(state)

    return next_step


def compiled_graph(saver: BaseCheckpointSaver[Any]) -> CompiledStateGraph[State, Any, State, State]:
    """The graph over a checkpointer. What is the same for all of them, most of the work, is done once."""
    return _compiled().copy({"checkpointer": saver})


@functools.cache
def _compiled() -> CompiledStateGraph[State, Any, State, State]:
    return build_graph().compile()
