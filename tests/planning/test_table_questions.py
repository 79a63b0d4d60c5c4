"""Questions over the rows of a table, as queries by rules; and questions that are none."""

import time

from hypothesis import given
from hypothesis import strategies as st
from table_cases import table

from planning.tables import plan_table_query
from schema import TableInfo
from tests.each_row import each_row

PAY = """姓名,部门,城市,入职日期,月薪（元）,是否转正
张三,研发部,北京,2021年3月5日,12000,是
李四,市场部,上海,2020/1/9,9000,否
王五,研发部,上海,2019-07-01,15000,是
"""
ORDERS = """Order ID,Order Date,Client,Product,Quantity,Amount,Status
A-1,2024-05-03,Acme Corp,Lamp,2,$510.00,Paid
A-2,2024-05-09,Blue Ltd,Desk,1,$90.50,Open
A-3,2024-06-01,Acme Corp,Desk,4,$362.00,Cancelled
"""


STAFF, SALES = table("员工.csv", PAY), table("orders.csv", ORDERS, 2)
BOTH = [STAFF, SALES]


@each_row(
    ("question", "sql"),
    [
        ("各部门平均工资？", 'SELECT "部门", AVG("月薪（元）") FROM t WHERE "部门" IS NOT NULL GROUP BY 1 ORDER BY 1'),
        ("研发部有多少人？", """SELECT COUNT(*) FROM t WHERE "部门" = '研发部'"""),
        ("月薪超过1万的员工有几个？", 'SELECT COUNT(*) FROM t WHERE "月薪（元）" > 10000'),
        ("不在上海的员工有多少？", """SELECT COUNT(*) FROM t WHERE "城市" IS NOT '上海'"""),
        ("未转正的员工有哪些？", """SELECT "姓名" FROM t WHERE "是否转正" = '否' LIMIT 1000"""),
        (
            "研发部占比是多少？",
            """SELECT 1.0 * SUM(CASE WHEN "部门" = '研发部' THEN 1 ELSE 0 END) / COUNT(*) FROM t""",
        ),
        (
            "2020年入职的有几人？",
            """SELECT COUNT(*) FROM t WHERE ("入职日期" >= '2020-01-01' AND "入职日期" < '2021-01-01')""",
        ),
        (
            "月薪最高的两个人是谁？",
            'SELECT "姓名", "月薪（元）" FROM t WHERE "月薪（元）" IS NOT NULL ORDER BY "月薪（元）" DESC LIMIT 2',
        ),
        ("有几个不同的城市？", 'SELECT COUNT(DISTINCT "城市") FROM t'),
        ("What is the average salary?", 'SELECT AVG("月薪（元）") FROM t'),
        (
            "how many orders over 500 in May?",
            """SELECT COUNT(*) FROM t WHERE "Amount" > 500 AND substr("Order Date", 6, 2) BETWEEN '05' AND '05'""",
        ),
        (
            "Total amount per client",
            'SELECT "Client", SUM("Amount") FROM t WHERE "Client" IS NOT NULL GROUP BY 1 ORDER BY 1',
        ),
        ("How many orders are not cancelled?", """SELECT COUNT(*) FROM t WHERE "Status" IS NOT 'Cancelled'"""),
        ("How many orders are paid or open?", """SELECT COUNT(*) FROM t WHERE "Status" IN ('Paid', 'Open')"""),
        ("How many orders are between 100 and 400?", 'SELECT COUNT(*) FROM t WHERE "Amount" BETWEEN 100 AND 400'),
        (
            "Which client has the most orders?",
            'SELECT "Client", COUNT(*) FROM t WHERE "Client" IS NOT NULL GROUP BY 1 HAVING COUNT(*) = '
            '(SELECT COUNT(*) FROM t WHERE "Client" IS NOT NULL GROUP BY "Client" ORDER BY 1 DESC LIMIT 1)',
        ),
        (
            "金额最大的订单是哪个？",
            'SELECT "Order ID", "Product", "Amount" FROM t WHERE "Amount" = (SELECT MAX("Amount") FROM t)',
        ),
        (
            "What is the median quantity?",
            'SELECT MEDIAN("Quantity") FROM t',
        ),
        (
            "lamp 和 desk 的金额相差多少？",
            """SELECT (SELECT SUM("Amount") FROM t WHERE "Product" = 'Lamp'), """
            """(SELECT SUM("Amount") FROM t WHERE "Product" = 'Desk'), (SELECT SUM("Amount") FROM t WHERE """
            """"Product" = 'Lamp') - (SELECT SUM("Amount") FROM t WHERE "Product" = 'Desk')""",
        ),
        (
            "What is the amount difference of desk and lamp?",
            """SELECT (SELECT SUM("Amount") FROM t WHERE "Product" = 'Desk'), """
            """(SELECT SUM("Amount") FROM t WHERE "Product" = 'Lamp'), (SELECT SUM("Amount") FROM t WHERE """
            """"Product" = 'Desk') - (SELECT SUM("Amount") FROM t WHERE "Product" = 'Lamp')""",
        ),
        (
            "How much lower is the amount of lamp than of desk?",
            """SELECT (SELECT SUM("Amount") FROM t WHERE "Product" = 'Lamp'), """
            """(SELECT SUM("Amount") FROM t WHERE "Product" = 'Desk'), (SELECT SUM("Amount") FROM t WHERE """
            """"Product" = 'Desk') - (SELECT SUM("Amount") FROM t WHERE "Product" = 'Lamp')""",
        ),
        (
            "研发部的人数比市场部少多少？",
            """SELECT (SELECT COUNT(*) FROM t WHERE "部门" = '研发部'), """
            """(SELECT COUNT(*) FROM t WHERE "部门" = '市场部'), """
            """(SELECT COUNT(*) FROM t WHERE "部门" = '市场部') - (SELECT COUNT(*) FROM t WHERE "部门" = '研发部')""",
        ),
        (
            "研发部和市场部的人数之比是多少？",
            """SELECT (SELECT COUNT(*) FROM t WHERE "部门" = '研发部'), """
            """(SELECT COUNT(*) FROM t WHERE "部门" = '市场部'), """
            """1.0 * (SELECT COUNT(*) FROM t WHERE "部门" = '研发部') """
            """/ (SELECT COUNT(*) FROM t WHERE "部门" = '市场部')""",
        ),
        (
            "各部门人数占比",
            'SELECT "部门", 1.0 * COUNT(*) / (SELECT COUNT(*) FROM t WHERE "部门" IS NOT NULL) FROM t '
            'WHERE "部门" IS NOT NULL GROUP BY 1 ORDER BY 2 DESC',
        ),
        ("月薪高于平均的有几人？", 'SELECT COUNT(*) FROM t WHERE "月薪（元）" > (SELECT AVG("月薪（元）") FROM t)'),
        (
            "Sum of all orders between 1 May and 31 May 2024",
            """SELECT SUM("Amount") FROM t WHERE "Order Date" >= '2024-05-01' AND "Order Date" < '2024-05-31~'""",
        ),
    ],
)
def test_a_question_is_one_query(question: str, sql: str) -> None:
    query = plan_table_query(question, BOTH)
    assert query is not None
    assert query.sql.replace(f'"{query.document}"', "t") == sql
    assert query.words.zh
    assert query.words.en


