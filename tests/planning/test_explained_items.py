"""What a table makes of a stretch of a question that names nothing of it, by what stands beside it."""

from __future__ import annotations

from table_cases import table

from planning.tables.items import Item
from planning.tables.names import Meaning, names_of_table
from planning.tables.unnamed import column_in, columns_counted_in, explained, said_most
from tables.cells import CellNumber
from tests.each_row import each_row

TABLES = {
    "ferries": """Sailing,From,To,Departure,Wait (min),Fare (€),Cancelled
F1,Calais,Dover,3 Mar 2024 08:00,0,20,no
F2,Dover,Calais,4 Mar 2024 09:00,75,25,no
F3,Calais,Hull,9 Apr 2024 10:00,130,60,yes
""",
    "sheds": """编号,片区,月租,面积（㎡）,起租日,押金已退
K1,东区,1200元/月,45,3月5日,是
K2,西区,2600元/月,98,8月20日,否
K3,东区,900元/月,30,12月1日,否
""",
    "lessons": """Child,Teacher,Wind km/h,Fee paid?,Lessons attended,Visits last month,Resolution
Ann,Ida,5,Yes,3,1,Max
Bob,Ida,60,No,4,2,Max
Cat,Olaf,12,No,5,3,Tim
""",
    "works": """项目,房间,单位,数量,单价,金额
墙面乳胶漆,主卧,平米,48,38,1824
实木门,主卧,樘,1,2600,2600
水电改造,全屋,项,1,9800,9800
""",
    "water": """Sample,Place,Lead (mg/l),Nitrate (mg/l),Rain
S1,Well,1,2,light
S2,Rain,3,4,heavy
""",
    "rain": """Day,Station,Rain (mm),Kind
2025-06-01,Hill,3,rain
2025-06-02,Port,5,snow
""",
    "报名": """活动,城市,报名人数,到场人数,采摘量（公斤）,次品量（公斤）
春游,上海,30,25,12,1
秋游,成都,40,35,14,2
""",
}
HELD = {name: table(f"{name}.csv", content) for name, content in TABLES.items()}
NAMES = {name: names_of_table(held) for name, held in HELD.items()}
EAST = Meaning("value", 1.0, 1, "东区")
BEDROOM = Meaning("value", 1.0, 1, "主卧")
SINCE = Meaning("column", 1.0, 4)
LEAD = Meaning("column", 1.0, 2)
THING = Meaning("value", 1.0, 2, "项")
RAIN = Meaning("value", 1.0, 3, "rain")

Said = tuple[str, str] | tuple[str, str, Meaning]


def items(*said: Said) -> list[Item]:
    """Stretches side by side, in English with a blank between them."""
    found: list[Item] = []
    for kind, text, *meanings in said:
        start = found[-1].end + text.isascii() if found else 0
        number = CellNumber(1, text[1:]) if kind == "number" else None
        found.append(Item(kind, start, start + len(text), text, tuple(meanings), number))  # type: ignore[arg-type]
    return found


def kinds(name: str, *said: Said) -> list[str]:
    """What each stretch is read as, with the column or the cell that it stands for."""
    found = explained(items(*said), NAMES[name])
    titles = NAMES[name].titles
    return [
        " ".join([one.kind, *(titles[m.column] if m.kind == "column" else m.value or "" for m in one.meanings)]).strip()
        for one in found
    ]


@each_row(
    ("name", "word", "read"),
    [
        ("ferries", "depart", ["filler"]),  # of ways it says nothing more
        ("ferries", "waited", ["column Wait"]),
        ("ferries", "cost", ["spend"]),
        ("ferries", "trucks", ["unknown"]),
        ("ferries", "bought", ["filler"]),  # what is paid is known
        ("lessons", "bought", ["unknown"]),
        ("lessons", "depart", ["unknown"]),
        ("lessons", "windiest", ["max Wind"]),
        ("lessons", "unpaid", ["not", "column Fee paid"]),
        ("lessons", "non-paid", ["not", "column Fee paid"]),
        ("lessons", "unwindy", ["unknown"]),  # neither yes nor no
        ("lessons", "taught", ["unknown"]),
        ("lessons", "resolved", ["unknown"]),  # it would be a condition
        ("ferries", "undeparted", ["not", "column Departure"]),  # a day is blank where it did not come
        ("sheds", "猫", ["unknown"]),
        ("works", "买", ["filler"]),
    ],
)
def test_a_word_alone_is_read_by_the_names_of_the_table(name: str, word: str, read: list[str]) -> None:
    assert kinds(name, ("unknown", word)) == read


