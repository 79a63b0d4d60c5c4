"""Questions that compute between columns of the same row, in both languages; and those that only seem to."""

from __future__ import annotations

from table_cases import sql_of, table

from planning.tables import plan_table_query
from tests.each_row import each_row

PARTS = """Part,Maker,Qty on hand,Unit cost ($),Retail price ($),Ordered,Delivered
Valve,Norfab,10,4.00,6.50,2025-01-03,2025-01-09
Gasket,Norfab,4,9.00,10.00,2025-01-05,2025-01-06
Pump,Tillex,2,80.00,95.00,2025-02-01,2025-02-11
"""
TRIPS = """单号,员工,部门,交通费（元）,住宿费（元）,里程（公里）,出发日期,返回日期
BX1,王磊,销售部,300,800,120,2025/3/1,2025/3/4
BX2,王磊,销售部,150,500,60,2025/3/9,2025/3/10
BX3,陈晨,技术部,900,400,400,2025/4/2,2025/4/8
"""


HELD = [table("parts.csv", PARTS, 1), table("差旅.csv", TRIPS, 2)]
GAP = '("Retail price ($)" - "Unit cost ($)")'
SAID = 'AS "Retail price − Unit cost"'
MORE = '("住宿费（元）" - "交通费（元）") AS "住宿费 − 交通费"'
FARE, STAY, WAY = '"交通费（元）"', '"住宿费（元）"', '"里程（公里）"'
QUOTIENT = f'SELECT 1.0 * SUM({FARE}) / NULLIF(SUM({STAY}), 0) AS "交通费 ÷ 住宿费" FROM t'
COSTS = 'COALESCE(SUM("交通费（元）"), 0) + COALESCE(SUM("住宿费（元）"), 0) AS "交通费 + 住宿费"'


@each_row(
    ("question", "sql"),
    [
        (
            "What's the difference between retail price and unit cost for the Valve?",
            f"""SELECT "Part", {GAP} {SAID} FROM t WHERE "Part" = 'Valve' LIMIT 1000""",
        ),
        (
            "How much higher is the retail price than the unit cost of the Pump?",
            f"""SELECT "Part", {GAP} {SAID} FROM t WHERE "Part" = 'Pump' LIMIT 1000""",
        ),
        ("average retail price minus unit cost", f"SELECT AVG({GAP[1:-1]}) {SAID} FROM t"),
        (
            "BX1的住宿费比交通费高多少？",
            f"""SELECT "单号", {MORE} FROM t WHERE "单号" = 'BX1' LIMIT 1000""",
        ),
        (
            "BX3的住宿费减去交通费是多少？",
            f"""SELECT "单号", {MORE} FROM t WHERE "单号" = 'BX3' LIMIT 1000""",
        ),
        (
            "住宿费和交通费相差超过200的有几单？",
            'SELECT COUNT(*) FROM t WHERE ABS("住宿费（元）" - "交通费（元）") > 200',
        ),
        ("王磊的交通费和住宿费一共多少钱？", f"""SELECT {COSTS} FROM t WHERE "员工" = '王磊'"""),
        (
            "每个部门的交通费、住宿费加起来是多少？",
            f'SELECT "部门", {COSTS} FROM t WHERE "部门" IS NOT NULL GROUP BY 1 ORDER BY 1',
        ),
        (
            "What is the total stock value at unit cost?",
            'SELECT SUM("Qty on hand" * "Unit cost ($)") AS "Qty on hand × Unit cost" FROM t',
        ),
        (
            "每公里的交通费是多少？",
            'SELECT 1.0 * SUM("交通费（元）") / NULLIF(SUM("里程（公里）"), 0) AS "交通费 ÷ 里程" FROM t',
        ),
        (
            "How long from ordered to delivered on average?",
            'SELECT AVG(ABS(julianday("Delivered") - julianday("Ordered"))) AS "Delivered − Ordered" FROM t',
        ),
        (
            "交通费占住宿费的百分之几？",
            QUOTIENT,
        ),
        ("交通费乘以里程一共多少？", f'SELECT SUM({FARE} * {WAY}) AS "交通费 × 里程" FROM t'),
        ("哪些单子的交通费比住宿费高？", f'SELECT "单号", {FARE} FROM t WHERE {FARE} > {STAY} LIMIT 1000'),
        (
            "How many parts have a higher unit cost than retail price?",
            'SELECT COUNT(*) FROM t WHERE "Unit cost ($)" > "Retail price ($)"',
        ),
        (
            "从出发到返回平均几天？",
            'SELECT AVG(ABS(julianday("返回日期") - julianday("出发日期"))) AS "返回日期 − 出发日期" FROM t',
        ),
    ],
)
def test_what_is_computed_between_columns(question: str, sql: str) -> None:
    assert sql_of(question, HELD) == sql


@each_row(
    "question",
    [
        "各部门的交通费和住宿费分别是多少？",  # two numbers of each, and no sum
        "What is the difference between qty on hand and unit cost?",  # of other units
        "What is the stock value?",  # at which of both prices?
    ],
)
def test_what_is_not_certain_is_not_computed(question: str) -> None:
    assert plan_table_query(question, HELD) is None


def test_the_words_name_the_computed_column_and_its_unit() -> None:
    query = plan_table_query("Which part has the biggest gap between retail price and unit cost?", HELD)
    assert query is not None
    assert query.words.en == "the row with the highest “|Retail price − Unit cost|”"
    assert query.unit == "$"
