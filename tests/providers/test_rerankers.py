"""Rerankers behind one contract: which one is chosen, tiny cross-encoders from disk, one that is fetched by a click."""

from __future__ import annotations

import asyncio
import threading
from importlib.util import find_spec
from pathlib import Path

import pytest
from model_hub import hub
from tiny_onnx import write_cross_encoder

from errors import CitewiseError
from library import Library
from providers import model_files
from providers.rerankers import RerankError, fetched_reranker, open_reranker
from tests.each_row import each_row
from tests.providers.reranker_cases import TEXTS, hits, settings


@each_row(
    ("variables", "name"),
    [
        ({}, None),
        ({"RERANKER_NAME_OR_PATH": "BAAI/bge-reranker-large"}, "cross-encoder"),
        ({"RERANKER_NAME_OR_PATH": "BAAI/bge-reranker-large", "CITEWISE_RERANKER": "onnx"}, "onnx"),
        ({"RERANKER_NAME_OR_PATH": "BAAI/bge-reranker-large", "RAG_USE_RERANK": "false"}, None),
        ({"RAG_USE_RERANK": "true"}, None),  # a language model: opened for each turn
    ],
)
def test_the_settings_choose(variables, name):
    found = open_reranker(settings(**variables))
    assert (found and found.name) == name


def test_use_rerank_of_the_older_documents_means_the_language_model():
    assert settings(RAG_USE_RERANK="true").reranker == settings(USE_RERANK="1").reranker == "llm"
    assert settings(RAG_USE_RERANK="false").reranker == "none"


def test_a_folder_with_an_onnx_model_needs_no_torch(tmp_path):
    (tmp_path / "model.onnx").touch()
    (tmp_path / "tokenizer.json").touch()
    assert open_reranker(settings(RERANKER_NAME_OR_PATH=str(tmp_path))).name == "onnx"


# --- cross-encoders ----------------------------------------------------------------------------------------------


@pytest.mark.skipif(find_spec("fastembed") is not None, reason="the extra is installed")
async def test_without_the_extra_the_error_names_the_command(tmp_path):
    reranker = open_reranker(settings(RERANKER_NAME_OR_PATH=str(tmp_path), CITEWISE_RERANKER="onnx"))
    with pytest.raises(CitewiseError) as caught:
        await reranker.rerank("a", hits(*TEXTS))
    assert caught.value.kind == "missing_extra"
    assert "uv sync --extra local" in caught.value.suggestions[0].en


@pytest.mark.skipif(find_spec("torch") is not None, reason="the extra is installed")
async def test_without_torch_the_error_names_the_command():
    reranker = open_reranker(settings(RERANKER_NAME_OR_PATH="BAAI/bge-reranker-large"))
    with pytest.raises(CitewiseError) as caught:
        await reranker.rerank("a", hits(*TEXTS))
    assert "uv sync --extra rerank" in caught.value.suggestions[0].en


@pytest.fixture
def onnx_folder(tmp_path: Path) -> Path:
    pytest.importorskip("fastembed")
    pytest.importorskip("onnx")
    return write_cross_encoder(tmp_path / "jina-and-cohere")  # names that must not become calls to an address


async def test_an_onnx_model_tells_relevant_from_not(onnx_folder):
    reranker = open_reranker(settings(RERANKER_NAME_OR_PATH=str(onnx_folder)))
    scores = await reranker.rerank("beijing weather", hits(*TEXTS))
    assert scores[1] == max(scores)
    assert all(0 < score < 1 for score in scores)
    again = open_reranker(settings(RERANKER_NAME_OR_PATH=str(onnx_folder)))  # the same model twice in one process
    assert (await again.rerank("灯塔", hits(*TEXTS[2:]))) == pytest.approx(
        await reranker.rerank("灯塔", hits(*TEXTS[2:]))
    )
    assert await reranker.rerank("a", []) == []


@pytest.mark.parametrize("kind", ["onnx", "cross-encoder"])
async def test_what_is_not_on_disk_is_not_downloaded(kind, tmp_path, monkeypatch):
    pytest.importorskip("fastembed" if kind == "onnx" else "torch")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    variables = {"RERANKER_NAME_OR_PATH": "nobody/has-this-model", "CITEWISE_RERANKER": kind}
    reranker = open_reranker(settings(**variables, CITEWISE_DATA_DIR=str(tmp_path)))
    with pytest.raises(RerankError) as caught:
        await reranker.rerank("a", hits(*TEXTS))
    assert "hf download nobody/has-this-model" in caught.value.suggestions[0].zh


@pytest.mark.parametrize("files", [{}, {"model.onnx": b"no model", "tokenizer.json": b"{}"}])
async def test_a_folder_without_a_model_is_said_clearly(files, tmp_path):
    pytest.importorskip("fastembed")
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    reranker = open_reranker(settings(RERANKER_NAME_OR_PATH=str(tmp_path), CITEWISE_RERANKER="onnx"))
    for _ in range(2):
        with pytest.raises(RerankError):
            await reranker.rerank("a", hits(*TEXTS))


