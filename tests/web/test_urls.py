"""One name for each page: what is the same, what is not, and that a name is its own name."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.each_row import each_row
from web.urls import canonical

SAME = [
    ("HTTP://Example.COM/a", "http://example.com/a"),
    ("http://example.com:80/a", "http://example.com/a"),
    ("https://example.com:443/", "https://example.com"),
    ("https://example.com./a", "https://example.com/a"),
    ("https://example.com/a#part", "https://example.com/a"),
    ("https://example.com/a/", "https://example.com/a"),
    ("https://example.com/b/../a", "https://example.com/a"),
    ("https://example.com/%7Ejoe/%e4%bd%a0", "https://example.com/~joe/你"),
    ("https://example.com/?q=a%20b", "https://example.com/?q=a b"),
    ("https://example.com/a?b=2&a=1", "https://example.com/a?a=1&b=2"),
    ("https://example.com/a?utm_source=x&UTM_Medium=y&gclid=1&id=3&fbclid=q", "https://example.com/a?id=3"),
    ("https://b.example/v?spm_id_from=333&vd_source=a&p=2", "https://b.example/v?p=2"),
    ("https://例子.中国/页", "https://xn--fsqu00a.xn--fiqs8s/%E9%A1%B5"),
    ("https://BÜCHER.example/", "https://xn--bcher-kva.example/"),
    ("https://user:secret@example.com/a", "https://example.com/a"),
    ("  https://example.com/a\n", "https://example.com/a"),
    ("http://[0:0::1]:8080/", "http://[::1]:8080/"),
]
OTHER = [
    ("http://example.com/a", "https://example.com/a"),
    ("http://example.com/a", "http://example.com/A"),
    ("http://example.com/a", "http://example.com:8080/a"),
    ("http://example.com/a", "http://www.example.com/a"),
    ("http://example.com/a%2Fb", "http://example.com/a/b"),
    ("http://example.com/?a=1&a=2", "http://example.com/?a=2&a=1"),
    ("http://example.com/?q=a%2Bb", "http://example.com/?q=a+b"),
    ("http://example.com/?a=", "http://example.com/"),
]


@each_row(("one", "other"), SAME)
def test_one_page_has_one_name(one: str, other: str) -> None:
    assert canonical(one) == canonical(other)


@each_row(("one", "other"), OTHER)
def test_what_may_be_another_page_has_another_name(one: str, other: str) -> None:
    assert canonical(one) != canonical(other)


@each_row(
    "url",
    ["", "example.com", "ftp://example.com/", "javascript:alert(1)", "file:///etc/passwd", "http://", "http:///a",
     "http://example.com:port/", "http://[::1", "http://a b/", "http://\u2603\ufffe/", "http://example.com:99999/"],
)  # fmt: skip
def test_what_is_no_address_of_the_web_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="no web address"):
        canonical(url)


hosts = st.sampled_from(["example.com", "EXAMPLE.com.", "例子.中国", "[2001:DB8::1]", "a_b.example", "1.2.3.4"])
pieces = st.text(st.one_of(st.sampled_from("aZ0/.%&=?+;:@~!$'()*,[]| 中é\ud800#"), st.characters()), max_size=30)


@given(st.sampled_from(["http", "https", "HTTP"]), hosts, st.sampled_from(["", ":80", ":443", ":8080"]), pieces)
@example("http", "example.com", "", "/%2%35")
@example("http", "example.com", "", "/a/%2e%2E/b/..//./")
@example("http", "example.com", "", "/?&&=&utm_%73ource=1&%75tm_x&b&a")
def test_a_name_is_its_own_name(scheme: str, host: str, port: str, rest: str) -> None:
    try:
        name = canonical(f"{scheme}://{host}{port}/{rest}")
    except ValueError:
        return  # brackets and other marks of a host within it
    assert canonical(name) == name
    assert name.isascii()
    assert name.isprintable()
    assert " " not in name
    assert not urlsplit(name).fragment


@example("0。")
@given(st.text(max_size=60))
def test_any_text_has_a_name_or_is_refused(text: str) -> None:
    for url in (text, f"http://{text}", f"http://{text}/a"):
        try:
            name = canonical(url)
        except ValueError:
            continue
        assert canonical(name) == name
