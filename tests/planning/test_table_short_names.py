"""Things that a question calls in short, what is sold out, and when something came in."""

from __future__ import annotations

from table_cases import sql_of, table

from planning.tables.short_names import short_names
from tests.each_row import each_row

MENU = """菜名,价格（元）,剩余份数
茶叶蛋,3,20
牛肉面,22,0
红烧排骨,48,6
清蒸鲈鱼,58,0
水煮鲈鱼,52,3
"""
MEDICINES = """药品名称,有效期至,库存,进货日期
布洛芬缓释胶囊,2027-03-01,2,2026-01-04
阿莫西林胶囊,2026-12-15,0,2026-02-11
板蓝根颗粒,2026-10-01,5,2026-03-09
"""
SEEDS = "Seed,Packets left,Stocked\nSugar pea,0,2026-03-02\nBeetroot,4,2026-04-01\nPumpkin,0,2026-05-05\n"
STAFF = "姓名,部门,未读消息\n欧阳建国,行政部门,3\n司马相如,研发中心,0\n"


def cell(key: str, column: str, name: str) -> str:
    return f"""SELECT "{key}", "{column}" FROM t WHERE "{key}" = '{name}' LIMIT 1000"""


def medicine(column: str, name: str) -> str:
    return cell("药品名称", column, name)


def none_left(key: str, column: str) -> str:
    return f"""SELECT "{key}", "{column}" FROM t WHERE "{column}" <= 0 LIMIT 1000"""


@each_row(
    ("values", "said"),
    [
        (["有机菠菜", "胡萝卜"], {"菠菜"}),  # a carrot is no radish
        (["茶叶蛋"], set()),  # nor a tea egg tea
        (["红烧排骨", "红烧茄子"], {"排骨", "茄子"}),
        (["清蒸鲈鱼", "水煮鲈鱼"], set()),  # of two
        (["鲜牛奶"], {"牛奶"}),
        (["不加糖豆浆"], set()),  # without something it is something else
        (["布洛芬缓释胶囊"], {"布洛芬", "缓释胶囊"}),
        (["板蓝根颗粒"], {"板蓝根"}),
        (["行政部门"], set()),  # what its column may be called
        (["Sugar pea"], set()),
    ],
)
def test_the_end_of_a_chinese_name_is_what_it_is(values: list[str], said: set[str]) -> None:
    assert said <= {"".join(phrase) for phrase, _ in short_names(values, "品名")}
    assert {"萝卜", "茶叶", "鲈鱼", "豆浆", "部门"}.isdisjoint(
        "".join(phrase) for phrase, _ in short_names(values, "品名")
    )


@each_row(
    ("values", "title", "said"),
    [
        (["A区冷藏", "B区常温"], "库区", {"a区": "A区冷藏", "b区": "B区常温"}),
        (["3号楼东侧", "5号楼"], "位置", {"3号楼": "3号楼东侧"}),
        (["A区冷藏", "A区冷冻"], "库区", {}),  # of two
        (["1班班长", "2班班长"], "班级职务", {}),  # nobody asks after a class by its monitor
        (["A区主管", "B区主管"], "岗位", {}),
    ],
)
def test_a_place_is_called_by_where_it_begins(values: list[str], title: str, said: dict[str, str]) -> None:
    assert {"".join(phrase): value for phrase, value in short_names(values, title)} == said


@each_row(
    ("held", "question", "sql"),
    [
        (MENU, "排骨多少钱？", cell("菜名", "价格（元）", "红烧排骨")),
        (MENU, "鲈鱼多少钱？", None),
        (MENU, "茶叶多少钱？", None),
        (MENU, "什么菜卖完了？", none_left("菜名", "剩余份数")),
        (MEDICINES, "布洛芬什么时候过期？", medicine("有效期至", "布洛芬缓释胶囊")),
        (MEDICINES, "哪天进的阿莫西林？", medicine("进货日期", "阿莫西林胶囊")),
        (MEDICINES, "什么时候进的板蓝根？", medicine("进货日期", "板蓝根颗粒")),
        (MEDICINES, "什么没货了？", none_left("药品名称", "库存")),
        (MEDICINES, "哪些药用完了？", none_left("药品名称", "库存")),
        (SEEDS, "What is out of stock?", none_left("Seed", "Packets left")),
        (SEEDS, "Which seeds have run out?", none_left("Seed", "Packets left")),
        (SEEDS, "Is beetroot out of stock?", None),  # yes or no
        (SEEDS, "When was the pumpkin stocked?", cell("Seed", "Stocked", "Pumpkin")),
        (STAFF, "建国在哪个部门？", None),
        (STAFF, "什么用完了？", None),  # no column tells what is left
    ],
)  # fmt: skip
def test_things_in_short_and_what_is_left_of_them(held: str, question: str, sql: str | None) -> None:
    assert sql_of(question, [table("清单.csv", held)]) == sql
