"""Web pages: what is text of them becomes Markdown, what is not stays out."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errors import FileError
from ingestion.readers import read_document
from schema import Document
from tests.each_row import each_row

PAGE = """<!DOCTYPE html><html lang="zh-CN"><head><meta charset="utf-8"><title>退货政策 - 示例商城</title>
<meta name="author" content="张三"><meta property="article:published_time" content="2024-03-05T08:00:00Z">
<link rel="canonical" href="https://shop.example.com/returns"><script>SCRIPT()</script><style>.a{x:STYLE}</style></head>
<body onload="EVENT()"><nav><a href="/">首页</a></nav><!-- COMMENT --><article><h1>退货政策</h1>
<p onclick="EVENT()">商品自签收之日起<b>七天</b>内可以无理由退货，运费由<a href="javascript:LINK()">买家</a>承担。</p>
<h2>不适用的商品</h2><ul><li>定制商品</li><li>生鲜食品<ul><li>水果</li></ul></li></ul>
<h2>退款时间</h2><table><tr><th>方式</th><th>时间</th></tr><tr><td>支付宝</td><td>1 天</td></tr></table>
<ol><li>提交申请</li><li>寄回商品</li></ol><iframe src="x">IFRAME</iframe></article>
<footer>版权所有</footer></body></html>"""


def read(html: str | bytes, name: str = "page.html") -> Document:
    return read_document(name, html.encode() if isinstance(html, str) else html, max_bytes=20_000_000)


def test_a_short_chinese_page_keeps_its_structure():
    document = read(PAGE)
    assert document.kind == "markdown"
    assert document.origin.doc_type == "html"
    assert document.language == "zh"
    for line in [
        "# 退货政策", "## 不适用的商品", "- 定制商品", "  - 水果", "| 方式 | 时间 |", "| 支付宝 | 1 天 |",
        "1. 提交申请", "2. 寄回商品",
    ]:  # fmt: skip
        assert line in document.text.split("\n")
    assert "买家" in document.text


def test_what_is_no_text_stays_out():
    text = read(PAGE).text
    for foreign in ("SCRIPT", "STYLE", "EVENT", "COMMENT", "LINK", "IFRAME", "首页", "版权所有", "javascript"):
        assert foreign not in text


def test_what_a_page_tells_of_itself():
    document = read(PAGE)
    assert document.origin.url == "https://shop.example.com/returns"
    told = {key: document.metadata[key] for key in ("title", "author", "date", "language")}
    assert told == {"title": "退货政策", "author": "张三", "date": "2024-03-05T08:00:00Z", "language": "zh-CN"}


@each_row(
    ("head", "url"),
    [
        ('<meta property="og:url" content="http://a.example/b">', "http://a.example/b"),
        ("<!-- saved from url=(0020)https://a.example/c -->", "https://a.example/c"),
        ('<link rel="canonical" href="javascript:alert(1)">', ""),
        ('<link rel="canonical" href="/relative">', ""),
        ('<base href="https://a.example/"><title>The year 1995</title>', ""),
    ],
)
def test_address(head, url):
    document = read(f"<html><head>{head}</head><body><p>In 1995 it rained.</p></body></html>")
    assert document.origin.url == url
    assert "date" not in document.metadata


def test_a_page_without_furniture_is_all_text():
    """Answers in an accordion, posts in a row: an extractor of articles would take some for the rest."""
    faq = "".join(f"<details><summary>Question {n}?</summary><div>Answer number {n}.</div></details>" for n in range(9))
    text = read(f"<html><body><h1>FAQ</h1>{faq}</body></html>").text
    assert text.startswith("# FAQ\n")
    for n in range(9):
        assert f"Question {n}?\n\nAnswer number {n}." in text


def test_posts_keep_their_headings_beside_a_menu():
    words = "Something is said here at the length of a line, and then once more. " * 4
    posts = "".join(f"<article><h2>Post {n}</h2><p>{words}{n}</p></article>" for n in range(5))
    text = read(f"<html><body><nav>MENU</nav>{posts}<div class='sidebar'>SIDE</div></body></html>").text
    assert [line for line in text.split("\n") if line.startswith("#")] == [f"## Post {n}" for n in range(5)]
    assert "MENU" not in text
    assert "SIDE" not in text


@each_row(
    ("html", "text"),
    [
        ("<div id=app></div><button>开始使用</button><span>Welcome</span><script>x</script>", "开始使用 Welcome\n"),
        ("<ul><li>one<li>two</ul>", "- one\n- two\n"),
        ("<nav><a href=x>only a menu</a></nav>", "only a menu\n"),
        ("<p>a<br>b</p><p># no heading</p>", "a\nb\n\n\\# no heading\n"),
        ("<pre>def f():\n    return '```'\n\n\nclass A: pass</pre>",
         "````\ndef f():\n    return '```'\n\n\nclass A: pass\n````\n"),
        ("<table><caption>T</caption><tr><td>a|b<td>c<p>d</p></tr><tr><td>1</table>",
         "T\n\n| a\\|b | c d |\n|---|---|\n| 1 |\n"),
        ("<table><tr><td><h1>Laid out</h1><p>by a table</p></td></tr></table>", "# Laid out\n\nby a table\n"),
        ("<table>loose<tr>words<td>x</td></tr></table>", None),
        ("<p>&lt;script&gt;x&lt;/script&gt; &amp; &#0; text", "<script>x</script> & \ufffd text\n"),
        ("just words", "just words\n"),
    ],
)  # fmt: skip
def test_pages_of_every_kind(html, text):
    found = read(html).text
    if text is None:
        assert {"loose", "words", "x"} <= set(found.replace("|", " ").split())
    else:
        assert found == text


@each_row("html", ["<html><body><script>x()</script></body></html>", "<!-- c -->", "<svg><text>x</svg>"])
def test_a_page_without_text_is_refused(html):
    with pytest.raises(FileError, match=r"page\.html") as refused:
        read(html)
    assert "脚本" in refused.value.suggestions[0].zh


@each_row(
    ("label", "encoding"),
    [("gb2312", "gbk"), ("big5", "big5"), ("gbk", "gb18030"), ("", "gb18030"), ("utf-8", "utf-8"), ("rot13", "utf-8"),
     ("utf-8", "gbk"), ("", "utf-16"), ("shift_jis", "shift_jis"), ("iso-8859-1", "cp1252")],
)  # fmt: skip
def test_encodings(label, encoding):
    words = {"cp1252": "Größe – “schön”", "shift_jis": "日本語の文章です", "big5": "退貨政策說明文件"}
    text = words.get(encoding, "退货政策说明文件")
    meta = f'<meta http-equiv="Content-Type" content="text/html; charset={label}">' if label else ""
    assert text in read(f"<html><head>{meta}</head><body><p>{text}</p></body></html>".encode(encoding)).text


def test_a_mark_of_unicode_outweighs_what_the_page_says():
    html = codecs.BOM_UTF8 + '<meta charset="gb2312"><p>退货政策</p>'.encode()
    assert read(html).text == "退货政策\n"


@each_row("depth", [300, 2_500, 20_000])
@each_row("tag", ["div", "table", "blockquote", "b", "ul><li"])
def test_depth_costs_no_text(tag, depth):
    close = "".join(f"</{part}>" for part in reversed(tag.split("><")))
    text = read(f"<html><body><p>before</p>{f'<{tag}>' * depth}deep{close * depth}<p>after</p></body></html>").text
    assert text.split() == ["before", "deep", "after"] or text.split() == ["before", "-", "deep", "after"]


def test_hidden_names_by_content():
    """A page that an old program exports as .xls, or that has no name, is a page all the same."""
    assert read("<!DOCTYPE html><p>words</p>", "report.xhtml").origin.doc_type == "html"


@given(st.text(st.sampled_from("<>/=\"' abtdrhul1!-&;#\n\0é中"), max_size=300), st.binary(max_size=50))
def test_anything_is_read_or_refused(markup, noise):
    for data in (markup.encode(), noise + markup.encode()):
        try:
            document = read(data)
        except FileError:
            continue
        assert document.text.strip()
        assert "\0" not in document.text


@each_row(
    ("head", "told"),
    [
        ('<meta property="article:published_time" content="2026-01-18T10:30:45Z">', {"date": "2026-01-18T10:30:45Z"}),
        ('<meta property="article:published_time" content="2026-01-18">', {"date": "2026-01-18"}),
        ('<meta name="keywords" content="泵， 水;pump, 水">', {"tags": ["泵", "水", "pump"]}),
        ('<meta property="article:tag" content="a"><meta property="article:tag" content="b c">'
         '<meta name="keywords" content="x">', {"tags": ["a", "b c"]}),
        ('<meta name="keywords" content=" ,">', {}),
    ],
)  # fmt: skip
def test_the_time_of_a_page_and_its_tags(head, told):
    page = f"<html><head><meta charset='utf-8'>{head}</head><body><p>Some text about pumps.</p></body></html>"
    read = read_document("a.html", page.encode(), max_bytes=9_999)
    assert {key: read.metadata[key] for key in ("date", "tags") if key in read.metadata} == told


def test_a_page_tells_of_itself_where_it_begins():
    page = "<title>Tides</title>{}<p class='author'>Ines Duarte</p><p>The tide turns twice a day.</p>"
    assert read(page.format("<i>x</i> " * 2_000)).metadata["author"] == "Ines Duarte"
    late = read(page.format("<i>x</i> " * 4_000))
    assert (late.metadata["title"], "author" in late.metadata) == ("Tides", False)
    assert "Ines Duarte" in late.text
