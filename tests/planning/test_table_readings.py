"""Words of which only the table can tell what they mean: fast of days, new, after a day of no year."""

from __future__ import annotations

from table_cases import sql_of, table

from tests.each_row import each_row

FRIDGE = """Item,Shelf,Weight (kg),Bought,Expiry date
Milk,top,1.0,2026-01-02,2026-01-09
Cheese,low,0.5,2026-01-03,2026-03-01
Ham,low,0.4,2026-01-04,2026-01-08
Butter,top,0.2,2026-01-04,2026-02-08
"""
CARS = """车牌,部门,里程（公里）,司机,登记日期
京A1,销售部,12000,王磊,2023-03-15
京A2,销售部,8000,陈晨,2024-03-16
京A3,技术部,30000,李明,2024-12-31
京A4,技术部,500,赵云,2025-01-01
"""
ORDERS = """Order,Customer,Amount ($),Ordered,Region
O1,Alba,600,2025-03-14,North
O2,Alba,400,2025-03-15,South
O3,Cork,900,2025-03-16,North
O4,Dane,100,2025-12-31,South
O5,Dane,100,2024-01-31,South
"""
HELD = [table("fridge.csv", FRIDGE, 1), table("车辆.csv", CARS, 2), table("orders.csv", ORDERS, 3)]
AVERAGE = 'SELECT AVG("Amount ($)") FROM t WHERE "Amount ($)" > 500'
OF_DAYS = "SELECT COUNT(*) FROM t WHERE substr(\"{}\", 6, 5) BETWEEN '{}' AND '{}'"
REGION = """SELECT "Region", COUNT(*) FROM t WHERE "Region" IS NOT NULL GROUP BY 1 HAVING COUNT(*) = \
(SELECT COUNT(*) FROM t WHERE "Region" IS NOT NULL GROUP BY "Region" ORDER BY 1 {} LIMIT 1)"""


def extreme(columns: str, of: str, function: str) -> str:
    return f'SELECT {columns}, "{of}" FROM t WHERE "{of}" = (SELECT {function}("{of}") FROM t)'


@each_row(
    ("question", "sql"),
    [
        ("Which item expires fastest?", extreme('"Item"', "Expiry date", "MIN")),
        ("What is the slowest to expire?", extreme('"Item"', "Expiry date", "MAX")),
        ("新登记日期最晚的是哪辆？", extreme('"车牌"', "登记日期", "MAX")),
        ("新登记日期在2024年之后的有几辆？", """SELECT COUNT(*) FROM t WHERE "登记日期" >= '2025-01-01'"""),
        ("里程最高的是哪个部门？", extreme('"部门", "车牌"', "里程（公里）", "MAX")),
        ("哪个部门的里程最高？", None),  # of all its cars, or of one
        ("What is the average of amounts over 500?", AVERAGE),
        ("里程超过10000公里的平均是多少？", 'SELECT AVG("里程（公里）") FROM t WHERE "里程（公里）" > 10000'),
        ("orders over 500 USD", 'SELECT "Order", "Amount ($)" FROM t WHERE "Amount ($)" > 500 LIMIT 1000'),
        ("How many items are over 400 g?", 'SELECT COUNT(*) FROM t WHERE "Weight (kg)" > 0.4'),
        ("Which region has the largest number of orders?", REGION.format("DESC")),
        ("Which region had the smallest number of orders?", REGION.format("ASC")),
        ("3月15日之后登记了几辆车？", OF_DAYS.format("登记日期", "03-16", "12-31")),
        ("2月28日之后登记了几辆车？", OF_DAYS.format("登记日期", "02-29", "12-31")),
        ("How many orders came after March?", OF_DAYS.format("Ordered", "04-01", "12-31")),
        ("How many orders came since March 15?", OF_DAYS.format("Ordered", "03-15", "12-31")),
        ("How many orders came before March 1?", OF_DAYS.format("Ordered", "01-01", "02-29")),
        ("3月15日到3月31日登记了几辆车？", OF_DAYS.format("登记日期", "03-15", "03-31")),
        ("How many orders came after December 31?", None),  # of no year is there a day after
        ("1月1日之前登记了几辆车？", None),
        ("谁的车牌是京A2？", """SELECT "车牌", "司机" FROM t WHERE "车牌" = '京A2' LIMIT 1000"""),
    ],
)  # fmt: skip
def test_the_table_tells_what_is_meant(question: str, sql: str | None) -> None:
    assert sql_of(question, HELD) == sql


HALVES = """部门,上半年销售额,下半年销售额
甲部,10,20
乙部,30,5
"""


@each_row(
    ("question", "sql"),
    [
        ("上半年的销售额合计是多少？", 'SELECT SUM("上半年销售额") FROM t'),
        ("甲部上半年的销售额是多少？", """SELECT "部门", "上半年销售额" FROM t WHERE "部门" = '甲部' LIMIT 1000"""),
        ("哪个部门上半年的销售额最高？", extreme('"部门"', "上半年销售额", "MAX")),
        ("下半年的平均销售额是多少？", 'SELECT AVG("下半年销售额") FROM t'),
        ("上半年的销售额超过20的部门有几个？", 'SELECT COUNT(*) FROM t WHERE "上半年销售额" > 20'),
    ],
)
def test_two_words_that_may_both_mean_a_column_mean_it_together(question: str, sql: str) -> None:
    assert sql_of(question, [table("销售.csv", HALVES)]) == sql


