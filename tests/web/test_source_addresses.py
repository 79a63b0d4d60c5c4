"""What a person names as a source: a website or a repository, and what is said of what is neither."""

from __future__ import annotations

import pytest

from schema import Source
from tests.each_row import each_row
from web.base import WebError
from web.sources.addresses import same, source_of


def of(address: str, **more) -> Source:
    return source_of(address, **{"doc_set": "docs", **more})


@each_row(
    ("address", "known_as"),
    [
        ("https://example.com/docs/", "https://example.com/docs/"),
        (" http://example.com/v1.2/#part ", "http://example.com/v1.2/"),
        ("example.com/docs", "https://example.com/docs"),
        ("https://docs.github.com/en", "https://docs.github.com/en"),
        ("https://octo.github.io/hand.book/", "https://octo.github.io/hand.book/"),
        ("https://例子.测试/文档", "https://例子.测试/文档"),
    ],
)
def test_a_website(address, known_as):
    assert (of(address).kind, of(address).address) == ("website", known_as)


@each_row(
    ("address", "known_as"),
    [
        ("octo/hand.book", "https://github.com/octo/hand.book"),
        ("https://github.com/octo/hand.book.git", "https://github.com/octo/hand.book"),
        ("git@github.com:octo/hand.book.git", "https://github.com/octo/hand.book"),
        ("github.com/octo/hand.book", "https://github.com/octo/hand.book"),
        ("https://GitHub.com/octo/hand.book/tree/main/a b/", "https://github.com/octo/hand.book/tree/main/a%20b"),
        ("https://github.com/octo/hand.book/blob/v1/README.md", "https://github.com/octo/hand.book/tree/v1/README.md"),
    ],
)
def test_a_repository(address, known_as):
    assert (of(address).kind, of(address).address) == ("github", known_as)
    assert of(known_as).address == known_as


@each_row(
    ("address", "more", "said"),
    [
        ("", {}, "no address"),
        ("ftp://example.com/", {}, "no address"),
        ("https://user:secret@example.com/", {}, "no address"),
        ("what is this", {}, "no address"),
        ("https://github.com/octo", {}, "no repository"),
        ("https://github.com/octo/hand.book/wiki", {}, "no repository"),
        ("octo/hand.book", {"prefix": "/docs/"}, "prefix"),
        ("https://github.com/octo/hand.book/tree/main", {"ref": "v1"}, "branch already"),
        ("https://example.com/", {"patterns": ["*.md"]}, "Patterns"),
        ("https://example.com/", {"ref": "v1"}, "Patterns"),
        ("https://example.com/docs/", {"prefix": "https://example.org/"}, "not below"),
        ("https://example.com/docs/", {"prefix": "/blog/"}, "not below"),
        ("https://example.com/docs/", {"doc_set": " "}, "document set"),
    ],
)
def test_what_is_none(address, more, said):
    with pytest.raises(WebError, match=said) as caught:
        of(address, **more)
    assert caught.value.suggestions
    assert all(message.zh and message.en for message in (caught.value.message, *caught.value.suggestions))


def test_a_prefix_may_be_a_path():
    assert of("https://example.com/docs/start.html", prefix="/").prefix == "https://example.com/"
    assert of("https://example.com/docs/start.html", prefix="/docs/").prefix == "https://example.com/docs/"


def test_patterns_are_tidied():
    assert of("octo/x", patterns=[" *.md ", ""], ref=" v1 ").patterns == ("*.md",)


@each_row(
    ("one", "other", "alike"),
    [
        ("http://example.com/docs", "https://EXAMPLE.com/docs/?utm_source=x#y", True),
        ("https://example.com/docs", "https://example.com/doc", False),
        ("octo/Hand", "https://github.com/OCTO/hand.git", True),
        ("octo/hand", "https://github.com/octo/hand/tree/main", False),
        ("octo/hand", "https://octo/hand", False),
    ],
)
def test_one_source_however_it_is_written(one, other, alike):
    assert same(of(one), of(other)) is alike
