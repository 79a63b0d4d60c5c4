"""Words of questions over tables that no column is called, and that the table explains all the same."""

from __future__ import annotations

from table_cases import table

from planning.tables import plan_table_query
from planning.tables.families import root
from tables.measures import factor
from tests.each_row import each_row

FERRIES = """Sailing,From,To,Departure,Wait (min),Fare (€),Foot passengers,Cancelled
F1,Calais,Dover,3 Mar 2024 08:00,0,20,120,no
F2,Dover,Calais,4 Mar 2024 09:00,75,25,80,no
F3,Calais,Hull,9 Apr 2024 10:00,130,60,,yes
"""
SHEDS = """编号,片区,月租,面积（㎡）,层数,起租日,押金已退
K1,东区,1200元/月,45,1层,3月5日,是
K2,西区,2600元/月,98,2层,8月20日,否
K3,东区,900元/月,30,1层,12月1日,否
"""
SWIMS = """Child,Course,Fee,Fee paid?,Wind km/h
Ann,Swimming,£20,Yes,5
Bob,Chess,£30,No,60
Cat,Swimming,£25,No,12
"""


CLUB = """Member,Coach,Monthly fee,Joined,Visits,Active
Ida Roth,Sven,$40,2023-05-02,0,yes
Max Lam,Rosa,$65,2024-06-09,12,no
Una Diaz,Sven,$65,2023-05-20,7,yes
Ole Kim,Sven,$25,2024-07-01,3,yes
"""
WORKS = """项目,房间,单位,数量,单价,金额
墙面乳胶漆,主卧,平米,48,38,1824
实木门,主卧,樘,1,2600,2600
水电改造,全屋,项,1,9800,9800
"""
HELD = [
    table(name, content, number)
    for number, (name, content) in enumerate(
        [
            ("ferries.csv", FERRIES),
            ("仓房出租.csv", SHEDS),
            ("swims.csv", SWIMS),
            ("club.csv", CLUB),
            ("装修.csv", WORKS),
        ],
        1,
    )
]


