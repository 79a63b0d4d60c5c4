"""The measures of answers and rankings, by hand and by the definitions of others."""

from __future__ import annotations

from contextlib import closing
from fractions import Fraction

import pytest

from benchmarks.lab_wordings import COUNTED, apart_of
from benchmarks.retrieval import rows
from errors import CitewiseError
from evaluation.citations import CheckedSources, check_answer
from evaluation.lab.answer_figures import agreement, is_correct
from evaluation.lab.cases import LabCase
from evaluation.lab.gold import CaseGold, GoldAnswer, GoldFinder, GoldSpan, locate
from evaluation.lab.numerals import formulas_to_compare, quantities, same_formula, same_number
from evaluation.lab.published_scores import cmrc_scores, squad_scores
from evaluation.lab.results import CaseResult, means, of_failure, summary
from evaluation.lab.retrieval_figures import retrieval_figures
from evaluation.lab.scoring import GivenAnswer, ReaderLimits, score
from evaluation.lab.wording import contains, list_f1, rouge_l, same_choice, says_yes
from ingestion.formula_worker import FormulaWorker
from schema import Answer, Hit, Message
from tests.each_row import each_row

LIMITS = ReaderLimits(2, 1000)


@each_row(
    ("text", "value", "unit"),
    [
        ("答案是18小包", 18, "小包"), ("三分之一", Fraction(1, 3), ""), ("十八", 18, ""), ("１８", 18, ""),
        ("−3", -3, ""), ("1e3", 1000, ""), ("25%", Fraction(1, 4), ""), ("百分之五", Fraction(1, 20), ""),
        ("1.2万", 12000, ""), ("1,234.5元", Fraction(2469, 2), "元"), ("\\frac{1}{2}", Fraction(1, 2), ""),
        ("二〇二四年", 2024, "年"), ("共计一亿二千万元", 120_000_000, "元"), ("他一起吃了三明治，有两个", 2, "个"),
        ("$0.50", Fraction(1, 2), ""),
    ],
)  # fmt: skip
def test_numbers_in_any_dress(text: str, value: Fraction, unit: str) -> None:
    assert next(quantities(text))[:2] == (value, unit)


@each_row(
    ("answer", "reference", "same"),
    [
        ("It takes 15 working days.", "15", True), ("15 天", "15天", True), ("12 km", "12 miles", False),
        ("共 15 个工作日", "十五个", True), ("12个，不是13个", "13个", False), ("12个，不是13个", "12个", True),
        ("none", "3", False), ("60%", "60", True), ("60万", "60", False), ("twelve days", "12", True),
    ],
)  # fmt: skip
def test_numbers_as_answers(answer: str, reference: str, same: bool) -> None:
    assert same_number(answer, reference) is same


def test_a_tolerance_is_a_share_of_the_number() -> None:
    assert same_number("about 101", "100", 0.01)
    assert not same_number("about 102", "100", 0.01)
    assert not same_number("100.1", "100")


@each_row(
    ("answer", "reference", "same"),
    [
        ("First 3, then 5.\n#### 18", "18", True), ("so \\boxed{\\frac{1}{2}}", "0.5", True),
        ("答案是25%", "0.25", True), ("5 + 13 = 18", "18", True), ("we get 17 and 18, so 17", "18", False),
        ("$2\\sqrt{2}$", "2\\sqrt{2}", True), ("\\boxed{x+1}", "x + 1", True), ("\\boxed{x-1}", "x + 1", False),
    ],
)  # fmt: skip
def test_formulas(answer: str, reference: str, same: bool) -> None:
    assert same_formula(answer, reference) is same


def test_what_only_algebra_can_tell_is_told_by_the_worker_process(make_settings, monkeypatch) -> None:
    assert formulas_to_compare("#### 18", "18") is None  # numbers never go there
    assert formulas_to_compare("答案是\\sqrt{８}。", "2\\sqrt{2}") == ("\\sqrt{8}", "2\\sqrt{2}")
    worker = FormulaWorker(make_settings())
    with closing(worker):
        assert worker.equal("\\sqrt{8}", "2\\sqrt{2}")
        assert not worker.equal("(x+1)^2", "x^2+1")
        monkeypatch.setattr("importlib.util.find_spec", lambda *_: None)
        with pytest.raises(CitewiseError) as missing:
            worker.equal("x", "y")
    assert "uv sync --extra math" in missing.value.in_full.en


