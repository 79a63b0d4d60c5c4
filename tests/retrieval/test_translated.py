"""A question in one language finds the page in the other, by the dictionary and without a model."""

from __future__ import annotations

import pytest

from library import Library
from schema import Scope, SearchRequest
from settings import Settings

LEAVE = """# Leave policy

## Annual leave

Every employee has 12 days of annual leave a year. Unused days expire on March 31.

## Sick leave

Sick leave must be reported to the supervisor before 10 a.m.
"""
FILTER = (
    "# 设备手册\n\n## 水泵\n\n水泵每次启动前须静置九十秒。\n\n## 过滤器\n\n过滤器每六个月更换一次，由维修部负责。\n"
)
ENGLISH, CHINESE = {"leave.md": LEAVE}, {"设备.md": FILTER}


@pytest.fixture
async def library(tmp_path, request):
    variables = {"CITEWISE_DATA_DIR": str(tmp_path), "CITEWISE_INGEST_WORKERS": "0"}
    async with await Library.open(Settings.from_mapping(variables)) as opened:
        for name, text in request.param.items():
            await opened.add(name, text.encode())
        await opened.settle()
        yield opened


@pytest.mark.parametrize("library", [ENGLISH, ENGLISH | CHINESE], indirect=True)
@pytest.mark.parametrize("strategy", ["default", "hybrid", "keyword"])
async def test_a_chinese_question_finds_the_english_page(library, strategy) -> None:
    evidence = await library.search("年假有几天？", strategy=strategy)
    assert "12 days of annual leave" in evidence.hits[0].text
    assert evidence.confidence > 0.35
    assert "annual leave" in evidence.translated


@pytest.mark.parametrize("library", [CHINESE, ENGLISH | CHINESE], indirect=True)
async def test_an_english_question_finds_the_chinese_page(library) -> None:
    evidence = await library.search("How often is the filter replaced?")
    assert "过滤器每六个月更换一次" in evidence.hits[0].text
    assert evidence.confidence > 0.35
    [notice] = [each for each in evidence.notices if "dictionary" in each.en]
    assert "filter = 过滤器" in notice.en
    assert "词典" in notice.zh


@pytest.mark.parametrize("library", [ENGLISH | CHINESE], indirect=True)
async def test_the_questions_own_language_comes_first(library) -> None:
    evidence = await library.search("过滤器多久更换一次？")
    assert evidence.hits[0].document == "设备.md"
    assert not any("dictionary" in each.en for each in evidence.notices)


FILTERS = {"filters.md": "# Pump manual\n\n## Filter\n\nThe filter is replaced every six months.\n"}


@pytest.mark.parametrize("library", [CHINESE | FILTERS], indirect=True)
async def test_words_are_told_of_what_is_shown_alone(library) -> None:
    asked = [SearchRequest("过滤器多久更换一次？", top_k=count, in_context=True) for count in (1, 5)]
    best, more = [await library.evidence_for(one) for one in asked]
    assert [hit.document for hit in best.hits] == ["设备.md"]
    assert not best.translated
    assert "filters.md" in {hit.document for hit in more.hits}
    assert "filter" in more.translated


@pytest.mark.parametrize("library", [ENGLISH | CHINESE], indirect=True)
async def test_nothing_is_made_up_by_a_dictionary(library) -> None:
    for question in ("公司的股票代码是什么？", "What is the capital of France?"):
        assert (await library.search(question)).confidence < 0.35


MINUTES = {"minutes.md": "# Minutes\n\nVariant B brought 11 % more sign-ups. One of the returned values is chosen.\n"}
LEASE = {"租约.md": "# 租约\n\n租金每季上浮。\n\n押金为两个月租金，合同终止后七日内无息退还。\n"}


@pytest.mark.parametrize("library", [MINUTES | LEASE], indirect=True)
async def test_a_single_character_covers_little_whatever_may_translate_it(library) -> None:
    assert (await library.search("可以养狗吗？")).confidence < 0.35  # "bring up" does not stand together
    before = SearchRequest("那什么时候退？", terms=("押金",))
    assert (await library.evidence_for(before)).hits[0].document == "租约.md"