@each_row(
    ("question", "sql"),
    [
        ("How many sailings went to Calais?", """SELECT COUNT(*) FROM t WHERE "To" = 'Calais'"""),
        ("how many sailings leave from Calais?", """SELECT COUNT(*) FROM t WHERE "From" = 'Calais'"""),
        ("从Calais开往Dover的有几班？", """SELECT COUNT(*) FROM t WHERE "From" = 'Calais' AND "To" = 'Dover'"""),
        ("How many sailings had to wait more than an hour?", 'SELECT COUNT(*) FROM t WHERE "Wait (min)" > 60'),
        ("When did F2 depart?", """SELECT "Sailing", "Departure" FROM t WHERE "Sailing" = 'F2' LIMIT 1000"""),
        ("东区有几间仓房？", """SELECT COUNT(*) FROM t WHERE "片区" = '东区'"""),
        ("超过40平米的仓房有几间？", 'SELECT COUNT(*) FROM t WHERE "面积（㎡）" > 40'),
        ("K2一个月多少钱？", """SELECT "编号", "月租" FROM t WHERE "编号" = 'K2' LIMIT 1000"""),
        ("东区有几户？", """SELECT COUNT(*) FROM t WHERE "片区" = '东区'"""),
        ("8月起租的有几间？", """SELECT COUNT(*) FROM t WHERE substr("起租日", 6, 2) BETWEEN '08' AND '08'"""),
        ("3月15日之前起租的有几间？",
         """SELECT COUNT(*) FROM t WHERE substr("起租日", 6, 5) BETWEEN '01-01' AND '03-14'"""),
        ("主卧的门多少钱？",
         """SELECT "项目", "单价" FROM t WHERE "房间" = '主卧' AND "项目" = '实木门' LIMIT 1000"""),
        ("哪一项最贵？",
         'SELECT "项目", "单价" FROM t WHERE "单价" = (SELECT MAX("单价") FROM t)'),
        ("How many children haven't paid?", """SELECT COUNT(*) FROM t WHERE "Fee paid?" = 'No'"""),
        ("how many kids are unpaid?", """SELECT COUNT(*) FROM t WHERE "Fee paid?" = 'No'"""),
        ("游泳班有几个孩子？", """SELECT COUNT(*) FROM t WHERE "Course" = 'Swimming'"""),
        ("How many children had wind stronger than 10 km/h?", 'SELECT COUNT(*) FROM t WHERE "Wind km/h" > 10'),
        ("Which child was the windiest?",
         'SELECT "Child", "Wind km/h" FROM t WHERE "Wind km/h" = (SELECT MAX("Wind km/h") FROM t)'),
        ("How much do active members pay per month in total?",
         """SELECT SUM("Monthly fee") FROM t WHERE "Active" = 'yes'"""),
        ("How many inactive members are there?", """SELECT COUNT(*) FROM t WHERE "Active" = 'no'"""),
        ("How many members have 0 visits?", 'SELECT COUNT(*) FROM t WHERE "Visits" = 0'),
        ("When did Max Lam join?", """SELECT "Member", "Joined" FROM t WHERE "Member" = 'Max Lam' LIMIT 1000"""),
        ("How many members are from 2024?",
         """SELECT COUNT(*) FROM t WHERE ("Joined" >= '2024-01-01' AND "Joined" < '2025-01-01')"""),
        ("How many members joined starting from 2024?", """SELECT COUNT(*) FROM t WHERE "Joined" >= '2024-01-01'"""),
        ("Who joined first?", 'SELECT "Member", "Joined" FROM t WHERE "Joined" = (SELECT MIN("Joined") FROM t)'),
        ("In which year did the most members join?",
         'SELECT substr("Joined", 1, 4), COUNT(*) FROM t WHERE "Joined" IS NOT NULL GROUP BY 1 '
         'HAVING COUNT(*) = (SELECT COUNT(*) FROM t WHERE "Joined" IS NOT NULL GROUP BY substr("Joined", 1, 4) '
         "ORDER BY 1 DESC LIMIT 1)"),
        ("Who has the biggest monthly fee?",
         'SELECT "Member", "Monthly fee" FROM t WHERE "Monthly fee" = (SELECT MAX("Monthly fee") FROM t)'),
        ("How much does a sailing to Calais cost on average?",
         """SELECT AVG("Fare (€)") FROM t WHERE "To" = 'Calais'"""),
        ("How long was the wait on average?", 'SELECT AVG("Wait (min)") FROM t'),
        ("平均每个Coach有几个会员？",
         'SELECT 1.0 * COUNT(*) / COUNT(DISTINCT "Coach") FROM t WHERE "Coach" IS NOT NULL'),
        ("2024年加入的会员比2023年多多少？",
         """SELECT (SELECT COUNT(*) FROM t WHERE ("Joined" >= '2024-01-01' AND "Joined" < '2025-01-01')), """
         """(SELECT COUNT(*) FROM t WHERE ("Joined" >= '2023-01-01' AND "Joined" < '2024-01-01')), """
         """(SELECT COUNT(*) FROM t WHERE ("Joined" >= '2024-01-01' AND "Joined" < '2025-01-01')) - """
         """(SELECT COUNT(*) FROM t WHERE ("Joined" >= '2023-01-01' AND "Joined" < '2024-01-01'))"""),
    ],
)  # fmt: skip
def test_the_table_explains_words_that_it_does_not_say(question: str, sql: str) -> None:
    query = plan_table_query(question, HELD)
    assert query is not None
    assert query.sql.replace(f'"{query.document}"', "t") == sql


@each_row(
    "question",
    [
        "How many sailings to Calais carried trucks?",  # nothing tells of trucks
        "东区的房东有几个？",  # 东 and 房 are said, and no owner is
        "2024年8月起租的有几间？",  # the dates have no year
        "Why was the sailing to Calais cancelled?",
        "Who is wet?",
        "主卧的灯多少钱？",
        "主卧的台多少钱？",  # a measure word too
        "How many children are undecided?",
    ],
)
def test_a_word_that_may_restrict_the_rows_blocks(question: str) -> None:
    assert plan_table_query(question, HELD) is None


def test_words_of_one_family_have_one_root() -> None:
    pairs = ["depart departure", "windiest wind", "resolve resolution", "donated donations", "reported reporter"]
    assert all(root(one) == root(other) != "" for one, other in map(str.split, pairs))
    assert root("weigh") != root("wind")


def test_a_number_is_told_in_the_unit_of_its_column() -> None:
    assert factor("hour", "min") == 60
    assert factor("平米", "m2") == 1
    assert factor("kg", "min") is None