@each_row(
    ("name", "said", "read"),
    [
        ("ferries", [("each", "per"), ("unknown", "min")], "column Wait"),
        ("ferries", [("sum", "total"), ("unknown", "min")], "column Wait"),
        ("ferries", [("much", "how much"), ("unknown", "min")], "unknown"),
        ("ferries", [("each", "per"), ("unknown", "litre")], "unknown"),
        ("sheds", [("count", "几"), ("unknown", "间")], "filler"),
        ("sheds", [("count", "几"), ("unknown", "平米")], "filler"),
        ("sheds", [("rows", "仓"), ("unknown", "间")], "unknown"),
        ("sheds", [("unknown", "这"), ("unknown", "间")], "filler"),
        ("sheds", [("value", "东区", EAST), ("unknown", "区")], "filler"),
        ("sheds", [("value", "东区", EAST), ("unknown", "片")], "filler"),  # a part of the column's name
        ("sheds", [("value", "东区", EAST), ("unknown", "上")], "filler"),
        ("sheds", [("value", "东区", EAST), ("unknown", "猫")], "unknown"),
        ("sheds", [("rows", "仓房"), ("unknown", "们")], "filler"),
        ("sheds", [("value", "东区", EAST), ("unknown", "们")], "unknown"),
        ("works", [("spend", "多少钱"), ("number", "一盒")], "filler"),
        ("works", [("which", "哪些"), ("number", "一盒")], "number"),
        ("works", [("spend", "多少钱"), ("number", "一斗")], "number"),
        ("works", [("which", "哪"), ("value", "项", THING)], "filler"),
        ("works", [("spend", "多少钱"), ("value", "项", THING)], "value 项"),
        ("water", [("column", "lead", LEAD), ("unknown", "content")], "filler"),
        ("water", [("column", "lead", LEAD), ("worth", "value")], "filler"),
        ("water", [("rows", "samples"), ("unknown", "content")], "unknown"),
        ("water", [("column", "lead", LEAD), ("unknown", "colour")], "unknown"),
        ("rain", [("much", "how much"), ("value", "rain", RAIN)], "column Rain"),
        ("rain", [("avg", "average"), ("filler", "of"), ("value", "rain", RAIN)], "column Rain"),
        ("rain", [("which", "which"), ("value", "rain", RAIN)], "value rain"),
        ("lessons", [("column", "lessons", Meaning("column", 1.0, 4)), ("verb", "attended")], "filler"),
        ("lessons", [("column", "teacher", Meaning("column", 1.0, 1)), ("verb", "attended")], "verb"),
        ("lessons", [("column", "visits", Meaning("column", 1.0, 5)), ("relative", "last month")], "filler"),
        ("lessons", [("column", "visits", Meaning("column", 1.0, 5)), ("relative", "last year")], "relative"),
        ("ferries", [("long", "how long"), ("unknown", "last")], "filler"),
        ("ferries", [("which", "which"), ("unknown", "last")], "unknown"),
        ("works", [("column", "价", Meaning("column", 1.0, 4)), ("each", "每"), ("filler", "平米")], "filler"),
    ],
)
def test_a_stretch_is_read_by_what_stands_before_it(name: str, said: list[Said], read: str) -> None:
    assert kinds(name, *said)[-1] == read


@each_row(
    ("name", "said", "read"),
    [
        ("sheds", [("unknown", "新"), ("column", "起租日", SINCE)], "filler"),
        ("sheds", [("unknown", "新"), ("column", "片区", Meaning("column", 1.0, 1))], "unknown"),
        ("lessons", [("unknown", "resolved"), ("unknown", "by")], "column Resolution"),
        ("lessons", [("unknown", "resolved"), ("value", "Max", Meaning("value", 1.0, 6, "Max"))], "column Resolution"),
        ("lessons", [("unknown", "resolved"), ("rows", "children")], "unknown"),
        ("works", [("number", "一个"), ("spend", "多少钱")], "filler"),
        ("sheds", [("number", "一个月"), ("spend", "多少钱")], "filler"),
    ],
)
def test_a_stretch_is_read_by_what_stands_behind_it(name: str, said: list[Said], read: str) -> None:
    assert kinds(name, *said)[0] == read


@each_row(
    ("word", "behind", "read"),
    [
        ("门", ("spend", "多少钱"), "value 实木门"),  # the only thing that ends so
        ("门", ("unknown", "？"), "value 实木门"),
        ("门", ("column", "单价", Meaning("column", 1.0, 4)), "filler"),
        ("台", ("spend", "多少钱"), "unknown"),
    ],
)
def test_a_measure_word_behind_of_is_the_thing_that_ends_so(word: str, behind: Said, read: str) -> None:
    assert kinds("works", ("value", "主卧", BEDROOM), ("filler", "的"), ("filler", word), behind)[2] == read


def test_one_column_is_counted_in_a_unit() -> None:
    assert [column_in(unit, NAMES["sheds"]) for unit in ("平米", "m2", "公斤")] == [3, 3, None]
    assert [column_in(unit, NAMES["ferries"]) for unit in ("min", "hour")] == [4, None]
    assert columns_counted_in("hour", NAMES["ferries"]) == [4]
    assert columns_counted_in("min", NAMES["ferries"]) == [4]
    assert columns_counted_in("人", NAMES["报名"]) == [2, 3]
    assert columns_counted_in("斤", NAMES["报名"]) == [4, 5]
    assert columns_counted_in("人", NAMES["sheds"]) == []


def test_of_several_columns_that_is_meant_whose_name_is_said_most() -> None:
    assert said_most([4, 5], "摘了多少公斤", NAMES["报名"]) == [4]
    assert said_most([4, 5], "次品有多少公斤", NAMES["报名"]) == [5]
    assert said_most([4, 5], "有多少", NAMES["报名"]) == [4, 5]
    assert said_most([2, 3], "到场多少人", NAMES["报名"]) == [3]
