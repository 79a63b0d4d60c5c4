import logging

from hypothesis import example, given, settings
from hypothesis import strategies as st

from question_words import asks_how_to, question_terms
from tests.each_row import each_row
from text import clip_tokens, count_tokens, detect_language, fold, language_of, search_tokens, sentences, simplified

SIGNS = "。！？.!?；;:：，,、“”\"'（）()[]【】《》#-*|>`~\n\n  \t1234567890%$"
WORDS = [
    "Mr. Smith",
    "e.g.",
    "图书馆",
    "圖書館",
    "說明",
    "v1.2.3",
    "snake_case",
    "CamelCase",
    "don't",
    "naïve",
    "ＡＢＣ",
    "北京",
    "U.S.",
]
MIXED = st.lists(st.sampled_from([*SIGNS, *WORDS]), max_size=40).map("".join)
TEXTS = st.one_of(MIXED, st.text(max_size=120))


# --- language ---


@each_row(
    ("text", "language"),
    [
        ("这是什么", "zh"),
        ("what is this", "en"),
        ("LangGraph 是什么", "zh"),
        ("what does 你好 mean in English", "en"),
        ("123 !?", None),
    ],
)
def test_language_by_script(text, language):
    assert detect_language(text) == language


def test_an_unknown_language_falls_back_and_is_logged(caplog):
    with caplog.at_level(logging.INFO, "text"):
        assert language_of("12 年", "en") == "zh"
        assert not caplog.records
        assert language_of("12" * 90, "en") == "en"
    assert [record.getMessage() for record in caplog.records] == [
        f"language not detected, treated as en: {'12' * 40!r}"
    ]
    assert language_of("12") == "zh"


# --- sentences ---


@settings(max_examples=300)
@given(TEXTS)
def test_sentences_are_in_order_disjoint_trimmed_and_leave_nothing_out(text):
    last = 0
    for start, end in sentences(text):
        assert last <= start < end <= len(text)
        assert not text[last:start].strip()
        assert text[start:end] == text[start:end].strip()
        last = end
    assert not text[last:].strip()


def cut(text):
    return [text[start:end] for start, end in sentences(text)]


@each_row(
    ("text", "parts"),
    [
        ("他来了。她走了！真的吗？是的", ["他来了。", "她走了！", "真的吗？", "是的"]),
        ("他说：“我来了。”然后走了。", ["他说：“我来了。”", "然后走了。"]),
        ("Mr. Smith paid $3.50 for it. He left.", ["Mr. Smith paid $3.50 for it.", "He left."]),
        ("# Title\nText one. Text two.", ["# Title", "Text one.", "Text two."]),
        ("## 1. What now? Nothing.\nIt holds. So there.", ["## 1. What now? Nothing.", "It holds.", "So there."]),
        ("Minutes, 3 May\nPresent: Ann, Bo\nAbsent: Cy", ["Minutes, 3 May", "Present: Ann, Bo", "Absent: Cy"]),
        ("会议记录\n出席人：王芳、李伟\n缺席：无", ["会议记录", "出席人：王芳、李伟", "缺席：无"]),
        ("They come in\nthree kinds: a, b.", ["They come in\nthree kinds: a, b."]),
        ("分为\n三类：\n", ["分为\n三类："]),
        ("- one\n- two\n  still two", ["- one", "- two\n  still two"]),
        ("1. Mix it.\n2. Bake it.", ["1. Mix it.", "2. Bake it."]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", ["| a | b |", "|---|---|", "| 1 | 2 |"]),
        ("断行的\n句子。下一句。", ["断行的\n句子。", "下一句。"]),
        ("价格是3.5元。使用 v1.2.3 版本。", ["价格是3.5元。", "使用 v1.2.3 版本。"]),
    ],
)
def test_sentences_of_both_languages_and_of_markdown(text, parts):
    assert cut(text) == parts


# --- search tokens ---


@settings(max_examples=300)
@given(TEXTS)
@example("ǅ ﬁ İ ß Ω")
def test_tokens_are_clean_and_the_same_each_time(text):
    tokens = search_tokens(text)
    assert tokens == search_tokens(text)
    for token in tokens:
        assert token
        assert not any(sign.isspace() for sign in token)
        assert token == token.lower()


@settings(max_examples=200)
@given(TEXTS)
def test_one_form_stays_one_form(text):
    assert fold(fold(text)) == fold(text)


@each_row(
    ("one", "other"),
    [
        ("圖書館的開放時間", "图书馆的开放时间"),
        ("資訊網絡與電腦軟體", "资讯网络与电脑软体"),
        ("後來皇后頭髮發了", "后来皇后头发发了"),
        ("ＧＰＴ－４　Ｔｕｒｂｏ", "GPT-4 Turbo"),
        ("naïve café", "naive cafe"),
        ("RUNNING Dogs", "running dog"),
        ("don’t panic", "don't panic"),
        ("it can't be repaired", "it can be repaired"),
        ("the library's maps", "library maps"),
        ("U.S.A.", "USA"),
    ],
)
def test_what_means_the_same_has_the_same_tokens(one, other):
    assert search_tokens(one) == search_tokens(other)


@each_row(
    ("query", "text"),
    [
        ("getUserName", "call getUserName() first"),
        ("user name", "call getUserName() first"),
        ("snake case", "a snake_case_name"),
        ("k8s", "see k8s-networking.md"),
        ("C++", "written in C++."),
        ("1,000", "over 1,000 people"),
        ("1250000", "over 1,250,000 people"),
        ("图书馆", "市图书馆开放"),
        ("3.5", "v3.5 is out"),
    ],
)
def test_a_part_finds_the_whole(query, text):
    assert set(search_tokens(query)) <= set(search_tokens(text))


def test_function_words_are_kept_when_there_is_nothing_else():
    assert search_tokens("to be or not to be")
    assert "the" not in search_tokens("the map")


# --- model tokens ---


@settings(max_examples=200)
@given(TEXTS, st.integers(0, 60))
def test_a_clipped_text_is_the_longest_beginning_within_the_budget(text, budget):
    clipped = clip_tokens(text, budget)
    assert text.startswith(clipped)
    assert count_tokens(clipped) <= budget or not clipped
    if len(clipped) < len(text):
        assert count_tokens(text[: len(clipped) + 1]) > budget


@given(TEXTS, TEXTS)
def test_a_longer_text_has_no_fewer_tokens(first, second):
    assert count_tokens(first + second) >= count_tokens(first)


def test_simplified_script_keeps_every_character_at_its_place():
    assert simplified("怎麼安裝軟體？ Zürich") == "怎么安装软体？ Zürich"
    assert simplified("How long?") == "How long?"
    assert asks_how_to("怎麼安裝？")
    assert not asks_how_to("How can I reach the office?")  # by a number, and no steps
    assert asks_how_to("What do I do when the disk is full?")
    assert asks_how_to("怎么样才能退款？")
    assert question_terms("解释一下密钥是什么意思") == ["密钥", "密钥"]
    assert question_terms("会员打几折") == question_terms("会员")
    assert "下午" in question_terms("一下午能装几台？")
    assert not any(map(asks_how_to, ("迟交会怎么样？", "退货会怎样？", "效果怎么样")))  # what happens
