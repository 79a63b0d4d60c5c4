"""Tables of matches: who has won, lost or drawn, at home and away, and whose goals are meant."""

from __future__ import annotations

from table_cases import LEAGUE, SEASON, sql_of, table

from planning.tables import plan_table_query
from schema import TableInfo
from tests.each_row import each_row

EN, ZH = table("season.csv", SEASON), table("联赛.csv", LEAGUE)
WINNER = (
    '(CASE WHEN "Home goals" > "Away goals" THEN "Home team" WHEN "Home goals" < "Away goals" THEN "Away team" END)'
)
LOSER_ZH = '(CASE WHEN "主队进球" > "客队进球" THEN "客队" WHEN "主队进球" < "客队进球" THEN "主队" END)'
COUNTS = "SELECT COUNT(*) FROM t WHERE "


@each_row(
    ("held", "question", "sql"),
    [
        (EN, "How many matches did Rovers win?", f"{COUNTS}{WINNER} = 'Rovers'"),
        (
            EN, "How many games did Rovers lose away?",
            f"""{COUNTS}"Away team" = 'Rovers' AND "Home goals" > "Away goals\""""
        ),
        (EN, "How many matches ended in a draw?", f'{COUNTS}"Home goals" = "Away goals"'),
        (EN, "How many home wins were there?", f'{COUNTS}"Home goals" > "Away goals"'),
        (
            EN, "How many games did United play?",
            f"""{COUNTS}("Home team" = 'United' OR "Away team" = 'United')"""
        ),
        (EN, "How many goals did City score at home?",
         """SELECT SUM("Home goals") FROM t WHERE "Home team" = 'City'"""),
        (EN, "How many matches drew more than 10,000 spectators?", f'{COUNTS}"Attendance" > 10000'),
        (
            EN, "How many goals were scored in total?",
            'SELECT COALESCE(SUM("Home goals"), 0) + COALESCE(SUM("Away goals"), 0) AS "Home goals + Away goals" FROM t'
        ),
        (ZH, "青山输了几场球？", f"{COUNTS}{LOSER_ZH} = '青山'"),
        (ZH, "青山主场赢了几场？", f"""{COUNTS}"主队" = '青山' AND "主队进球" > "客队进球\""""),
        (ZH, "客队赢球的比赛有几场？", f'{COUNTS}"主队进球" < "客队进球"'),
        (ZH, "一共有几场平局？", f'{COUNTS}"主队进球" = "客队进球"'),
        (ZH, "海鹰总共踢了几场比赛？", f"""{COUNTS}("主队" = '海鹰' OR "客队" = '海鹰')"""),
        (ZH, "海鹰客场一共进了多少球？", """SELECT SUM("客队进球") FROM t WHERE "客队" = '海鹰'"""),
        (
            ZH, "青山主场对海鹰有多少观众？",
            """SELECT "主队", "客队", "观众" FROM t WHERE "主队" = '青山' AND "客队" = '海鹰' LIMIT 1000""",
        ),
    ],
)  # fmt: skip
def test_sides_and_outcomes(held: TableInfo, question: str, sql: str) -> None:
    assert sql_of(question, [held]) == sql


@each_row(
    ("held", "question"),
    [
        (EN, "How many goals did Rovers score?"),  # of both sides' columns, by the side that it was
        (EN, "How many matches did Rovers not win?"),
        (EN, "Which team lost the fewest matches?"),  # who never lost stands in no row of losers
        (EN, "Did Rovers win more than City?"),
        (ZH, "没有平局的轮次有哪些？"),
    ],
)
def test_what_is_not_read_for_certain_is_left_to_the_text(held: TableInfo, question: str) -> None:
    assert plan_table_query(question, [held]) is None


def test_the_fewest_are_none_where_a_group_has_none() -> None:
    query = plan_table_query("Which home team had the fewest draws?", [EN])
    assert query is not None
    assert 'COUNT(CASE WHEN "Home goals" = "Away goals" THEN 1 END)' in query.sql
