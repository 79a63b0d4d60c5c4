"""People by one of their names, days of a month that is named once, what came by a day, hours that a head tells."""

from __future__ import annotations

from table_cases import sql_of, table

from tests.each_row import each_row

LOANS = """Date,Reader,Kind,Hours,Fee ($)
2026-04-03,Ana Silva,Film,3,4.5
2026-04-11,Bo Lind,Music,5,2.5
2026-04-19,Ana Silva,Music,2,1.5
2026-05-20,May Chen,Film,6,5.5
"""
SHIFTS = """日期,店员,班次,小时数,奖金（元）
2026-04-03,王小丽,早班,4,20
2026-04-11,李明,晚班,6,35
2026-04-19,王小丽,晚班,5,30
"""
GIFTS = "捐款人,捐款方式,金额（元）\n张伟,现金,200\n李娜,转账,500\n王强,现金,300\n"
HELD = [table("loans.csv", LOANS, 1), table("排班.csv", SHIFTS, 2), table("捐款.csv", GIFTS, 3)]
FEES, HOURS = 'SELECT SUM("Fee ($)") FROM t WHERE ', 'SELECT SUM("Hours") FROM t WHERE '
APRIL = """substr("日期", 6, 2) BETWEEN '04' AND '04'"""
WORKED = 'SELECT SUM("小时数") FROM t WHERE '
ANA, BO = """"Reader" = 'Ana Silva'""", """"Reader" = 'Bo Lind'"""
LI = """"店员" = '李明'"""


def days(first: str, last: str, column: str = "Date") -> str:
    return f"""substr("{column}", 6, 5) BETWEEN '{first}' AND '{last}'"""


@each_row(
    ("question", "sql"),
    [
        ("How much did Ana spend on films?", f"""{FEES}{ANA} AND "Kind" = 'Film'"""),
        ("How much did Bo pay?", f"{FEES}{BO}"),
        (
            "How much did Ana spend on music in April?",
            f"""{FEES}{ANA} AND "Kind" = 'Music' AND substr("Date", 6, 2) BETWEEN '04' AND '04'""",
        ),
        ("How much did Ana pay in Q2?", f"""{FEES}{ANA} AND substr("Date", 6, 2) BETWEEN '04' AND '06'"""),
        ("How much did Ana spend last April?", None),  # of which year?
        ("How much did Ana spend between 5 and 20 April?", f"{FEES}{ANA} AND {days('04-05', '04-20')}"),
        ("How much did Ana pay from April 5 to 20?", f"{FEES}{ANA} AND {days('04-05', '04-20')}"),
        ("How much did Ana pay from 20 to 5 April?", None),
        ("How many loans by April 11?", f"SELECT COUNT(*) FROM t WHERE {days('01-01', '04-11')}"),
        ("How many loans were there until April 11?", f"SELECT COUNT(*) FROM t WHERE {days('01-01', '04-11')}"),
        ("How many loans by the end of April?", f"SELECT COUNT(*) FROM t WHERE {days('01-01', '04-30')}"),
        ("How much did Ana pay in April and March?", f"""{FEES}{ANA} AND substr("Date", 6, 2) BETWEEN '03' AND '04'"""),
        ("How much did Ana pay in March and June?", None),  # and not in April
        ("How much did Ana pay between March and June?",
         f"""{FEES}{ANA} AND substr("Date", 6, 2) BETWEEN '03' AND '06'"""),
        ("How much did Ana pay from November to February?", None),  # over the new year
        ("How much did Ana pay in 2026 and 2025?",
         f"""{FEES}{ANA} AND "Date" >= '2025-01-01' AND "Date" < '2027-01-01'"""),
        ("How much did Ana pay in 2026 and 2024?", None),
        ("How much did Ana pay on April 3 and April 4?", f"{FEES}{ANA} AND {days('04-03', '04-04')}"),
        ("How much did Ana pay on April 3 and April 19?", None),
        ("捐款金额一共多少？", 'SELECT SUM("金额（元）") FROM t'),
        ("捐款一共几笔？", "SELECT COUNT(*) FROM t"),
        ("How many hours did Ana spend on films?", f"""{HOURS}{ANA} AND "Kind" = 'Film'"""),
        ("How many weeks did Ana spend on films?", f"""{HOURS}{ANA} AND "Kind" = 'Film'"""),
        ("How many hours did Ana take?", f"{HOURS}{ANA}"),
        ("李明4月5日到15日做了几个小时？", f"""{WORKED}{LI} AND {days('04-05', '04-15', '日期')}"""),
        ("李明在晚班上花了几个小时？", f"""{WORKED}{LI} AND "班次" = '晚班'"""),
        ("截至4月11日有几次排班？", f"SELECT COUNT(*) FROM t WHERE {days('01-01', '04-11', '日期')}"),
        ("小丽4月做了多少小时？", f"""{WORKED}"店员" = '王小丽' AND {APRIL}"""),
    ],
)  # fmt: skip
def test_who_and_when(question: str, sql: str | None) -> None:
    assert sql_of(question, HELD) == sql
