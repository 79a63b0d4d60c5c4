"""Questions that compute one column of a row from others: gaps, sums, quotients, products, days."""

from __future__ import annotations

from table_cases import sql_of, table

from tests.each_row import each_row

TABLES = {
    "shops": """Shop,City,Income (€),Expenses (€),Rent (€),Visitors,Opened,Closed
A,Bonn,100,60,20,40,2024-01-01,2024-03-01
B,Ulm,200,150,50,80,2024-02-01,2024-05-01
C,Ulm,300,150,60,90,2024-02-02,2024-05-02
""",
    "harvest": """地块,作物,产量（公斤）,次品（公斤）,面积（亩）
甲,小麦,500,20,2
乙,玉米,800,40,4
丙,玉米,810,41,5
""",
    "stores": """Item,In stock,Unit price (€),Place
Lamp,5,3,A
Sofa,2,300,B
Bed,4,200,B
""",
}
HELD = {name: table(f"{name}.csv", content) for name, content in TABLES.items()}
GAP = '"Income (€)" - "Expenses (€)"'
OF_A, OF_B, OF_FIELD = """"Shop" = 'A'""", """"Shop" = 'B'""", """"地块" = '甲'"""
EACH = f'SELECT "Shop", ({GAP}) AS "Income − Expenses" FROM t WHERE '
DAYS = 'ABS(julianday("Closed") - julianday("Opened")) AS "Closed − Opened"'
SPENT = 'SELECT COALESCE(SUM("Expenses (€)"), 0) + COALESCE(SUM("Rent (€)"), 0) AS "Expenses + Rent" FROM t'
WORTH = 'SELECT SUM("In stock" * "Unit price (€)") AS "In stock × Unit price" FROM t'
LESS = 'SELECT "地块", ("产量（公斤）" - "次品（公斤）") AS "产量 − 次品" FROM t WHERE '


def of_most(cell: str, title: str) -> str:
    return f'SELECT "Shop", {cell} AS "{title}" FROM t WHERE {cell} = (SELECT MAX({cell}) FROM t)'


def quotient(one: str, other: str, title: str) -> str:
    return f'SELECT 1.0 * SUM("{one}") / NULLIF(SUM("{other}"), 0) AS "{title}" FROM t'


@each_row(
    ("name", "question", "sql"),
    [
        ("shops", "What is the difference between income and expenses of A?", f"{EACH}{OF_A} LIMIT 1000"),
        ("shops", "How much more was the income than the expenses of A?", f"{EACH}{OF_A} LIMIT 1000"),
        ("shops", "How much less were the expenses than the income of A?", f"{EACH}{OF_A} LIMIT 1000"),
        ("shops", "income minus expenses of B", f"{EACH}{OF_B} LIMIT 1000"),
        ("shops", "Which shop has the biggest gap between income and expenses?",
         of_most(f"ABS({GAP})", "|Income − Expenses|")),  # whichever is more
        ("shops", "Which shop has the most income minus expenses?", of_most(f"({GAP})", "Income − Expenses")),
        ("shops", "In how many shops was the income minus the expenses over 50?",
         f"SELECT COUNT(*) FROM t WHERE ({GAP}) > 50"),
        ("shops", "What is the average difference between income and expenses?",
         f'SELECT AVG({GAP}) AS "Income − Expenses" FROM t'),
        ("shops", "What is the total of expenses and rent?", SPENT),
        ("shops", "What is the sum of expenses plus rent of B?", f"{SPENT} WHERE {OF_B}"),
        ("shops", "What is the ratio of rent to income of A?",
         f"{quotient('Rent (€)', 'Income (€)', 'Rent ÷ Income')} WHERE {OF_A}"),
        ("shops", "How many days from opened to closed of B?",
         f'SELECT "Shop", {DAYS} FROM t WHERE {OF_B} LIMIT 1000'),
        ("harvest", "甲的产量减次品是多少？", f"{LESS}{OF_FIELD} LIMIT 1000"),
        ("harvest", "甲的产量比次品多多少？", f"{LESS}{OF_FIELD} LIMIT 1000"),
        ("harvest", "甲的次品比产量少多少？", f"{LESS}{OF_FIELD} LIMIT 1000"),
        ("harvest", "甲的次品占产量的百分之几？",
         f"{quotient('次品（公斤）', '产量（公斤）', '次品 ÷ 产量')} WHERE {OF_FIELD}"),
        ("harvest", "每亩的产量是多少？", quotient("产量（公斤）", "面积（亩）", "产量 ÷ 面积")),
        ("harvest", "甲的产量除以面积是多少？",
         f"{quotient('产量（公斤）', '面积（亩）', '产量 ÷ 面积')} WHERE {OF_FIELD}"),
        ("harvest", "产量和次品一共多少公斤？",
         'SELECT COALESCE(SUM("产量（公斤）"), 0) + COALESCE(SUM("次品（公斤）"), 0) AS "产量 + 次品" FROM t'),
        ("stores", "What is the stock worth?", WORTH),
        ("stores", "What is the total value of the stock?", WORTH),
        ("stores", "What is the value of the stock in B?", f"""{WORTH} WHERE "Place" = 'B'"""),
    ],
)  # fmt: skip
def test_a_column_is_computed_from_two(name: str, question: str, sql: str) -> None:
    assert sql_of(question, [HELD[name]]) == sql


@each_row(
    ("name", "question"),
    [
        ("shops", "What is the difference between income and visitors of A?"),  # of two kinds
        ("shops", "What is the difference between income and income of A?"),
        ("shops", "How much more were the visitors than the income of A?"),
        ("harvest", "甲的产量减面积是多少？"),
        ("shops", "What is the income worth?"),  # there is nothing that it is the price of
    ],
)
def test_what_is_not_counted_alike_is_not_computed(name: str, question: str) -> None:
    assert sql_of(question, [HELD[name]]) is None
