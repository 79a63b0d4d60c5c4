"""Documents that are cut by each chunker."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from ingestion.chunking import CHUNKERS
from ingestion.readers import read_document
from schema import Chunk, ChunkerName, Document, Vectors
from settings import Settings

DATA = Path(__file__).parent.parent / "data"
SETTINGS = Settings.from_mapping({})
NAMES = list(CHUNKERS)


def embed(texts: Sequence[str]) -> Vectors:
    """Counts of character pairs, in 64 places."""
    vectors = np.zeros((len(texts), 64), np.float32)
    for row, text in enumerate(texts):
        for pair in pairwise(text):
            vectors[row, (ord(pair[0]) * 31 + ord(pair[1])) % 64] += 1
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def file(name: str) -> Document:
    return read_document(name, (DATA / name).read_bytes(), max_bytes=2**20)


def cut(document: Document, name: ChunkerName, size: int, overlap: int = 0) -> list[Chunk]:
    """The chunks, after a check of what holds for every chunker and every text."""
    chunks = CHUNKERS[name](document, size, overlap, embed)
    text, reached, begun = document.text, document.metadata.get("body_start", 0), -1
    for chunk in chunks:
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.text.strip()
        assert len(chunk.text) <= size
        assert chunk.start > begun
        assert reached - overlap <= chunk.start
        assert not text[reached : chunk.start].strip()
        assert chunk.end > reached
        assert chunk.start_line == text.count("\n", 0, chunk.start) + 1
        assert chunk.end_line == text.count("\n", 0, chunk.end - 1) + 1
        reached, begun = chunk.end, chunk.start
    assert not text[reached:].strip()
    return chunks


LINES = """# 标题 {#a}
## Part two
###三级
Title\\n=====
Under\\n-----
一、总则
（二）范围
1. **检查**
**加粗**
第一章 概述
== Wiki ==
1.1 小节
```python
```
~~~
    indented
- item one. And two.
  - 嵌套。
* 星
12. twelfth
> quoted。
| a | b |
|---|---|
x | y | z
---
这是第一句。这是第二句！真的吗？
No end here
Dr. Smith came. He left at 3.5 p.m. today.
“引号。”他说。
def f(x):
    return x
class A:"""
line = st.sampled_from(
    [
        *(line.replace("\\n", "\n") for line in LINES.split("\n")),
        *["", "", "  ", "\t", "\u2028", "\x0c", "e\u0301", "长句子没有标点" * 12, "word " * 30, "，；：" * 30],
    ]
)
texts = st.one_of(st.lists(line, max_size=40).map("\n".join), st.text(max_size=300))
