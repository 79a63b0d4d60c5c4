"""Pairs of terms are read from tables, and win over the dictionary."""

from __future__ import annotations

from ingestion.readers import read_document
from schema import GlossaryPair
from tests.each_row import each_row
from text import search_tokens
from translation.glossary import Glossary, pair_of, read_pairs
from translation.question import translate

POLARIS, BIRD = GlossaryPair("北极星", "Project Polaris"), GlossaryPair("青鸟", "Blue Bird")


@each_row(
    ("name", "content"),
    [
        ("t.csv", "中文,English\n北极星,Project Polaris\n青鸟,Blue Bird\n"),
        ("t.csv", "北极星,Project Polaris\n青鸟,Blue Bird\n"),
        ("t.csv", "English;中文;备注\nProject Polaris;北极星;内部\nBlue Bird;青鸟;\n".encode("gb18030")),
        ("t.tsv", "北极星\tProject Polaris\n青鸟\tBlue Bird\n"),
        ("t.md", "# 术语\n\n| English | 中文 |\n| --- | --- |\n| Project Polaris | 北极星 |\n| Blue Bird | 青鸟 |\n"),
        ("t.md", "# Terms\n\n- Project Polaris: 北极星\n- 青鸟 = Blue Bird\n\nNothing else: that is all there is.\n"),
    ],
)
def test_tables_and_lists_of_pairs_are_read(name, content) -> None:
    data = content if isinstance(content, bytes) else content.encode()
    assert read_pairs(read_document(name, data, max_bytes=10_000).text) == [POLARIS, BIRD]


def test_a_pair_is_a_chinese_and_an_english_term() -> None:
    assert pair_of(" Project  Polaris", "北极星 ") == POLARIS == pair_of("北极星", "Project Polaris")
    assert pair_of("Acme 咖啡机", "Acme Brewer") == GlossaryPair("Acme 咖啡机", "Acme Brewer")
    for one, other in (("北极星", "青鸟"), ("Polaris", "Star"), ("北极星", " "), ("北极星", "–"), ("北" * 201, "x")):
        assert pair_of(one, other) is None


def test_a_glossary_wins_over_the_dictionary_both_ways() -> None:
    glossary = Glossary([POLARIS, GlossaryPair("Acme 咖啡机", "The Brewer of Acme")])
    [first, *rest] = translate("北極星的保修期是多久？", "zh", glossary)
    assert (first.term, [one.tokens for one in first.alternatives]) == ("北极星", [("project", "polari")])
    assert any("warranti" in " ".join(one.tokens) for group in rest for one in group.alternatives)
    assert "acme 咖啡机" in [group.term for group in translate("acme 咖啡机怎么清洗？", "zh", glossary)]
    assert "acme 咖啡机" not in [group.term for group in translate("pacme 咖啡机怎么清洗？", "zh", glossary)]

    groups = translate("How long is the warranty of Project Polaris?", "en", glossary)
    [found] = [group for group in groups if group.term == "project polari"]
    assert (found.weight, found.alternatives[0].tokens) == (2.0, ("北极", "极星"))
    assert set(found.alternatives[0].tokens) <= set(search_tokens("我们的北极星项目"))
    assert translate("the brewer of acme", "en", glossary)[0].alternatives[0].tokens == ("acm", "咖啡", "啡机")
