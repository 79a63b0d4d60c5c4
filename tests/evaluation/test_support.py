from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.support import SourceText, judge, support, weight
from tests.each_row import each_row

EN = (
    "The Meridian Library opened in 1987 in Oslo. It holds 2,400 maps and about 30% of them are older than 1800. "
    "Visitors may not take photographs in the reading room. Its director, Ingrid Halvorsen, was appointed in 2019."
)
ZH = (
    "明远图书馆于一九八七年在杭州市开放。馆内收藏地图2400幅，其中约百分之三十早于1800年。"
    "读者不得在阅览室拍照。现任馆长李文华于2019年上任。"
)


@each_row(
    ("sentence", "source"),
    [
        ("Visitors may not take photographs in the reading room.", EN),
        ("It holds 2400 maps.", EN),
        ("The Meridian Library opened in Oslo in 1987.", EN),
        ("Photographs may not be taken by visitors in the reading room.", EN),
        ("Ingrid Halvorsen was appointed director in 2019.", EN),
        ("读者不得在阅览室拍照。", ZH),
        ("馆内收藏地图两千四百幅。", ZH),
        ("明远图书馆1987年在杭州开放。", ZH),
        ("現任館長李文華於2019年上任。", ZH),
        ("30%的地图早于1800年。", ZH),
    ],
)
def test_what_the_source_says_is_supported(sentence, source):
    found = support(sentence, [source])
    assert found.supported, found
    assert found.reasons == ()


@each_row(
    ("true", "false", "reason", "source"),
    [
        ("It holds 2,400 maps.", "It holds 2,500 maps.", "number 2,500", EN),
        ("The library opened in 1987 in Oslo.", "The library opened in 2019 in Oslo.", "1987 here", EN),
        ("About 30% of them are older than 1800.", "About 30 kg of them are older than 1800.", "unit", EN),
        ("Visitors may not take photographs.", "Visitors may take photographs.", "denies", EN),
        ("The library opened in Oslo.", "The library was not opened in Oslo.", "does not deny", EN),
        ("The library opened in Oslo.", "The library opened in Bergen.", "Bergen", EN),
        ("馆内收藏地图2400幅。", "馆内收藏地图2500幅。", "2500", ZH),
        ("现任馆长李文华于2019年上任。", "现任馆长张建国于2019年上任。", "张建国", ZH),
        ("读者不得在阅览室拍照。", "读者可以在阅览室拍照。", "denies", ZH),
        ("明远图书馆在杭州市开放。", "明远图书馆没有在杭州市开放。", "does not deny", ZH),
    ],
)
def test_one_change_is_noticed_and_named(true, false, reason, source):
    before, after = support(true, [source]), support(false, [source])
    assert before.supported
    assert not after.supported
    assert after.score < before.score
    assert any(reason in message.en for message in after.reasons), after.reasons


@each_row(
    ("sentence", "source"),
    [
        ("Sales rose by 5% in spring.", "Sales fell by 5% in spring."),
        ("The drug is safe for children.", "The drug is unsafe for children."),
        ("The event took place on 3 May.", "The event took place on 3 August."),
        ("公司收入下降了5%。", "公司收入增长了5%。"),
        ("所有员工都有奖金。", "部分员工都有奖金。"),
        ("李明打败了王强。", "王强打败了李明。"),
        ("会议由李明主持。", "会议由王强主持。李明提交了报告。"),
        ("The award went to Tom Hill in June.", "The award went to Ana Reis in June. The jury heard Tom Hill."),
        ("Later Tom Hill sued Ana Reis over it.", "Later Ana Reis sued Tom Hill over it."),
    ],
)
def test_opposites_and_swapped_roles_are_contradictions(sentence, source):
    assert not support(sentence, [source]).supported
    assert support(source, [source]).supported


@each_row(
    ("sentence", "source"),
    [
        ("Later Tom Hill was sued by Ana Reis.", "Later Ana Reis sued Tom Hill."),
        ("Sales did not fall in spring.", "Sales rose in spring and did not fall."),
        ("The price rose in spring, then fell.", "The price rose in spring. Then it fell."),
        ("Refunds are not only possible but quick.", "Refunds are possible and quick."),
        ("The award went to Reis in June.", "The award went to Ana Lima in June. Ana Lima Reis is a poet."),
        ("他不仅会说法语，还会说德语。", "他会说法语，还会说德语。"),
    ],
)  # fmt: skip
def test_what_only_looks_like_a_contradiction(sentence, source):
    assert support(sentence, [source]).reasons == ()


