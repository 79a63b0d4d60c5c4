"""Words of a question over a table that are read by those around them: shares of a part, bounds of each, draws."""

from __future__ import annotations

from table_cases import LEAGUE, SEASON, sql_of, table

from tests.each_row import each_row

CLAIMS = """单号,部门,类别,金额（元）,状态
E001,销售部,差旅,3200,已批准
E002,市场部,餐饮,450.5,待审批
E003,销售部,餐饮,680,已批准
E004,研发部,办公用品,129,已驳回
"""
PLANS = """Customer,Plan,Seats,MRR ($),Country
Aster,Pro,25,1250,US
Birch,Basic,5,100,UK
Cedar,Pro,120,9600,US
"""
LOANS = """Book,Borrower,Borrowed,Returned
Moby,Ann,2024-01-03,2024-02-01
Emma,Bob,2024-01-09,
Ulysses,Ann,2024-03-02,2024-03-20
"""
TRIPS = """车牌,司机,出车日期,公里,油费（元）
沪A1,张强,2024-05-01,120,96
沪A2,李明,2024-06-02,80,72
沪A1,张强,2024-06-08,200,150
"""
ORDERS = """Order no,Client,Ordered,Shipped,Amount (USD)
O-1,Acme,2024-01-30,2024-02-03,500
O-2,Beta,2024-02-05,2024-03-01,700
O-3,Acme,2023-02-09,2023-02-10,300
"""
FERRIES = """Sailing,From,To,Wait (min),Fare (€),Foot passengers
F1,Calais,Dover,0,20,120
F2,Dover,Calais,75,25,80
F3,Calais,Hull,130,60,90
"""
HELD = {
    name: table(f"{name}.csv", content)
    for name, content in {
        "claims": CLAIMS, "plans": PLANS, "season": SEASON, "联赛": LEAGUE, "loans": LOANS, "trips": TRIPS,
        "orders": ORDERS, "ferries": FERRIES,
    }.items()
}  # fmt: skip
OF_US = """"Country" = 'US' AND "Plan" IS NOT NULL"""


@each_row(
    ("held", "question", "sql"),
    [
        (
            "plans", "What share of the MRR does each plan have in the US?",
            f'SELECT "Plan", 1.0 * SUM("MRR ($)") / (SELECT SUM("MRR ($)") FROM t WHERE {OF_US}) FROM t '
            f"WHERE {OF_US} GROUP BY 1 ORDER BY 2 DESC",
        ),
        (
            "claims", "各部门的最低金额是多少？",
            'SELECT "部门", MIN("金额（元）") FROM t WHERE "部门" IS NOT NULL GROUP BY 1 ORDER BY 1',
        ),
        ("plans", "lowest MRR per plan",
         'SELECT "Plan", MIN("MRR ($)") FROM t WHERE "Plan" IS NOT NULL GROUP BY 1 ORDER BY 1'),
        (
            "season", "How many home matches did Rovers draw?",
            """SELECT COUNT(*) FROM t WHERE "Home team" = 'Rovers' AND "Home goals" = "Away goals\"""",
        ),
        (
            "season", "How many matches did City draw?",
            """SELECT COUNT(*) FROM t WHERE "Home goals" = "Away goals" AND ("Home team" = 'City' OR "Away team" = """
            "'City')",
        ),
        (
            "plans", "What is the MRR per seat of Aster?",
            'SELECT 1.0 * SUM("MRR ($)") / NULLIF(SUM("Seats"), 0) AS "MRR ÷ Seats" FROM t '
            "WHERE \"Customer\" = 'Aster'",
        ),
        (
            "trips", "沪A2每公里的油费是多少？",
            'SELECT 1.0 * SUM("油费（元）") / NULLIF(SUM("公里"), 0) AS "油费 ÷ 公里" FROM t '
            "WHERE \"车牌\" = '沪A2'",
        ),
        (
            "season", "What was the attendance of City at home?",
            """SELECT SUM("Attendance") FROM t WHERE "Home team" = 'City'""",
        ),
        (
            "联赛", "海鹰对青山主场有多少观众？",
            """SELECT "客队", "主队", "观众" FROM t WHERE "客队" = '海鹰' AND "主队" = '青山' LIMIT 1000""",
        ),
        (
            "联赛", "青山对海鹰客场有多少观众？",
            """SELECT "主队", "客队", "观众" FROM t WHERE "主队" = '青山' AND "客队" = '海鹰' LIMIT 1000""",
        ),
        (
            "season", "How many goals were scored by City at home?",
            """SELECT SUM("Home goals") FROM t WHERE "Home team" = 'City'""",
        ),
        (
            "orders", "Which client has the biggest order?",
            'SELECT "Client", "Order no", "Amount (USD)" FROM t '
            'WHERE "Amount (USD)" = (SELECT MAX("Amount (USD)") FROM t)',
        ),
        ("loans", "How many books are unreturned?", 'SELECT COUNT(*) FROM t WHERE "Returned" IS NULL'),
        ("ferries", "How many people were carried in total?", 'SELECT SUM("Foot passengers") FROM t'),
        (
            "orders", "How many orders were shipped per month?",
            'SELECT substr("Shipped", 1, 7), COUNT(*) FROM t WHERE "Shipped" IS NOT NULL GROUP BY 1 ORDER BY 1',
        ),
        (
            "orders", "Which orders are above 400 USD?",
            'SELECT "Order no", "Amount (USD)" FROM t WHERE "Amount (USD)" > 400 LIMIT 1000',
        ),
    ],
)  # fmt: skip
def test_a_word_is_read_by_those_around_it(held: str, question: str, sql: str) -> None:
    assert sql_of(question, [HELD[held]]) == sql