def test_words_in_common() -> None:
    assert squad_scores("The Widow!", ["a widow"]) == (1, 1)
    assert squad_scores("the old grey widow", ["Grey Widow", "x"]).f1 == pytest.approx(0.8)
    assert squad_scores("", ["x"]) == (0, 0)
    assert cmrc_scores("北京大学在海淀区", ["北京大学"]).f1 == pytest.approx(2 * 4 / (8 + 4))  # the longest run
    assert cmrc_scores("大学的北京", ["北京大学"]).f1 == pytest.approx(2 * 2 / (5 + 4))
    assert rouge_l("a cat then sat", ["the cat sat down"]) == pytest.approx(2 * 2 / (3 + 3))
    assert contains("《萬年歷》", ["万年历"]) == 1


def test_published_scores_by_the_language_of_the_question() -> None:
    """A number says nothing of its language: CMRC's script counts the sign of percent, SQuAD's does not."""
    english, chinese = (LabCase(id="p", question=one, answer="12%") for one in ("How much?", "占多少？"))
    assert agreement(english, "12")["exact"] == 1
    assert agreement(chinese, "12")["exact"] == 0


def test_published_scores_as_counted_by_hand() -> None:
    told = rows(COUNTED)
    assert len(told) == 200
    assert [row for row in told if apart_of(row) > 1e-9] == []


def test_what_is_read_in_chinese_and_what_is_a_number() -> None:
    """A letter is no article there, and a point stands for something: else another answer would be right."""
    assert contains("这里缺的是维生素 A。", ["维生素A"])
    assert not contains("这里缺的是维生素 B。", ["维生素 A"])
    assert not is_correct(LabCase(id="b", question="?", answer="35"), "It is 3.5.")
    right = [("维生素A", "缺的是维生素Ａ。"), ("Vitamin A", "Vitamin A is missing."), ("A widow", "the widow")]
    wrong = [("维生素A", "缺的是维生素B。"), ("Vitamin A", "It is vitamin D."), ("C#", "用C++写的"), ("A座", "在B座")]
    for pairs, verdict in ((right, True), (wrong, False)):
        told = [is_correct(LabCase(id="c", question="?", answer=gold), said) for gold, said in pairs]
        assert told == [verdict] * len(pairs)
    assert list_f1("维生素 B、钙", ["维生素 A", "钙"]) == pytest.approx(0.5)


def test_choices_lists_and_yes_or_no() -> None:
    assert same_choice("应该选Ｂ。", ["b"])
    assert not same_choice("A is wrong, C is right", ["A"])
    assert [says_yes(one) for one in ("Yes, always.", "It may not.", "不可以", "可以", "Perhaps")] == [
        True, False, False, True, None,
    ]  # fmt: skip
    assert list_f1("红、黄和蓝", ["红", "黄", "蓝"]) == 1
    assert list_f1("red, green", ["red", "blue"]) == pytest.approx(0.5)
    assert is_correct(LabCase(id="a", question="?", answer=("red", "blue"), kind="list"), "blue and red")


def test_a_reference_in_other_words_is_right() -> None:
    case = LabCase(id="a", question="?", answer="Refunds are paid within fourteen days of the return.")
    assert is_correct(case, "Within fourteen days of the return, refunds are paid [1].")
    assert not is_correct(case, "Refunds are paid within thirty days of the return.")


TEXT = (
    "# Leave\n\nStaff have fifteen days\nof paid leave. The head of the office grants it.\n\n"
    "Nobody may carry days over."
)


def hit(n: int, start: int, end: int, document: str = "hr.md", text: str = TEXT) -> Hit:
    return Hit(n, document, "", text[start:end], start, end, 1, 1)


