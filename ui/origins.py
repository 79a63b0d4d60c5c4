"""Where a passage is from, as a line of Markdown: address, day."""

from __future__ import annotations

from collections.abc import Sequence

from answering.origins import fetched_on, readable
from answering.places import link_to
from schema import Citation, Hit, Language
from ui.markup import literal


def whence(hit: Hit, language: Language, citations: Sequence[Citation] = ()) -> str:
    """ "[example.com/tides](https://…) · fetched 2026-11-22", "[a/b@c0ffee1 · guide.md](https://…)"; "" for a file.

    The words of the link are its target: a title is anybody's words.
    """
    origin = hit.origin
    if origin.source_type == "file" or not origin.url:
        return ""
    words = readable(origin.url)
    if origin.source_type == "github" and origin.repo and origin.commit_id:
        words = " · ".join(filter(None, [f"{origin.repo}@{origin.commit_id[:7]}", origin.file_path]))
    address = link_to(hit, citations)
    said = [f"[{literal(words)}]({address})" if address else literal(words), fetched_on(origin).to(language)]
    return " · ".join(filter(None, said))
