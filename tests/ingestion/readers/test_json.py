"""JSON: a piece of it says what it is about, its lines or its records can be found in the file, nothing is lost."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errors import FileError
from ingestion.readers import read_document, structured
from ingestion.readers.rows import MOST_ROWS
from ingestion.readers.structured import read_json, read_json_lines
from schema import Document, Place
from tests.each_row import each_row

SHOP = {"shop": {"name": "示例", "hours": {"mon": "9–18"}, "tags": ["new", "open"]}, "text": "one\ntwo"}


def read(text: str, name: str = "a.json") -> Document:
    return read_document(name, text.encode(), max_bytes=50_000_000)


@pytest.mark.parametrize("ascii_only", [True, False])
def test_lines_of_a_file_for_people_stay_where_they_are(ascii_only):
    source = json.dumps(SHOP, indent=2, ensure_ascii=ascii_only)
    document = read(source)
    assert document.places == ()
    assert document.origin.doc_type == "json"
    lines, original = document.text.split("\n"), source.split("\n")
    assert len(lines) == len(original)
    assert lines[original.index('  "shop": {')] == "  shop:"
    assert [line.strip() for line in lines if "示例" in line] == ["name: 示例"]
    assert lines[2].startswith("    name") == original[2].startswith('    "name')
    assert "text: one two" in document.text


def test_one_line_is_laid_out():
    assert read(json.dumps(SHOP)).text == (
        "shop:\n  name: 示例\n  hours:\n    mon: 9–18\n  tags: new, open\ntext: one\ntwo\n"
    )


def test_records_know_their_number():
    records = [{"id": n, "name": f"人{n}", "address": {"city": "北京"}, "tags": [1, 2]} for n in range(1, 4)]
    document = read(json.dumps(records))
    for number in (1, 2, 3):
        at = document.text.index(f"id: {number}\nname: 人{number}\naddress:\n  city: 北京\ntags: 1, 2\n")
        assert document.places[number - 1] == Place(at, "row", number)


def test_paragraphs_within_a_string_stay_paragraphs():
    article = "A paragraph of a good length. " * 9 + "\n\nAnother one."
    document = read(json.dumps([{"content": article}], indent=1))
    assert "\n\nAnother one." in document.text
    assert document.places[0].kind == "row"


@each_row("name", ["a.jsonl", "a.ndjson", "a.json"])
def test_json_lines(name):
    document = read('{"q": "红", "a": 1}\n\n{"q": "绿", "a": [1, {"b": 2}]}\n', name)
    assert document.text == "q: 红\na: 1\n\nq: 绿\na: 1\n  b: 2\n"
    assert [(place.kind, place.number) for place in document.places] == [("row", 1), ("row", 3)]  # the file's lines
    assert document.text[document.places[1].start :].startswith("q: 绿")


def test_a_bad_line_among_json_lines_is_kept_and_told():
    document = read('{"a": 1}\nnot {json\n', "a.jsonl")
    assert "not {json" in document.text
    assert "1 lines" in document.metadata["note"]


@each_row(
    "text", ['{"a": 1,\n "b": }x\n', "// comment\n{}", "{'a': 1}", '{"a": [1}', '"open\nb', "a: 1\nb: 2", "[1] [2] x"]
)
def test_invalid_json_is_text_as_it_stands(text):
    document = read(text)
    assert document.text == text
    assert document.metadata["note"].startswith("not valid JSON")


@each_row("name", ["package.json", "web/tsconfig.build.json", ".eslintrc.json", "a.schema.json", "a.jsonc"])
def test_configuration_is_left_as_it_is(name):
    text = '{\n  "scripts": {"build": "vite build"}\n}\n'
    document = read(text, name)
    assert document.text == text
    assert (document.kind, document.origin.code_language) == ("code", "json")


def test_odd_values():
    document = read('{"a": NaN, "a": -Infinity, "b": 1e5, "c": null, "d": "\\ud800", "e": "\\u0000x\\q", "f": "\\n"}')
    assert document.text.split("\n")[:4] == ["a: NaN", "a: -Infinity", "b: 1e5", "c: null"]
    document.text.encode()
    assert "\0" not in document.text


@pytest.mark.parametrize(
    "source", ['{"a":' * 100_000 + '"deep"' + "}" * 100_000, "[" * 100_000 + '"deep"' + "]" * 100_000]
)
def test_any_depth(source):
    assert "deep" in read(source).text


@each_row("source", ["{}", "[]", "[{}, [], {}]", '""'])
def test_json_that_says_nothing_is_empty(source):
    with pytest.raises(FileError, match="empty"):
        read(source)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=["Cc", "Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc键", min_size=1), inner, max_size=4),
    max_leaves=12,
)


@given(values, st.sampled_from([None, 1, 2]), st.booleans())
def test_whatever_it_says_is_in_the_text(value, indent, ascii_only):
    try:
        text = " ".join(read(json.dumps(value, indent=indent, ensure_ascii=ascii_only)).text.split())
    except FileError:
        return

    def check(part):
        if isinstance(part, dict):
            for key, inner in part.items():
                assert key in text
                check(inner)
        elif isinstance(part, list):
            for inner in part:
                check(inner)
        elif isinstance(part, str):
            assert " ".join(part.split()) in text
        elif not (isinstance(part, float) and math.isnan(part)):
            assert json.dumps(part) in text

    check(value)


@given(st.text(st.sampled_from('{}[]:,"\\u1nae \n中'), max_size=60))
def test_anything_is_read_or_refused(text):
    for name in ("a.json", "a.jsonl"):
        try:
            assert read(text, name).text.strip()
        except FileError:
            continue


MOST = 50  # rows or values, in place of a hundred thousand
MANY = {
    "list.json": "[" + '{"a": 1}, ' * MOST + '{"a": 1}]',
    "rows.json": "[" + "[1, 2],\n" * MOST + "[1, 2]]",
    "inner.json": '{"rows": [' + '{"a": 1}, ' * MOST + '{"a": 1}]}',
    "values.json": '{"values": [' + "1," * MOST + "1, 1]}",
    "lines.jsonl": '{"a": 1}\n' * (MOST + 1),
    "lines.json": '{"a": 1}\n' * (MOST + 1),
}


@each_row("name", MANY)
def test_more_records_than_a_table_may_have_rows_are_refused(name: str) -> None:
    reader = read_json_lines if name.endswith("l") else read_json
    reader(name, MANY[name].encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(structured, "MOST_CELLS" if name == "values.json" else "MOST_ROWS", MOST)
        with pytest.raises(FileError, match=str(MOST_ROWS)) as refused:
            reader(name, MANY[name].encode())
    assert refused.value.suggestions