def test_quotes_are_found_whatever_their_white_space_and_width() -> None:
    start, end = locate("Staff have  fifteen days of paid leave.", TEXT) or (0, 0)
    assert TEXT[start:end] == "Staff have fifteen days\nof paid leave."
    chinese = "员工每年享有１５天\n带薪年假（ＡＢ）。"
    start, end = locate("享有15天带薪年假(AB)", chinese) or (0, 0)
    assert chinese[start:end] == "享有１５天\n带薪年假（ＡＢ）"
    assert locate("sixteen days", TEXT) is None
    assert locate(" ", TEXT) is None


def found_gold(*quotes: str, sets: tuple[str, ...] = ("",)) -> CaseGold:
    case = LabCase(id="a", question="?", evidence=[{"document": "hr.md", "quote": quote} for quote in quotes])
    return GoldFinder(lambda name, doc_set: TEXT, {"hr.md": sets}).find(case)


def test_gold_survives_another_chunking_and_goes_stale() -> None:
    gold = found_gold("fifteen days of paid leave", "Nobody may carry days over")
    assert not gold.stale
    span = gold.gold[0]
    assert isinstance(span, GoldSpan)
    for size in (30, 60, 200):  # however it is cut, some chunk holds it
        chunks = [hit(n, start, min(start + size, len(TEXT))) for n, start in enumerate(range(0, len(TEXT), size))]
        assert any(span.covered_by(chunk) for chunk in chunks)
    assert not span.covered_by(hit(0, 0, len(TEXT), "other.md"))
    assert found_gold("sixteen days").stale
    assert found_gold("", sets=("handbook",)).gold == (GoldSpan("hr.md", "handbook"),)
    assert found_gold("", sets=()).stale
    refuse = GoldFinder(lambda name, doc_set: TEXT, {}).find(LabCase(id="b", question="?", kind="refuse"))
    assert refuse == CaseGold()


@each_row(
    ("gold", "passage", "covered"),
    [
        ((10, 20), (10, 20), True),
        ((10, 20), (15, 40), True),  # half of it
        ((10, 20), (16, 40), False),
        ((10, 20), (0, 15), True),
        ((10, 20), (0, 14), False),
        ((10, 50), (8, 12), True),  # half of the passage
        ((10, 50), (7, 12), False),
        ((10, 50), (48, 52), True),
        ((10, 50), (48, 53), False),
        ((10, 50), (20, 24), True),
        ((10, 20), (20, 30), False),  # beside each other
        ((10, 20), (20, 20), False),
        ((10, 20), (30, 40), False),
        ((0, 0), (30, 40), True),  # a whole document
    ],
)
def test_a_passage_covers_gold_that_it_shares_half_of_the_shorter_one_with(
    gold: tuple[int, int], passage: tuple[int, int], covered: bool
) -> None:
    assert GoldSpan("hr.md", "", *gold).covered_by(hit(1, *passage)) is covered
    assert not GoldSpan("hr.md", "rules", *gold).covered_by(hit(1, *passage))


def test_rankings() -> None:
    gold = found_gold("fifteen days", "Nobody may carry days over").gold
    first, last = hit(1, 0, 50), hit(2, 80, len(TEXT))
    both = retrieval_figures(gold, [first, hit(3, 0, 60, "x.md"), last], 1000)
    assert both == pytest.approx(
        {"recall@1": 0.5, "recall@5": 1, "recall@10": 1, "all@5": 1, "mrr@10": 1, "ndcg@10": 0.9197207, "gold_read": 1}
    )
    little = retrieval_figures(gold, [first, last], 12)
    assert 0 < little["gold_read"] < 1
    documents = found_gold("").gold  # of a document the best passage counts
    ranked = [hit(1, 0, 5, "x.md"), hit(2, 5, 9, "x.md"), first, last]
    assert retrieval_figures(documents, ranked, 1000)["mrr@10"] == 0.5
    answer = (GoldAnswer(("fifteen days",)),)
    assert retrieval_figures(answer, [last, first], 1000)["mrr@10"] == 0.5


def answered(text: str, hits: list[Hit], refused: bool = False) -> GivenAnswer:
    statements = check_answer(text, CheckedSources(hits))
    return GivenAnswer(Answer(text, statements, tuple(hits), 0.8), refused, text)


