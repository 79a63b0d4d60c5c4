"""Words that Taiwan, Hong Kong and the mainland have each their own for."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from tests.each_row import each_row
from translation.question import translate
from translation.regional import PATH, regional_words

ROOT = Path(__file__).parent.parent.parent


@each_row(
    ("text", "others"),
    [
        ("如何安裝軟體？", {"软体": ("软件",)}),
        ("如何安装软件？", {"软件": ("软体",)}),
        ("伺服器的硬碟壞了", {"伺服器": ("服务器",), "硬碟": ("硬盘",)}),
        ("無線網路怎麼列印資訊", {"网路": ("网络",), "列印": ("打印",), "资讯": ("信息",)}),
        ("应用軟體", {"软体": ("软件",)}),  # a longer word ends with it
        ("資訊安全政策", {"资讯安全": ("信息安全",)}),  # the longest one
        ("軟體動物有哪些", {}),  # a longer word begins with it
        ("今天天气怎么样", {}),
        ("What is software?", {}),
        ("", {}),
    ],
)
def test_what_other_regions_say(text, others) -> None:
    found = regional_words(text)
    assert {one.word: one.others for one in found} == others
    assert all(len(text[one.start : one.end]) == len(one.word) for one in found)


def test_a_text_whose_length_changes_is_left_alone() -> None:
    assert regional_words("㎏ 軟體") == ()


def test_a_word_without_an_entry_is_translated_as_another_region_says_it() -> None:
    (group,) = translate("資料探勘", "zh")
    assert group.term == "数据挖掘"
    assert group.alternatives[0].text == "data mining"


@pytest.mark.skipif(sys.platform == "win32", reason="the package brings its program for Linux and macOS alone")
def test_the_list_is_what_its_source_makes() -> None:
    script = importlib.util.spec_from_file_location("making", ROOT / "scripts" / "make_regional_words.py")
    assert script
    assert script.loader
    making = importlib.util.module_from_spec(script)
    script.loader.exec_module(making)
    lines = PATH.read_text(encoding="utf-8").splitlines()
    assert [tuple(line.split(" ")) for line in lines if not line.startswith("#")] == making.pairs()
    assert PATH.stat().st_size < 25_000
