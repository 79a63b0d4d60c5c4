"""What the columns and rows of a table may be called, and which columns are money, add up, or say yes and no."""

from __future__ import annotations

from table_cases import SEASON, table

from planning.tables.names import names_of_table
from planning.tables.operators import tokens
from tests.each_row import each_row

ORDERS = """Order no,Client,Status,Ordered,Amount (USD),Unit price (USD),Qty,Discount %,Parking (h),Paid?
O-1,Acme,open,2024-01-30,500,5,10,5,2,yes
O-2,Beta,closed,2024-02-05,700,7,100,6,3,no
O-3,Beta,closed,2024-02-05,700,7,100,6,3,no
"""
TRIPS = """单号,出差人,出发地,目的地,费用（元）,天数,是否报销
T1,张强,北京,上海,500,2,是
T2,张强,上海,北京,700,3,否
T3,李明,上海,北京,700,3,否
"""
CLASSES = """班级,负责人,人数,其中女性,教室,各科成绩
一班,张小强,40,18,甲,90
二班,李明,42,20,甲,91
三班,李明,42,20,乙,91
"""
GROUPS = """小组,出差人,人数
一组,张强,4
二组,李明,4
三组,李明,4
"""
MUSEUM = """Museum,Town,Visitors,Income
Old,Bonn,500,90
New,Bonn,700,80
"""
SHOP = """City,Destination,All visitors,Of which foreign,Is cancelled,Home_address,Amount (€),Sales (€),Open,Coach
Bonn,Ulm,9,3,yes,a,1,2,yes,Ann
Bonn,Kiel,8,2,no,b,3,4,yes,Ann
Ulm,Kiel,8,2,no,b,3,4,yes,Bob
"""
PARTS = """Department,项目总金额,场次,Number_of late visits per house,Total
A,90,1,9,7
B,90,2,8,7
B,80,2,8,6
"""
STAFF = """Employee,Destination,Visitors,Income (€),Bonus (€),Currency
Ann,Bonn,500,90,3,EUR
Bob,Bonn,700,80,4,USD
"""
HELD = {
    name: table(f"{name}.csv", content)
    for name, content in {
        "orders": ORDERS, "差旅": TRIPS, "班级": CLASSES, "值班": GROUPS, "museum": MUSEUM, "staff": STAFF,
        "shop": SHOP, "parts": PARTS,
        "season": SEASON,
    }.items()
}  # fmt: skip


def meant(name: str, phrase: str) -> dict[str, float]:
    """The columns that a phrase stands for, by their names, their cells, and "rows"; each with how well."""
    names = names_of_table(HELD[name])
    found = names.phrases.get(tokens(phrase), {}).values()
    assert all(0 < one.weight <= 1 for one in found)
    said = {"rows": "rows", "column": "{title}", "value": "{title} = {value}"}  # and no other kind
    return {said[one.kind].format(title=names.titles[one.column], value=one.value): one.weight for one in found}


@each_row(
    ("name", "phrase", "columns"),
    [
        ("orders", "client", {"Client"}),
        ("orders", "customer", {"Client"}),
        ("orders", "客户", {"Client"}),
        ("orders", "Amount (USD)", {"Amount"}),
        ("orders", "revenue", {"Amount"}),  # the only amount
        ("orders", "price", {"Unit price"}),
        ("orders", "discount", {"Discount %"}),
        ("orders", "discount rate", {"Discount %"}),
        ("orders", "discount percentage", {"Discount %"}),
        ("orders", "parking time", {"Parking"}),
        ("orders", "parking 时长", {"Parking"}),
        ("orders", "paid", {"Paid"}),
        ("orders", "acme", {"Client = Acme"}),
        ("orders", "yes", set()),  # the column alone says it
        ("orders", "no", set()),
        ("orders", "orders", {"Order no", "Ordered", "rows"}),
        ("差旅", "报销", {"是否报销"}),
        ("差旅", "北京", {"出发地 = 北京", "目的地 = 北京"}),
        ("差旅", "张强", {"出差人 = 张强"}),
        ("差旅", "城市", {"目的地"}),
        ("差旅", "地方", {"目的地"}),
        ("差旅", "town", {"目的地"}),
        ("差旅", "place", {"目的地"}),
        ("差旅", "city", {"目的地"}),
        ("差旅", "起点", {"出发地"}),
        ("差旅", "终点", {"目的地"}),
        ("差旅", "同事", {"出差人"}),
        ("差旅", "person", {"出差人"}),
        ("差旅", "差旅", {"rows"}),
        ("差旅", "差旅费用", {"费用"}),  # what the rows are called, before a column
        ("差旅", "差旅出发地", set()),  # before one of numbers
        ("班级", "女性人数", {"其中女性"}),
        ("班级", "大强", set()),
        ("班级", "小强", {"负责人 = 张小强"}),  # a teacher is somebody
        ("班级", "甲教室", set()),
        ("parts", "总金额", {"项目总金额", "Total"}),
        ("parts", "目总金额", {"项目总金额"}),
        ("parts", "项目总金", {"项目总金额"}),
        ("parts", "项目", {"项目总金额"}),
        ("parts", "目总", set()),  # neither its beginning nor its end
        ("parts", "次", set()),  # a single character says too little
        ("parts", "number of", set()),
        ("parts", "late visits per house", {"Number_of late visits per house"}),
        ("parts", "late visits", {"Number_of late visits per house"}),
        ("parts", "visits per house", {"Number_of late visits per house"}),
        ("parts", "visits per", set()),
        ("parts", "number of late visits", {"Number_of late visits per house"}),
        ("parts", "department", {"Department"}),
        ("parts", "departure", set()),
        ("parts", "amount", {"Total", "项目总金额"}),
        ("shop", "city", {"City"}),
        ("shop", "destination", {"Destination"}),
        ("shop", "foreign visitors", {"Of which foreign"}),
        ("shop", "cancelled", {"Is cancelled"}),
        ("shop", "home address", {"Home_address"}),
        ("shop", "sales", {"Sales"}),
        ("shop", "revenue", {"Sales"}),
        ("shop", "open", {"Open"}),  # yes in each row
        ("班级", "各科成绩", set()),  # “各” says by what is grouped
        ("班级", "员工", set()),  # people are numbers there
        ("值班", "同事", set()),  # people are numbers there, too
        ("museum", "people", {"Visitors"}),
        ("museum", "city", {"Town"}),
        ("staff", "people", {"Employee", "rows"}),
        ("staff", "city", {"Destination"}),
        ("staff", "revenue", set()),  # no amount
        ("season", "match", {"rows"}),
        ("season", "goals", {"Home goals", "Away goals"}),
    ],
)
def test_a_column_goes_by_its_name_its_kind_and_what_it_alone_can_be(name: str, phrase: str, columns: set[str]) -> None:
    assert meant(name, phrase).keys() == columns


