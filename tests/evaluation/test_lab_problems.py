"""Gold answers of word problems as GSM8K and CMATH write them, and answers of models to them."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from benchmarks.lab_checks import readable_answers
from evaluation.lab.answer_figures import is_correct
from evaluation.lab.numerals import final_answer, quantities
from evaluation.lab.reading import read_set

# A worked solution with its calculator annotations, and the number behind its mark.
GSM8K = [
    (
        "A crate holds 24 jars, and half as many lids. Both?",
        "Lids: 24/2=<<24/2=12>>12\nBoth: 24+12=<<24+12=36>>36\n#### 36", 36,
    ),
    ("How much do 6 lamps at $207 cost?", "6 lamps cost 6 x $207 = $<<6*207=1242>>1,242.\n#### 1,242", 1242),
    ("What is left of $50 after $62 of fines?", "50-62=$<<50-62=-12>>-12\n#### -12", -12),
    ("What do 3 pens at $1.50 cost?", "3*1.5=$<<3*1.5=4.50>>4.50\n#### 4.50", Fraction(9, 2)),
    ("Which share is left?", "1-.25=<<1-.25=.75>>.75 of it\n#### .75", Fraction(3, 4)),
    ("What percentage of 20 clerks is 12?", "12/20 x 100% = <<12/20*100=60>>60%\n#### 60", 60),
    (
        "What is the pay?",
        "It is $<<15*40=600>>600 and $<<5*22.5=112.5>>112.50, so $712.50.\n#### $712.50", Fraction(1425, 2),
    ),
    ("How many bricks?", "There are 40*1500=<<40*1500=60000>>60,000 bricks\n#### 60000", 60_000),
    ("How many people saw it?", "3*450,000 = <<3*450000=1350000>>1,350,000\n#### 1,350,000", 1_350_000),
    ("What is the speed in mph?", "90 miles / 2 hours = <<90/2=45>>45 mph\n#### 45 ", 45),
    ("How old is she now?", "Let x be her age. Then 2x - 4 = 20, so 2x = 24 and x = <<24/2=12>>12\n#### 12", 12),
    ("How many are left of 7?", "7-7=<<7-7=0>>0 are left\n#### 0", 0),
    (
        "How many weeks?",
        "He saves $8 a week, so 96/8 = <<96/8=12>>12 weeks\nHe starts one week late: 12+1=<<12+1=13>>13\n#### 13", 13,
    ),
    ("How many litres are there?", "10 x 3/5 = <<10*3/5=6>>6\n6 + 9 = <<6+9=15>>15\n#### 15", 15),
    (
        "How much dearer is it?",
        "The second costs $<<80*1.2=96>>96.\nIt is $96 - $80 = $<<96-80=16>>16 dearer.\n#### 16", 16,
    ),
    ("What is the profit?", "130,000-88,500=$<<130000-88500=41500>>41,500\n#### 41,500", 41_500),
    ("How many minutes?", "An hour and a half is 60*1.5=<<60*1.5=90>>90 minutes\n#### 90", 90),
    ("How many dozens?", "84/12=<<84/12=7>>7 dozen eggs\n#### 7", 7),
    ("How far is it from home?", "He goes 180 - 45 = <<180-45=135>>135 miles \n#### 135", 135),
    ("How much did each of the 8 pay?", "$100 / 8 = $<<100/8=12.5>>12.5\n#### 12.5", Fraction(25, 2)),
    ("How many points did they lose?", "From 15 to -10 it is -10-15=<<-10-15=-25>>-25\n#### -25", -25),
    ("What does the robe take?", "2+1=<<2+1=3>>3 bolts of fabric\n#### 3", 3),
    ("How many seconds are 2 days?", "2*24*3600=<<2*24*3600=172800>>172,800\n#### 172,800", 172_800),
    ("What is the price with tax?", "$20 + $20*.07 = $<<20+20*.07=21.4>>21.40\n#### 21.40", Fraction(107, 5)),
    ("How much is a tenth of a cent, in cents?", "1/10=<<1/10=0.1>>0.1\n#### 0.1", Fraction(1, 10)),
    ("How many kilos did she lose?", "62-57=<<62-57=5>>5 kg, which is -5\n#### -5", -5),
    ("How many stamps has he?", "He had 1,000, bought 234: 1000+234=<<1000+234=1234>>1234\n#### 1,234", 1234),
    ("How many apples are left?", "16 - 3 - 4 = <<16-3-4=9>>9, and 9 * 2 = <<9*2=18>>18\n#### 18", 18),
    ("What is the salary?", "$1150/week * 50 weeks/year = $<<1150*50=57500>>57,500\n#### 57,500", 57_500),
    ("How long is half a metre, in metres?", "1/2=<<1/2=0.5>>0.5\n#### 0.5", Fraction(1, 2)),
]  # fmt: skip

CMATH = [
    ("一盒彩笔有12支，3盒一共有多少支？", "36", 36), ("把48个苹果平均分给6人，每人几个？", "8", 8),
    ("7减7等于多少？", "0", 0), ("学校买来25套桌椅，每套125元，一共要多少元？", "3125", 3125),
    ("一个圆的半径是3厘米，面积是多少平方厘米？", "28.26", Fraction(2826, 100)),
    ("一箱橘子重1/20吨，15箱重多少吨？", "3/4", Fraction(3, 4)),
    ("合作完成一项工程，甲要8天，乙要6天，每天完成几分之几？", "7/24", Fraction(7, 24)),
    ("剩下的两队合做几天可以完成？", "45/7", Fraction(45, 7)), ("甲打字用了多少小时？", "9/2", Fraction(9, 2)),
    ("今年的产量比去年多百分之几？", "25%", Fraction(1, 4)), ("实际比计划超产百分之几？", "12%", Fraction(3, 25)),
    ("种子的发芽率是多少？", "97.5%", Fraction(39, 40)), ("这种国债的年利率是多少？", "0.0375", Fraction(3, 80)),
    ("下午的出勤率是多少？", "0.96", Fraction(24, 25)), ("水面上升多少厘米？", "0.08", Fraction(2, 25)),
    ("这件大衣是打几折出售的？", "8.5", Fraction(17, 2)), ("应缴纳税款多少万元？", "1350", 1350),
    ("移动电话用户有多少亿户？", "2.4", Fraction(12, 5)), ("买这辆车一共花了多少万元？", "13.2", Fraction(66, 5)),
    ("这段钢材重多少克？", "13715.52", Fraction(1371552, 100)),
    ("蹬一圈大约能走多少米？", "2.198", Fraction(2198, 1000)),
    ("两地相距多少千米？", "775", 775), ("另一个内项是多少？", "13/5", Fraction(13, 5)),
    ("至少要称几次才能保证找出次品？", "2", 2), ("可以配制这样的糖水多少克？", "15100", 15_100),
    ("绳子还剩几分之几？", "2/9", Fraction(2, 9)), ("这堆沙重多少吨？（得数保留一位小数）", "2.5", Fraction(5, 2)),
    ("节省了百分之几？", "5%", Fraction(1, 20)), ("树的直径约是多少米？", "0.5", Fraction(1, 2)),
    ("从甲城到乙城的票价是多少元？", "1006.6", Fraction(10066, 10)),
]  # fmt: skip

# The gold answer, what a model said, whether that is right.
SAID = [
    ("1,242", "The six lamps come to 1,242 dollars.", True), ("1,242", "\\boxed{1242}", True),
    ("1,242", "So it is \\boxed{1{,}242}.", True),
    ("1,242", "**Answer:** one thousand two hundred and forty-two", True),
    ("1,242", "#### 1,24", False), ("18", "She makes $18.00 every day.", True),
    ("18", "Eighteen dollars.", True), ("18", "As a result, she has 16 - 3 - 4 = 9 eggs and makes 9 * 2 = 18.", True),
    ("18", "The answer is 9 * 2 = $18.", True), ("18", "The final answer is 1.8", False),
    ("-12", "His balance is −12 dollars.", True), ("-12", "12", False), ("60", "That is 60% of the clerks.", True),
    ("0.5", "= 1/2", True), ("0.5", "It is ½ of a metre.", True), ("1,350,000", "About 1.35 million people", True),
    ("36", "一共有３６支。", True), ("36", "答：一共有三十六支彩笔。", True),
    ("8", "48÷6=8（个）\n答：每人8个。", True),
    ("8", "从48个里选6个，每人分得9个", False), ("45/7", "还要6又3/7天。", True), ("45/7", "$6\\frac{3}{7}$天", True),
    ("45/7", "\\frac{45}{8}", False), ("12%", "超产了百分之十二。", True), ("12%", "\\boxed{12\\%}", True),
    ("12%", "0.12", True), ("25%", "2.5%", False), ("13.2", "一共花了13.2万元。", True),
    ("3/4", "四分之三吨", True), ("2.5", "这堆沙约重二点五吨。", True),
]  # fmt: skip


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def test_sixty_gold_answers_are_read(tmp_path: Path) -> None:
    english = [{"question": question, "answer": solution} for question, solution, _ in GSM8K]
    chinese = [{"grade": 6, "input": question, "golden": golden, "reasoning_step": 2} for question, golden, _ in CMATH]
    wanted = [number for *_, number in (*GSM8K, *CMATH)]
    files = [written(tmp_path / "gsm8k.jsonl", english), written(tmp_path / "cmath.jsonl", chinese)]
    assert [readable_answers(path) for path in files] == [(30, 30), (30, 30)]
    cases = [case for path in files for case in read_set(path)]
    assert {case.kind for case in cases} == {"math"}
    assert [next(quantities(final_answer(case.references[0])[0])).value for case in cases] == wanted
    assert all(is_correct(case, case.references[0]) for case in cases)
    solved = [is_correct(case, solution) for case, (_, solution, _) in zip(cases, GSM8K, strict=False)]
    assert solved == [True] * 30


def test_answers_of_models_are_judged(tmp_path: Path) -> None:
    rows = [{"input": f"第{n}题", "golden": golden} for n, (golden, *_) in enumerate(SAID)]
    cases = read_set(written(tmp_path / "answers.jsonl", rows))
    judged = [(*told[:2], is_correct(case, told[1])) for case, told in zip(cases, SAID, strict=True)]
    assert judged == SAID
