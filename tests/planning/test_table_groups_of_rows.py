"""Groups by how many rows they have, rows that are named without a word that asks, and people by their column."""

from __future__ import annotations

from table_cases import sql_of, table

from planning.tables import plan_table_query
from tests.each_row import each_row

BILLS = """Bill no.,Site,Fuel,Amount due (£),Standing charge (£),Billing month,Paid on
B-1,Harbour,Gas,120,14,Jan 2025,2025-02-10
B-2,Harbour,Electricity,310,20,Feb 2025,
B-3,Mill,Electricity,95,20,Feb 2025,2025-03-09
B-4,Mill,Electricity,99,20,Mar 2025,2025-04-02
"""
CLAIMS = """报销单号,出差人,目的地,餐费（元）,住宿费（元）,审批状态,出发日期
BX1,王磊,上海,120,300,已通过,2025/3/1
BX2,王磊,成都,80,500,待审批,2025/3/9
BX3,陈晨,上海,60,,已驳回,2025/3/9
"""


PICKED = """日期,采摘员,品种,采摘量（公斤）,次品（公斤）
8月1日,老周,蜜桃,120,4
8月2日,阿梅,雪梨,90,6
8月2日,老周,雪梨,60,1
"""
HELD = [table("bills.csv", BILLS, 1), table("报销.csv", CLAIMS, 2)]
SITES = 'SELECT DISTINCT "Site" FROM t WHERE "Site" IN (SELECT "Site" FROM t GROUP BY 1 HAVING '
ALL_SITES = ') AND "Site" IS NOT NULL ORDER BY 1 LIMIT 1000'
NO_GAS = """COUNT(CASE WHEN "Fuel" = 'Gas' THEN 1 END) = 0"""
PEOPLE = 'SELECT COUNT(DISTINCT "出差人") FROM t'


@each_row(
    ("question", "sql"),
    [
        ("Which site has no gas bills?", f"{SITES}{NO_GAS}{ALL_SITES}"),
        ("Which sites don't have any gas bills?", f"{SITES}{NO_GAS}{ALL_SITES}"),
        (
            "How many sites have no gas bills?",
            f'SELECT COUNT(DISTINCT "Site") FROM t WHERE "Site" IN (SELECT "Site" FROM t GROUP BY 1 HAVING {NO_GAS})',
        ),
        ("Which sites have more than 1 bill?", f"{SITES}COUNT(*) > 1{ALL_SITES}"),
        (
            "Which sites have at least 2 electricity bills?",
            f"""{SITES}COUNT(CASE WHEN "Fuel" = 'Electricity' THEN 1 END) >= 2{ALL_SITES}""",
        ),
        (
            "出差超过1次的有几个人？",
            f'{PEOPLE} WHERE "出差人" IN (SELECT "出差人" FROM t GROUP BY 1 HAVING COUNT(*) > 1)',
        ),
        (
            "哪些人从来没有去过成都？",
            'SELECT DISTINCT "出差人" FROM t WHERE "出差人" IN (SELECT "出差人" FROM t GROUP BY 1 HAVING '
            """COUNT(CASE WHEN "目的地" = '成都' THEN 1 END) = 0) AND "出差人" IS NOT NULL ORDER BY 1 LIMIT 1000""",
        ),
        ("去过上海的员工有几个人？", f"""{PEOPLE} WHERE "目的地" = '上海'"""),
        ("去上海的有几趟？", """SELECT COUNT(*) FROM t WHERE "目的地" = '上海'"""),
        ("还没审批的单子有几张？", """SELECT COUNT(*) FROM t WHERE "审批状态" = '待审批'"""),
        (
            "没有住宿费的单子",
            'SELECT "报销单号", "住宿费（元）" FROM t WHERE "住宿费（元）" IS NULL LIMIT 1000',
        ),
        (
            "bills over 100",
            'SELECT "Bill no.", "Amount due (£)" FROM t WHERE "Amount due (£)" > 100 LIMIT 1000',
        ),
        ("What did we spend on gas altogether?", """SELECT SUM("Amount due (£)") FROM t WHERE "Fuel" = 'Gas'"""),
        (
            "total amount due in February",
            """SELECT SUM("Amount due (£)") FROM t WHERE substr("Billing month", 6, 2) BETWEEN '02' AND '02'""",
        ),
        (
            "哪天的出差最多？",
            'SELECT substr("出发日期", 1, 10), COUNT(*) FROM t WHERE "出发日期" IS NOT NULL GROUP BY 1 '
            'HAVING COUNT(*) = (SELECT COUNT(*) FROM t WHERE "出发日期" IS NOT NULL GROUP BY substr("出发日期", 1, 10) '
            "ORDER BY 1 DESC LIMIT 1)",
        ),
        (
            "谁去过上海？",
            """SELECT DISTINCT "出差人" FROM t WHERE "目的地" = '上海' """
            'AND "出差人" IS NOT NULL ORDER BY 1 LIMIT 1000',
        ),
        (
            "餐费和住宿费都超过100的单子有几张？",
            'SELECT COUNT(*) FROM t WHERE "住宿费（元）" > 100 AND "餐费（元）" > 100',
        ),
        (
            "average amount due per month at Mill",
            'SELECT 1.0 * SUM("Amount due (£)") / COUNT(DISTINCT substr("Billing month", 1, 7)) FROM t '
            """WHERE "Site" = 'Mill' AND "Billing month" IS NOT NULL""",
        ),
    ],
)
def test_what_is_asked_of_groups_and_rows(question: str, sql: str) -> None:
    assert sql_of(question, HELD) == sql


