"""Chinese names in Latin letters, and where a question names somebody."""

from __future__ import annotations

import importlib.util
import random
import sys

from tests.each_row import each_row
from tests.translation.test_dictionary import ROOT
from translation.gloss import gloss
from translation.names import PATH, latin_names
from translation.question import names_in, translate


@each_row(
    ("name", "written"),
    [
        ("戴明远", ["Dai Mingyuan", "Dai Ming Yuan", "Mingyuan"]),
        ("单田芳", ["Shan Tianfang", "Shan Tian Fang", "Tianfang"]),  # 单 is read dan elsewhere
        ("欧阳晓峰", ["Ouyang Xiaofeng", "Ouyang Xiao Feng", "Xiaofeng"]),
        ("王伟", ["Wang Wei"]),  # “Wei” alone may be anybody
        ("陳曉東", ["Chen Xiaodong", "Chen Xiao Dong", "Xiaodong"]),
        ("的士", []),  # no surname
        ("王", []),
        ("王小明来了", []),
    ],
)
def test_a_name_is_written_as_english_documents_have_it(name, written):
    assert [one.text for one in latin_names(name)] == written


def test_a_letter_that_many_keyboards_lack_is_written_in_three_ways() -> None:
    assert {"Lv Bo", "Lu Bo", "Lyu Bo"} == {one.text for one in latin_names("吕博")}


@each_row(
    ("question", "names"),
    [
        ("戴明远负责什么？", ("戴明远",)),  # jieba cuts it in two
        ("邹文静的分机是多少？", ("邹文静",)),  # 文静 is in the dictionary
        ("谁是韩雨桐的上级？", ("韩雨桐",)),
        ("欧阳晓峰和王晓东谁参加会议？", ("欧阳晓峰", "王晓东")),
        ("年假有几天？", ()),
        ("高温度怎么处理？", ()),
        ("马上能用吗？", ()),
        ("年假须提前几天申请？", ()),  # 年 is a surname, too
        ("How long is annual leave?", ()),
    ],
)
def test_whom_a_question_names(question, names):
    assert tuple(one.term for one in names_in(question)) == names


def test_a_name_is_one_term_with_its_ways_of_writing() -> None:
    groups = {group.term: group for group in translate("戴明远负责什么？", "zh")}
    assert [one.tokens for one in groups["戴明远"].alternatives][:2] == [("dai", "mingyuan"), ("dai", "ming", "yuan")]
    assert "负责" in groups


def test_readings_made_anew_are_what_the_file_says(monkeypatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "scripts"), *sys.path])
    script = importlib.util.spec_from_file_location("make_readings", ROOT / "scripts" / "make_readings.py")
    assert script
    assert script.loader
    making = importlib.util.module_from_spec(script)
    script.loader.exec_module(making)
    read, surnames = making.readings(making.source())
    lines = PATH.read_text(encoding="utf-8").splitlines()
    of_syllable = [line.split(" ") for line in lines if not line.startswith(("#", "surname"))]
    kept = {character: syllable for syllable, characters in of_syllable for character in characters}
    for character in random.Random(2).sample(sorted(read), 300):
        assert read[character] == kept[character], character
    assert surnames["单"] == "shan"
    assert PATH.stat().st_size < 60_000


def test_what_may_be_no_name_is_not_glossed() -> None:
    assert next((one.word, one.meaning) for one in gloss("周建明在上海。", "zh")) == ("周建明", "Zhou Jianming")
    assert not any(one.word == "戴明远" for one in gloss("戴明远在上海。", "zh"))
