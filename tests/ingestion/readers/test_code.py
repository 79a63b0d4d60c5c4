"""Source code: told by extension, name or first line; its lines are those of the file."""

from __future__ import annotations

import pytest
from langchain_text_splitters import Language

from errors import FileError
from ingestion.readers import read_document
from ingestion.readers.code import LANGUAGES, code_language
from tests.each_row import each_row


@each_row(
    ("name", "language"),
    [
        ("a.py", "python"), ("A.TSX", "ts"), ("x.vue", "vue"), ("q.sql", "sql"), ("m.tf", "hcl"), ("pom.xml", "xml"),
        ("Dockerfile", "docker"), ("deploy/Dockerfile.dev", "docker"), ("Makefile", "make"), ("Makefile.am", "make"),
        ("CMakeLists.txt", "cmake"), ("requirements.txt", "ini"), (".gitignore", "ini"), (".env.local", "ini"),
        (".bashrc", "sh"), ("go.mod", "go"), ("Cargo.lock", "toml"), ("Jenkinsfile", "groovy"),
        ("conf.d/a.conf", "ini"),
        ("README", ""), ("notes.txt", ""), ("LICENSE", ""), ("a.v2/README", ""), ("a.xyz", ""), ("make.md", ""),
    ],
)  # fmt: skip
def test_language_by_name(name, language):
    assert code_language(name) == language


@each_row(
    ("first", "language"),
    [
        ("#!/usr/bin/env python3", "python"), ("#!/bin/bash -e", "sh"), ("#! /usr/bin/perl5.36", "perl"),
        ("#!/usr/bin/env -S node --x", "js"), ("#!/opt/odd", "sh"), ("# no", ""), ("\ufeff#!/usr/bin/ruby", "ruby"),
    ],
)  # fmt: skip
def test_language_by_first_line(first, language):
    assert code_language("tool", f"{first}\nx = 1\n".encode()) == language
    assert code_language("tool.md", f"{first}\nx = 1\n".encode()) == ""


def test_every_language_of_the_splitters_is_known():
    other = {"markdown", "html", "latex", "rst"}  # which are not read as code
    assert {language.value for language in Language} - other <= set(LANGUAGES.values())


def test_lines_are_those_of_the_file():
    document = read_document("src/a.go", b"package a\r\n\r\n\r\nfunc F() {}\r\n", max_bytes=1000)
    assert document.text.split("\n")[3] == "func F() {}"
    assert document.name == "src/a.go"
    assert (document.kind, document.origin.doc_type, document.origin.code_language) == ("code", "code", "go")


def test_a_script_without_extension_is_code():
    assert read_document("tool", b"#!/bin/sh\n# note\n# note\necho\n", max_bytes=1000).kind == "code"
    assert read_document("Dockerfile.prod", b"FROM x\n", max_bytes=1000).origin.code_language == "docker"


@each_row("name", ["app.log", "a.tex", "film.srt", "film.vtt", "a.adoc"])
def test_other_texts_keep_their_lines(name):
    text = "# 2024-01-01 start\n\n\n# 2024-01-02 stop\n1\n00:00:01 --> 00:00:02\n"
    document = read_document(name, text.encode(), max_bytes=1000)
    assert (document.text, document.kind) == (text, "text")


def test_headings_of_restructuredtext():
    assert read_document("a.rst", b"Title\n=====\n\nwords\n", max_bytes=1000).kind == "markdown"
    assert read_document("a.rst", b"Title\n~~~~~\n\nwords\n\nTwo\n~~~~~\n", max_bytes=1000).kind == "text"


@each_row("name", ["a.tar", "a.tar.gz", "a.7z", "a.zip"])
def test_archives_other_than_zip_are_told_of_zip(name):
    with pytest.raises(FileError) as refused:
        read_document(name, b"words of no archive", max_bytes=1000)
    assert "zip" in refused.value.suggestions[0].en