@each_row(
    "question",
    [
        "哪些出差人没有通过？",  # never, or once?
        "How many bills last month?",  # nobody knows what day it is for the table
        "上个月的餐费一共多少？",
        "去上海的有几趟，花了多少钱？",  # two questions
        "Which site has the highest share of gas bills?",  # of its own bills, or of all for gas?
    ],
)
def test_what_may_mean_two_things_is_not_computed(question: str) -> None:
    assert plan_table_query(question, HELD) is None


def test_a_group_without_rows_is_said_in_words() -> None:
    query = plan_table_query("Which site has no gas bills?", HELD)
    assert query is not None
    assert query.words.en == "different values of “Site” where “Site” has no row for which “Fuel” is Gas"
    assert query.words.zh == "“Site”没有“Fuel”为“Gas”的行的“Site”（不重复）"


@each_row(
    ("question", "sql"),
    [
        ("老周一共摘了多少？", """SELECT SUM("采摘量（公斤）") FROM t WHERE "采摘员" = '老周'"""),
        ("老周摘了多少公斤？", """SELECT SUM("采摘量（公斤）") FROM t WHERE "采摘员" = '老周'"""),
        (
            "谁摘得最多？",
            'SELECT "采摘员", SUM("采摘量（公斤）") FROM t WHERE "采摘员" IS NOT NULL AND "采摘量（公斤）" IS NOT NULL '
            'GROUP BY 1 HAVING SUM("采摘量（公斤）") = (SELECT SUM("采摘量（公斤）") FROM t WHERE "采摘员" IS NOT NULL '
            'AND "采摘量（公斤）" IS NOT NULL GROUP BY "采摘员" ORDER BY 1 DESC LIMIT 1)',
        ),
    ],
)
def test_a_unit_that_is_asked_for_is_no_number_of_rows(question: str, sql: str) -> None:
    query = plan_table_query(question, [table("采摘.csv", PICKED, 3)])
    assert query is not None
    assert query.sql.replace('"采摘.csv"', "t") == sql


def test_who_does_something_is_no_list_of_who_is_there() -> None:
    assert plan_table_query("Who runs the Mill site?", HELD) is None


SHOP = """Order,Customer,Shipping (€),Returned?,Country
S1,Jon,4.90,No,Germany
S2,Jon,0,Yes,Germany
S3,Lea,9.90,No,Japan
"""


def test_what_a_customer_never_did_is_asked_of_all_its_rows() -> None:
    query = plan_table_query("Which customer never returned anything?", [table("shop.csv", SHOP, 4)])
    assert query is not None
    assert """HAVING COUNT(CASE WHEN "Returned?" = 'Yes' THEN 1 END) = 0""" in query.sql


