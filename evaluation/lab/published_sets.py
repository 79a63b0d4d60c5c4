"""Question sets that others have published: where they are, under which licence, and by which digest they are known.

None of them is shipped: CC BY-SA text must not be mixed into files of ours. What is fetched keeps licence and source in
each case, so that they go along wherever the set is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from errors import CitewiseError
from evaluation.lab.cases import LabCase
from schema import Message

_no_name = re.compile(r'[\x00-\x1f/\\:*?"<>|]+')


class PublishedSet(NamedTuple):
    address: str
    file: str  # its name tells the reader its form
    licence: str
    by: str
    digest: str = ""  # SHA-256; "": unknown here, and pinned by the first fetch
    passages: bool = False  # the file holds the text that its questions are about


_RAW = "https://raw.githubusercontent.com"
PUBLISHED: dict[str, PublishedSet] = {
    "gsm8k": PublishedSet(
        f"{_RAW}/openai/grade-school-math/3101c7d5072418e28b9008a6636bde82a006892c/grade_school_math/data/test.jsonl",
        "gsm8k.jsonl", "MIT", "OpenAI, Cobbe et al. 2021",
        "3730d312f6e3440559ace48831e51066acaca737f6eabec99bccb9e4b3c39d14",
    ),
    "cmath": PublishedSet(
        f"{_RAW}/XiaoMi/cmath/06577bee1c37e667394e4cafcfd21025723ec084/datasets/cmath_dev.jsonl",
        "cmath.jsonl", "MIT (program), CC BY 4.0 (data)", "Xiaomi, Wei et al. 2023",
    ),
    "squad": PublishedSet(
        f"{_RAW}/rajpurkar/SQuAD-explorer/eee5fdbf62f8613a7812b03419e6b29617b74fd1/dataset/dev-v1.1.json",
        "squad.json", "CC BY-SA 4.0", "Stanford, Rajpurkar et al. 2016",
        "95aa6a52d5d6a735563366753ca50492a658031da74f301ac5238b03966972c9", passages=True,
    ),
    "cmrc": PublishedSet(
        f"{_RAW}/ymcui/cmrc2018/c0eb1b6ba219847457e6af3180da722bbeb656af/squad-style-data/cmrc2018_dev.json",
        "cmrc.json", "CC BY-SA 4.0", "HIT and iFLYTEK, Cui et al. 2019",
        "e9ff74231f05c230c6fa88b84441ee334d97234cbb610991cd94b82db00c7f1f", passages=True,
    ),
    "hotpot": PublishedSet(
        "http://curtis.ml.cmu.edu/datasets/hotpot/hotpot_dev_distractor_v1.json",
        "hotpot.json", "CC BY-SA 4.0", "Yang et al. 2018",
        "4e9ecb5c8d3b719f624d66b60f8d56bf227f03914f5f0753d6fa1b359d7104ea", passages=True,
    ),
}  # fmt: skip


def published(name: str) -> PublishedSet:
    """Raises CitewiseError for what is none of them."""
    if name not in PUBLISHED:
        known = ", ".join(PUBLISHED)
        raise CitewiseError(
            "not_found",
            Message(zh=f"没有可下载的问题集“{name}”。", en=f"There is no question set {name!r} to fetch."),
            Message(zh=f"可以下载：{known}。", en=f"Those that can be fetched: {known}."),
        )
    return PUBLISHED[name]


def passages_of(content: Any) -> dict[str, str]:
    """The texts of a file of SQuAD, CMRC or HotpotQA, by their titles."""
    texts: dict[str, str] = {}
    for title, text in _passages(content["data"] if isinstance(content, dict) else content):
        texts[title] = f"{texts[title]}\n\n{text}" if title in texts and text not in texts[title] else text
    return texts


def _passages(entries: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    for entry in entries:
        for part in entry.get("paragraphs", ()):
            yield entry.get("title") or part.get("id"), part["context"]
        for title, told in entry.get("context", ()):
            yield title, "".join(told)


def passage_file(title: str) -> str:
    """What the text of this title is called in the library."""
    return f"{_no_name.sub('_', title).strip() or '_'}.txt"


def about_passages(cases: Sequence[LabCase], doc_set: str) -> list[LabCase]:
    """Cases whose evidence stands in the files of these titles, and that are asked in this set."""
    return [
        case.model_copy(
            update={
                "doc_set": doc_set,
                "evidence": tuple(
                    one.model_copy(update={"document": passage_file(one.document)}) for one in case.evidence
                ),
            }
        )
        for case in cases
    ]
