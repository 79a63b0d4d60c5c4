"""Local models: found where they lie, loaded by the real library, downloaded only when a person asks."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.model_server import nobody_listening
from errors import CitewiseError
from providers import embeddings, model_files
from providers.base import EmbeddingError, ModelChanged
from providers.embeddings import chosen, open_chosen, restore
from settings import Settings

pytest.importorskip("fastembed")
from model_hub import hub, published
from tiny_onnx import write_embedder

E5 = model_files.DEFAULT
TEXTS = ["the lighthouse was built", "bread and dough", "灯塔建于", "今天天气很好"]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.from_mapping({"CITEWISE_DATA_DIR": str(tmp_path), "CITEWISE_FASTEMBED_CACHE": str(tmp_path / "c")})


def using(settings: Settings, **values: str) -> Settings:
    return settings.model_copy(update={"embedding": "onnx", **values})


def test_auto_takes_the_model_that_is_on_disk_and_nothing_else(settings: Settings) -> None:
    assert chosen(settings) == ("tfidf", "words+grams-lsa+hash+meanings-3")
    folder = write_embedder(settings.data_dir / "models" / "multilingual-e5-small")
    assert chosen(settings) == ("onnx", E5)
    (folder / "model.onnx").unlink()  # not whole
    assert chosen(settings).provider == "tfidf"


def test_auto_without_the_extra_needs_no_model(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    write_embedder(settings.data_dir / "models" / "multilingual-e5-small")
    monkeypatch.setattr(embeddings, "find_spec", lambda name: None if name == "fastembed" else object())
    assert chosen(settings).provider == "tfidf"


@pytest.mark.parametrize(
    ("model", "place"),
    [
        (E5, "models/multilingual-e5-small"),
        (E5, "c/models--Xenova--multilingual-e5-small/snapshots/1"),
        ("sentence-transformers/all-MiniLM-L6-v2", "c/models--Qdrant--all-MiniLM-L6-v2-onnx/snapshots/1"),
        ("somebody/anything", "models/anything"),
    ],
)
def test_a_model_is_found_where_it_lies(settings: Settings, model: str, place: str) -> None:
    write_embedder(settings.data_dir / place)
    plain = {"embedding_query_prefix": "none", "embedding_passage_prefix": "none"}
    embedder = open_chosen(using(settings, embedding_model=model, **plain), [])
    assert (embedder.space.provider, embedder.space.model, embedder.space.dimensions) == ("onnx", model, 32)
    vectors = embedder.embed(TEXTS)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    for text in ("lighthouse", "dough", "灯塔", "天气"):
        assert text in TEXTS[int(np.argmax(vectors @ embedder.embed_question(text)))]


def test_a_folder_of_any_name(settings: Settings, tmp_path: Path) -> None:
    folder = write_embedder(tmp_path / "elsewhere")
    assert open_chosen(using(settings, embedding_model=str(folder)), []).embed(TEXTS).shape == (4, 32)


def test_one_text_at_a_time_or_all_at_once_is_the_same(settings: Settings) -> None:
    write_embedder(settings.data_dir / "models" / "multilingual-e5-small")
    embedder = open_chosen(settings, [])
    many = [text * n for n in (1, 7, 3) for text in TEXTS]
    np.testing.assert_allclose(embedder.embed(many), np.vstack([embedder.embed([text]) for text in many]), atol=1e-5)


def test_a_stored_space_knows_its_model_again(settings: Settings) -> None:
    folder = write_embedder(settings.data_dir / "models" / "multilingual-e5-small")
    embedder = open_chosen(settings, [])
    assert open_chosen(settings, [embedder.space]).space is embedder.space
    again = restore(embedder.space, settings)
    np.testing.assert_array_equal(again.embed(TEXTS), embedder.embed(TEXTS))
    content = bytearray((folder / "model.onnx").read_bytes())
    vectors = np.frombuffer(content, np.uint8)
    middle = len(vectors) // 2
    content[middle : middle + 4000] = content[middle + 4000 : middle + 8000]
    (folder / "model.onnx").write_bytes(bytes(content))  # another model under its name
    with pytest.raises(ModelChanged):
        restore(embedder.space, settings).embed_question("灯塔")
    assert open_chosen(settings, [embedder.space]).space.key != embedder.space.key


def test_what_the_model_cannot_read_is_told(settings: Settings) -> None:
    folder = write_embedder(settings.data_dir / "models" / "multilingual-e5-small")
    embedder = open_chosen(settings, [])
    read = embedder.reading(["bread", "lighthouse"])
    assert (read.unknown, read.cut) == (pytest.approx(0, abs=0.3), 0)
    strange = embedder.reading(["龘靐齉爩" * 10, "bread"])
    assert strange.unknown > 0.5
    config = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps({**config, "model_max_length": 16}))
    assert open_chosen(settings, []).reading(["bread", "bread " * 20, "dough " * 30, "dog"]).cut == 0.5


def test_pooling_is_the_models_own(settings: Settings) -> None:
    folder = write_embedder(settings.data_dir / "models" / "multilingual-e5-small")
    by_mean = open_chosen(settings, []).embed(TEXTS)
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_lasttoken": True}))
    shutil.move(folder, folder.with_name("other"))  # fastembed remembers a folder's pooling
    by_last = using(settings, embedding_model="x/other")
    with pytest.raises(EmbeddingError):  # its last token is always the same, and has no vector
        open_chosen(by_last, []).embed(TEXTS)
    assert by_mean.any()


def test_a_model_that_is_absent_or_broken_says_what_to_do(settings: Settings) -> None:
    with pytest.raises(EmbeddingError, match="not on this machine") as absent:
        open_chosen(using(settings), [])
    assert str(settings.data_dir) in absent.value.suggestions[0].zh
    folder = write_embedder(settings.data_dir / "models" / "multilingual-e5-small")
    (folder / "model.onnx").write_bytes(b"no model")
    with pytest.raises(EmbeddingError, match="cannot be used"):
        open_chosen(using(settings), [])


# --- downloads ---------------------------------------------------------------------------------------------------


def download(settings: Settings, address: str, model: str = E5) -> Path:
    to = using(settings, model_hub=address)
    return model_files.fetch(model_files.plan_download(model, to), to)


def test_a_folder_may_go_while_its_size_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "onnx").mkdir()
    (tmp_path / "config.json").write_bytes(b"four")
    (tmp_path / "onnx" / "model.onnx").write_bytes(b"moved meanwhile")
    scan, gone = os.scandir, tmp_path / "onnx"

    def scandir(path: str) -> Any:
        if Path(path) == gone:
            (gone / "model.onnx").unlink()
            gone.rmdir()
        return scan(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert model_files.size(tmp_path) == 4


def test_a_download_fetches_what_is_needed_and_serves(settings: Settings, tmp_path: Path) -> None:
    with hub("Xenova/multilingual-e5-small", published(tmp_path / "published")) as (address, there):
        planned = model_files.plan_download(E5, using(settings, model_hub=address))
        folder = download(settings, address)
        fetched = {path.split("/", 5)[5] for path in there.asked if "/resolve/" in path}
    beside = {"tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "config.json"}
    assert fetched == {"onnx/model_quantized.onnx", *beside}
    assert planned.size == model_files.size(folder)
    assert not planned.folder.exists()
    assert chosen(settings) == ("onnx", E5)
    assert open_chosen(settings, []).embed(TEXTS).shape == (4, 32)


def test_a_broken_download_leaves_no_model_and_goes_on_where_it_was(settings: Settings, tmp_path: Path) -> None:
    with hub("Xenova/multilingual-e5-small", published(tmp_path / "published")) as (address, there):
        there.before = lambda path: 403 if path.endswith(".onnx") else 200
        with pytest.raises(CitewiseError) as failed:
            download(settings, address)
        assert "CITEWISE_MODEL_HUB" in failed.value.suggestions[0].zh
        assert chosen(settings).provider == "tfidf"
        there.before = lambda _: 200
        download(settings, address)
        assert chosen(settings).provider == "onnx"


def test_what_cannot_be_downloaded_says_why(settings: Settings, tmp_path: Path) -> None:
    with nobody_listening() as address, pytest.raises(CitewiseError, match="nobody answers"):
        download(settings, address.removesuffix("/v1"))
    with hub("o/m", published(tmp_path / "published")) as (address, _), pytest.raises(CitewiseError, match="not there"):
        download(settings, address, "no/such")
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "README.md").write_text("no model")
    with hub("other/model", tmp_path / "text") as (address, _), pytest.raises(CitewiseError, match="no ONNX form"):
        download(settings, address, "other/model")
