"""Who does what a cell names, by the word for a doer of it; and what numbers a thing has, which no two share."""

from __future__ import annotations

from table_cases import sql_of, table

from tests.each_row import each_row

CLUB = """Member,Sport,Trainer,Group,Locker number,Phone
Amy Ross,Swimming,Bob Hill,Fast,1204,0171-22001
Cem Kaya,Rowing,Bob Hill,Slow,1205,0171-22002
Dora Lind,Chess,Eva Moss,Fast,1206,0171-22003
Finn Berg,Swimming,Eva Moss,Green,1207,0171-22004
"""
ORCHESTRA = """Player,Instrument,Desk
Ada Low,Harp,1
Ben Ray,First violin,1
Cy Orr,Second violin,1
Di Fox,Clarinet,2
"""
ORDERS = "Order,Customer,Status,Phone\nA1,Ann Lee,open,0171-1\nA2,Bo Hart,paid,0171-2\n"


def players(instrument: str) -> str:
    return f"""SELECT "Instrument", "Player" FROM t WHERE "Instrument" = '{instrument}' LIMIT 1000"""


def members(sport: str) -> str:
    return f"""SELECT "Member" FROM t WHERE "Sport" = '{sport}' LIMIT 1000"""


@each_row(
    ("question", "sql"),
    [
        ("Who is the rower?", members("Rowing")),
        ("Which swimmers are there?", members("Swimming")),
        ("How many swimmers are there?", """SELECT COUNT(*) FROM t WHERE "Sport" = 'Swimming'"""),
        ("How many swimmers does Bob Hill train?",
         """SELECT COUNT(*) FROM t WHERE "Sport" = 'Swimming' AND "Trainer" = 'Bob Hill'"""),
        ("How many trainers are there?", 'SELECT COUNT(DISTINCT "Trainer") FROM t'),
        ("How many are faster?", None),  # than whom: it is no doer of the group "Fast"
        ("How many painters are there?", None),
        ("What is Amy Ross's locker number?",
         """SELECT "Member", "Locker number" FROM t WHERE "Member" = 'Amy Ross' LIMIT 1000"""),
        ("What is the phone number of Cem Kaya?",
         """SELECT "Member", "Phone" FROM t WHERE "Member" = 'Cem Kaya' LIMIT 1000"""),
        ("Cem Kaya的电话号码是多少？", """SELECT "Member", "Phone" FROM t WHERE "Member" = 'Cem Kaya' LIMIT 1000"""),
    ],
)  # fmt: skip
def test_doers_and_numbers_of_a_club(question: str, sql: str | None) -> None:
    assert sql_of(question, [table("club.csv", CLUB)]) == sql


@each_row(
    ("question", "sql"),
    [
        ("Who is the harpist?", players("Harp")),
        (
            "Who is the clarinettist?",
            players("Clarinet"),
        ),
        ("How many violinists are there?", None),  # of the first violins, or of both
        ("How many pianists are there?", None),
    ],
)
def test_a_doer_is_of_one_value_alone(question: str, sql: str | None) -> None:
    assert sql_of(question, [table("orchestra.csv", ORCHESTRA)]) == sql


def test_a_doer_in_chinese_of_values_in_english() -> None:
    held = [table("strings.csv", "Player,Instrument\nAda,Violin\nBen,Violin\nCy,Cello\n")]
    assert sql_of("有几个小提琴手？", held) == """SELECT COUNT(*) FROM t WHERE "Instrument" = 'Violin'"""


def test_what_names_the_row_is_not_asked_for() -> None:
    status = """SELECT "Order", "Status" FROM t WHERE "Order" = 'A1' LIMIT 1000"""
    assert sql_of("What is the status of order A1?", [table("orders.csv", ORDERS)]) == status
