"""Queries that a model proposes: when one is asked for, and what of its answer is accepted."""

from planning.tables.model_query import ProposedQuery, accepted_query, likely_tables, query_messages
from schema import TableColumn, TableInfo
from tests.each_row import each_row

PAY = TableInfo(
    1, "pay.csv", "", 0, "",
    (TableColumn("name", "text", "", ("Ann", "Bob"), 2), TableColumn("team", "text", "", ("a", "b"), 2),
     TableColumn("pay", "number", "$")), 2,
)  # fmt: skip


@each_row(
    ("question", "asks"),
    [
        ("What would the average pay be if Ann got 10% more?", True),
        ("工资的平均值除以人数再取整是多少？", True),
        ("How do I request a day off?", False),
        ("Which team won the championship in the year the largest stadium in England was opened?", False),
        ("你好", False),
        ("average pay " * 100, False),
    ],
)
def test_a_model_is_asked_only_where_a_question_computes_over_what_a_table_has(question: str, asks: bool) -> None:
    assert bool(likely_tables(question, [PAY])) == asks


@each_row(
    ("sql", "accepted"),
    [
        ('SELECT AVG("pay") FROM "pay.csv"', True),
        ("""SELECT "team", COUNT(*) FROM "pay.csv" WHERE "team" IN ('a', 'b') GROUP BY 1;""", True),
        ("""SELECT 1.0 * SUM(CASE WHEN "team" = 'a' THEN "pay" END) / SUM("pay") FROM "pay.csv\"""", True),
        ("""SELECT (SELECT MAX(pay) FROM "pay.csv") - (SELECT MIN(pay) FROM "pay.csv")""", True),
        ("SELECT 'Ann is the best'", False),
        ("""SELECT 'Ann' FROM "pay.csv\"""", False),
        ("""SELECT "name", 'fine' FROM "pay.csv\"""", False),
        ("""SELECT coalesce(NULL, 'Ann', "name") FROM "pay.csv\"""", False),
        ("""SELECT CASE WHEN "pay" > 1 THEN 'rich' END FROM "pay.csv\"""", False),
        ('SELECT 42 FROM "pay.csv"', False),
        ('DELETE FROM "pay.csv"', False),
        ("", False),
    ],
)
def test_only_a_result_that_is_made_of_rows_is_accepted(sql: str, accepted: bool) -> None:
    query = accepted_query(ProposedQuery(reason="Trust me.", table=1, sql=sql), [PAY])
    assert (query is not None) == accepted
    if query is not None:
        assert (query.by, query.document) == ("model", "pay.csv")
        assert "Trust me" not in query.words.en
        assert "“pay”" in query.words.zh or "“team”" in query.words.zh


def test_a_query_names_the_table_that_was_offered_and_its_set() -> None:
    other = PAY._replace(document="other.csv", doc_set="hr", position=3)
    query = accepted_query(ProposedQuery(table=2, sql='SELECT AVG("pay") FROM "other.csv"'), [PAY, other])
    assert query is not None
    assert (query.document, query.doc_set, query.position) == ("other.csv", "hr", 3)


@each_row("number", [-1, 0, 2])
def test_a_table_that_was_not_offered_is_none(number: int) -> None:
    assert accepted_query(ProposedQuery(table=number, sql='SELECT AVG("pay") FROM "pay.csv"'), [PAY]) is None


def test_the_model_is_told_the_columns_as_sql_calls_them() -> None:
    [_, (_, asked)] = query_messages("What?", [PAY], "en")
    assert '[1] "pay.csv" (2 rows)' in asked
    assert '- "pay" number in $' in asked
    assert '- "team" text, 2 different: a; b' in asked
