"""Sentences of both languages, also where the languages meet and where text never ends."""

from unittest.mock import Mock

import pytest
import sentencex
from hypothesis import given
from hypothesis import strategies as st
from sentencex import segment

from tests.each_row import each_row
from text import INNER_SIGNS, sentences


def _pieces(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@each_row(
    ("text", "pieces"),
    [
        ("使用方法如下。pip install 即可。", ["使用方法如下。", "pip install 即可。"]),
        ("价格是3.5元。2024年上涨！", ["价格是3.5元。", "2024年上涨！"]),
        ("Dr. Smith left. He was late.", ["Dr. Smith left.", "He was late."]),
        ("“你好！你好？”他问。", ["“你好！你好？”", "他问。"]),
        ("选方案A\u3000. 它更省。", ["选方案A\u3000.", "它更省。"]),
        ("Take plan B\xa0. It is cheaper.", ["Take plan B\xa0.", "It is cheaper."]),
    ],
)
def test_sentences_of_both_languages(text: str, pieces: list[str]) -> None:
    assert _pieces(text) == pieces


def test_one_long_paragraph_is_cut_at_every_sentence() -> None:
    assert _pieces("这是一句话。" * 5000) == ["这是一句话。"] * 5000
    assert _pieces("This is one. " * 5000) == ["This is one."] * 5000


@given(st.text(alphabet="abA你好。.!？ \u3000\xa0\n\t“”\"'-#|>1)", max_size=200))
def test_nothing_but_white_space_lies_between_sentences(text: str) -> None:
    last = 0
    for start, end in sentences(text):
        assert last <= start < end
        assert text[start:end] == text[start:end].strip()
        assert not text[last:start].strip()
        last = end
    assert not text[last:].strip()


@given(st.text(alphabet="aB1年 " + INNER_SIGNS, max_size=60))
def test_no_sign_within_a_sentence_ends_one(text: str) -> None:
    for language in ("en", "zh"):
        assert len(segment(language, text)) <= 1


def test_lines_of_one_sentence_are_not_searched_for_more(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = Mock(return_value=[])
    monkeypatch.setattr(sentencex, "segment", searched)
    lines = ["年假有5天。", "It runs at 30 rpm.", "- Ask Ann!", "1. 怎么退？"]
    assert _pieces("\n\n".join(lines * 100)) == lines * 100
    assert not searched.called


@given(st.text(alphabet="aB1年.!。？ \t\n\u3000😀'\"”", max_size=60))
def test_what_sentencex_cuts_joins_to_the_text_again(text: str) -> None:
    for language in ("en", "zh"):
        assert "".join(segment(language, text)) == text