@each_row(
    "question",
    [
        "员工每年有几天年假？", "How long is the warranty of the lamp?", "张三的电话是多少？", "你好", "", "total",
        "What is the average discount?", "How do I cancel an order?", "订单怎么取消？", "比较一下", "多少？",
    ],
)  # fmt: skip
def test_what_no_table_answers_is_left_to_the_text(question: str) -> None:
    assert plan_table_query(question, BOTH) is None


LEAVE = """# 员工手册
## 3.1 年假
| 工作年限 | 年假天数 |
| --- | --- |
| 满 1 年不满 10 年 | 7 天 |
| 满 10 年 | 15 天 |
"""


@each_row("question", ["年假有几天？", "年假有多少天？", "年假几天", "How many days is the annual leave?"])
def test_days_are_not_counted_as_rows(question: str) -> None:
    assert plan_table_query(question, [table("员工手册.md", LEAVE)]) is None


def test_days_are_rows_where_each_row_is_a_day() -> None:
    visits = table("visits.csv", "Date,Visitors\n2024-05-01,90\n2024-05-02,150\n2024-05-03,200\n")
    query = plan_table_query("How many days had more than 100 visitors?", [visits])
    assert query is not None
    assert query.sql == 'SELECT COUNT(*) FROM "visits.csv" WHERE "Visitors" > 100'


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


@each_row(
    ("question", "zh", "en"),
    [
        ("研发部的平均月薪？", "“部门”为“研发部”的“月薪”平均值", "average “月薪” where “部门” is 研发部"),
        ("月薪超过1万的有几人？", "“月薪”大于 10,000 的行数", "number of rows where “月薪” is over 10,000"),
        ("各部门平均工资？", "各“部门”的“月薪”平均值", "average “月薪” by “部门”"),
        (
            "2020年到2021年入职的有几人？",
            "“入职日期”在 2020-01-01 到 2021-12-31 之间的行数",
            "number of rows where “入职日期” is between 2020-01-01 and 2021-12-31",
        ),
        (
            "How many orders in May 2024?",
            "“Order Date”在 2024 年 5 月的行数",
            "number of rows where “Order Date” is in May 2024",
        ),
    ],
)  # fmt: skip
def test_a_query_is_told_in_words(question: str, zh: str, en: str) -> None:
    query = plan_table_query(question, BOTH)
    assert query is not None
    assert (query.words.zh, query.words.en) == (zh, en)


def test_names_and_values_of_a_file_are_never_code() -> None:
    name, value = '金额"; DROP TABLE x; --', "it's'); DELETE"
    hostile = table("x.csv", f'"{name.replace(chr(34), chr(34) * 2)}",类别\n5,"{value}"\n7,b\n')
    query = plan_table_query(f"类别是 {value} 的有多少行？", [hostile])
    assert query is None or value.replace("'", "''") in query.sql
    summed = plan_table_query("金额合计多少？", [hostile])
    assert summed is None or name.replace('"', '""') in summed.sql


@given(st.text(max_size=300))
def test_any_question_is_read_without_an_error(question: str) -> None:
    plan_table_query(question, BOTH)


@each_row("part", ["多少", "最高 ", "5 ", "月薪", "between 3 and ", "上海", "前三"])
def test_a_question_of_any_length_is_read_at_once(part: str) -> None:
    started = time.process_time()
    plan_table_query((part * 300)[:300], BOTH)
    plan_table_query(part * 30_000, BOTH)
    assert time.process_time() - started < 1