async def test_a_torch_model_through_rerankers(tmp_path):
    pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"cat dog weather beijing the and in today".split()]
    (tmp_path / "vocab.txt").write_text("\n".join(words))
    transformers.BertTokenizer(str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    small = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 8}
    config = transformers.BertConfig(vocab_size=len(words), num_labels=1, **small)
    transformers.BertForSequenceClassification(config).save_pretrained(tmp_path)
    reranker = open_reranker(settings(RERANKER_NAME_OR_PATH=str(tmp_path)))
    assert reranker.calibrated
    scores = await reranker.rerank("beijing weather", hits(*TEXTS))
    assert len(scores) == 3
    assert all(0 < score < 1 for score in scores)
    [alone] = await reranker.rerank("beijing weather", hits(TEXTS[1]))
    assert alone == pytest.approx(scores[1], abs=1e-3)


async def test_a_t5_through_rerankers(tmp_path):
    pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = ["<pad>", "</s>", "<unk>", "▁false", "▁true", *"cat dog weather beijing the and in today".split()]
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    marks = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **marks).save_pretrained(tmp_path)
    small = {"d_model": 8, "d_kv": 4, "d_ff": 8, "num_layers": 1, "num_heads": 2, "decoder_start_token_id": 0}
    config = transformers.T5Config(vocab_size=len(words), **small)
    transformers.T5ForConditionalGeneration(config).save_pretrained(tmp_path)
    reranker = open_reranker(settings(RERANKER_NAME_OR_PATH=str(tmp_path), RERANKER_TYPE="t5"))
    assert not reranker.calibrated
    scores = await reranker.rerank("beijing weather", hits(*TEXTS))
    assert sorted(scores) == pytest.approx([2 / 3, 5 / 6, 1])  # places, and nothing below the floor


# --- fetched by a click ------------------------------------------------------------------------------------------


def test_the_reranker_that_is_offered_may_be_used_for_anything_and_is_known_to_fastembed():
    pytest.importorskip("fastembed")
    known = model_files._listed(model_files.RERANKER)
    megabytes, licence = model_files.facts(model_files.RERANKER)
    assert (known["license"], licence) == ("apache-2.0", "Apache 2.0")
    assert known["size_in_GB"] * 1000 == pytest.approx(megabytes, rel=0.05)
    assert known["model_file"] in model_files._WEIGHTS


@pytest.mark.parametrize(
    ("variables", "model"),
    [
        ({}, model_files.RERANKER),
        ({"CITEWISE_RERANKER": "onnx"}, model_files.RERANKER),
        ({"CITEWISE_RERANKER": "onnx", "RERANKER_NAME_OR_PATH": "a/b"}, "a/b"),
        ({"RERANKER_NAME_OR_PATH": "a/b"}, None),  # with torch
        ({"CITEWISE_RERANKER": "none"}, None),
        ({"CITEWISE_RERANKER": "llm"}, None),
    ],
)
def test_a_reranker_is_offered_where_the_settings_ask_for_nothing_else(variables, model, tmp_path):
    assert fetched_reranker(settings(**variables, CITEWISE_DATA_DIR=str(tmp_path))) == model


async def test_a_reranker_is_fetched_given_up_and_serves_without_a_restart(tmp_path):
    pytest.importorskip("fastembed")
    pytest.importorskip("onnx")
    published = write_cross_encoder(tmp_path / "published")
    (published / "onnx").mkdir()
    (published / "model.onnx").rename(published / "onnx" / "model_int8.onnx")
    given_up, go_on = threading.Event(), threading.Event()

    def hold(path: str) -> int:
        if path.endswith(".onnx"):
            given_up.set()
            go_on.wait(60)
        return 200

    with hub("onnx-community/bge-reranker-v2-m3-ONNX", published) as (address, there):
        variables = {
            "CITEWISE_DATA_DIR": str(tmp_path / "library"), "CITEWISE_MODEL_HUB": address,
            "CITEWISE_FASTEMBED_CACHE": str(tmp_path), "CITEWISE_EMBEDDING": "hashing",
        }  # fmt: skip
        async with await Library.open(settings(**variables), warm=False) as library:
            state = await library.reranker_state()
            assert (state.name, state.here, state.megabytes, state.licence) == (None, False, 570, "Apache 2.0")
            assert there.asked == []  # nothing is fetched before somebody asks
            there.before = hold
            library.download_reranker()
            await asyncio.to_thread(given_up.wait, 60)
            assert (await library.reranker_state()).download[1] > 0
            library.cancel_download()
            await over(library)
            state = await library.reranker_state()
            assert (state.name, state.here, state.problem) == (None, False, None)
            go_on.set()
            there.before = lambda _: 403
            library.download_reranker()
            await over(library)
            problem = (await library.reranker_state()).problem
            assert "CITEWISE_MODEL_HUB" in problem.en
            assert "CITEWISE_MODEL_HUB" in problem.zh
            there.before = lambda _: 200
            library.download_reranker()
            await over(library)
            state = await library.reranker_state()
            assert (state.name, state.here, state.problem) == ("onnx", True, None)
            for text in TEXTS:
                await library.add(f"{text[:3]}.md", text.encode())
            found = await library.search("beijing weather", strategy="keyword")
            assert "rerank" in {step.name for step in found.steps}
            assert "beijing" in found.hits[0].text


async def over(library):
    """Wait until nothing is on its way."""
    async with asyncio.timeout(60):
        while (await library.reranker_state()).download is not None:  # noqa: ASYNC110 - it is only ever looked at
            await asyncio.sleep(0.02)