def test_the_whole_of_a_name_is_worth_more_than_its_kind_and_that_more_than_its_end_and_its_beginning() -> None:
    kinds = [
        meant("orders", "unit price")["Unit price"],
        meant("orders", "discount rate")["Discount %"],
        meant("orders", "parking time")["Parking"],
        meant("orders", "客户")["Client"],
        meant("season", "goals")["Home goals"],
        meant("orders", "unit")["Unit price"],
    ]
    assert kinds[0] == 1
    assert kinds == sorted({*kinds}, reverse=True)
    assert meant("orders", "orders")["Ordered"] > meant("orders", "orders")["Order no"]


def test_of_yes_and_no_both_are_known_and_which_is_which() -> None:
    assert names_of_table(HELD["orders"]).flags == {9: (("yes",), ("no",))}
    assert names_of_table(HELD["shop"]).flags == {4: (("yes",), ("no",)), 8: (("yes",), ())}


def test_the_words_of_the_columns_are_known_as_they_are_written() -> None:
    assert {"home", "address", "city", "visitors"} < names_of_table(HELD["shop"]).words


def test_words_of_one_family_lead_to_the_columns_that_have_them() -> None:
    assert names_of_table(HELD["season"]).families["goal"] == [3, 4]
    assert "差" in names_of_table(HELD["差旅"]).about


def test_a_name_of_more_words_than_anybody_says_is_left_out() -> None:
    long = " ".join("abcdefghijklm")
    held = table("x.csv", f"Name,City\n{long},Bonn\n{long[:-2]},Bonn\n")
    phrases = names_of_table(held).phrases
    assert tokens(long[:-2]) in phrases
    assert tokens(long) not in phrases
    assert names_of_table(held).longest == 12


def titles(name: str, kind: str) -> set[str]:
    names = names_of_table(HELD[name])
    return {names.titles[at] for at in getattr(names, kind)}


@each_row(
    ("name", "kind", "columns"),
    [
        ("orders", "money", {"Amount"}),  # and no price
        ("orders", "additive", {"Amount", "Qty"}),
        ("orders", "flags", {"Paid"}),
        ("orders", "numbers", {"Amount", "Unit price", "Qty", "Discount %", "Parking"}),
        ("orders", "dates", {"Ordered"}),
        ("差旅", "money", {"费用"}),
        ("差旅", "additive", {"费用", "天数"}),
        ("差旅", "flags", {"是否报销"}),
        ("差旅", "directions", {"出发地", "目的地"}),
        ("班级", "additive", {"人数"}),
        ("museum", "money", set()),
        ("staff", "money", {"Bonus"}),  # of people "income" is a wage
        ("staff", "directions", set()),
    ],
)
def test_columns_are_of_a_kind(name: str, kind: str, columns: set[str]) -> None:
    assert titles(name, kind) == columns


def test_amounts_without_a_unit_are_money_where_a_column_tells_the_currency() -> None:
    head, rows = "Donor,Donation,Seats,Weight (kg)", "Lamp,5,3,2"
    told = names_of_table(table("a.csv", f"{head},Currency\n{rows},EUR\n{rows},USD\n"))
    silent = names_of_table(table("a.csv", f"{head},Colour\n{rows},red\n{rows},blue\n"))
    assert {told.titles[at] for at in told.money} == {"Donation"}
    assert not silent.money


def test_a_unit_tells_a_column_where_no_other_has_it() -> None:
    held = names_of_table(table("a.csv", "Item,Weight (kg),Load (kg),Wait (min)\nLamp,5,3,2\nSofa,6,3,4\n"))
    assert {unit: held.titles[at] for unit, at in held.units.items()} == {"min": "Wait"}
    assert {held.titles[at]: unit for at, unit in held.counted_in.items()} == {
        "Weight": "kg", "Load": "kg", "Wait": "min",
    }  # fmt: skip


def test_a_word_of_the_other_language_leads_to_what_alone_says_it() -> None:
    held = table("状态.csv", "编号,状态,备注\nA,已录用,甲\nB,待面试,甲\nC,待面试,乙\n")
    senses = {" ".join(said): meaning for said, meaning in names_of_table(held).senses.items()}
    assert (senses["hire"].kind, senses["hire"].value) == ("value", "已录用")
    twice = table("状态.csv", "编号,状态,结果\nA,已录用,录用\nB,待面试,录用\nC,待面试,乙\n")
    assert tokens("hire") not in names_of_table(twice).senses
    english = names_of_table(HELD["museum"]).senses[tokens("visitors")]
    assert (english.kind, english.column) == ("column", 2)
    assert english.weight < senses["hire"].weight <= 1
