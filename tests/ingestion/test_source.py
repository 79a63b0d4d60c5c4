"""Source code of many languages: every piece stands under the class and function it is of, with its true lines."""

from __future__ import annotations

import re

from langchain_text_splitters import Language

from ingestion.chunking import CHUNKERS
from ingestion.chunking.definitions import definition
from ingestion.readers import read_document
from ingestion.readers.code import LANGUAGES
from schema import Chunk, Document
from tests.each_row import each_row
from tests.growth import assert_growth
from tests.ingestion.source_cases import SOURCES


def cut(document: Document, size: int = 50) -> list[Chunk]:
    return CHUNKERS["code"](document, size, 0, lambda texts: None)


@each_row("name", SOURCES)
def test_what_a_line_stands_under(name):
    source = SOURCES[name].lstrip("\n")
    document = read_document(name, source.encode(), max_bytes=10_000)
    assert document.kind == "code"
    expected = {
        number: re.split(r"\*/|-->|\",?$", line.partition("@ ")[2])[0].strip()
        for number, line in enumerate(source.split("\n"), 1)
        if any(mark in line for mark in ("#@", "//@", "--@", "/*@"))
    }
    assert len(expected) >= 1
    for number, path in expected.items():
        line = document.text.split("\n")[number - 1]
        [chunk, *_] = [chunk for chunk in cut(document, max(50, len(line) + 1)) if line in chunk.text]
        assert chunk.start_line <= number <= chunk.end_line
        under = " > ".join(chunk.headings)
        if under != path:  # or it stands in one piece with the line that says so
            inner = path.split(" > ")[len(chunk.headings) :]
            assert path.startswith(under)
            assert inner
            assert all(name in chunk.text for name in inner)


def test_an_oversized_function_goes_on_under_its_signature():
    body = "".join(f"        step_{n} = run({n})\n" for n in range(200))
    document = read_document("a.py", f"class A:\n    def long(self, x):\n{body}".encode(), max_bytes=100_000)
    chunks = cut(document, 500)
    assert len(chunks) > 8
    assert {chunk.headings for chunk in chunks[1:]} == {("class A", "def long")}
    assert [chunk.start_line for chunk in chunks[1:]] == [chunk.end_line + 1 for chunk in chunks[:-1]]


@each_row(
    ("line", "language"),
    [
        ("    if (a) {", "java"), ("    return call(x)", "c"), ("    } else if (x) {", "cpp"), ("run(a, b);", "c"),
        ("    foo(a) {", "java"), ("  it('works', () => {", "js"), ("  if (x) {", "js"), ("  return f(x) {", "ts"),
        ("x = call(1)", "python"), ("class_name = 3", "python"), ("define = 1", "python"), ("key: value", "yaml"),
        ("- item", "yaml"), ("http://x.example:", "ini"), ("SELECT * FROM t", "sql"), ("classes are taught", "text"),
    ],
)  # fmt: skip
def test_what_is_no_definition(line, language):
    assert definition(line, language) == ""


@each_row("language", ["", "c", "java", "ts", "yaml", "css", "sql", "hcl", "sh", "make", "json", "r"])
@each_row(
    ("unit", "end"),
    [
        ("a ", ""), ("a(", ""), ("<", ""), (" ", ""), ("x:", ""), ("a.b-c ", "{"), ("(", "=>"), ("const a = (", ""),
    ],
)  # fmt: skip
def test_odd_lines_take_no_time(language, unit, end):
    short, long = (unit * (size // len(unit)) + end for size in (2_000, 16_000))
    assert_growth(lambda line: definition(line, language), short, long, 24)  # 8 where linear, 64 where quadratic


@each_row("language", sorted({*LANGUAGES.values(), *(language.value for language in Language)}))
def test_every_language_is_cut(language):
    source = "# first\nsub price {\n  return 1;\n}\n" * 20
    document = Document("a", source, kind="code", metadata={"programming_language": language})
    assert [line for chunk in cut(document, 60) for line in chunk.text.split("\n")] == source.strip().split("\n")


def test_a_script_of_one_line_of_a_megabyte():
    document = read_document("a.js", b"function f(a){return a+1};" * 40_000, max_bytes=2_000_000)
    chunks = cut(document, 1000)
    assert {(chunk.start_line, chunk.end_line) for chunk in chunks} == {(1, 1)}
    assert "".join(chunk.text for chunk in chunks).replace(" ", "") == document.text.replace(" ", "")
