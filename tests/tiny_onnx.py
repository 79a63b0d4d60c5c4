"""Writes tiny ONNX models with random weights, as fastembed loads them: texts that share tokens are near each other."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

_CHARACTERS = "我爱北京天安门的今天气很好猫狗人工智能灯塔建于年abcdefghijklmnopqrstuvwxyz0123456789"
_WORDS = "hello world cat dog weather beijing lighthouse built bread dough".split()
_MARKS = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
_DIMENSIONS = 32


def write_cross_encoder(folder: Path, sharpness: float = 8.0) -> Path:
    """Its logit is `sharpness` times the cosine of the mean token vectors of question and passage."""
    from onnx import TensorProto, helper, numpy_helper

    node = helper.make_node
    nodes = [
        node("Gather", ["E", "input_ids"], ["e"]),
        node("Cast", ["attention_mask"], ["m"], to=TensorProto.FLOAT),
        node("Cast", ["token_type_ids"], ["t"], to=TensorProto.FLOAT),
        node("Mul", ["m", "t"], ["md"]),
        node("Sub", ["m", "md"], ["mq"]),
        node("Unsqueeze", ["md", "last"], ["md3"]),
        node("Unsqueeze", ["mq", "last"], ["mq3"]),
        node("Mul", ["e", "md3"], ["ed"]),
        node("Mul", ["e", "mq3"], ["eq"]),
        node("ReduceSum", ["ed", "tokens"], ["sd"], keepdims=0),
        node("ReduceSum", ["eq", "tokens"], ["sq"], keepdims=0),
        node("LpNormalization", ["sd"], ["nd"], axis=1, p=2),
        node("LpNormalization", ["sq"], ["nq"], axis=1, p=2),
        node("Mul", ["nd", "nq"], ["dq"]),
        node("ReduceSum", ["dq", "tokens"], ["cosine"], keepdims=1),
        node("Mul", ["cosine", "sharpness"], ["logits"]),
    ]
    constants = [
        numpy_helper.from_array(_embeddings(folder), "E"),
        numpy_helper.from_array(np.array([2]), "last"),
        numpy_helper.from_array(np.array([1]), "tokens"),
        numpy_helper.from_array(np.array(sharpness, np.float32), "sharpness"),
    ]
    names = ("input_ids", "attention_mask", "token_type_ids")
    return _save(folder, nodes, names, helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["b", 1]), constants)


def write_embedder(folder: Path) -> Path:
    """Token vectors as they are; fastembed takes their mean."""
    from onnx import TensorProto, helper, numpy_helper

    nodes = [helper.make_node("Gather", ["E", "input_ids"], ["last_hidden_state"])]
    shape = ["b", "s", _DIMENSIONS]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, shape)
    constants = [numpy_helper.from_array(_embeddings(folder), "E")]
    return _save(folder, nodes, ("input_ids", "attention_mask"), output, constants)


def _embeddings(folder: Path) -> Any:
    """One random vector a token; the tokenizer is written on the way. Special tokens do not count."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    tokens = [*_MARKS.values(), "[MASK]", *_CHARACTERS, *_WORDS, *(f"##{letter}" for letter in _CHARACTERS)]
    vocabulary = {token: place for place, token in enumerate(dict.fromkeys(tokens))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", continuing_subword_prefix="##"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 512, **_MARKS}))
    (folder / "special_tokens_map.json").write_text(json.dumps(_MARKS))
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0, "model_type": "bert"}))
    vectors = np.random.default_rng(0).standard_normal((len(vocabulary), _DIMENSIONS)).astype(np.float32)
    vectors[:5] = 0
    return vectors / math.sqrt(_DIMENSIONS)


def _save(folder: Path, nodes: list[Any], inputs: tuple[str, ...], output: Any, constants: list[Any]) -> Path:
    import onnx
    from onnx import TensorProto, helper

    given = [helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "s"]) for name in inputs]
    graph = helper.make_graph(nodes, "tiny", given, [output], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    onnx.save(model, str(folder / "model.onnx"))
    return folder
