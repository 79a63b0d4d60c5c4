"""The model of the load benchmark: it quotes one source only, so that an answer speaks of one machine."""

from __future__ import annotations

import re
from typing import Any

from benchmarks import script
from benchmarks.model_server import Reply, wanted_form
from text import search_tokens, sentences

_source = re.compile(r"<([\w-]+)([^>]*)>\n(.*?)\n</\1>\n*", re.DOTALL)
_said: list[str] = []


def reply(request: dict[str, Any]) -> Reply:
    """Forms as ever; an answer from the source of the sentence that shares most with the question."""
    if wanted_form(request):
        return script.reply(request)
    *before, last = request["messages"]
    asked = str(last["content"])
    sources = [found for found in _source.finditer(asked) if not found[1].startswith("question")]
    if len(sources) > 1:
        wanted = set(search_tokens(_source.sub("", asked)))
        best = max(sources, key=lambda found: _shared(found[3], wanted))
        for other in sources:
            asked = asked if other is best else asked.replace(other[0], "")
    return script.reply({**request, "messages": [*before, {**last, "content": asked}]})


def mixed(request: dict[str, Any]) -> Reply:
    """Gives everybody the answer of whoever asked before: the benchmark must see that."""
    own = reply(request)
    if wanted_form(request):
        return own
    _said.append(own.text)
    return Reply(_said[-2] if len(_said) > 1 else own.text)


def _shared(text: str, wanted: set[str]) -> int:
    return max((len(wanted & set(search_tokens(text[start:end]))) for start, end in sentences(text)), default=0)
