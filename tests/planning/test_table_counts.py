"""What "how many" and "how often" ask of a thing that has one row: a cell, and never that it is there once."""

from __future__ import annotations

from table_cases import sql_of, table

from tests.each_row import each_row

UPKEEP = """Device,Serviced every,Contractor,Cleaned,Last service,Failures,Rating
Boiler,12 months,Heatwell,weekly,2026-03-01,2,4
Air filter,3 months,own staff,every month,2026-09-01,0,5
Lift,6 months,Upright,daily,2026-06-15,5,2
"""
VISITS = "Date,Visitor,Purpose\n2026-01-05,Ann Lee,audit\n2026-01-09,Bo Hart,repair\n2026-02-02,Cy Lund,audit\n"
BAKERY = """Product,Units,Takings ($)
Rye bread,1204,4816
Baguette,2310,4620
Poppy roll,980,980
"""
SHOP = """品名,销量,销售额（元）,库存
保温杯,120,5880,35
雨伞,80,2400,0
台灯,45,4050,12
"""
STORE = """品名,库存,单价
保温杯,35,49
雨伞,0,30
"""
CARDS = "Card,Revenue ($),In stock\nBirthday,300,12\nGet well,120,40\n"
LIST_OF_ORDERS = "Item,Order date,Quantity\nLamp,2026-03-01,4\nDesk,2026-03-08,2\n"
OPEN_ORDERS = "Item,Ordered,Quantity\nLamp,3,4\nDesk,1,2\n"
ONLY_REVENUE = "Card,Revenue ($)\nBirthday,300\nGet well,120\n"


def cells(key: str, column: str, value: str) -> str:
    return f"""SELECT "{key}", "{column}" FROM t WHERE "{key}" = '{value}' LIMIT 1000"""


def best(key: str, column: str) -> str:
    return f"""SELECT "{key}", "{column}" FROM t WHERE "{column}" = (SELECT MAX("{column}") FROM t)"""


@each_row(
    ("question", "sql"),
    [
        ("How often is the boiler serviced?", cells("Device", "Serviced every", "Boiler")),
        ("How often is the lift cleaned?", cells("Device", "Cleaned", "Lift")),
        ("How often has the lift had failures?", cells("Device", "Failures", "Lift")),
        ("How often does the contractor of the lift come?", None),  # a name is no frequency
        ("How often is the lift there?", None),
        ("How often is the lift rated?", None),
        ("How many lifts are there?", None),
        ("How many devices are there?", "SELECT COUNT(*) FROM t"),
        ("How many devices does Upright have?", """SELECT COUNT(*) FROM t WHERE "Contractor" = 'Upright'"""),
    ],
)  # fmt: skip
def test_of_one_row_a_cell_is_asked_and_not_its_number(question: str, sql: str | None) -> None:
    assert sql_of(question, [table("upkeep.csv", UPKEEP)]) == sql


def test_in_a_list_of_events_a_name_may_come_again() -> None:
    count = """SELECT COUNT(*) FROM t WHERE "Visitor" = 'Ann Lee'"""
    assert sql_of("How often did Ann Lee come?", [table("visits.csv", VISITS)]) == count


@each_row(
    ("held", "question", "sql"),
    [
        (BAKERY, "How many baguettes were sold?", cells("Product", "Units", "Baguette")),
        (BAKERY, "How much was sold of Baguette?", cells("Product", "Takings ($)", "Baguette")),
        (SHOP, "雨伞卖了多少把？", """SELECT SUM("销量") FROM t WHERE "品名" = '雨伞'"""),
        (SHOP, "雨伞还有多少？", """SELECT SUM("库存") FROM t WHERE "品名" = '雨伞'"""),
        (SHOP, "雨伞的销售额是多少？", cells("品名", "销售额（元）", "雨伞")),
        (SHOP, "哪种卖得最好？", None),  # most often, or for most
        (SHOP, "销售额最高的是哪种？", best("品名", "销售额（元）")),
        (STORE, "保温杯卖了多少？", None),  # what is left has not gone
        (STORE, "保温杯买了多少？", None),
        (SHOP, "卖的雨伞还有多少？", """SELECT SUM("库存") FROM t WHERE "品名" = '雨伞'"""),
        (LIST_OF_ORDERS, "How many lamps were sold?", """SELECT SUM("Quantity") FROM t WHERE "Item" = 'Lamp'"""),
        (OPEN_ORDERS, "How many lamps were sold?", None),  # what is there, or what has gone
        (STORE, "保温杯有多少？", """SELECT SUM("库存") FROM t WHERE "品名" = '保温杯'"""),
        (CARDS, "How many Birthday cards were sold?", None),
        (ONLY_REVENUE, "How many Birthday cards were sold?", None),  # for how much says not how many
        (ONLY_REVENUE, "Which card sold best?", best("Card", "Revenue ($)")),
    ],
)  # fmt: skip
def test_what_was_sold_is_neither_money_nor_stock(held: str, question: str, sql: str | None) -> None:
    assert sql_of(question, [table("sales.csv", held)]) == sql


def test_of_a_kind_of_things_rows_are_not_what_was_sold_or_is_left() -> None:
    held = [table("库存.csv", "品名,类别,库存\n保温杯,杯子,35\n马克杯,杯子,12\n雨伞,雨具,0\n")]
    for question in ("杯子卖了多少？", "杯子还有多少？", "雨具还剩多少？"):
        assert sql_of(question, held) is None
    assert sql_of("杯子有几种？", held) == """SELECT COUNT(*) FROM t WHERE "类别" = '杯子'"""


STAYS = "套餐,天数,陪护人数\n安心,26,1\n臻爱,28,2\n"


@each_row(
    ("question", "plan"),
    [
        ("来了多少人？", None),  # who came is another matter than who stays with somebody
        ("How many people came?", None),
        ("一共多少人？", 'SELECT SUM("陪护人数") FROM t'),
        ("一共多少人陪护？", 'SELECT SUM("陪护人数") FROM t'),
    ],
)
def test_people_of_a_column_are_those_it_speaks_of(question: str, plan: str | None) -> None:
    assert sql_of(question, [table("stays.csv", STAYS)]) == plan


def test_who_asks_how_many_people_there_are_says_nothing_else_of_them() -> None:
    held = [table("名单.csv", "学号,姓名,班级\n1,甲,一班\n2,乙,二班\n3,丙,二班\n")]
    for question in ("有多少人？", "多少人？", "有几个人？", "How many people?", "How many people are there?"):
        assert sql_of(question, held) == "SELECT COUNT(*) FROM t"
    assert sql_of("来了多少人？", held) is None
