"""What embeds the library, in the words of the page."""

from __future__ import annotations

from dataclasses import replace

import gradio as gr
import pytest
from page_values import LABEL, PageValues

from providers.rerankers import RerankError, open_reranker
from schema import EmbeddingState, Hit, Language, Message, RerankerState, Space
from ui.embeddings import build_embeddings, embeddings_markdown, embeddings_parts
from ui.reranker import reranker_parts
from ui.texts import text

HIT = Hit(1, "a.md", "", "The lamp is trimmed at dusk.", 0, 28, 1, 1)
E5 = ("onnx", "intfloat/multilingual-e5-small")
LEARNED = {
    "zh": {"vector_weight": 0.25, "background": 0.1, "match": 0.5},
    "reading": {"zh": {"unknown": 0.591, "cut": 0.968}, "en": {"unknown": 0.0, "cut": None}},
}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_new_library(language: Language) -> None:
    shown = embeddings_markdown(EmbeddingState(None, E5), language)
    assert shown in {"还没有向量。", "No vectors yet."}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_space_on_its_way_beside_the_one_that_serves(language: Language) -> None:
    state = EmbeddingState(
        Space("tfidf", "words", "1", 512), E5, coming=(128, 512), missing=3, download=(12_000_000, 118_000_000),
        problem=Message(zh="没有应答 <b>", en="no answer <b>"),
    )  # fmt: skip
    shown = embeddings_markdown(state, language)
    for part in (
        "tfidf",
        "512 维" if language == "zh" else "512 dimensions",
        "multilingual-e5-small",
        "128/512 (25%)",
        "12/118 MB",
    ):
        assert part in shown
    assert "<b>" not in shown
    assert ("3 个切片" if language == "zh" else "3 chunks") in shown


def test_what_was_learned_by_language() -> None:
    shown = embeddings_markdown(EmbeddingState(Space(*E5, "1", 384, calibration=LEARNED), E5), "en")
    assert "| Chinese | 25% | 59% | 97% |" in shown
    assert "| English | – | 0% | – |" in shown
    assert "To come" not in shown


def test_a_model_that_cannot_read_the_library_is_advised_against() -> None:
    shown = embeddings_markdown(EmbeddingState(Space("onnx", "all-MiniLM", "1", 384, calibration=LEARNED), E5), "zh")
    assert "读不懂很多中文" in shown
    assert "很多中文切片比这个模型能读的长" in shown
    assert "英文文字" not in shown


def test_an_older_state_that_arrives_last_does_not_stay() -> None:
    with gr.Blocks():
        panel = build_embeddings(LABEL)
    at = PageValues(*panel.parts)
    new, later = EmbeddingState(None, E5), EmbeddingState(Space("tfidf", "words", "1", 512), E5)
    older = at.made(panel.parts, embeddings_parts(new, "en", at.values[panel.seen]))
    at.arrives(at.made(panel.parts, embeddings_parts(later, "en", at.values[panel.seen])))
    at.arrives(older)
    assert "No vectors" in at.values[panel.shown]
    at.arrives(at.made(panel.parts, embeddings_parts(later, "en", at.values[panel.seen])))
    assert "tfidf" in at.values[panel.shown]
    assert embeddings_parts(later, "en", at.values[panel.seen]) == [gr.skip()] * 4
    assert gr.skip() not in embeddings_parts(later, "en", "of another hand")


def test_the_button_alone_is_a_change() -> None:
    without = EmbeddingState(Space(*E5, "1", 384), E5)
    _, hidden, _, seen = embeddings_parts(without, "en", "")
    _, button, _, _ = embeddings_parts(replace(without, downloadable=E5[1]), "en", seen)
    assert (hidden["visible"], button["visible"]) == (False, True)


def test_a_download_can_be_given_up() -> None:
    state = EmbeddingState(None, E5, downloadable=E5[1])
    _, fetch, cancel, _ = embeddings_parts(state, "en", "")
    assert (fetch["visible"], cancel["visible"]) == (True, False)
    _, fetch, cancel, _ = embeddings_parts(replace(state, downloadable=None, download=(0, 0)), "en", "")
    assert (fetch["visible"], cancel["visible"]) == (False, True)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_reranker_that_can_be_had_is_told_with_size_and_licence(language: Language) -> None:
    offered = RerankerState(None, "BAAI/bge-reranker-v2-m3-int8", 570, "Apache 2.0")
    shown, fetch, cancel, seen = reranker_parts(offered, language, "")
    for part in (
        "BAAI/bge-reranker-v2-m3-int8",
        "570 MB",
        "许可证 Apache 2.0" if language == "zh" else "licence Apache",
    ):
        assert part in shown
    assert (fetch["visible"], cancel["visible"]) == (True, False)
    assert "bge-reranker-v2-m3-int8 (570 MB)" in fetch["value"]
    assert reranker_parts(offered, language, seen) == [gr.skip()] * 4
    coming = replace(offered, download=(57_000_000, 570_000_000))
    shown, fetch, cancel, _ = reranker_parts(coming, language, seen)
    assert "57/570 MB (10%)" in shown
    assert (fetch["visible"], cancel["visible"]) == (False, True)
    failed = replace(offered, problem=Message(zh="没有应答 <b>", en="no answer <b>"))
    shown, fetch, _, _ = reranker_parts(failed, language, seen)
    assert ("没有应答" if language == "zh" else "no answer") in shown
    assert "<b>" not in shown
    assert fetch["visible"]
    shown, fetch, _, _ = reranker_parts(replace(offered, here=True, name="onnx"), language, seen)
    assert (shown, fetch["visible"]) == (r"**BAAI/bge-reranker-v2-m3-int8**", False)
    nothing = ("没有重排模型" if language == "zh" else "None: hits keep",)
    assert reranker_parts(RerankerState(), language, seen)[0].startswith(nothing)


@pytest.mark.parametrize("language", ["zh", "en"])
async def test_a_reranker_that_is_not_here_names_the_place_of_the_panel(make_settings, language: Language) -> None:
    reranker = open_reranker(make_settings(CITEWISE_RERANKER="onnx"))
    assert reranker is not None
    with pytest.raises(RerankError) as error:
        await reranker.rerank("lamp", [HIT])
    remedy = error.value.suggestions[-1].to(language)
    assert text("system", language) in remedy
    assert text("y_reranker", language) in remedy
