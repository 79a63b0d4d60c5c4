"""Which column a number of a question is of, and in what unit: by a name, by its unit, or by what is usual."""

from __future__ import annotations

from table_cases import sql_of, table

from tests.each_row import each_row

TABLES = {
    "people": """Name,Age,Height (cm),Salary (€),Team
Ann,30,170,2000,Red
Bob,40,180,3000,Red
Cyd,50,190,4000,Blue
""",
    "trips": """Trip,Place,Length (km),Duration (min),Price (€),Rating
T1,Bonn,12,90,20,4.5
T2,Ulm,40,150,35,3.9
T3,Ulm,41,151,36,3.8
""",
    "stays": """Stay,Guest,Days,Ferry (min),Price (€)
S1,Ann,3,90,20
S2,Bob,5,95,30
""",
    "bills": """Bill,Client,Net (€),Tax (€),Total (€),Paid
B1,Ann,10,2,12,yes
B2,Bob,20,4,24,no
B3,Bob,21,4,25,no
""",
    "stock": """Item,Stock,Reorder level,Unit price ($),Weight (kg)
Lamp,5,10,3,2
Sofa,20,10,300,40
Bed,2,3,200,30
""",
    "marks": """Student,Maths,English,Class
Ann,80,90,1a
Bob,55,40,1a
Cyd,70,65,1b
""",
    "weather": """Day,Station,Max temp (°C),Min temp (°C),Rain (mm)
2025-06-01,Hill,24,-2,0
2025-06-02,Hill,26,14,3
2025-06-03,Port,21,15,12
""",
    "hotels": """酒店,城市,房价（元）,入住率,面积（㎡）
甲,北京,300,80%,2000
乙,上海,500,60%,3000
丙,上海,510,61%,3100
""",
    "sales": """门店,销售额（万元）,利润（万元）
甲,120,12
乙,300,20
丙,310,22
""",
    "goods": """商品,库存,安全库存,单价（元）
灯,5,10,3
床,20,10,300
桌,21,11,301
""",
}
HELD = {name: table(f"{name}.csv", content) for name, content in TABLES.items()}


def condition(name: str, question: str) -> str | None:
    """What follows WHERE; None where nothing is computed."""
    sql = sql_of(question, [HELD[name]])
    return sql and sql.partition(" WHERE ")[2].removesuffix(" LIMIT 1000")


@each_row(
    ("name", "question", "sql"),
    [
        ("people", "Who is older than 35?", '"Age" > 35'),
        ("people", "How many people are taller than 175?", '"Height (cm)" > 175'),
        ("people", "How many people earn more than 2500?", '"Salary (€)" > 2500'),
        ("people", "How many people have a salary of 3000?", '"Salary (€)" = 3000'),
        ("people", "How many people have a salary between 3500 and 2500?", '"Salary (€)" BETWEEN 2500 AND 3500'),
        ("people", "How many people have a salary not over 2500?", '"Salary (€)" <= 2500'),
        ("people", "How many people are in Red with a salary over 2500?", """"Team" = 'Red' AND "Salary (€)" > 2500"""),
        ("trips", "How many trips are over 30 km with a rating over 4?", '"Length (km)" > 30 AND "Rating" > 4'),
        ("trips", "How many trips have a rating of 4 or more?", '"Rating" >= 4'),
        ("bills", "Which bills have a tax over 3?", '"Tax (€)" > 3'),
        ("bills", "How many bills have a total of 24 or less?", '"Total (€)" <= 24'),
        ("stock", "How many items have a stock from 3 to 10?", '"Stock" BETWEEN 3 AND 10'),
        ("stock", "How many items have 5 to 10 in stock?", '"Stock" BETWEEN 5 AND 10'),
        ("marks", "How many students have over 60 in English?", '"English" > 60'),
        ("weather", "How many days had a min temp below 0?", '"Min temp (°C)" < 0'),
        ("hotels", "房价超过400的酒店有几家？", '"房价（元）" > 400'),
        ("hotels", "房价不超过400的酒店有几家？", '"房价（元）" <= 400'),
        ("hotels", "面积在2500到3500之间的酒店有几家？", '"面积（㎡）" BETWEEN 2500 AND 3500'),
        ("hotels", "房价是300的酒店有哪些？", '"房价（元）" = 300'),
        ("goods", "库存在10以上的商品有几种？", '"库存" >= 10'),
        ("goods", "库存不低于10的商品有几种？", '"库存" >= 10'),
    ],
)
def test_a_number_is_of_the_column_that_is_named(name: str, question: str, sql: str) -> None:
    assert condition(name, question) == sql


