"""What the cells of a column may be called in a question, and what they may not."""

from __future__ import annotations

from planning.tables.operators import tokens
from planning.tables.values import called_values, is_personal
from tests.each_row import each_row


def called(phrase: str, values: list[str], column: str = "Item", personal: bool = False) -> dict[str, float]:
    """The cells that a phrase stands for, each with how well at best."""
    found: dict[str, float] = {}
    for said, value, weight in called_values(values, column, personal):
        assert 0 < weight <= 1
        if said == tokens(phrase):
            found[value] = max(weight, found.get(value, 0.0))
    return found


FURNITURE = ["Office chair", "Desk lamp", "Office desk"]
STATES = ["待审批", "已驳回", "已被取消", "已", "已付", "北京"]
LONG = "The pump broke and was repaired"


@each_row(
    ("phrase", "values", "cells"),
    [
        ("office chair", FURNITURE, {"Office chair"}),
        ("chairs", FURNITURE, {"Office chair"}),
        ("lamp", FURNITURE, {"Desk lamp"}),
        ("office", FURNITURE, set()),  # two begin so
        ("已经驳回", STATES, {"已驳回"}),
        ("desk", FURNITURE, {"Desk lamp", "Office desk"}),  # one begins so, and one ends
        ("the", ["The harbour", "Gas bill"], set()),
        ("gas", ["Gas bill"], set()),  # three letters say too little
        ("bill", ["Gas bill"], {"Gas bill"}),
        ("table", ["Smooth oaken table", "Bolt"], {"Smooth oaken table"}),
        ("oaken", ["Smooth oaken table"], set()),  # neither its beginning nor its end
        ("pumps", ["Pump repaired, bolt lost again"], set()),  # a sentence is called by none of its words
        ("october", ["October rent", "Gas bill"], set()),  # the month
        ("rent", ["October rent", "Gas bill"], {"October rent"}),
        ("may", ["Review in May"], set()),
        ("pump", [LONG], set()),
        (LONG, [LONG], {LONG}),
        ("repaired", [LONG], set()),
        ("milk", ["Milk 60 l", "Milk 50 l", "Tea"], {"Milk 60 l", "Milk 50 l"}),
        ("paper a", ["Paper A 4"], set()),  # 4 counts nothing
        ("screw", ["Screws x 40 pcs"], {"Screws x 40 pcs"}),
        ("7", ["Bolt 7"], set()),
        ("men", ["Male", "Female"], {"Male"}),
        ("girls", ["m", "f"], {"f"}),
        ("women", ["m", "f", "other"], {"f"}),
        ("women", ["m", "f", "s", "l"], set()),  # sizes
        ("女生", ["男", "女"], {"女"}),
        ("北京", ["Beijing", "Lund"], {"Beijing"}),
        ("beijing", ["北京", "上海"], {"北京"}),
        ("Lund", ["Beijing", "Lund"], {"Lund"}),
    ],
)
def test_a_cell_goes_by_its_name_and_by_a_part_that_is_its_own(phrase: str, values: list[str], cells: set[str]) -> None:
    assert called(phrase, values).keys() == cells


@each_row(
    ("phrase", "cells"),
    [
        ("还没审批", {"待审批"}),
        ("未审批", {"待审批"}),
        ("审批", set()),
        ("驳回", {"已驳回"}),
        ("被驳回", {"已驳回"}),
        ("取消", {"已被取消"}),
        ("被取消", {"已被取消"}),
        ("被", set()),
        ("付", set()),  # too little
        ("还没北京", set()),
    ],
)
def test_a_state_goes_by_what_has_been_done_or_not_yet(phrase: str, cells: set[str]) -> None:
    assert called(phrase, STATES, "状态").keys() == cells


@each_row(
    ("phrase", "values", "cells"),
    [
        ("销售", ["销售部", "市场部"], {"销售部"}),
        ("销售部门", ["销售部", "市场部"], {"销售部"}),
        ("差旅费", ["差旅", "餐饮"], {"差旅"}),
        ("部", ["部", "南部"], {"部"}),
        ("南", ["南部"], set()),  # a name of one character says too little
    ],
)
def test_a_group_goes_by_its_name_without_its_kind(phrase: str, values: list[str], cells: set[str]) -> None:
    assert called(phrase, values, "部门").keys() == cells


@each_row(
    ("phrase", "values", "personal", "cells"),
    [
        ("ana", ["Ana Bell", "Bo Li"], True, {"Ana Bell"}),
        ("li", ["Ana Bell", "Bo Li"], True, {"Bo Li"}),
        ("ana", ["Ana Bell", "Bo Li"], False, set()),
        ("bell", ["Ana Bell", "Bo Li"], False, {"Ana Bell"}),
        ("bell", ["Ana Bell", "Tim Bell"], True, set()),  # of two nobody knows which
        ("ana", ["ana bell"], True, set()),  # no name, by its letters
        ("小明", ["王小明", "李大力"], True, {"王小明"}),
        ("小明", ["王小明", "李小明"], True, set()),
        ("小明", ["王小明"], False, set()),
        ("明", ["王明"], True, set()),
    ],
)
def test_people_go_by_one_of_their_names(phrase: str, values: list[str], personal: bool, cells: set[str]) -> None:
    assert called(phrase, values, "Guest", personal).keys() == cells


def test_the_whole_of_a_name_is_worth_more_than_any_short_form_and_that_more_than_a_part() -> None:
    assert called("销售部", ["销售部"], "部门")["销售部"] == 1
    kinds = {
        "whole": called("Desk lamp", FURNITURE)["Desk lamp"],
        "with its kind": called("销售部门", ["销售部"], "部门")["销售部"],
        "short": called("销售", ["销售部"], "部门")["销售部"],
        "without its size": called("milk", ["Milk 60 l"])["Milk 60 l"],
        "done": called("驳回", STATES)["已驳回"],
        "a part": called("lamp", FURNITURE)["Desk lamp"],
        "translated": called("beijing", ["北京"])["北京"],
    }
    assert sorted(kinds, key=lambda kind: -kinds[kind]) == list(kinds)
    assert len({*kinds.values()}) == len(kinds)


def test_of_many_values_none_is_translated() -> None:
    assert called("beijing", ["北京", *map(str, range(59))]) == {"北京": called("beijing", ["北京"])["北京"]}
    assert called("beijing", ["北京", *map(str, range(60))]) == {}


@each_row(
    ("title", "personal"),
    [
        ("Guest", True), ("Full name", True), ("Volunteers", True), ("Tenant", True), ("Assistant", True),
        ("负责人", True), ("值班人员", True), ("店员", True), ("消费者", True), ("厨师", True), ("项目经理", True),
        ("Item", False), ("City", False), ("每人", False), ("成员", False), ("名称", False), ("Nickname of it", False),
    ],
)  # fmt: skip
def test_a_column_tells_of_people_by_its_name(title: str, personal: bool) -> None:
    assert is_personal(title, {}) is personal


def test_a_column_tells_of_people_by_its_kind() -> None:
    assert is_personal("X", {"person": 0.5})
    assert not is_personal("X", {"product": 1.0})
