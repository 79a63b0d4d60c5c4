"""By which column rows are called, which columns are both ends of a way or both sides of a match, and currencies."""

from __future__ import annotations

from table_cases import SEASON, table

from planning.tables.currencies import apart, currency_column
from planning.tables.directions import directions, told_direction
from planning.tables.families import families, is_superlative, root, says_of
from planning.tables.keys import identifies, label_column, label_columns, shown_columns
from planning.tables.names import names_of_table
from planning.tables.spec import Condition, Selection
from planning.tables.teams import sides_of
from schema import TableInfo
from tests.each_row import each_row


def titles(held: TableInfo, columns: tuple[int, ...]) -> list[str]:
    return [held.columns[at].name for at in columns]


@each_row(
    ("content", "label", "shown"),
    [
        ("City,Product name,Price\nBonn,Lamp,1\nUlm,Sofa,2", "Product name", ["Product name"]),
        ("City,Street,Price\nBonn,A,1\nUlm,B,2", "City", ["City"]),  # of two the first
        ("No.,Street,Price\nA-1,High,1\nA-2,Low,2", "Street", ["Street"]),  # a name before a number
        ("#,Action,Owner\n1a,Refuse nodes,Dev\n1b,Load test,Dev", "Action", ["Action"]),
        ("Code,Price\nA-1,1\nA-2,2", "Code", ["Code"]),
        ("Code,Subject,Price\nA-1,High,1\nA-2,High,2", "Code", ["Code", "Subject"]),
        ("编号,类别,商品,价格\nA-1,甲,灯,1\nA-2,甲,灯,2", "编号", ["编号", "商品"]),
        ("Code,Colour,Price\nA-1,red,1\nA-2,red,2", "Code", ["Code"]),
        ("City,Price,Weight (kg)\nBonn,1,5\nBonn,2,6", "City", ["City", "Price", "Weight (kg)"]),  # all of them
        ("City,Wait,Price\nBonn,5 min,1\nBonn,6 min,2", "City", ["City", "Price", "Wait"]),  # "5 min" is last
        ("Name,Price\nAnn,1\n,2", "Name", ["Name", "Price"]),
        ("Code,Subject,Title\nA-1,High,a\nA-2,High,a", "Code", ["Code", "Subject"]),  # one of them is enough
        ("A,B,C,Owner,Name\n1,2,3,Ann,x\n1,2,4,Bob,x", "Owner", ["Owner"]),
        ("A,B,C,Owner\n1,2,3,Ann\n1,2,4,Bob", "Owner", ["Owner"]),
        ("A,B\n1,2\n3,4", "A", ["A", "B"]),  # no words at all
    ],
)
def test_rows_are_called_and_shown_by_what_tells_them_apart(content: str, label: str, shown: list[str]) -> None:
    held = table("a.csv", f"{content}\n")
    assert titles(held, (label_column(held),)) == [label]
    assert titles(held, label_columns(held))[0] == label
    assert titles(held, shown_columns(held)) == shown


def test_a_name_that_hardly_ever_comes_again_is_one() -> None:
    people = [*"abcdefghijk"]
    rows = [f"{one},{number},{number // 2}x" for number, one in enumerate([*people, people[0]])]
    nearly = table("a.csv", "\n".join(["Name,Place,Row", *rows]) + "\n")
    assert titles(nearly, (label_column(nearly),)) == ["Name"]
    often = table("a.csv", "\n".join(["Row,Name,Place", *(f"{i // 2}x,{i // 3}y,{i}" for i in range(12))]) + "\n")
    assert titles(often, (label_column(often),)) == ["Row"]


def test_of_many_columns_the_first_are_shown_and_all_amounts() -> None:
    head = "City,Colour,Form,Kind,Shade,Width,Note,Height,Depth,Load,Age"
    held = table("a.csv", f"{head}\nBonn,red,a,b,c,1,d,2,3,4,5\nBonn,red,a,b,c,1,d,2,3,4,6\n")
    assert titles(held, shown_columns(held)) == "City Colour Form Kind Width Height Depth Load".split()


@each_row(
    ("title", "is_one"),
    [("Order no", True), ("SKU", True), ("客户编号", True), ("商品名称", True), ("Name", True), ("Nobody", False),
     ("Rename it", False), ("号码牌", False)],
)  # fmt: skip
def test_a_column_is_called_a_number_or_a_code(title: str, is_one: bool) -> None:
    assert identifies(title) is is_one


@each_row(
    ("columns", "found"),
    [
        (["From", "To", "Price"], {0: "from", 1: "to"}),
        (["Price", "Destination", "origin city"], {1: "to", 2: "from"}),
        (["出发站", "到达站"], {0: "from", 1: "to"}),
        ([" 起点", "终点 "], {0: "from", 1: "to"}),
        (["From", "Price"], {}),
        (["From", "Origin", "To"], {}),
        (["From", "To", "End"], {}),
        (["Fromage", "Total"], {}),
    ],
)
def test_two_columns_are_the_ends_of_a_way(columns: list[str], found: dict[int, str]) -> None:
    assert directions(dict(enumerate(columns))) == found


@each_row(
    ("text", "place", "side"),
    [
        ("flights from the hague", "hague", "from"),
        ("flights leaving bonn", "bonn", "from"),
        ("flights out of bonn", "bonn", "from"),
        ("flights to bonn", "bonn", "to"),
        ("flights arriving in bonn", "bonn", "to"),
        ("flights between ulm and bonn", "bonn", "to"),
        ("flights between bonn and ulm", "bonn", "from"),
        ("从北京到上海", "北京", "from"),
        ("从北京到上海", "上海", "to"),
        ("北京出发的航班", "北京", "from"),
        ("到北京起飞的航班", "北京", "from"),  # what stands behind tells it first
        ("北京到达的航班", "北京", "to"),
        ("bonn flights", "bonn", None),
        ("from here on i would like to know about bonn", "bonn", None),
    ],
)
def test_the_words_around_a_place_tell_which_end_it_is(text: str, place: str, side: str | None) -> None:
    start = text.index(place)
    assert told_direction(text, start, start + len(place)) == side


