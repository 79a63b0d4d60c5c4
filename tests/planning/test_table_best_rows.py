"""The best row of each group, the best three that are asked for behind them, and rows by two columns that are held
against each other."""

from __future__ import annotations

from table_cases import sql_of, table

from tests.each_row import each_row

FILMS = """Title,Director,Budget ($),Gross ($),Year
Alpha,Ann Lee,100,80,2001
Beta,Bo Chan,50,120,2002
Gamma,Ann Lee,70,60,2003
"""
WORKS = """分项,负责人,预算（元）,实际（元）
水电,老秦,28000,31500
防水,小高,4500,4500
瓦工,小高,22000,23800
"""
TRIPS = """Date,Rider,Fare ($),Deposit ($),Total paid ($)
2026-05-02,Noor,20,50,45
2026-05-09,Sami,30,40,60
2026-05-16,Noor,10,20,15
"""
HELD = [table("films.csv", FILMS, 1), table("装修.csv", WORKS, 2), table("trips.csv", TRIPS, 3)]


def best(columns: str, group: str, of: str, function: str = "MAX") -> str:
    groups = f'SELECT "{group}", {function}("{of}") FROM t GROUP BY 1'
    return f'SELECT {columns}, "{of}" FROM t WHERE ("{group}", "{of}") IN ({groups}) ORDER BY "{group}"'


LESS = 'SELECT "Title", "Gross ($)" FROM t WHERE "Gross ($)" < "Budget ($)" LIMIT 1000'
OVER = 'SELECT "分项", "实际（元）" FROM t WHERE "实际（元）" > "预算（元）" LIMIT 1000'
TRIP = '"Rider", "Date", "Fare ($)", "Deposit ($)"'


@each_row(
    ("question", "sql"),
    [
        ("Which film of each director had the highest budget?", best('"Director", "Title"', "Director", "Budget ($)")),
        ("film with the lowest gross of each director", best('"Director", "Title"', "Director", "Gross ($)", "MIN")),
        ("oldest film of each director", best('"Director", "Title"', "Director", "Year", "MIN")),
        ("每个负责人预算最大的分项是什么？", best('"负责人", "分项"', "负责人", "预算（元）")),
        ("每个负责人预算最大的是哪一项？", best('"负责人", "分项"', "负责人", "预算（元）")),
        ("biggest trip of each rider", best(TRIP, "Rider", "Total paid ($)")),
        ("highest gross of each director", 'SELECT "Director", MAX("Gross ($)") FROM t WHERE "Director" IS NOT NULL \
GROUP BY 1 ORDER BY 1'),
        ("预算最大的是哪2个分项？", 'SELECT "分项", "预算（元）" FROM t WHERE "预算（元）" IS NOT NULL \
ORDER BY "预算（元）" DESC LIMIT 2'),
        ("Which films had a gross lower than their budget?", LESS),
        ("films whose gross was below the budget", LESS),
        ("How many films grossed less than their budget?", 'SELECT COUNT(*) FROM t WHERE "Gross ($)" < "Budget ($)"'),
        ("哪些分项实际花费超过预算？", OVER),
        ("实际低于预算的有几项？", 'SELECT COUNT(*) FROM t WHERE "实际（元）" < "预算（元）"'),
        ("Which trips cost less than their deposit?", 'SELECT "Date", "Rider", "Fare ($)", "Deposit ($)", \
"Total paid ($)" FROM t WHERE "Total paid ($)" < "Deposit ($)" LIMIT 1000'),
    ],
)  # fmt: skip
def test_the_best_rows_and_two_columns(question: str, sql: str | None) -> None:
    assert sql_of(question, HELD) == sql


