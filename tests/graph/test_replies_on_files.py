"""Every line that a person reads of files that are saved, in both languages, and the names that these get."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from answering.inert_markdown import escaped
from errors import FileError
from ingestion.outcomes import SkippedFile
from nodes.save import _apart, _renamed, _unused
from nodes.save_reply import reply
from nodes.state import Upload
from planning.chunking_words import describe_chunking
from schema import Chunking, DocumentInfo, Message, Scope, StoreOutcome
from tests.each_row import each_row

FAILED = FileError(Message(zh="坏了。", en="It is broken."), Message(zh="换一个。", en="Take another."))
LEFT_OUT = SkippedFile(Message(zh="太大。", en="It is too large."))
FIXED = Chunking(strategy="fixed", size=300, overlap=30)
ON_THE_WAY = "being processed in the background: go on asking; the Library page shows them"
GO_ON = "个文件正在后台处理，可以继续提问；进度见“知识库”页"


def stored(outcome: Any = "added", chunks: int = 3, doc_set: str = "", **vectors: int) -> StoreOutcome:
    info = DocumentInfo(1, "a.md", doc_set, "text", "en", 9, chunks, FIXED, "", "2026-01-01T00:00:00Z")
    return StoreOutcome(outcome, info, **vectors)


LINES = [
    (stored(),
     "✅ **a.md**：已保存，3 个切片（固定大小切片，每片至多 300 字符，重叠 30）",
     "✅ **a.md**: saved, 3 chunks (fixed-size chunks of up to 300 characters overlapping by 30)"),
    (stored("unchanged", 1, "h_r*"),
     "✅ **a.md**：内容与切片方式都没有变化，无需重新保存，1 个切片"
     "（固定大小切片，每片至多 300 字符，重叠 30），文档集“h_r\\*”",
     "✅ **a.md**: unchanged, nothing to do, 1 chunk (fixed-size chunks of up to 300 characters overlapping by 30), "
     "in the set “h_r\\*”"),
    (stored("replaced", 2, kept_vectors=1),
     "✅ **a.md**：已更新，2 个切片（固定大小切片，每片至多 300 字符，重叠 30），其中 1 个未变",
     "✅ **a.md**: updated, 2 chunks (fixed-size chunks of up to 300 characters overlapping by 30), "
     "1 of them unchanged"),
    (stored("added", 2, kept_vectors=1, missing_vectors=2),
     "✅ **a.md**：已保存，2 个切片（固定大小切片，每片至多 300 字符，重叠 30）；先按关键词检索，向量稍后自动补上",
     "✅ **a.md**: saved, 2 chunks (fixed-size chunks of up to 300 characters overlapping by 30); "
     "found by keywords for now, the vectors follow by themselves"),
    (FAILED, "❌ **a.md**：坏了。换一个。", "❌ **a.md**: It is broken. Take another."),
    (LEFT_OUT, "⏭️ **a.md**：太大。", "⏭️ **a.md**: It is too large."),
]  # fmt: skip


@each_row(("outcome", "zh", "en"), LINES)
def test_each_file_has_its_line(outcome, zh, en):
    assert reply([("a.md", outcome)], False, "zh") == f"- {zh}"
    assert reply([("a.md", outcome)], True, "en") == f"- {en}"


def test_what_failed_comes_first_where_not_every_file_has_a_line():
    many = [(f"{n}.md", stored()) for n in range(20)]
    assert [line.partition("：")[0] for line in reply(many, False, "zh").splitlines()] == [
        f"- ✅ **{n}.md**" for n in range(20)
    ]
    lines = reply([*many, ("late.md", LEFT_OUT), ("bad.md", FAILED), ("way.md", None)], False, "en").splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "- ❌ **bad.md**", "- ⏭️ **late.md**", "- ✅ **0.md**", "- ✅ **1.md**", "- ✅ **2.md**",
        "- ✅ 17 more are saved", "- ⏳ 1 more is being processed in the background",
    ]  # fmt: skip


def test_sums_of_what_has_no_line():
    some = [*((f"{n}.md", FAILED) for n in range(22)), *((f"s{n}.md", LEFT_OUT) for n in range(4)), ("x.md", stored())]
    assert reply(some, False, "en").splitlines()[20:] == [
        "- ❌ 2 more failed: the Library page says why", "- ⏭️ 4 more were skipped", "- ✅ 1 more is saved",
    ]  # fmt: skip
    assert reply(some, False, "zh").splitlines()[20:] == [
        "- ❌ 另有 2 个文件失败，原因见“知识库”页", "- ⏭️ 另跳过 4 个文件", "- ✅ 另有 1 个文件已保存",
    ]  # fmt: skip


@each_row(
    ("done", "waiting", "asked", "zh", "en"),
    [
        (0, 1, False, f"1 {GO_ON}", f"1 file is {ON_THE_WAY}"),
        (0, 2, False, f"2 {GO_ON}", f"2 files are {ON_THE_WAY}"),
        (1, 2, False, f"另有 2 {GO_ON}", f"2 more are {ON_THE_WAY}"),
        (0, 1, True, "仍在后台处理：0\\_.md。以下回答只依据已保存的内容",
         "still being processed: 0\\_.md. The answer below comes from what is saved by now"),
        (1, 5, True, "仍在后台处理：0\\_.md、1\\_.md、2\\_.md、3\\_.md、4\\_.md。以下回答只依据已保存的内容",
         "still being processed: 0\\_.md, 1\\_.md, 2\\_.md, 3\\_.md, 4\\_.md. "
         "The answer below comes from what is saved by now"),
        (1, 6, True, "仍在后台处理：0\\_.md、1\\_.md、2\\_.md、3\\_.md、4\\_.md 等 6 个文件。"
         "以下回答只依据已保存的内容",
         "still being processed: 0\\_.md, 1\\_.md, 2\\_.md, 3\\_.md, 4\\_.md and 1 more. "
         "The answer below comes from what is saved by now"),
    ],
)  # fmt: skip
def test_what_is_still_on_its_way(done, waiting, asked, zh, en):
    results = [*[("a.md", FAILED)] * done, *((f"{n}_.md", None) for n in range(waiting))]
    assert reply(results, asked, "zh").splitlines()[done:] == [f"- ⏳ {zh}"]
    assert reply(results, asked, "en").splitlines()[done:] == [f"- ⏳ {en}"]


@each_row(
    ("chunking", "zh", "en"),
    [
        (Chunking(), "默认切片", "default chunks"),
        (Chunking(strategy="semantic", overlap=0), "语义切片", "semantic chunks"),
        (Chunking(strategy="recursive", size=300),
         "递归切片，每片至多 300 字符", "recursive chunks of up to 300 characters"),
        (Chunking(strategy="markdown"), "Markdown 结构切片", "Markdown chunks"),
        (Chunking(strategy="code", overlap=5), "代码切片，重叠 5", "code chunks overlapping by 5"),
    ],
)  # fmt: skip
def test_a_way_of_cutting_in_words(chunking, zh, en):
    assert tuple(describe_chunking(chunking)) == (zh, en)


def test_a_name_is_no_markup():
    assert escaped("a_b *c* [d] <e> `f` \\ | ~ _g_") == "a_b \\*c\\* \\[d\\] \\<e\\> \\`f\\` \\\\ \\| \\~ \\_g\\_"


# --- names ---------------------------------------------------------------------------------------------------------


@each_row(
    ("scope", "uploads", "names", "expected"),
    [
        (["a.md", "old.md"], ["a.md"], ["a.md"], ["a.md", "old.md"]),
        (["a.md"], ["a.md"], [], []),  # not there yet
        (["docs.zip"], ["docs.zip", "b.md"], ["docs/x.md", "docs/y.md", "b.md"], ["docs/x.md", "docs/y.md"]),
        (["a.md"], ["a.md", "a.zip"], ["a.md", "a/x.md"], ["a.md"]),  # the archive was not named
        (["docs.zip"], [], ["docs/x.md"], ["docs.zip"]),
        ([], ["docs.zip"], ["docs/x.md"], []),
    ],
)  # fmt: skip
def test_who_names_an_archive_means_its_files(scope, uploads, names, expected):
    made = _renamed(Scope(documents=tuple(scope), doc_sets=("hr",)), uploads, names)
    assert made == Scope(documents=tuple(expected), doc_sets=("hr",))


def test_files_of_one_name_are_numbered_and_the_same_file_is_stored_once(tmp_path: Path) -> None:
    paths = [tmp_path / str(n) for n in range(4)]
    for path, text in zip(paths, ["one", "two", "one", "three"], strict=True):
        path.write_text(text)
    uploads = [Upload(name="a.md", path=str(path)) for path in paths]
    uploads += [Upload(name="a (2).md", path=str(paths[0])), Upload(name="b", path="nowhere")]
    assert [(name, upload.path) for name, upload in _apart(uploads)] == [
        ("a.md", str(paths[0])), ("a (3).md", str(paths[1])), ("a (4).md", str(paths[3])),
        ("a (2).md", str(paths[0])), ("b", "nowhere"),
    ]  # fmt: skip


@each_row(
    ("name", "taken", "new"),
    [
        ("a.md", [], "a.md"), ("a.md", ["a.md"], "a (2).md"), ("a", ["a"], "a (2)"), (".env", [".env"], ".env (2)"),
        ("a.tar.gz", ["a.tar.gz", "a.tar (2).gz"], "a.tar (3).gz"),
    ],
)  # fmt: skip
def test_a_name_that_is_free(name, taken, new):
    assert _unused(name, dict.fromkeys(taken, Upload(name="x", path="")), []) == new
