"""Notebooks: their cells in order, what was printed, nothing of what was drawn."""

from __future__ import annotations

import json

import pytest

from errors import FileError
from ingestion.readers import read_document
from schema import Document
from tests.each_row import each_row

PIXELS = "iVBORw0KGgoAAAANSUhEUgAA" * 50


def read(notebook: object) -> Document:
    data = notebook if isinstance(notebook, bytes) else json.dumps(notebook).encode()
    return read_document("实验.ipynb", data, max_bytes=50_000_000)


def code(source: object, *outputs: object) -> dict:
    return {"cell_type": "code", "source": source, "outputs": list(outputs), "execution_count": 1, "metadata": {}}


def notebook(*cells: object, **metadata: object) -> dict:
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": list(cells)}


def test_more_cells_than_anybody_writes_are_refused():
    with pytest.raises(FileError, match="60000 cells; 50000 is the limit") as refused:
        read(notebook(*[{"cell_type": "code", "source": "x"}] * 60_000))
    assert "单元格" in refused.value.message.zh
    assert refused.value.suggestions


def test_cells_in_order_with_their_places():
    document = read(
        notebook(
            {"cell_type": "markdown", "source": ["# 实验一\n", "\n", "目的：测量。"]},
            code([]),
            code(["import math\n", "print(math.pi)"], {"output_type": "stream", "name": "stdout", "text": ["3.14\n"]}),
            {"cell_type": "raw", "source": "raw words"},
            language_info={"name": "python"},
        )
    )
    assert document.text == (
        "# 实验一\n\n目的：测量。\n\n```python\nimport math\nprint(math.pi)\n```\n\n```output\n3.14\n```\n\nraw words\n"
    )
    assert (document.kind, document.origin.doc_type, document.origin.code_language) == (
        "markdown", "notebook", "python",
    )  # fmt: skip
    assert [(place.kind, place.number) for place in document.places] == [("cell", 1), ("cell", 3), ("cell", 4)]
    assert document.text[document.places[1].start :].startswith("```python")


def test_results_and_errors_without_their_colours():
    text = read(
        notebook(
            code("1 / 0", {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "\x1b[31mby zero\x1b[0m"}),
            code("x", {"output_type": "execute_result", "data": {"text/plain": ["42"], "text/html": "<b>HTML</b>"}}),
        )
    ).text
    assert "ZeroDivisionError: by zero\n" in text
    assert "42" in text
    assert "HTML" not in text


def test_no_images():
    text = read(
        notebook(
            code("plot()", {"output_type": "display_data", "data": {"image/png": PIXELS, "text/plain": "<Figure 1>"}}),
            {
                "cell_type": "markdown",
                "source": f"see ![x](data:image/png;base64,{PIXELS}) here",
                "attachments": {"a.png": {"image/png": PIXELS}},
            },
        )
    ).text
    assert PIXELS[:24] not in text
    assert "Figure" not in text
    assert "see ![x]() here" in text


def test_long_outputs_are_cut_with_a_mark():
    lines = [f"line {n}\n" for n in range(1000)]
    text = read(notebook(code("f()", {"output_type": "stream", "text": lines}))).text
    assert "line 3\n" in text
    assert "line 999" not in text
    assert "[…]" in text


def test_a_fence_within_code():
    text = read(notebook(code("s = '''\n```\n'''"))).text
    assert text == "````python\ns = '''\n```\n'''\n````\n"


def test_nbformat_3():
    cells = [
        {"cell_type": "heading", "level": 2, "source": "Data"},
        {
            "cell_type": "code",
            "language": "julia",
            "input": "x = 1",
            "outputs": [{"output_type": "pyout", "text": "1"}],
        },
    ]
    document = read({"nbformat": 3, "worksheets": [{"cells": cells}]})
    assert document.text == "## Data\n\n```julia\nx = 1\n```\n\n```output\n1\n```\n"


@each_row(
    "data",
    [b"not json", b"{}", b"[1, 2]", b'{"cells": 3}', b'{"cells": [{"cell_type":"code"', b'{"a":' * 100_000, b'"words"'],
)
def test_damaged(data):
    with pytest.raises(FileError) as refused:
        read(data)
    assert "实验.ipynb" in refused.value.message.zh
    assert "damaged" in refused.value.message.en
    assert refused.value.suggestions


@each_row(
    "cell",
    [
        3, {}, {"cell_type": "code"}, {"cell_type": "code", "source": None, "outputs": 3}, {"source": {"a": 1}},
        {"cell_type": "code", "source": [1, None], "outputs": [3, {"data": {"text/plain": 5}}, {"text": {}}]},
        {"cell_type": "heading", "level": "x", "source": ["a"]}, {"cell_type": "markdown", "source": "\ud800\0"},
    ],
)  # fmt: skip
def test_odd_cells_do_not_keep_the_others_away(cell):
    assert "kept" in read(notebook(cell, {"cell_type": "markdown", "source": "kept"}, kernelspec=3)).text