def test_what_is_done_to_rows_is_no_sum_of_a_fee_that_is_called_so() -> None:
    assert plan_table_query("orders shipped to Germany", [table("shop.csv", SHOP, 4)]) is None


TOURS = """Tour,Guide,Day,Price
T1,Ann,2024-03-01,100
T2,Bob,2024-04-01,200
T3,Bob,2024-05-01,300
"""
ORDERS = """单号,客户,下单日期,金额
A1,甲,2024-03-05,100
A2,乙,2024-04-06,200
A3,乙,2024-05-07,300
"""
APRIL = """("Day" >= '2024-04-01' AND "Day" < '2024-05-01')"""


@each_row(
    ("question", "rows"),
    [
        ("Which guides have no tours in April 2024?", APRIL),
        ("How many guides have no tours in April 2024?", APRIL),
        ("Which guides never had a tour in April 2024?", APRIL),
        ("Which guides had no tours before April 2024?", """"Day" < '2024-04-01'"""),
        ("Which guides have no April tours?", """substr("Day", 6, 2) BETWEEN '04' AND '04'"""),
        ("没有4月订单的客户有哪些？", """substr("下单日期", 6, 2) BETWEEN '04' AND '04'"""),
    ],
)
def test_who_has_none_of_a_time_is_not_who_has_one_of_another(question: str, rows: str) -> None:
    sql = sql_of(question, [table("tours.csv", TOURS), table("订单.csv", ORDERS, 2)])
    assert sql is not None
    assert f"HAVING COUNT(CASE WHEN {rows} THEN 1 END) = 0" in sql
    assert sql.count("WHERE") == 1


def test_whether_a_client_has_none_of_a_time_or_another_row_of_none_is_left_open() -> None:
    assert sql_of("哪些客户4月没有付款？", [table("订单.csv", ORDERS)]) is None


PAID = "Payment,Client,Category,Amount ($),Points\nP1,Alba,food,20,5\nP2,Alba,travel,300,1\nP3,Cork,food,12,9\n"


@each_row(
    ("question", "sql"),
    [
        ("How much was spent by category?",
         'SELECT "Category", SUM("Amount ($)") FROM t WHERE "Category" IS NOT NULL GROUP BY 1 ORDER BY 1'),
        ("How many payments were spent by category?",
         'SELECT "Category", COUNT(*) FROM t WHERE "Category" IS NOT NULL GROUP BY 1 ORDER BY 1'),
        ("What is the total amount per payment?", None),  # of each row that is its own
        ("What is the total amount per category?",
         'SELECT "Category", SUM("Amount ($)") FROM t WHERE "Category" IS NOT NULL GROUP BY 1 ORDER BY 1'),
    ],
)  # fmt: skip
def test_what_was_spent_by_a_group(question: str, sql: str | None) -> None:
    assert sql_of(question, [table("payments.csv", PAID)]) == sql


def test_what_is_named_in_full_is_measured_and_no_row_counted() -> None:
    found = sql_of("Which client has the most payment points?", [table("payments.csv", PAID)])
    assert found is not None
    assert found.startswith('SELECT "Client", SUM("Points")')


PLANS = table("套餐.csv", "套餐,月费（元）,流量（GB）\n标准版,39,20\n专业版,79,60\n旗舰版,129,150\n")
BUDGET = table("budget.csv", "Item,2025 actual,2026 plan\nSecurity,312,325\nLift,96,104\nGarden,54,60\n", 2)


@each_row(
    ("question", "sql"),
    [
        (
            "compare the lift and garden budgets",
            """SELECT "Item", "2025 actual", "2026 plan" FROM t WHERE "Item" IN ('Lift', 'Garden') LIMIT 1000""",
        ),
        (
            "比较一下标准版和专业版",
            """SELECT "套餐", "月费（元）", "流量（GB）" FROM t WHERE "套餐" IN ('标准版', '专业版') LIMIT 1000""",
        ),
    ],
)
def test_rows_that_are_compared_are_shown_and_not_counted(question: str, sql: str) -> None:
    assert sql_of(question, [PLANS, BUDGET]) == sql


def test_groups_of_several_rows_are_counted_where_they_are_compared() -> None:
    sql = sql_of("compare gas and electricity", HELD)
    assert sql is not None
    assert "COUNT(*)" in sql
