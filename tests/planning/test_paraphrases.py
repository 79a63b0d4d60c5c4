from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from planning import training
from planning.classifier import classifier
from planning.paraphrases import everyday_order
from planning.rules import plan_by_rules
from planning.training import BANKS, FOLDER, freeze
from tests.each_row import each_row


@pytest.fixture(scope="module", autouse=True)
def phrases_are_drawn_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "phrases", cache(training.phrases))
        yield


@pytest.mark.parametrize("bank", BANKS)
def test_the_frozen_weights_were_learned_from_the_bank(bank):
    drawn = training.phrases(bank)
    with np.load(FOLDER / f"{bank}.npz") as held:
        assert str(held["learned_from"]) == training.digest(drawn)
        assert list(held["labels"]) == sorted({phrase.label for phrase in drawn})


def test_other_phrases_have_another_digest():
    drawn = training.phrases("cut")[:50]
    told = training.digest(drawn)
    assert told != training.digest(drawn[1:])
    assert told != training.digest([*drawn[:-1], drawn[-1]._replace(label="content" * 2)])


def test_what_is_learned_from_a_bank_are_its_frozen_weights():
    """Of the smaller one: learning is the same for both, and takes its time."""
    bank = "cut"
    made = freeze(bank)
    with np.load(FOLDER / f"{bank}.npz") as held:
        assert str(held["learned_from"]) == str(made["learned_from"])
        assert list(held["labels"]) == list(made["labels"])
        assert np.abs(held["weights"].astype(int) - made["weights"]).max() <= 1
        assert np.allclose(held["bias"], made["bias"], atol=0.01)


@pytest.mark.parametrize("bank", BANKS)
def test_the_frozen_file_is_small(bank):
    assert (FOLDER / f"{bank}.npz").stat().st_size < 300_000


def test_both_languages_have_hundreds_of_phrases_of_each_class():
    counts: dict[tuple[str, bool], int] = {}
    for phrase in training.phrases("search"):
        key = (phrase.label, any("\u4e00" <= c <= "\u9fff" for c in phrase.text))
        counts[key] = counts.get(key, 0) + 1
    assert len(counts) == 2 * len(classifier("search").labels)
    assert min(counts.values()) >= 250


def test_running_sums_judge_a_part_as_if_it_stood_alone():
    model = classifier("search")
    cuts = model.read("by meaning rather than by words")
    place = cuts.places[3]
    before, behind = "by meaning rather than by words"[:place], "by meaning rather than by words"[place:]
    assert np.allclose(model.judge(cuts.before)[3], model.judge(model.read(before).whole)[0], atol=1e-4)
    assert np.allclose(model.judge(cuts.behind)[3], model.judge(model.read(behind).whole)[0], atol=1e-4)


def test_nothing_is_ordered_where_nothing_is_said():
    assert everyday_order([], bool) is None


@each_row(
    ("message", "strategy", "question"),
    [
        ("Don't take my words literally: who covers night shifts?", "vector", "who covers night shifts?"),
        ("只要字面对得上的，查一下违约金", "keyword", "查一下违约金"),
        ("先脑补一段答案再去找，押金多久退？", "hyde", "押金多久退？"),
        ("老规矩，年假有几天？", "default", "年假有几天？"),
        ("From the gist of each document, which ones deal with safety?", "abstract", "which ones deal with safety?"),
        ("Both exact words and meaning please. Who signs invoices?", "hybrid", "Who signs invoices?"),
        ("Who pays for the repair? Going by what it means, not how it is put.", "vector", "Who pays for the repair?"),
        ("Look for the literal string ERR-42, no synonyms", "keyword", "ERR-42"),
        ("Grade every hit against my question once more, best first: who repairs the lift", "hybrid",
         "who repairs the lift"),
        ("Collect a good few, then weigh them again with more care: notice period", "hybrid", "notice period"),
        ("捞上来以后别急着答，一条一条再打分排个先后：押金多久退", "hybrid", "押金多久退"),
        ('first guess what the clause might say, then hunt for it "late pickup fees"', "hyde", '"late pickup fees"'),
        ("look once, borrow the wording of the first hits, look again “burnout”", "rm3", "“burnout”"),
        ("from a bird's eye view: which documents deal with money", "abstract", "which documents deal with money"),
        ("plain vanilla search please: wifi password", "default", "wifi password"),
        ("别折腾，直接找：开门时间", "default", "开门时间"),
        ("不用深究，看看每份大概讲啥就行：哪份讲宠物", "abstract", "哪份讲宠物"),
        ("先粗后细，粗的捞完细的排：医保", "hybrid", "医保"),
        ("说的是这码事就算，随它怎么写：屋顶漏水", "vector", "屋顶漏水"),
        ("words dont matter here, same idea is enough: plants that wilt", "vector", "plants that wilt"),
    ],
)  # fmt: skip
def test_a_strategy_is_ordered_in_ones_own_words(message, strategy, question):
    plan = plan_by_rules(message, uploads=[], library=[])
    assert (plan.strategy, plan.question) == (strategy, question)


@each_row(
    "message",
    [
        "存一下，够300字就切，句子断了也没关系",
        "keep it, brute-force slices after 250 letters, words may break",
    ],
)
def test_cuts_through_sentences_are_of_fixed_length(message):
    assert plan_by_rules(message, uploads=["a.md"], library=[]).chunking_for("a.md").strategy == "fixed"


@each_row(
    "message",
    [
        "What is the literal meaning of the word deadline?",
        "Does the summary mention overtime?",
        "Who guesses the answers in the quiz?",
        "Is it better to search by meaning or by exact words?",
        "How do we rank the applicants a second time?",
        "Do I have to check the lab results once more before signing?",
        "面试成绩要不要重新打分？",
        "Read the article and give me the gist",
        "按合同的意思，谁负责维修？",
        "摘要里写了什么？",
        "平常几点下班？",
        "先编答案再搜索有什么好处？",
        "两种方法都能报销吗？",
    ],
)
def test_a_question_with_such_words_orders_nothing(message):
    plan = plan_by_rules(message, uploads=[], library=[])
    assert (plan.strategy, plan.question) == (None, message)


def test_what_is_recognised_of_lines_that_were_left_out_is_told_by_class(tmp_path, monkeypatch):
    """Of lines that say the same in the same words, all; of one that nothing else is like, nothing. Orders that would
    be lost in the question are told of besides."""
    lines = {
        "meaning": ["look/by meaning|by sense", "search/by meaning|by sense", "go/by meaning|by sense"],
        "letters": ["look/by letters|by spelling", "search/by letters|by spelling", "go/by letters|by spelling"],
        "lost": ["how much/is the bread|is the milk"],
        "content": ["what/costs the bread|is the milk", "how much/costs the bread|is the milk of today"],
    }
    bank = "".join(f"= {label}\n" + "".join(f"{line}\n" for line in told) for label, told in lines.items())
    (tmp_path / "tiny.txt").write_text(bank, encoding="utf-8")
    monkeypatch.setattr(training, "FOLDER", tmp_path)
    told = training.folds("tiny")
    assert [*told] == ["content", "letters", "lost", "meaning", "orders taken for content"]
    assert (told["meaning"], told["letters"], told["lost"]) == (1, 1, 0)
    labels = [one.label for one in training.phrases("tiny")]
    assert told["orders taken for content"] == labels.count("lost") / len(labels)