CLIMATE = """日期,库区,温度(℃),湿度(%),湿度占比(%)
2026-11-02,A区冷藏,3.8,62,0.62
2026-11-02,B区常温,19.2,55,0.55
2026-11-03,A区冷藏,8.9,71,0.71
2026-11-03,B区常温,21,66,0.66
"""
POLL = """Statement,Agree,Disagree
Rooms are warm,36%,64%
Tools are fit,48%,52%
"""
LEAVE = """工号,姓名,请假类型
1,潘文,病假
2,孟佳,病假
3,谭勇,
"""
LEAGUE = "Team,Played,Won\nHarwick Rovers,12,9\nPenfold United,11,7\n"
TAKEN = """Medicine,With food,Dose
amoxicillin,yes,one
metformin,yes,two
omeprazole,before,one
"""
HORSE = """Day,Place,Cost (EUR)
2026-01-09,Paris,120.5
2026-01-09,Lyon,80
2026-03-01,Nice,900
"""
RENT = """Paid on,Sum due,Transferred
2026-02-03,40,40
2026-03-04,80,60
"""
BILLS = """Invoice,Customer,Amount (EUR),Status
81,Keller,1200,open
82,Noor,950,paid
83,Keller,300,open
"""


@each_row(
    ("question", "sql"),
    [
        ("哪个库区温度最高？", 'SELECT "库区", "温度(℃)" FROM t WHERE "温度(℃)" = (SELECT MAX("温度(℃)") FROM t)'),
        ("湿度超过65的有哪些？", 'SELECT * FROM t WHERE "湿度(%)" > 65 LIMIT 1000'),
        ("湿度超过65%的有哪些？", 'SELECT * FROM t WHERE "湿度(%)" > 65 LIMIT 1000'),
        ("湿度不低于100%的有哪些？", 'SELECT * FROM t WHERE "湿度(%)" >= 100 LIMIT 1000'),
        ("湿度占比超过65%的有哪些？", 'SELECT * FROM t WHERE "湿度占比(%)" > 0.65 LIMIT 1000'),
        ("哪天湿度超过65%？", 'SELECT "日期", "湿度(%)" FROM t WHERE "湿度(%)" > 65 LIMIT 1000'),
        ("When was the amount due below 50?", 'SELECT "Paid on", "Sum due" FROM t WHERE "Sum due" < 50 LIMIT 1000'),
        ("In which month was the cost over 150?", ""),  # a month has several
        ("When was the cost over 100?", ""),  # a day has several
        (
            "Where did the horse cost most?",
            'SELECT "Place", "Cost (EUR)" FROM t WHERE "Cost (EUR)" = (SELECT \
MAX("Cost (EUR)") FROM t)',
        ),
        ("How much of the sum due was transferred?", ""),
        ("What share agrees that rooms are warm?", ""),  # a cell says it
        ("请假的有几个人？", ""),
        ("Where does Penfold United play?", ""),  # eleven games are no place
        ("编号2的在几楼？", ""),  # it is there once
        ("Which medicines are taken with food?", ""),  # “before” is no yes
        ("Which doses are there?", 'SELECT DISTINCT "Dose" FROM t WHERE "Dose" IS NOT NULL ORDER BY 1 LIMIT 1000'),
        (
            "11月3日B区常温的湿度是多少？",
            """SELECT "库区", "湿度(%)" FROM t WHERE "库区" = 'B区常温' """
            """AND substr("日期", 6, 5) = '11-03' LIMIT 1000""",
        ),
        ("What is the total of all open invoices?", """SELECT SUM("Amount (EUR)") FROM t WHERE "Status" = 'open'"""),
        ("How many open invoices are there in total?", """SELECT COUNT(*) FROM t WHERE "Status" = 'open'"""),
    ],
)
def test_readings_percentages_and_totals(question: str, sql: str) -> None:
    told = (
        sql_of(
            question,
            [
                table("温湿度.csv", CLIMATE, 1),
                table("invoices.csv", BILLS, 2),
                table("rent.csv", RENT, 3),
                table("poll.csv", POLL, 4),
                table("考勤.csv", LEAVE, 5),
                table("league.csv", LEAGUE, 6),
                table("medicines.csv", TAKEN, 7),
                table("horse.csv", HORSE, 8),
            ],
        )
        or ""
    )
    columns = ", ".join(f'"{name}"' for name in CLIMATE.splitlines()[0].split(","))
    assert told == sql.replace("*", columns if "COUNT" not in sql else "*")
