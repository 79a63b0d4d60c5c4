"""What a document says as a whole: how each section begins, under its heading, cited."""

from __future__ import annotations

from answering.outline_answer import MOST_SECTIONS, outline_answer
from schema import Hit


def hit(number, text, *headings):
    return Hit(number, "doc.md", "", text, 0, len(text), 1, text.count("\n") + 1, headings=headings)


def test_of_few_sections_the_first_sentences_are_told():
    hits = [
        hit(1, "Air is let out first. Then wait. Then go.", "Pump", "Start"),
        hit(2, "A hum is fine.", "Pump", "Noise"),
    ]
    assert (
        outline_answer(hits) == "- **Start**: Air is let out first [1]. Then wait [1].\n- **Noise**: A hum is fine [2]."
    )


def test_of_many_sections_one_sentence_each_is_told_evenly_spread():
    text = "\n\n".join(f"# 第 {n} 节\n\n内容是{n}。还有别的。" for n in range(30))
    told = outline_answer([hit(1, text)]).splitlines()
    assert (len(told), told[0], told[-1]) == (
        MOST_SECTIONS,
        "- **第 0 节**：内容是0 [1]。",
        "- **第 27 节**：内容是27 [1]。",
    )


def test_what_is_no_sentence_is_left_out():
    table = "| a | b |\n| - | - |\n| 1 | 2 |"
    hits = [hit(1, "end of a sentence. One. ", "A"), hit(2, table, "B"), hit(3, "Two.", "C"), hit(4, "Why?", "D")]
    assert outline_answer(hits) == "- **A**: One [1].\n- **C**: Two [3]."


def test_a_text_without_sections_has_no_outline():
    assert outline_answer([hit(1, "One. Two. Three."), hit(2, "Four.")]) == ""