@each_row(
    ("name", "question", "sql"),
    [
        ("people", "How many people are over 175 cm?", '"Height (cm)" > 175'),
        ("people", "How many people are over 2 m?", '"Height (cm)" > 200'),
        ("people", "How many people are over 2500 €?", '"Salary (€)" > 2500'),
        ("trips", "Which trips are longer than 2 hours?", '"Duration (min)" > 120'),
        ("trips", "Which trips take at least 2 hours?", '"Duration (min)" >= 120'),
        ("trips", "Which trips cost less than 30 €?", '"Price (€)" < 30'),
        ("trips", "How many trips are between 2 and 3 hours?", '"Duration (min)" BETWEEN 120 AND 180'),
        ("trips", "How many trips are longer than 2 hours and have a rating over 4?",
         '"Duration (min)" > 120 AND "Rating" > 4'),
        ("stays", "How many stays are over 4 days?", '"Days" > 4'),  # and not 5760 minutes
        ("stays", "How many stays are over 2 hours?", '"Ferry (min)" > 120'),
        ("stock", "How many items cost more than 100 $?", '"Unit price ($)" > 100'),
        ("stock", "How many items weigh more than 10000 g?", '"Weight (kg)" > 10'),
        ("weather", "How many days had rain over 1 cm?", '"Rain (mm)" > 10'),
        ("weather", "How many days had rain between 1 and 2 cm?", '"Rain (mm)" BETWEEN 10 AND 20'),
        ("hotels", "超过400元的酒店有几家？", '"房价（元）" > 400'),
        ("hotels", "入住率超过70%的酒店有几家？", '"入住率" > 0.7'),
        ("hotels", "入住率超过70的酒店有几家？", '"入住率" > 0.7'),
        ("hotels", "入住率在60%到70%之间的酒店有几家？", '"入住率" BETWEEN 0.6 AND 0.7'),
        ("sales", "销售额超过200的门店有几家？", '"销售额（万元）" > 200'),
        ("sales", "销售额超过200万的门店有几家？", '"销售额（万元）" > 200'),
        ("sales", "销售额超过2000000元的门店有几家？", '"销售额（万元）" > 200'),
        ("sales", "销售额超过1亿的门店有几家？", '"销售额（万元）" > 10000'),
        ("sales", "利润低于15万元的门店有哪些？", '"利润（万元）" < 15'),
        ("goods", "超过100元的商品有几种？", '"单价（元）" > 100'),
    ],
)  # fmt: skip
def test_a_number_with_a_unit_is_told_in_that_of_the_column_that_it_can_be_of(
    name: str, question: str, sql: str
) -> None:
    assert condition(name, question) == sql


@each_row(
    ("name", "question"),
    [
        ("people", "How many people are over 35?"),  # of three columns
        ("people", "How many people weigh over 80 kg?"),
        ("trips", "How many trips are under 5 kg?"),
        ("trips", "How many trips are over 20?"),
        ("marks", "How many students got over 60?"),
        ("marks", "How many students have over 60 in maths or English?"),
        ("hotels", "入住率超过0.7的酒店有几家？"),  # of all, or of a hundred
        ("weather", "How many days had a temperature above 25?"),
    ],
)
def test_what_may_be_of_several_columns_or_of_none_is_not_computed(name: str, question: str) -> None:
    assert condition(name, question) is None


@each_row(
    ("name", "question", "sql"),
    [
        ("bills", "How many bills are over 20?", '"Total (€)" > 20'),
        ("bills", "How many bills are above 20 €?", '"Total (€)" > 20'),
        ("stock", "Which items are out of stock?", '"Stock" <= 0'),
        ("goods", "哪些商品缺货？", '"库存" <= 0'),
        ("marks", "Which students are failing maths?", '"Maths" < 60'),
        ("marks", "How many students passed English?", '"English" >= 60'),
        ("weather", "How many days had a negative min temp?", '"Min temp (°C)" < 0'),
        ("weather", "How many days had no rain?", '"Rain (mm)" <= 0'),
    ],
)
def test_what_is_usually_meant_is_known(name: str, question: str, sql: str) -> None:
    assert condition(name, question) == sql


@each_row(
    ("name", "question", "sql"),
    [
        ("people", "How many people have a salary above the average?",
         '"Salary (€)" > (SELECT AVG("Salary (€)") FROM t)'),
        ("people", "How many people are older than average?", '"Age" > (SELECT AVG("Age") FROM t)'),
        ("people", "How many people are above average height?",
         '"Height (cm)" > (SELECT AVG("Height (cm)") FROM t)'),
        ("trips", "Which trips cost more than the average price?",
         '"Price (€)" > (SELECT AVG("Price (€)") FROM t)'),
        ("hotels", "房价高于平均的酒店有哪些？", '"房价（元）" > (SELECT AVG("房价（元）") FROM t)'),
        ("stock", "Which items are below the reorder level?", '"Stock" < "Reorder level"'),
        ("stock", "Which items have a stock below the reorder level?", '"Stock" < "Reorder level"'),
        ("stock", "Which items have a stock equal to the reorder level?", '"Stock" = "Reorder level"'),
        ("goods", "低于安全库存的商品有哪些？", '"库存" < "安全库存"'),
        ("bills", "How many bills have a total more than the net?", '"Total (€)" > "Net (€)"'),
        ("marks", "Which students were better in English than in maths?", '"English" > "Maths"'),
        ("marks", "How many students scored higher in English than in maths?", '"English" > "Maths"'),
        ("marks", "How many students have over 60 in both maths and English?", '"Maths" > 60 AND "English" > 60'),
        ("goods", "单价和库存都超过10的商品有几种？", '"库存" > 10 AND "单价（元）" > 10'),
    ],
)  # fmt: skip
def test_columns_are_held_against_each_other_and_against_their_average(name: str, question: str, sql: str) -> None:
    assert condition(name, question) == sql
