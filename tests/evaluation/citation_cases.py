"""Hits that answers cite."""

from hypothesis import strategies as st

from evaluation.citations import CheckedSources, CitationStream, check_answer
from schema import Hit

DOCUMENT = """# Harbour guide

The harbour opens at 6 in the morning.
Boats longer than 12 metres need a permit.

## 停泊

停泊费为每天三十元。夜间不得鸣笛。
"""


def hit(text, **others):
    start = DOCUMENT.index(text)
    line = DOCUMENT.count("\n", 0, start) + 1
    return Hit(
        chunk_id=1, document="harbour.md", doc_set="", text=text, start=start, end=start + len(text),
        start_line=line, end_line=line + text.count("\n"), **others,
    )  # fmt: skip


HITS = [
    hit(
        "The harbour opens at 6 in the morning.\nBoats longer than 12 metres need a permit.",
        headings=("Harbour guide",),
    ),
    hit("停泊费为每天三十元。夜间不得鸣笛。", headings=("Harbour guide", "停泊")),
]


def checked(answer, hits=HITS):
    return check_answer(answer, CheckedSources(hits))


def fed(stream, token, final=False):
    return "".join(stream.shown(piece) for piece in stream.feed(token, final))


def shown(answer, cuts=(), hits=HITS):
    stream = CitationStream(CheckedSources(hits))
    parts, last = [], 0
    for cut in [*sorted(cuts), len(answer)]:
        parts.append(fed(stream, answer[last:cut]))
        last = max(last, cut)
    return "".join([*parts, fed(stream, "", final=True)])


PIECES = [
    "The harbour opens at 6",
    "夜间不得鸣笛",
    "Boats need a permit",
    "In ",
    "e.g. ",
    " ",
    ". ",
    "。",
    "?",
    ",",
    ", ",
]
PIECES += ["\n", "\n\n", "- ", "1. ", "# ", "`", "```", "```\n", "~~~"]
PIECES += ["[1]", "[2]", "[", "]", "1", " [1, 2]", "【2】", "[9]", "⚠", "[来源1]"]
ANSWERS = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
