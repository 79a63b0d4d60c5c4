"""Questions that an empty chat offers, made from what the library holds."""

from __future__ import annotations

import re
from typing import Any

from answering.document_titles import list_labels
from library import Library
from schema import DocumentInfo, Language, Message
from ui.sample import LOAD, sample_questions
from ui.texts import text

_MOST = 4
_OF_A_DOCUMENT = 2
_LONGEST = 40  # characters of a heading: a longer one is a sentence
_CHUNKS = 12  # that are looked at for headings
_heading = re.compile(r"^#{2,4} ++([^\n]*[^ #\n])[ #]*+$", re.MULTILINE)
_GENERAL = Message(zh="你能做什么？", en="What can you do?")


async def examples(library: Library, language: Language) -> list[dict[str, str]]:
    """The newest documents first; an empty library offers one of ours."""
    if not library.documents():
        load, general = text("load_sample", language), _GENERAL.to(language)
        return [{"text": LOAD, "display_text": load}, {"text": general, "display_text": general}]
    asked = sample_questions(library, language)
    for document in library.documents()[:_MOST]:
        if len(asked) >= _MOST:
            break
        asked += (await _about(library, document, language))[:_OF_A_DOCUMENT]
    return [{"text": words, "display_text": words} for words in asked[:_MOST]]


async def _about(library: Library, document: DocumentInfo, language: Language) -> list[str]:
    """By its sections, where it has any; else what it is about."""
    name = " ".join(list_labels(document.name, document.origin)[0].split())
    hits = await library.chunks(document.name, document.doc_set, 0, _CHUNKS)
    above = [hit.headings[-1] for hit in hits if hit.headings]
    within = [found for hit in hits for found in _heading.findall(hit.text)]
    title = {name.rpartition(".")[0] or name, *(hit.headings[0] for hit in hits if hit.headings)}
    headings = list(dict.fromkeys(" ".join(words.split()) for words in [*above, *within]))
    headings = [one for one in headings if 0 < len(one) <= _LONGEST and one not in title]
    whole = Message(zh=f"{name} 讲了什么？", en=f"What does {name} say?")
    sections = [
        Message(zh=f"{name} 里关于“{one}”是怎么说的？", en=f"What does {name} say about “{one}”?") for one in headings
    ]
    return [question.to(language) for question in dict.fromkeys(sections or [whole])]


def welcome(library: Library, language: Language) -> Any:
    """Above them: what this is, and what comes first."""
    empty = not library.documents()
    first = Message(
        zh="把文件拖到这里或下面的输入框，然后提问。手边没有文件？先用我们的示例试试：",
        en="Drop files into the box below, then ask. No file at hand? Try it with ours:",
    )
    then = Message(zh="直接提问，或者从这些问题开始：", en="Ask anything, or begin with one of these:")
    head = Message(
        zh="与你的文件对话，看清每个答案的依据", en="Chat with your documents, and see why each answer holds"
    )
    return f"### {head.to(language)}\n{(first if empty else then).to(language)}"
