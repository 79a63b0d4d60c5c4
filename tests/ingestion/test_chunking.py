"""Every chunker: literal text, true lines, whole sentences, headings; nothing lost, nothing too large."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errors import CitewiseError
from ingestion.chunking import CHUNKERS, chunk_document, semantic
from ingestion.readers import read_document
from schema import ChunkerName, Chunking, Document, Vectors
from settings import Settings
from tests.each_row import each_row
from tests.ingestion.chunking_cases import NAMES, SETTINGS, cut, embed, file, texts


@settings(max_examples=150)
@given(
    text=texts,
    kind=st.sampled_from(["markdown", "text", "code"]),
    name=st.sampled_from(NAMES),
    size=st.integers(50, 300),
    share=st.floats(0, 0.5),
)
def test_chunks_of_any_text(text: str, kind: str, name: ChunkerName, size: int, share: float) -> None:
    metadata = {"programming_language": "python"} if kind == "code" else {}
    cut(Document("a", text, kind=kind, metadata=metadata), name, size, int(size * share))


@each_row("name", NAMES)
@each_row("size", [50, 80, 150, 300])
@each_row("kind", ["markdown", "text"])
def test_the_department_is_never_lost(name: ChunkerName, size: int, kind: str) -> None:
    document = Document("新生儿科.md", file("新生儿科.md").text, kind=kind)
    for chunk in cut(document, name, size, size // 4):
        assert chunk.headings[0] == "新生儿科"
        if "必要时进行血培养" in chunk.text and name != "fixed" and size < 100:
            assert chunk.headings == ("新生儿科", "一、实验室检查与诊断评估", "2. 血常规及炎症指标")


@each_row("name", NAMES)
@each_row("file_name", ["guide.md", "员工手册.md"])
@each_row("size", [350, 600])
def test_tables_and_fences_stay_whole(name: ChunkerName, file_name: str, size: int) -> None:
    document = file(file_name)
    for chunk in cut(document, name, size, 60):
        assert chunk.text.count("```") % 2 == 0
        rows = [line for line in chunk.text.split("\n") if line.startswith("|")]
        assert len(rows) in (0, 6, 7)


def test_a_table_that_is_too_large_is_cut_between_rows() -> None:
    table = "| k | v |\n|---|---|\n" + "".join(f"| row {n} | value {n} |\n" for n in range(50))
    for chunk in cut(Document("a", f"# T\n\n{table}", kind="markdown"), "recursive", 200):
        assert all(line.endswith("|") for line in chunk.text.split("\n") if line and line != "# T")


def test_a_fence_that_is_too_large_is_cut_between_lines_and_holds_no_headings() -> None:
    fence = "```sh\n" + "".join(f"# step {n}\necho {n}\n" for n in range(50)) + "```\n"
    for chunk in cut(Document("a", f"# T\n\n{fence}", kind="markdown"), "recursive", 150):
        assert chunk.headings == ("T",)
        assert chunk.text.split("\n")[-1].split()[0] in ("echo", "```", "#")


@each_row("name", ["recursive", "markdown", "semantic", "code"])
@each_row("text", ["这是一个完整的句子，有逗号。" * 200, "This is a sentence, with a comma. " * 200])
def test_sentences_stay_whole(name: ChunkerName, text: str) -> None:
    for chunk in cut(Document("a", text.strip(), kind="text"), name, 120, 40):
        assert chunk.text[-1] in "。."
        assert chunk.text.startswith(("这是", "This"))


def test_a_sentence_that_is_too_long_is_cut_at_its_clauses() -> None:
    for chunk in cut(Document("a", "这一段没有句号，" * 100, kind="text"), "recursive", 100):
        assert chunk.text.endswith("，")


def test_overlap_repeats_whole_sentences() -> None:
    text = "".join(f"第{n}句话说的是另外一件事。" for n in range(1, 80))
    chunks = cut(Document("a", text, kind="text"), "recursive", 150, 40)
    for before, after in pairwise(chunks):
        shared = text[after.start : before.end]
        assert 20 <= len(shared) <= 40
        assert shared.startswith("第")


def test_fixed_chunks_are_about_equal() -> None:
    document = file("guide.md")
    prose = Document("a", document.text.split("```")[0].split("| Sensor")[0], kind="text")
    sizes = [len(chunk.text) for chunk in cut(prose, "fixed", 400)]
    assert min(sizes[:-1]) >= 300


def test_recursive_keeps_together_what_fits_and_markdown_takes_sections_apart() -> None:
    text = "# T\n\n" + "".join(f"## S{n}\n\nSome words that tell of section {n}, and a few more.\n\n" for n in range(6))
    document = Document("a", text, kind="markdown")
    assert len(cut(document, "recursive", 1000)) == 1
    assert [chunk.headings for chunk in cut(document, "markdown", 200)] == [("T", f"S{n}") for n in range(6)]
    merged = cut(document, "recursive", 200)
    assert [chunk.headings for chunk in merged] == [("T",)] * 2
    assert merged[1].text.startswith("## S3")


def test_semantic_cuts_where_the_subject_changes() -> None:
    cats = "The cat sleeps on the warm cat mat. A cat purrs when the cat is warm. My cat likes the mat. "
    tax = "Income taxation requires quarterly declarations. Declarations of taxation go to revenue. Revenue taxation. "
    chunks = cut(Document("a", cats + tax, kind="text", language="en"), "semantic", 300)
    assert chunks[0].text == cats.strip()


@each_row("text", ["同一句话。" * 3000, "The same sentence. " * 2000, "没有任何标点" * 2000])
def test_semantic_never_makes_one_giant_chunk(text: str) -> None:
    assert len(cut(Document("a", text, kind="text"), "semantic", 400)) >= len(text.strip()) // 400


def test_semantic_lives_with_vectors_of_zeros() -> None:
    document = Document("a", "一句话。又一句话。" * 50, kind="text")
    chunks = CHUNKERS["semantic"](document, 100, 0, lambda texts: np.zeros((len(texts), 4), np.float32))
    assert "".join(chunk.text for chunk in chunks) == document.text


def test_code_is_cut_at_definitions() -> None:
    body = '    """Doc."""\n\n    @property\n    def size(self):\n        return 1\n\n'
    body += "    def grow(self):\n        self.x += 1\n"
    source = "import os\n\n\n" + "\n\n".join(f"class C{n}:\n{body}" for n in range(8))
    document = read_document("a.py", source.encode(), max_bytes=10_000)
    chunks = cut(document, "code", 170)
    assert {chunk.text.split("\n")[0] for chunk in chunks[1:]} == {f"class C{n}:" for n in range(1, 8)}
    small = cut(document, "code", 80)
    method = next(chunk for chunk in small if "def size" in chunk.text)
    assert method.text.lstrip().startswith(("class", "@property"))
    assert method.headings[0] == "class C0"


def test_every_chunker_lives_with_very_long_lines() -> None:
    for text in ("x" * 50_000, "你好" * 30_000, "“" * 10_000, "# " + "a   " * 10_000, "|" * 30_000):
        for name in NAMES:
            cut(Document("a", text, kind="markdown"), name, 900, 100)


def test_defaults_follow_wish_then_kind_then_settings() -> None:
    chinese, english, code = file("员工手册.md"), file("guide.md"), Document("a.py", "x = 1\n" * 9, kind="code")
    assert chunk_document(english, Chunking(), SETTINGS, embed)[0] == Chunking(
        strategy="recursive", size=900, overlap=300
    )
    assert chunk_document(chinese, Chunking(), SETTINGS, embed)[0] == Chunking(
        strategy="recursive", size=600, overlap=100
    )
    assert chunk_document(code, Chunking(), SETTINGS, embed)[0] == Chunking(strategy="code", size=1000, overlap=0)
    wish = Chunking(strategy="fixed", size=90)
    assert chunk_document(chinese, wish, SETTINGS, embed)[0] == Chunking(strategy="fixed", size=90, overlap=30)
    small = Settings.from_mapping({"TEXT_CHUNK_SIZE": "300", "CITEWISE_CHUNKER": "semantic"})
    assert chunk_document(chinese, Chunking(), small, embed)[0] == Chunking(strategy="semantic", size=300, overlap=100)


@each_row("wish", [Chunking(size=49), Chunking(size=20_001), Chunking(size=100, overlap=51)])
def test_impossible_sizes_are_refused(wish: Chunking) -> None:
    with pytest.raises(CitewiseError) as refused:
        chunk_document(file("guide.md"), wish, SETTINGS, embed)
    assert str(wish.overlap or wish.size) in refused.value.message.zh
    assert refused.value.suggestions


@pytest.mark.parametrize("name", ["recursive", "markdown"])
def test_what_is_left_of_a_long_paragraph_stands_with_what_follows(name: ChunkerName) -> None:
    long = " ".join(f"Sentence number {n} of the long paragraph." for n in range(12))
    text = f"# Title\n\n{long}\n\nA short one follows it.\n\n# Another\n\nIt has its own.\n"
    chunks = cut(Document("a.md", text, kind="markdown"), name, 450)
    assert [chunk.headings for chunk in chunks] == [("Title",), ("Title",), ("Another",)]
    assert chunks[1].text.startswith("Sentence number")
    assert chunks[1].text.endswith("\n\nA short one follows it.")


@pytest.mark.parametrize("batch", [1, 2, 5, 64])
def test_semantic_chunks_do_not_depend_on_the_batches(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [" ".join(f"{word} number {n} is here." for n in range(20)) for word in ("Apple", "Zebra", "Quartz")]
    document = Document("a.md", "# One\n\n" + "\n\n## Two\n\n".join(texts), kind="markdown")
    whole = cut(document, "semantic", 300, 50)
    asked = []

    def counted(batch: Sequence[str]) -> Vectors:
        asked.append(len(batch))
        return embed(batch)

    monkeypatch.setattr(semantic, "_BATCH", batch)
    assert semantic.chunk(document, 300, 50, counted) == whole
    assert max(asked) <= batch + 6
