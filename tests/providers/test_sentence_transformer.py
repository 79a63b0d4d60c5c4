"""sentence-transformers for real: a tiny random BERT, loaded from its folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from providers.base import EmbeddingError
from providers.embeddings import open_chosen, restore
from providers.sentence_transformer import TorchEncoder
from settings import Settings

TEXTS = ["the lighthouse was built", "bread and dough", "灯塔建于"]
WORDS = ["the", "lighthouse", "was", "built", "bread", "and", "dough", "灯", "塔", "建", "于"]


def config(folder: Path, model: str = "somebody/tiny-e5-small") -> Settings:
    return Settings.from_mapping(
        {
            "CITEWISE_DATA_DIR": str(folder),
            "CITEWISE_EMBEDDING": "sentence-transformers",
            "CITEWISE_EMBEDDING_MODEL": model,
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the model in it."""
    pytest.importorskip("sentence_transformers")
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizer

    folder = tmp_path_factory.mktemp("data")
    (folder / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]), "utf-8")
    torch.manual_seed(0)
    shape = BertConfig(
        vocab_size=16, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=24,
    )  # fmt: skip
    BertModel(shape).save_pretrained(folder / "bert")
    BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder / "bert")
    whole = Transformer(str(folder / "bert"), max_seq_length=16)
    SentenceTransformer(modules=[whole, Pooling(32)]).save(str(folder / "models" / "tiny-e5-small"))
    return folder


def test_it_embeds_and_knows_its_space_again(folder: Path) -> None:
    embedder = open_chosen(config(folder), [])
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (3, 32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert embedder.embed_question("bread") @ embedder.embed_question("bread") == pytest.approx(1, abs=1e-5)
    assert open_chosen(config(folder), [embedder.space]).space.key == embedder.space.key
    np.testing.assert_allclose(restore(embedder.space, config(folder)).embed(TEXTS), vectors, atol=1e-5)


def test_what_it_cannot_read_is_told(folder: Path) -> None:
    encoder = TorchEncoder("somebody/tiny-e5-small", config(folder))
    assert encoder.reading(["bread and dough"]).unknown == 0
    assert encoder.reading(["zeppelin", "zeppelin"]).unknown > 0.2
    assert encoder.reading(["bread", "bread " * 30]).cut == 0.5


def test_nothing_is_downloaded(folder: Path) -> None:
    with pytest.raises(EmbeddingError, match="not on this machine") as absent:
        TorchEncoder("somebody/absent", config(folder, "somebody/absent"))
    assert "hf download somebody/absent" in absent.value.suggestions[0].zh


def test_without_the_extra_its_command_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("providers.sentence_transformer.find_spec", lambda name: None)
    with pytest.raises(EmbeddingError) as missing:
        open_chosen(config(tmp_path), [])
    assert "uv sync --extra st" in missing.value.suggestions[0].en
