"""The words of an answer that was computed, in both languages."""

from answering.table_answers import result_sentence, result_table
from schema import Cell, Message, TableQuery, TableResult
from tests.each_row import each_row


def result(columns: list[str], rows: list[tuple[Cell, ...]], unit: str = "") -> TableResult:
    query = TableQuery(document="t.csv", sql="SELECT 1", words=Message("比较", "compared"), unit=unit)
    return TableResult(query, tuple(columns), tuple(rows), False, 9, 9, ())


@each_row(
    ("column", "zh", "en"),
    [
        ('AVG("工资")', "平均工资", "average 工资"),
        ('AVG("月薪（元）")', "平均月薪", "average 月薪"),
        ('AVG("Salary")', "平均 Salary", "average salary"),
        ('SUM("GDP (bn $)")', "GDP 合计", "total GDP"),
        ('MAX("Unit ""price""")', 'Unit "price" 最大值', 'highest unit "price"'),
        ('MEDIAN("数量")', "数量中位数", "median 数量"),
        ('COUNT(DISTINCT "City")', "不同的 City 数", "number of different values of city"),
        ("COUNT(*)", "行数", "number of rows"),
        ('1.0 * COUNT(*) / (SELECT COUNT(*) FROM "t.csv")', "占比", "share"),
        ('substr("日期", 1, 7)', "日期", "日期"),
    ],
)
def test_the_head_of_a_computed_column_is_what_people_write(column: str, zh: str, en: str) -> None:
    two = result(["部门", column], [("a", 1), ("b", 2)])
    assert result_table(two, "zh").splitlines()[0] == f"| 部门 | {zh} |"
    assert result_table(two, "en").splitlines()[0] == f"| 部门 | {en} |"


def test_a_difference_and_a_ratio_show_both_sides() -> None:
    sides = ["(SELECT 1)", "(SELECT 2)"]
    assert result_sentence(result([*sides, "(SELECT 1) - (SELECT 2)"], [(7, 2, 5)], "$"), "zh") == "比较：$7 − $2 = $5"
    assert result_sentence(result([*sides, "(SELECT 1) - (SELECT 2)"], [(2, 7, -5)], "$"), "en").endswith("= -$5")
    assert result_sentence(result([*sides, "(SELECT 2) - (SELECT 1)"], [(2, 7, 5)]), "en") == "Compared: 7 − 2 = 5"
    assert result_sentence(result([*sides, "1.0 * (SELECT 1) / (SELECT 2)"], [(6, 4, 1.5)]), "en").endswith(
        "6 ÷ 4 = 1.5"
    )