GRADES = """Student,Grade,Score
Ann,A,90
Bob,B,80
Cy,A,95
Di,C,60
"""


@each_row(
    ("question", "sql"),
    [
        ("How many students got a B?", """SELECT COUNT(*) FROM t WHERE "Grade" = 'B'"""),
        ("students with a C", """SELECT "Student" FROM t WHERE "Grade" = 'C' LIMIT 1000"""),
        ("Which students have a score over 85?", 'SELECT "Student", "Score" FROM t WHERE "Score" > 85 LIMIT 1000'),
        ("How many students have an A?", """SELECT COUNT(*) FROM t WHERE "Grade" = 'A'"""),
    ],
)
def test_an_article_is_no_grade(question: str, sql: str) -> None:
    assert sql_of(question, [table("grades.csv", GRADES)]) == sql


SALES = """order_id,customer,product,quantity,unit_price,order_date
1001,Bright Bikes,Helmet,40,32.50,2026-01-12
1002,Velo Paris,Pump,15,18.00,2026-01-15
1003,Bright Bikes,Lock,60,24.90,2026-02-02
1004,Velo Paris,Helmet,25,32.50,2026-02-10
1005,Velo Paris,Helmet,5,32.50,2026-02-21
"""
LIMITS = "Item,Limit per claim\nJewellery,6000\nBicycles,1800\nCash,500\n"
HELMETS = """ FROM t WHERE "product" = 'Helmet'"""
BUYER = f'SELECT "customer", {{0}}{HELMETS} AND "customer" IS NOT NULL{{1}} GROUP BY 1 HAVING {{0}} = (SELECT {{0}}'


@each_row(
    ("question", "sql"),
    [
        ("How many helmets were ordered?", f'SELECT SUM("quantity"){HELMETS}'),
        ("头盔一共买了多少个？", f'SELECT SUM("quantity"){HELMETS}'),
        ("How many helmets did Velo Paris buy?", f'SELECT SUM("quantity"){HELMETS} AND "customer" = \'Velo Paris\''),
        ("How many Helmet orders are there?", f"SELECT COUNT(*){HELMETS}"),
        ("Who bought the most helmets?", BUYER.format('SUM("quantity")', ' AND "quantity" IS NOT NULL')),
        ("Which customer ordered the most helmets?", BUYER.format('SUM("quantity")', ' AND "quantity" IS NOT NULL')),
        ("谁买的头盔最多？", BUYER.format('SUM("quantity")', ' AND "quantity" IS NOT NULL')),
        ("Which customer has the most Helmet orders?", BUYER.format("COUNT(*)", "")),
        ("What is the sum insured?", None),
    ],
)
def test_orders_of_a_thing_count_by_their_quantity(question, sql):
    found = sql_of(question, [table("orders.csv", SALES, 1), table("home-insurance.csv", LIMITS, 2)])
    assert found == sql if sql is None or "GROUP" not in sql else (found or "").startswith(sql)


STOCK = "Item,Category,Stock,Unit price\nDesk lamp,Lighting,42,34.9\nChair,Seating,15,249\nFloor lamp,Lighting,7,89\n"
WASHING = "程序,温度,时间,最大容量\n棉麻,60℃,2小时,10公斤\n快洗,冷水,15分钟,2公斤\n羊毛,30℃,40分钟,2公斤\n"


@each_row(
    ("question", "sql"),
    [
        ("What do the lights mean?", None),  # no average
        ("What does lighting mean?", None),
        ("What is the mean unit price of lighting?", 'SELECT AVG("Unit price") FROM t WHERE "Category" = \'Lighting\''),
        ("羊毛用多少度洗？", None),  # no number of rows
    ],
)
def test_what_something_means_is_no_mean_and_degrees_count_no_rows(question: str, sql: str | None) -> None:
    assert sql_of(question, [table("stock.csv", STOCK, 1), table("洗涤.csv", WASHING, 2)]) == sql


MARKS = "姓名,数学,语文\n张三,82,75\n李四,55,91\n王五,60,66\n"


@each_row(
    ("question", "sql"),
    [
        ("数学过80的学生有几个？", 'SELECT COUNT(*) FROM t WHERE "数学" > 80'),
        ("数学过了60的有谁？", 'SELECT "姓名", "数学" FROM t WHERE "数学" > 60 LIMIT 1000'),
        ("语文考过90的是谁？", 'SELECT "姓名", "语文" FROM t WHERE "语文" > 90 LIMIT 1000'),
        ("数学不过80的有几个？", None),
    ],
)
def test_past_a_number_is_more_than_that(question: str, sql: str | None) -> None:
    assert sql_of(question, [table("marks.csv", MARKS)]) == sql
