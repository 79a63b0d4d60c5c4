"""What is counted or added up of a table: rows, amounts, days, stock."""

from table_cases import PAY, STAFF, table

from planning.tables import plan_table_query
from schema import TableInfo
from tests.each_row import each_row

NUMBERED = """Order,Customer,Date,Region,Amount (USD),Status
1001,Acme Ltd,2026-05-02,North,"1,250.00",paid
1002,Bolt GmbH,2026-05-09,South,480.50,open
1003,Acme Ltd,2026-06-11,North,910.00,paid
"""


@each_row(
    ("question", "sql"),
    [
        ("how many orders over 1000?", 'SELECT COUNT(*) FROM t WHERE "Amount (USD)" > 1000'),
        ("total amount of paid orders", """SELECT SUM("Amount (USD)") FROM t WHERE "Status" = 'paid'"""),
        (
            "What was the amount of order 1003?",
            """SELECT "Order", "Amount (USD)" FROM t WHERE "Order" = '1003' LIMIT 1000""",
        ),
        ("North 的金额是多少？", """SELECT SUM("Amount (USD)") FROM t WHERE "Region" = 'North'"""),
    ],
)
def test_the_number_of_an_order_is_its_name_and_no_amount(question: str, sql: str) -> None:
    query = plan_table_query(question, [table("numbered.csv", NUMBERED)])
    assert query is not None
    assert query.sql.replace('"numbered.csv"', "t") == sql


INVENTORY = """SKU,Item,Warehouse,Stock,Unit price
A-100,Desk lamp,Berlin,120,19.90
A-101,Office chair,Berlin,15,149.00
B-200,Desk lamp,Paris,0,21.50
B-201,Whiteboard,Paris,7,89.00
C-300,Office chair,Madrid,42,139.00
"""
LATE = """姓名,部门,日期,迟到（分钟）
张三,研发部,2026年5月4日,12
李四,研发部,2026年5月4日,
张三,研发部,2026年5月5日,0
"""


@each_row(
    ("question", "sql"),
    [
        (
            "Which items are out of stock?",
            'SELECT "SKU", "Item", "Stock" FROM "inventory.csv" WHERE "Stock" <= 0 LIMIT 1000',
        ),
        ("哪些商品缺货？", 'SELECT "SKU", "Item", "Stock" FROM "inventory.csv" WHERE "Stock" <= 0 LIMIT 1000'),
        (
            "How many chairs are in Madrid?",
            """SELECT SUM("Stock") FROM "inventory.csv" WHERE "Item" = 'Office chair' AND "Warehouse" = 'Madrid'""",
        ),
        ("张三迟到了几次？", """SELECT COUNT(*) FROM "考勤.csv" WHERE "姓名" = '张三' AND "迟到（分钟）" > 0"""),
        (
            "各部门迟到总分钟数",
            'SELECT "部门", SUM("迟到（分钟）") FROM "考勤.csv" WHERE "部门" IS NOT NULL '
            'AND "迟到（分钟）" IS NOT NULL GROUP BY 1 ORDER BY 1',
        ),
        (
            "Which customer spent the most?",
            'SELECT "Customer", SUM("Amount (USD)") FROM "numbered.csv" WHERE "Customer" IS NOT NULL AND '
            '"Amount (USD)" IS NOT NULL GROUP BY 1 HAVING SUM("Amount (USD)") = (SELECT SUM("Amount (USD)") FROM '
            '"numbered.csv" WHERE "Customer" IS NOT NULL AND "Amount (USD)" IS NOT NULL GROUP BY "Customer" '
            "ORDER BY 1 DESC LIMIT 1)",
        ),
        (
            "谁的月薪最高？",
            'SELECT "姓名", "月薪（元）" FROM "员工.csv" WHERE "月薪（元）" = '
            '(SELECT MAX("月薪（元）") FROM "员工.csv")',
        ),
    ],
)
def test_stock_is_counted_by_its_column_and_events_by_what_is_more_than_none(question: str, sql: str) -> None:
    held = [table("inventory.csv", INVENTORY), table("考勤.csv", LATE, 3), table("numbered.csv", NUMBERED, 4), STAFF]
    query = plan_table_query(question, held)
    assert query is not None
    assert query.sql == sql


def test_a_value_that_no_column_holds_is_how_many_times_what_each_costs() -> None:
    query = plan_table_query("What is the stock value of the desk lamps?", [table("inventory.csv", INVENTORY)])
    assert query is not None
    assert query.words.en == "total “Stock × Unit price” where “Item” is Desk lamp"


def test_a_currency_is_written_as_the_table_writes_it() -> None:
    query = plan_table_query("total amount", [table("numbered.csv", NUMBERED)])
    assert query is not None
    assert query.unit == "USD"


def test_prices_add_up_only_where_each_row_is_one_thing_and_all_are_asked_for() -> None:
    assert plan_table_query("显示器多少钱", [DEVICES]) is None
    assert plan_table_query("How much did we spend on lamps?", [SHOP]) is None


def test_a_question_that_two_tables_answer_is_left_to_the_text() -> None:
    assert plan_table_query("平均工资是多少？", [STAFF, table("另一份.csv", PAY, 3)]) is None


