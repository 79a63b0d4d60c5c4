"""Answers and sources that are one word over and over: read without an error, in time that grows with their length."""

from __future__ import annotations

from evaluation.blocks import MOST, SourceUnit, units
from evaluation.citations import CheckedSources, CitationStream, check_answer
from evaluation.claims import NOT, denials, read
from evaluation.emphasis import emphasised
from evaluation.extractive import extract_answer
from evaluation.markup import without_markup
from evaluation.support import TOO_LONG, support
from evaluation.unsourced import SentenceMarks, mark_unsourced
from schema import Hit
from tables.numbers import numbers
from tests.each_row import each_row
from tests.growth import assert_growth


@each_row("unit", ["百千", "亿", "二", "9", "1,000", "million ", "one hundred ", "三点五亿", "万亿"])
def test_no_number_is_too_long_to_be_read(unit: str) -> None:
    for size in (1, 10, 30, 100, 1_000):
        assert all(0 <= one.value < 1e309 for one in numbers(unit * size))
        read(unit * size)


@each_row("unit", ["出没", "没有", "不仅", "not only ", "never ", "Never Say ", "北京", '"'])
def test_the_time_for_a_claim_grows_with_its_length(unit: str) -> None:
    short, long = (unit * (size // len(unit)) for size in (1_500, 12_000))
    assert_growth(lambda text: denials(read(text).terms), short, long, 24)  # 8 where linear, 64 where square


@each_row(
    ("text", "pairs"),
    [
        ("No pumps run, never", [("no", "pumps")]),
        ("Pumps never run; valves do not", [("never", "run"), ("not", "valves")]),
        ("no not pumps", [("no", "pumps"), ("not", "pumps")]),
        ("not", []),
    ],
)
def test_a_denial_reaches_the_next_word_of_its_clause_else_the_one_before(text: str, pairs: list) -> None:
    terms = read(text).terms
    assert [(terms[a].written.lower(), terms[b].written.lower()) for a, b in denials(terms)] == pairs
    assert all(terms[a].form == NOT for a, _ in denials(terms))


HARBOUR = "The harbour opens at 6 in the morning."


def hit(text: str) -> Hit:
    return Hit(1, "a.md", "", text, 0, len(text), 1, 1 + text.count("\n"))


@each_row("unit", ["张", "1,", "不良", "not Ana "])
def test_the_time_to_hold_a_sentence_against_a_source_grows_with_their_length(unit: str) -> None:
    short, long = ((unit * size)[:size] for size in (500, 4_000))
    assert_growth(lambda text: support(text[:700], [text]), short, long, 24)


@each_row("unit", ["。[1]", "x [1] ", "| ", "\t", "`", "|a\n", "a\n\n", "```\n"])
def test_the_time_to_check_an_answer_grows_with_its_length(unit: str) -> None:
    sources = CheckedSources([hit("年假有 5 天。")])
    short, long = ("x" + unit * (size // len(unit)) + "x[1]" for size in (1_500, 12_000))
    assert_growth(lambda text: check_answer(text, sources), short, long, 24)


@each_row("unit", ["\n", "`", "<!--", "<a", "**a ", "__a ", "3. ", "- a", "- a\n"])
def test_the_time_to_take_a_source_apart_grows_with_its_length(unit: str) -> None:
    short, long = (f"x{unit * (size // len(unit))}a" for size in (1_500, 12_000))
    assert_growth(lambda text: (without_markup(text), units(1, hit(text))), short, long, 24)


@each_row("unit", ["1。", "5天。", "\n3. x"])
def test_of_a_source_in_a_thousand_crumbs_the_first_are_looked_at(unit: str) -> None:
    assert len(units(1, hit(unit * 10_000))) == MOST
    table = "| a | b |\n|---|---|\n" + "| x | 5 天 |\n" * 10_000
    assert len(units(1, hit(table))) == MOST
    last = hit(HARBOUR)
    answer = extract_answer("When does the harbour open?", [hit(unit * 10_000), last], "en")
    assert answer == "The harbour opens at 6 in the morning [2]."


@each_row("unit", ["3. ", "- a\n", "1. 年假5天\n", "5 pumps run. "])
def test_the_time_to_quote_a_source_grows_with_its_length(unit: str) -> None:
    short, long = (unit * (size // len(unit)) for size in (1_500, 12_000))
    assert_growth(lambda text: extract_answer("年假有几天？ How many pumps run?", [hit(text)], "zh"), short, long, 24)


def test_of_a_source_in_thousands_of_sentences_several_are_read_as_one() -> None:
    crumbs = "".join(f"年假有{number % 90 + 1}天。" for number in range(3_000))
    said = check_answer("年假有 25 天 [1]。The harbour opens at 6 [1].", CheckedSources([hit(f"{crumbs}{HARBOUR}")]))
    assert [one.citations[0].support.supported for one in said] == [True, True]
    assert len(said[0].citations[0].quote) > 3 * len("年假有25天。")
    assert HARBOUR in said[1].citations[0].quote
    few = check_answer("年假有 25 天 [1]。", CheckedSources([hit(crumbs[:300])]))
    assert few[0].citations[0].quote == "年假有25天。"


def test_rules_and_empty_items_are_no_sentences() -> None:
    text = "Pumps run.\n\n_____\n\n- \n- \n\n***\n\n<!-- draft -->\n\nValves hold."
    assert [unit.text for unit in units(1, hit(text))] == ["Pumps run.", "Valves hold."]


def test_the_time_to_set_words_in_bold_grows_with_the_length_of_a_sentence() -> None:
    short, long = ("| " + "5天 | " * size for size in (300, 2_400))
    assert_growth(lambda text: emphasised(SourceUnit(1, "row", text, ""), "年假有几天？"), short, long, 24)


@each_row("unit", ["\t", "[1]", "| ", "> ", "`a", "[1],,,,", "[1] a", "\n\t"])
def test_the_time_to_mark_an_answer_as_it_comes_grows_with_its_length(unit: str) -> None:
    def stream(text: str) -> None:
        pieces, marks = CitationStream(CheckedSources([hit("年假有 5 天。")])), SentenceMarks()
        for start in range(0, len(text), 4):
            for piece in pieces.feed(text[start : start + 4]):
                marks.feed(piece, pieces.shown(piece))

    short, long = ((f"x{unit}" + unit * size)[:size] for size in (2_000, 16_000))
    assert_growth(stream, short, long, 24)


def test_the_time_to_mark_a_whole_answer_grows_with_its_length() -> None:
    short, long = ("你好，世界。" * size for size in (200, 1_600))
    statements = {text: check_answer(text, CheckedSources([])) for text in (short, long)}
    assert_growth(lambda text: mark_unsourced(text, statements[text]), short, long, 24)


def test_markers_and_code_of_any_length_are_read_alike_however_they_are_cut() -> None:
    for text in (
        "[1]" * 200 + ".",
        "x" + " " * 50 + "[1] a.",
        "`" + "a" * 1_998 + "`` ` [1].",
        "x [1]" + " a" * 500 + ".",
    ):
        said = []
        for size in (1, 3, len(text)):
            stream = CitationStream(CheckedSources([hit("a")]))
            pieces = [one for start in range(0, len(text), size) for one in stream.feed(text[start : start + size])]
            said.append("".join(map(stream.shown, [*pieces, *stream.feed("", final=True)])))
        assert len(set(said)) == 1


def test_a_list_of_ten_sources_in_one_marker_is_a_marker_in_a_stream_too() -> None:
    stream = CitationStream(CheckedSources([hit("Pumps run.")]))
    said = [stream.shown(piece) for sign in "Pumps run [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]." for piece in stream.feed(sign)]
    assert "".join([*said, *map(stream.shown, stream.feed("", final=True))]) == "Pumps run [1]."


def test_a_sentence_that_is_no_sentence_any_more_is_not_checked_and_not_supported() -> None:
    text = " ".join(f"pump{number}" for number in range(1_200))
    verdict = support(text, [text])
    assert (verdict.supported, verdict.comparable, verdict.reasons) == (False, True, (TOO_LONG,))
    assert support(text[:700], [text[:700]]).supported


def test_of_a_long_line_without_an_end_the_place_that_supports_is_found() -> None:
    filler = " ".join(f"pump{number}" for number in range(900))
    text = f"{filler} the harbour opens at 6 in the morning {filler}"
    (statement,) = check_answer("The harbour opens at 6 in the morning [1].", CheckedSources([hit(text)]))
    (citation,) = statement.citations
    assert citation.support.supported
    assert "harbour opens" in citation.quote
    assert len(citation.quote) <= 1_000


def test_many_markers_in_a_line_stand_each_on_its_own_sentence() -> None:
    sources = CheckedSources([hit("Pumps run. Valves hold.")])
    statements = check_answer("Pumps run. [1] " * 40 + "Valves hold [1].", sources)
    assert [one.text for one in statements[:40]] == ["Pumps run."] * 40
    assert all(one.citations[0].support.supported for one in statements[:40])
    assert all(one.citations for one in statements)