@each_row(
    ("head", "sides"),
    [
        ("Home team,Away team,Home goals,Away goals", (0, 1, 2, 3)),
        ("Host,Visitor,Host score,Visitor score", (0, 1, 2, 3)),
        ("客队,主队,客队进球,主队进球", (1, 0, 3, 2)),
        ("Home team,Away team,Home goals,Goals", (0, 1, None, None)),
        ("Home team,Team,Home goals,Away goals", None),
        ("Home team,Away team,Home goals,Seats", (0, 1, None, None)),
    ],
)
def test_two_columns_are_the_sides_of_a_match(head: str, sides: tuple[int | None, ...] | None) -> None:
    assert sides_of(table("a.csv", f"{head}\nRovers,City,3,1\nCity,Rovers,1,1\n")) == sides


def test_no_sides_are_told_by_columns_of_different_things_or_by_two_of_a_kind() -> None:
    assert sides_of(table("a.csv", "Home address,Guest\nA,Ann\nB,Bob\n")) is None
    assert sides_of(table("a.csv", "Home team,Away team\nA,B\nC,A\nD,E\n")) is None  # one of three is in both
    assert sides_of(table("a.csv", "Home team,Away team\nA,B\nB,C\n")) is not None  # one of two is
    assert sides_of(table("a.csv", "Home team,Home city,Away team\nA,B,B\nB,A,A\n")) is None
    assert sides_of(table("season.csv", SEASON)) is not None


@each_row(
    ("word", "other"),
    [("depart", "departure"), ("resolved", "resolution"), ("sold", "sold"), ("planned", "planning"),
     ("weigh", "weight"), ("expired", "expiry"), ("windiest", "wind"), ("delivery", "delivered"), ("carry", "carried")],
)  # fmt: skip
def test_words_of_a_family_have_one_root(word: str, other: str) -> None:
    assert root(word) == root(other) != ""


@each_row("word", ["day", "age", "the", "a"])
def test_a_short_word_has_no_root(word: str) -> None:
    assert root(word) == ""


def test_columns_stand_under_the_roots_of_their_words_each_once() -> None:
    found = families(["Departure", "Depart departure", "Day", "Wind (km/h)"])
    assert found == {root("depart"): [0, 1], root("wind"): [3]}


def test_a_superlative_and_a_form_of_a_word_are_known() -> None:
    assert is_superlative("windiest")
    assert not is_superlative("test1")
    assert not is_superlative("est")
    assert says_of("attended", "Lessons attended")
    assert not says_of("attended", "Lessons")
    assert not says_of("…", "Lessons")


MONEY = table("a.csv", "Donor,City,Donation,Age,Currency\nAnn,Bonn,5,40,EUR\nBob,Ulm,6,50,USD\nBob,Ulm,7,50,USD\n")
NAMES = names_of_table(MONEY)


def test_one_column_tells_the_currency() -> None:
    assert currency_column(MONEY) == 4
    assert currency_column(table("a.csv", "Donor,币种\nAnn,EUR\nBob,USD\n")) == 1
    assert currency_column(table("a.csv", "Donor,Currency,Currency code\nAnn,EUR,x\nBob,USD,y\n")) is None
    assert currency_column(table("a.csv", "Donor,Currency converter\nAnn,EUR\nBob,USD\n")) is None


EUROS = Condition(4, "=", ("EUR",))


@each_row(
    ("asked", "by_currency"),
    [
        (Selection("aggregate", "sum", 2), Selection("groups", "sum", 2, 4)),
        (Selection("top", "max", 2, limit=1, columns=(0, 4, 2)),
         Selection("best", "max", 2, 4, limit=1, columns=(4, 0, 2))),
        (Selection("top", "max", 2, limit=2), None),
        (Selection("groups", "sum", 2, 0), None),
        (Selection("rows", "sum", 2), Selection("rows", "sum", 2)),
        (Selection("distinct", "sum", 2), Selection("distinct", "sum", 2)),
    ],
)  # fmt: skip
def test_what_is_of_several_currencies_is_computed_for_each(asked: Selection, by_currency: Selection | None) -> None:
    assert apart(asked, MONEY, NAMES.concepts) == by_currency


@each_row(
    "asked",
    [
        Selection("aggregate", "sum", 2, conditions=(EUROS,)),
        Selection("aggregate", "sum", 3),
        Selection("aggregate", "count", 2),
        Selection("aggregate", "distinct", 2),
        Selection("aggregate", "count"),
        Selection("groups", "sum", 2, 4),
        Selection("groups", "sum", 5, 0),  # computed from others
    ],
)
def test_what_is_of_one_currency_or_of_none_stays_as_it_is(asked: Selection) -> None:
    assert apart(asked, MONEY, NAMES.concepts) is asked


@each_row(
    "condition",
    [Condition(4, "!=", ("EUR",)), Condition(4, "=", ("EUR", "USD")), Condition(1, "=", ("Bonn",))],
)
def test_a_condition_that_leaves_several_currencies_settles_nothing(condition: Condition) -> None:
    found = apart(Selection("aggregate", "sum", 2, conditions=(condition,)), MONEY, NAMES.concepts)
    assert found is not None
    assert (found.kind, found.group) == ("groups", 4)
