from entities import ChunkNames, folded, names_of, possible_names, said
from schema import Chunk, Document
from tests.each_row import each_row


@each_row(
    ("text", "names"),
    [
        ("The mill was built by Otto Brandt in Lund.", ["otto brandt", "lund"]),
        (
            "He read The Wealth of Nations at the University of Lund.",
            ["wealth of nations", "university of lund"],
        ),
        ("J. K. Rowling met O'Brien's heirs.", ["j. k. rowling", "o'brien"]),
        ("Lower Saxony and Bavaria signed.", ["lower saxony and bavaria", "lower saxony", "bavaria"]),
        ("He left Kingston. His sister stayed in North-East. The end.", ["kingston", "north-east"]),
        ("On July 28 and in December 1989 nothing happened.", []),
        ("《青石志》说，李四光在南京住过。", ["青石志", "李四光", "南京"]),
        ("方立冬毕业于北京大学，现居“柳溪旧居”。", ["北京大学", "柳溪旧居"]),
        ("他在东江水电公司工作。", ["东江水电公司"]),
        ("使用 FastAPI 的人很多。", ["fastapi"]),
        ("nothing here, 12 3/4", []),
        ("", []),
    ],
)
def test_what_a_text_says(text, names):
    found = said(text)
    assert [name for name in names if name not in found] == []
    assert names or found == []


def test_scripts_and_widths_meet():
    assert folded("The Ｍｉｌｌ’s") == folded("mill") == "mill"
    assert folded("臺灣大學") == folded("台湾大学")
    assert folded("José  Peña,") == "jose pena"


@each_row("none", ["", "The", "12.5", "July 28", "--", "的", "x" * 61, " ".join("abcdefghij")])
def test_what_is_no_name(none):
    assert folded(none) == ""


def test_a_word_that_begins_a_sentence_is_no_name_where_it_is_written_small_elsewhere():
    text = "Bread needs salt. Bread rises. We eat bread. Lund is far."
    [names] = names_of(Document("000001.txt", text), [Chunk(text, 0, len(text), 1, 1)])
    assert names == ChunkNames((), ("lund",))


def chunks_of(*pieces):
    text = "\n".join(text for text, _ in pieces)
    chunks, start = [], 0
    for line, (piece, headings) in enumerate(pieces, 1):
        chunks.append(Chunk(piece, start, start + len(piece), line, line, headings))
        start += len(piece) + 1
    return text, chunks


def test_the_beginning_of_a_section_is_about_what_it_is_called():
    text, chunks = chunks_of(
        ("Days off.", ("Handbook", "2.1 Annual leave (paid)")),
        *((f"More {n}.", ("Handbook", "2.1 Annual leave (paid)")) for n in range(3)),
        ("Forms.", ("Handbook", "第三章 请假流程")),
    )
    found = names_of(Document("hr_rules.md", text), chunks)
    assert [set(names.about) for names in found] == [
        {"annual leave (paid)", "annual leave", "hr rules"},
        *[{"annual leave (paid)", "annual leave"}] * 2,
        set(),
        {"请假流程"},
    ]


def test_headings_and_definitions_within_a_chunk():
    text = (
        "## Valves\n\n**Relief valve**: opens by itself.\n\n"
        "| term | meaning |\n| --- | --- |\n| dead band | no reply |\n| 12.5 | none |\n"
    )
    [names] = names_of(Document("1.md", text), [Chunk(text, 0, len(text), 1, 8, ("| term | meaning |",))])
    assert set(names.about) == {"valves", "relief valve", "dead band"}
    assert not {*names.about} & {*names.says}


def test_every_run_of_words_of_a_question_can_be_a_name():
    found = possible_names("Who founded the Wealth of Nations club?")
    assert {"wealth of nations", "club", "founded"} <= {*found}
    assert "of" not in found
    assert "青石镇" in "".join(possible_names("青石镇在哪里"))
    assert possible_names("") == []