COURSE = {"课程.md": "# 课程\n\n作业通过平台提交。每迟交一天扣 10 分，迟交超过三天不再接受。\n"}
TERMS = {"terms.md": "# Terms\n\nA freeze must be asked for two days ahead. The work is confirmed within 5 days.\n"}


@pytest.mark.parametrize("library", [COURSE | TERMS], indirect=True)
async def test_pairs_of_characters_from_two_words_take_nothing_from_the_own_language(library) -> None:
    evidence = await library.search("作业迟交两天会怎么样？")
    assert evidence.hits[0].document == "课程.md"


@pytest.mark.parametrize("library", [ENGLISH | CHINESE], indirect=True)
async def test_a_scope_holds_for_translated_terms(library) -> None:
    within = SearchRequest("年假有几天？", scope=Scope(documents=("设备.md",)))
    assert all(hit.document == "设备.md" for hit in (await library.evidence_for(within)).hits)


@pytest.mark.parametrize("library", [ENGLISH], indirect=True)
async def test_a_models_translation_takes_the_dictionarys_place(library) -> None:
    evidence = await library.evidence_for(SearchRequest("病假怎么请？", translated="How is sick leave reported?"))
    assert evidence.translated == "How is sick leave reported?"
    assert "Sick leave must be reported" in evidence.hits[0].text


@pytest.mark.parametrize("library", [{"星.md": "# 北极星\n\n北极星的保修期为三年。\n"} | ENGLISH], indirect=True)
async def test_a_glossary_counts_at_once(library) -> None:
    question = "Where is Zephyr?"

    async def found() -> bool:
        return any("保修期为三年" in hit.text for hit in (await library.search(question, strategy="keyword")).hits)

    assert not await found()
    pairs = [("Zephyr", "北极星")]
    assert await library.change_glossary(pairs) == 1
    assert await found()
    await library.change_glossary([], pairs)
    assert not await found()
    await library.add("t.csv", "Zephyr,北极星\n".encode(), doc_set="glossary")
    assert await found()
    assert [pair.document for pair in await library.glossary()] == ["t.csv"]


QUESTIONS = "# Shop FAQ\n\n## Shipping\n\nOrders leave within two days.\n\n## Warranty\n\nA lamp has three years.\n"
FREQUENT = "# 商店常见问题\n\n## 发货\n\n订单在两天内从仓库发出。\n\n## 保修\n\n每盏灯保修三年。\n"
HANDBOOK = "# 员工手册\n\n## 年假\n\n大家想要休假，请提前三天申请，批准后方可休假。年假为十二天。\n"
LEAVES = (
    "# Handbook\n\n## Annual leave\n\nWhoever wants it, please ask first. You can come back if you want. 12 days.\n"
)


@pytest.mark.parametrize(
    ("library", "vague", "telling"),
    [
        (
            {"faq.md": QUESTIONS, "手册.md": HANDBOOK},
            ["I want my money back", "How do I get my money back?", "What can I do if I want it back?"],
            "How many days is annual leave?",
        ),
        ({"常见问题.md": FREQUENT, "handbook.md": LEAVES}, ["我想要退款", "请问，我想要退货"], "年假有几天？"),
    ],
    indirect=["library"],
)
async def test_words_that_tell_nothing_are_no_translation(library, vague, telling) -> None:
    for question in vague:
        evidence = await library.search(question)
        assert evidence.confidence < 0.1, question
        assert not evidence.translated, question
    assert (await library.search(telling)).confidence > 0.7


@pytest.mark.parametrize("library", [{"faq.md": QUESTIONS, "手册.md": HANDBOOK}], indirect=True)
async def test_what_a_glossary_gives_tells_whatever_it_is(library) -> None:
    assert not (await library.search("Can I want it?")).translated
    await library.change_glossary([("want", "想要")])
    evidence = await library.search("Can I want it?")
    assert evidence.confidence > 0.9
    assert "想要" in evidence.translated


