"""What sentences mean: what says the same in other words, or in the other language, is near."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from providers import sentence_encoder as module
from providers.sentence_encoder import LONGEST, SentenceEncoder, sentence_encoder
from tests.each_row import each_row

UNLIKE = ("The lamp burned whale oil until 1931.", "会议室可以提前两周预订。", "Bread needs flour, water and salt.")


@each_row(
    ("question", "answer"),
    [
        ("How much do I get back if I cancel?", "A refund of half the price is paid on cancellation."),
        ("Can I bring my dog?", "Pets are not allowed in the rooms."),
        ("生病了怎么请假？", "病假须在当天上午九点之前告知主管。"),
        ("多久能拿到钱？", "赔款在结案后三个工作日内支付。"),
        ("怎么报销车费？", "Taxi receipts are handed in for reimbursement by the end of the month."),
        ("When must the rent be paid?", "租金须于每月五日前支付。"),
    ],
)
def test_an_answer_in_other_words_is_nearer_than_anything_else(question: str, answer: str) -> None:
    near = sentence_encoder().nearness(question, [*UNLIKE, answer])
    assert near.shape == (4,)
    assert near.argmax() == 3


def test_it_does_not_matter_what_is_asked_beside_it() -> None:
    texts = [f"{text} ({number})" for number in range(40) for text in UNLIKE]
    alone = [SentenceEncoder().nearness("灯里烧什么？", [text])[0] for text in texts[:3]]
    assert SentenceEncoder().nearness("灯里烧什么？", texts)[:3] == pytest.approx(alone, abs=0.002)
    assert sentence_encoder().nearness("?", []).shape == (0,)


@each_row(
    ("question", "own", "other"),
    [
        (
            "How long does the X200S run on one charge?",
            "The X200S has a battery of 16 hours.",
            "The X200 never sleeps.",
        ),
        ("X200充一次电能用多久？", "X200电池16小时。", "X100和X300从不关机。"),
        ("Which form is 27-B?", "Form 27-b: complaints.", "Form 27-C is for refunds."),
        ("What does e-102 mean?", "E-102: paper is jammed.", "E-101: the tray is empty."),
    ],
)
def test_what_names_another_code_is_not_near(question: str, own: str, other: str) -> None:
    encoder = sentence_encoder()
    near = encoder.nearness(question, [own, other, f"{own} {other}", "It is charged within an hour, in 2026, by 5pm."])
    assert near[1] <= 0 < min(near[0], near[2])
    assert near[3] > 0  # names none
    assert encoder.nearness(other[:-1], [other])[0] > 0.8
    assert encoder.nearness("Are there codes of devices, forms or errors?", [other])[0] > 0  # asks for none


@given(st.text(st.characters(), max_size=2 * LONGEST))
@settings(max_examples=60, deadline=None)
def test_any_text_has_a_cosine(text: str) -> None:
    near = sentence_encoder().nearness(text, [text, "a"])
    assert np.isfinite(near).all()
    assert near[0] == pytest.approx(1, abs=0.01)
    whole, begun = sentence_encoder().nearness("a", [text, text[:LONGEST]])
    assert whole == begun  # no more is read


def test_the_last_vectors_are_kept_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_KEPT", 4)
    encoder, encoded = SentenceEncoder(), list[str]()
    encode = encoder._model.encode
    monkeypatch.setattr(encoder._model, "encode", lambda texts: (encoded.extend(texts), encode(texts))[1])
    first = encoder.nearness("a", ["b", "c"])
    assert encoder.nearness("a", ["b", "c"]).tolist() == first.tolist()
    assert encoded == ["a", "b", "c"]
    encoder.nearness("d", ["e", "f", "g", "h"])  # more than are kept
    assert len(encoder._vectors) == 4
    encoder.nearness("e", ["a"])
    assert encoded[3:] == ["d", "e", "f", "g", "h", "a"]


def test_many_threads_may_ask() -> None:
    questions = [f"What is in drawer {number}?" for number in range(60)]

    def ask(question: str) -> list[float]:
        return sentence_encoder().nearness(question, UNLIKE).tolist()

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(ask, questions))
    assert found == [ask(question) for question in questions]


def test_one_thread_at_a_time_loads_the_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_only", module._loading.locked)
    assert sentence_encoder() is True
    assert not module._loading.locked()