def test_a_rounded_number_is_no_contradiction_but_a_finer_one_is():
    source = ["The survey counted 748 trees."]
    assert support("The survey counted about 750 trees.", source).supported
    assert not support("The survey counted about 747.5 trees.", source).supported
    assert not support("The survey counted 750 trees.", source).supported


def test_an_abbreviation_is_its_name():
    source = ["The World Health Organization published the figures."]
    assert support("The WHO published the figures.", source).supported


def test_the_heading_is_known_to_every_passage():
    item = "Hearing test and blood spot test within 72 hours."
    sentence = "The examinations of newborns are a hearing test and a blood spot test within 72 hours."
    assert (
        judge(sentence, [SourceText(item, "Examinations > Newborns")]).support.score > support(sentence, [item]).score
    )


def test_the_passage_is_found():
    sources = [SourceText("Nothing of interest stands here."), SourceText(EN)]
    found = judge("Its director was appointed in 2019.", sources)
    assert found.source == 1
    assert EN[found.start : found.end].startswith("Its director, Ingrid Halvorsen")


def test_two_adjacent_sentences_support_one():
    source = SourceText("The tower is 90 metres tall. It was built by Ines Duarte.")
    found = judge("The tower, 90 metres tall, was built by Ines Duarte.", [source])
    assert found.support.supported
    assert (found.start, found.end) == (0, 57)


def test_a_sentence_that_merges_what_stands_far_apart_is_judged_against_all_of_it():
    lines = [
        "The bridge of Varnholt was opened in 1931.",
        "Its keeper collects a toll from every cart.",
        "Snow closes the pass in winter.",
        "Travellers speak of goats and of wind.",
        "The architect Ines Duarte drew it in Porto.",
    ]
    merged = "Ines Duarte drew the bridge of Varnholt, which was opened in 1931."
    invented = "Ines Duarte hated the bridge of Varnholt, which was painted by sailors."
    whole = judge(merged, [SourceText(" ".join(lines))])
    assert whole.support.supported, whole
    assert judge(merged, [SourceText(line) for line in lines]).support.supported
    assert not judge(merged, [SourceText(line) for line in lines[:4]]).support.supported
    assert not judge(invented, [SourceText(" ".join(lines))]).support.supported
    assert whole.agreement.anywhere > whole.agreement.terms


@each_row("empty", ["", "…", "Yes.", "好的。", "¬"])
def test_nothing_to_check_is_not_supported(empty):
    assert not support(empty, [EN, ZH]).supported
    assert support(empty, [EN]).reasons


def test_a_bare_yes_is_judged_as_its_question():
    assert judge("Yes.", [SourceText(EN)], "Did the Meridian Library open in Oslo?").support.supported


def test_no_sources_support_nothing():
    assert support("The library opened in 1987.", []).score == 0.0


def test_another_language_is_said():
    found = support("它是 Zorb。", ["Zorb is a thing."])
    assert (found.supported, found.comparable, found.across) == (False, False, None)
    assert "another language" in found.reasons[0].en


def test_a_sentence_with_more_words_weighs_more():
    assert weight("Yes!") < weight("The library holds maps.")


@settings(max_examples=60)
@given(st.text(max_size=80), st.lists(st.text(max_size=80), max_size=3))
def test_any_text_gives_a_score_with_reasons(sentence, sources):
    found = support(sentence, sources)
    assert 0 <= found.score <= 1
    assert found.supported != bool(found.reasons)


@settings(max_examples=40)
@given(
    st.sampled_from(["The cat sat on 3 mats.", "猫坐在三张垫子上。", "No dog barks at John Smith."]),
    st.text(max_size=40),
)
def test_a_sentence_supports_itself(sentence, noise):
    assert support(sentence, [sentence, noise]).supported


@each_row("bold", ["最高工作压力为**238**千帕。", "最高工作压力为**238千帕**。", "**最高工作压力**为238千帕。"])
def test_bold_type_changes_nothing_of_what_is_said(bold: str) -> None:
    source = "澄湖离心泵运行时的最高工作压力为238千帕。"
    plain = support(bold.replace("**", ""), [source])
    assert plain.supported
    assert support(bold, [source]) == support(bold, [source.replace("238", "**238**")]) == plain
    assert not support(bold.replace("238", "283"), [source]).supported


def test_what_a_source_says_again_is_read_once_and_cited_where_it_stands():
    row = "The pump rests for ninety seconds.\n"
    source = SourceText(row * 5 + "The lamp burns.\n")
    assert len({id(claims) for claims in source.claims}) == 2
    found = judge("The pump rests for ninety seconds.", [source])
    assert found.support.supported
    assert (row * 5)[found.start : found.end].strip() == row.strip()