STOCK = table("stock.csv", "Item,On hand,Reorder level,Balance\nLamp,5,9,-3\nDesk,20,10,4\nBed,7,7,0\n", 4)
POWER = table("电费.csv", "楼栋,日期,用电量（度）\nA栋,2024-05-01,5\nB栋,2024-05-02,8\nA栋,2024-05-03,4\n", 7)
TICKETS = table(
    "tickets.csv", "Ticket,Opened on,Agent,State\nT1,2024-09-01,Lena,Open\nT2,2024-09-02,Omar,Closed\n"
    "T3,2024-10-02,Omar,Closed\n", 8
)  # fmt: skip
DEVICES = table(
    "设备.csv", "编号,名称,购置日期,价格（元）\nE-1,显示器,2024-03-15,3799\nE-2,显示器,2025-02-18,3699\n"
    "E-3,打印机,2025-02-20,2199\n", 9
)  # fmt: skip
SHOP = table("shop.csv", "Item,Kind,Price,Stock\nAlpha,Lamp,20,5\nBeta,Lamp,30,2\nGamma,Desk,90,1\n", 10)
SOLD = table("台账.csv", "门店,数量（件）,销售额\n甲,5,100\n乙,7,300\n甲,2,80\n甲小计,,180\n", 5)


@each_row(
    ("question", "table", "sql"),
    [
        ("Which items are below the reorder level?", STOCK,
         'SELECT "Item", "On hand" FROM t WHERE "On hand" < "Reorder level" LIMIT 1000'),
        ("How many items have a negative balance?", STOCK, 'SELECT COUNT(*) FROM t WHERE "Balance" < 0'),
        ("显示器一共花了多少钱", DEVICES, """SELECT SUM("价格（元）") FROM t WHERE "名称" = '显示器'"""),
        ("买显示器花了多少钱？", DEVICES, """SELECT SUM("价格（元）") FROM t WHERE "名称" = '显示器'"""),
        ("一共卖了多少件？", SOLD, 'SELECT SUM("数量（件）") FROM t'),
        ("A栋比B栋多用了多少度电？", POWER,
         """SELECT (SELECT SUM("用电量（度）") FROM t WHERE "楼栋" = 'A栋'), (SELECT SUM("用电量（度）") FROM t """
         """WHERE "楼栋" = 'B栋'), (SELECT SUM("用电量（度）") FROM t WHERE "楼栋" = 'A栋') - """
         """(SELECT SUM("用电量（度）") FROM t WHERE "楼栋" = 'B栋')"""),
        ("哪栋楼的用电量最高？", POWER,
         'SELECT "楼栋", SUM("用电量（度）") FROM t WHERE "楼栋" IS NOT NULL AND "用电量（度）" IS NOT NULL '
         'GROUP BY 1 HAVING SUM("用电量（度）") = (SELECT SUM("用电量（度）") FROM t WHERE "楼栋" IS NOT NULL AND '
         '"用电量（度）" IS NOT NULL GROUP BY "楼栋" ORDER BY 1 DESC LIMIT 1)'),
        ("How many tickets were opened in September?", TICKETS,
         """SELECT COUNT(*) FROM t WHERE substr("Opened on", 6, 2) BETWEEN '09' AND '09'"""),
        ("How many tickets did Omar handle?", TICKETS, """SELECT COUNT(*) FROM t WHERE "Agent" = 'Omar'"""),
        ("How many tickets are neither open nor closed?", TICKETS,
         """SELECT COUNT(*) FROM t WHERE "State" NOT IN ('Open', 'Closed')"""),
        ("有多少条销售记录？", SOLD, "SELECT COUNT(*) FROM t"),
        ("甲比乙少卖了多少件？", SOLD,
         """SELECT (SELECT SUM("数量（件）") FROM t WHERE "门店" = '甲'), """
         """(SELECT SUM("数量（件）") FROM t WHERE "门店" = '乙'), """
         """(SELECT SUM("数量（件）") FROM t WHERE "门店" = '乙') - """
         """(SELECT SUM("数量（件）") FROM t WHERE "门店" = '甲')"""),
        ("单笔销售额最高的是哪家门店？", SOLD,
         'SELECT "门店", "销售额" FROM t WHERE "销售额" = (SELECT MAX("销售额") FROM t)'),
    ],
)  # fmt: skip
def test_what_is_counted_is_told_by_units_and_neighbours(question: str, table: TableInfo, sql: str) -> None:
    query = plan_table_query(question, [table])
    assert query is not None
    assert query.sql.replace(f'"{query.document}"', "t") == sql


CLAIMS = table(
    "claims.csv", "SKU,Claimed,Lead time,Day,Sign-ups\nA,5,3,2024-05-01,4\nB,,9,2024-05-03,6\nC,7,2,2024-05-07,1\n", 6
)


@each_row(
    ("question", "sql"),
    [
        ("How many SKUs are there?", "SELECT COUNT(*) FROM t"),
        ("Which SKU has the longest lead time?",
         'SELECT "SKU", "Lead time" FROM t WHERE "Lead time" = (SELECT MAX("Lead time") FROM t)'),
        ("On which day was the highest lead time?",
         'SELECT "Day", "SKU", "Lead time" FROM t WHERE "Lead time" = (SELECT MAX("Lead time") FROM t)'),
        ("How many SKUs have neither a lead time of 3 nor of 9?", None),
        ("How many SKUs were handled?", None),  # a condition that no column tells
        ("claimed 有几笔？", 'SELECT COUNT(*) FROM t WHERE "Claimed" > 0'),
        ("How many sign-ups are there since 2024-05-03?",
         """SELECT SUM("Sign-ups") FROM t WHERE "Day" >= '2024-05-03'"""),
        ("2024年5月3日以后的 sign-ups 总共多少？", """SELECT SUM("Sign-ups") FROM t WHERE "Day" >= '2024-05-03'"""),
    ],
)  # fmt: skip
def test_rows_amounts_and_days_are_told_apart(question: str, sql: str | None) -> None:
    query = plan_table_query(question, [CLAIMS])
    assert (query is None) == (sql is None)
    assert query is None or query.sql.replace(f'"{query.document}"', "t") == sql
