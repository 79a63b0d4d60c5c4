"""Chunks as the viewer and the comparison show them."""

from __future__ import annotations

from ingestion.chunking import chunk_document
from schema import Chunking, Document, Hit, Place
from settings import Settings
from ui.pieces import cuts_a_sentence, lengths_markdown, previewed_pieces, stored_pieces

TEXT = "# 标题\n\n第一句话在这里。第二句话也在这里，而且长一些。\n\nThe last paragraph stands alone."


def test_a_cut_is_within_a_sentence_or_between_two() -> None:
    between = TEXT.index("第二句话")
    assert not cuts_a_sentence(TEXT, between)
    assert cuts_a_sentence(TEXT, between + 3)
    assert not cuts_a_sentence(TEXT, len(TEXT))
    assert cuts_a_sentence(TEXT, TEXT.index("stands"))


def test_a_stored_chunk_says_its_place_in_the_original_and_its_lines() -> None:
    text = "One.\nTwo.\nThree."
    hit = Hit(1, "a.pdf", "", "Two.\n", 5, 10, 2, 2, ("A", "B"), position=4, places=(Place(0, "page", 7),))
    [piece] = stored_pieces([hit], text, "en")["pieces"]
    assert (piece["number"], piece["place"], piece["headings"]) == ("#5", "page 7", "A › B")
    assert (piece["first"], piece["lines"], piece["cut"]) == (2, ["Two."], "")
    [piece] = stored_pieces([Hit(1, "a.md", "", "Two.\n", 5, 10, 2, 2)], text, "zh")["pieces"]
    assert piece["place"] == "行 2"


def test_a_preview_marks_what_a_chunk_repeats_and_counts_the_rest() -> None:
    text = "\n".join(f"Sentence number {n} stands on its own line." for n in range(60))
    document = Document("a.txt", text, language="en")
    wish = Chunking(strategy="fixed", size=300, overlap=100)
    _, chunks = chunk_document(document, wish, Settings(), lambda texts: [])  # type: ignore[arg-type,return-value]
    shown = previewed_pieces(chunks, document, 4, "en")
    assert [one["number"] for one in shown["pieces"]] == ["#1", "#2", "#3", "#4"]
    assert shown["more"] == f"… and {len(chunks) - 4} more"
    first, second = shown["pieces"][:2]
    assert first["repeated"] == 0
    repeated = chunks[1].text[: second["repeated"]]
    assert repeated
    assert chunks[0].text.endswith(repeated)
    lengths = sorted(len(chunk.text) for chunk in chunks)
    told = lengths_markdown(chunks, document, "en")
    assert f"**{len(chunks)} chunks**" in told
    assert f"min {lengths[0]} " in told
    assert f"max {lengths[-1]} " in told


def test_nothing_to_show_is_shown() -> None:
    assert lengths_markdown([], Document("a", ""), "zh") == "–"
    assert previewed_pieces([], Document("a", ""), 4, "zh") == {"pieces": [], "more": ""}