def test_where_it_went_wrong() -> None:
    first, last, other = hit(1, 0, 63), hit(2, 63, len(TEXT)), hit(3, 0, 60, "x.md", "The kitchen closes at nine. " * 3)
    evidence = [{"document": "hr.md", "quote": "fifteen days"}]
    case = LabCase(id="a", question="How long is leave?", answer="fifteen days", evidence=evidence)
    gold = found_gold("fifteen days")

    def wrong(
        hits: list[Hit], given: GivenAnswer | None = None, gold: CaseGold = gold, case: LabCase = case
    ) -> str | None:
        return score(case, gold, hits, LIMITS, 0.1, given).went_wrong

    assert wrong([first]) is None
    assert wrong([other]) == "not_found"
    assert wrong([other, other, first]) == "not_read"
    assert wrong([first], gold=found_gold("sixteen")) == "not_in_library"
    assert wrong([first], answered("Staff have fifteen days of paid leave. [1]", [first])) is None
    assert (
        wrong([first], answered("Staff have fifteen days of paid leave. [1]", [first], refused=True))
        == "wrongly_refused"
    )
    assert wrong([last], answered("Nobody may carry days over. [1]", [last])) == "not_found"
    assert wrong([last, other, first], answered("Nobody may carry days over. [1]", [last])) == "not_read"
    assert wrong([first], answered("The head of the office grants it. [1]", [hit(1, 0, 90)])) == "not_said"
    assert wrong([first], answered("Staff have forty kitchens in Rome. [1]", [first])) == "said_wrongly"
    refuse = LabCase(id="r", question="Who pays?", kind="refuse")
    assert wrong([first], answered("Staff pay. [1]", [first]), CaseGold(), refuse) == "wrongly_answered"
    assert wrong([first], answered("Staff pay. [1]", [first], refused=True), CaseGold(), refuse) is None


def test_citations_as_alce_has_them() -> None:
    first, last = hit(1, 0, 90), hit(2, 90, len(TEXT))
    text = "Staff have fifteen days of paid leave. [1][2] Nobody may carry days over."
    case = LabCase(
        id="a", question="?", answer="fifteen days", evidence=[{"document": "hr.md", "quote": "fifteen days"}]
    )
    figures = score(case, found_gold("fifteen days"), [first], LIMITS, 0.1, answered(text, [first, last])).figures
    assert (figures["citation_recall"], figures["citation_precision"], figures["evidence_recall"]) == (0.5, 0.5, 1)
    assert (figures["correct"], figures["not_refused"]) == (1, 1)


def test_means_keep_failures_and_leave_stale_cases_out() -> None:
    rows = [
        CaseResult(case="a", figures={"recall@5": 1.0, "correct": 1.0, "not_refused": 1.0, "confidence": 0.9}),
        of_failure(LabCase(id="b", question="?"), Message(zh="超时", en="timeout"), with_answers=True),
        CaseResult(case="c", stale=True, went_wrong="not_in_library"),
        CaseResult(case="d", figures={"refused_rightly": 1.0, "correct": 1.0, "confidence": 0.2}, refuse=True),
        CaseResult(case="e", figures={"recall@5": 1.0}, self_made=True),
    ]
    people = summary(rows)["people"]
    assert (people.cases, people.stale, people.failures) == (4, 1, 1)
    kept = [CaseResult.model_validate_json(row.model_dump_json()).said("zh") for row in rows]
    assert kept == ["", "超时", "", "", ""]
    assert CaseResult.model_validate({"case": "a", "failure": "as it was kept"}).said("zh") == "as it was kept"
    assert people.figures["recall@5"] == 0.5
    assert people.figures["correct"] == pytest.approx(2 / 3)
    assert (people.figures["refused_rightly"], people.figures["not_refused"]) == (1, 0.5)
    assert people.figures["refusal_balance"] == 0.75
    assert people.went_wrong == {"failed": 1, "not_in_library": 1}
    assert summary(rows)["self_made"].figures == {"recall@5": 1}
    assert means([]).cases == 0