PUMPS = "# {m}离心泵\n\n## 安全\n\n{m}离心泵的急停装置会在383毫秒内切断驱动。\n"
OTHER_PUMPS = {f"{m}.md": PUMPS.format(m=m) for m in ("赣江", "修水", "耒水")}
ONE_PUMP = {"赣江.md": PUMPS.format(m="赣江")}
OURS = "# Derwent centrifugal pump\n\n## Safety\n\nThe emergency stop of the {m} pump stops the drive in 322 ms.\n"
PRESSES = {
    f"{m}.md": f"# {m} press\n\n## Faults\n\nThe code for a blocked circuit is {m[0]}9.\n" for m in ("Nene", "Wye")
}
CODES = "# 浏阳压机\n\n## 故障\n\n回路堵塞时，浏阳压机显示的代码是E3。\n"


@pytest.mark.parametrize(
    ("library", "question", "document"),
    [
        (
            OTHER_PUMPS | {"derwent.md": OURS.format(m="Derwent")},
            "Derwent离心泵的急停在多少毫秒内切断驱动？",
            "derwent.md",
        ),
        (
            ONE_PUMP | {"derwent.md": OURS.format(m="Derwent")},
            "Derwent离心泵的急停在多少毫秒内切断驱动？",
            "derwent.md",
        ),
        (OTHER_PUMPS | {"derwent.md": OURS.format(m="Derwent")}, "修水离心泵的急停在多少毫秒内切断驱动？", "修水.md"),
        (PRESSES | {"codes.md": CODES}, "What is the code of a Liuyang press for a blocked circuit?", "codes.md"),
        (PRESSES | {"codes.md": CODES}, "What is the code of a Nene press for a blocked circuit?", "Nene.md"),
    ],
    indirect=["library"],
)
async def test_what_a_question_names_decides_between_the_languages(library, question, document) -> None:
    """The other machines' manuals say all the rest of it, in the question's own words."""
    assert (await library.search(question, strategy="keyword")).hits[0].document == document


ROOMS = "# 仓库\n\n## 气候\n\n温度不得低于五度。\n\n## 照明\n\n照明在夜里关闭。\n"
OFFICE = "# Office\n\n## Rules\n\nThe time at which work begins is nine.\n\n## Light\n\nIt is off at night.\n"


@pytest.mark.parametrize(
    ("library", "question", "label"),
    [
        ({"office.md": OFFICE}, "工作时间是什么？", "时间 = time"),
        ({"仓库.md": ROOMS}, "What is the room temperature?", "temperature = 温度"),
    ],
    indirect=["library"],
)
async def test_a_phrase_that_no_passage_says_counts_by_its_parts(library, question, label) -> None:
    evidence = await library.search(question, strategy="keyword")
    assert evidence.hits[0].position == 0
    assert label in evidence.translated + str(evidence.notices)


WARRANTIES = {
    f"{name}.md": f"# {name}\n\n## 保修\n\n{name}的保修期为三年，自购买之日起计算。\n" for name in ("流云", "清风")
}
ZEPHYR = "# Zephyr\n\n## Warranty\n\nThe warranty of Zephyr is five years.\n"


@pytest.mark.parametrize("library", [WARRANTIES | {"zephyr.md": ZEPHYR}], indirect=True)
async def test_a_term_of_the_glossary_is_a_name(library) -> None:
    question = "轻羽的保修期自购买之日起是几年？"
    assert (await library.search(question, strategy="keyword")).hits[0].document != "zephyr.md"
    await library.change_glossary([("Zephyr", "轻羽")])
    assert (await library.search(question, strategy="keyword")).hits[0].document == "zephyr.md"
    other = await library.search("流云的保修期自购买之日起是几年？", strategy="keyword")
    assert other.hits[0].document == "流云.md"
