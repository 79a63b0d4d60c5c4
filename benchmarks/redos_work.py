"""What is done with a message or a document of a stranger: the work that `redos` measures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

from answering.inert_markdown import neutralise_markdown
from errors import FileError
from evaluation.citations import CheckedSources, CitationStream, check_answer
from evaluation.claims import denials, read
from evaluation.extractive import extract_answer
from evaluation.markup import without_markup
from evaluation.support import SourceText, judge
from evaluation.unsourced import SentenceMarks, mark_unsourced
from ingestion.readers import read_document
from planning.agreement import read_agreement
from planning.answer_language import read_answer_language
from planning.follow_up import looks_like_follow_up
from planning.new_answer import read_new_answer_wish
from planning.rules import plan_by_rules
from question_words import question_terms
from schema import Hit
from text import count_tokens, detect_language, search_tokens, sentences
from translation.question import parts, translate
from web.extracting.markdown import headings, plain

_LIBRARY = ["员工手册.md", "travel policy.pdf", "docs/guide.md"]
_TOKEN = 4  # characters of an answer that come at once
_SOURCE = "年假有 5 天，病假有 10 天。The pumps run at 30 rpm, never more, in Hamburg."


# What a text is made of at its smallest: an item, a row, a number with its unit, a sentence, a mark, a marker.
SHAPES = [
    *(
        "3. ",
        "1。",
        "1.\n",
        "\n- ",
        "\n3. ",
        "\n| ",
        "a\n\n",
        "x。\n",
        "- ",
        "* ",
        "1) ",
        "1、",
        "几十",
        "数百万",
        "3.5万",
        "百分之三",
        "• ",
        "- [ ] ",
        "  - a\n",
    ),
    *("- a", "3. a\n", "- a\n", "a\n\n", "1. 年假5天\n", "年假有5天。", "5 pumps run. ", "- It runs at 30 rpm.\n"),
    *("5天", "℃", "5月", "$5", "5% ", "三百", "2024年", "10:30 ", "1,", "1.2.", "1/2 ", "-1", "1st "),
    *("| a |\n", "|---", "|a", "a:", "：", "？", "Dr. ", "A. ", "Ab ", "不", "没有", "not ", "No. ", "“", '"', "\\"),
    *("[1]", "[^1]", "[a](b)", "![a](b)", "[", "`", "``", "```\n", "~~~\n", "**", "**a** ", "*a", "_a", "__a"),
    *("# ", "> ", "<a>", "<!--", "<td>", "{", "(", "$", "| 5 天 ", "- 年假有 5 天\n"),
]


def plan(message: str) -> None:
    """All that route asks the rules about a message."""
    read_agreement(message)
    read_new_answer_wish(message)
    read_answer_language(message)
    looks_like_follow_up(message)
    plan_by_rules(message, uploads=[], library=_LIBRARY, doc_sets=["hr"], history=True)


def plan_with_file(message: str) -> None:
    plan_by_rules(message, uploads=["a.md", "b.md"], library=_LIBRARY, doc_sets=["hr"])


def translate_both_ways(question: str) -> None:
    for group in (*translate(question, "zh"), *translate(question, "en")):
        parts(group)


def cut_in_sentences(text: str) -> None:
    for _ in sentences(text):
        pass


def claim(text: str) -> None:
    denials(read(text).terms)


def hold_against(text: str) -> None:
    """A sentence of the text, and one of another, against the text as their source, which is read once."""
    source = [SourceText(text)]
    judge(text[:600], source)
    judge("Pumps in Hamburg never run at 30 rpm, 年假有 5 天。", source)


def check(answer: str) -> None:
    mark_unsourced(answer, check_answer(answer, CheckedSources([_hit(_SOURCE)])))


def stream(answer: str) -> Iterator[None]:
    pieces, marks = CitationStream(CheckedSources([_hit(_SOURCE)])), SentenceMarks()
    for start in range(0, len(answer), _TOKEN):
        for piece in pieces.feed(answer[start : start + _TOKEN], final=start + _TOKEN >= len(answer)):
            marks.feed(piece, pieces.shown(piece))
        yield
    marks.end()


def extract(source: str) -> None:
    extract_answer("年假有几天？ How many pumps run?", [_hit(source)], "zh")


def _hit(text: str) -> Hit:
    return Hit(1, "a.md", "", text, 0, len(text), 1, 1 + text.count("\n"))


def read_as(extension: str) -> Callable[[str], object]:
    def read(text: str) -> None:
        with suppress(FileError):
            read_document(f"a.{extension}", text.encode(), max_bytes=1_000_000)

    return read


WORK: dict[str, tuple[list[str], list[Callable[[str], object]]]] = {  # kind -> whose words, what is done
    "planning": (["planning"], [plan]),
    "planning with a file": (["planning"], [plan_with_file]),
    "words": (["text"], [detect_language, count_tokens, search_tokens, question_terms]),
    "translated": (["translation", "question_words"], [translate_both_ways]),
    "sentences": (["text", "ingestion.chunking"], [cut_in_sentences]),
    "claims": (["evaluation", "tables"], [claim]),
    "tidied": (["evaluation"], [without_markup]),
    "held against a source": (["evaluation"], [hold_against]),
    "sources": (["evaluation"], [extract]),
    "answers": (["evaluation"], [check]),
    "answers as they come": (["evaluation"], [stream]),  # the slowest token
    "made inert": (["answering"], [neutralise_markdown]),
    "pages": (["web"], [headings, plain]),
    **{f"reading {one}": (["ingestion.readers"], [read_as(one)]) for one in ("md", "txt", "html", "csv", "json", "py")},
}
