"""What a page is, whatever its server calls it."""

import io
import zipfile

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.web_pages import pdf
from ingestion.readers import READERS, read_document
from tests.each_row import each_row
from web.media import as_utf8, declared_type, extension, may_be_read, recognised_type

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def packed(*names):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return out.getvalue()


@each_row(("header", "said"), [
    ("", ("", "")),
    ("text/html", ("text/html", "")),
    ("Text/HTML; Charset=UTF-8", ("text/html", "utf-8")),
    ('text/html;charset="gbk"', ("text/html", "gbk")),
    ("text/html; boundary=x; charset=big5;", ("text/html", "big5")),
    (";;;", ("", "")),
    ("text/html; charset=gbk, text/html", ("text/html", "gbk")),
])  # fmt: skip
def test_what_a_server_says(header, said):
    assert declared_type(header) == said


@each_row(("said", "path", "data", "is_"), [
    ("text/html", "/x", b"<p>x", "text/html"),
    ("application/xhtml+xml", "/x", b"<p>x", "application/xhtml+xml"),
    ("text/html", "/x", pdf("x"), "application/pdf"),
    ("application/pdf", "/x.pdf", b"<html>Sign in", ""),
    ("application/x-pdf", "/x", pdf("x"), "application/pdf"),
    ("", "/x", b"  <!DOCTYPE html><p>x", "text/html"),
    ("application/octet-stream", "/readme.md", b"# x", "text/markdown"),
    ("application/octet-stream", "/x", b'{"a": 1}', "application/json"),
    ("application/octet-stream", "/x", b"words", "text/plain"),
    ("application/octet-stream", "/x", bytes(100), ""),
    ("application/geo+json", "/x", b"{}", "application/json"),
    ("text/x-python", "/x.py", b"x = 1", "text/plain"),
    ("text/css", "/x.css", b"p {}", ""),
    ("text/javascript", "/x.js", b"x()", ""),
    ("image/svg+xml", "/x.svg", b"<svg/>", ""),
    ("text/plain", "/x", b"\x89PNG\r\n\x1a\n", ""),
    ("text/plain", "/x", "\ufeffwords".encode("utf-16-le"), "text/plain"),
    ("text/plain", "/x", b"a\0b", ""),
    ("application/zip", "/x", packed("[Content_Types].xml", "word/document.xml"), DOCX),
    (DOCX, "/x", packed("[Content_Types].xml", "word/document.xml"), DOCX),
    (DOCX, "/x", b"no archive", ""),
    (DOCX, "/x", packed("a.txt"), ""),
    ("text/html", "/x", packed("a.txt"), ""),
])  # fmt: skip
def test_what_it_is(said, path, data, is_):
    assert recognised_type(said, f"https://example.com{path}", data) == is_


@given(st.text(max_size=30), st.binary(max_size=100), st.text(max_size=30))
def test_whatever_comes_is_named_for_a_reader_or_not_read(said, data, path):
    url = f"https://example.com/{path}"
    found = recognised_type(said, url, data)
    assert may_be_read(said) or not found or data[:1024].lstrip().startswith((b"%PDF", b"PK"))
    if found and found != "text/plain":
        assert extension(found, url) in READERS


@each_row(("charset", "text"), [
    ("gbk", "龙井茶"), ("gb2312", "龙井茶"), ("gb18030", "龙井茶"), ("big5", "臺灣茶葉"), ("shift_jis", "お茶の水"),
    ("euc-kr", "녹차"), ("windows-1251", "Чай"), ("iso-8859-1", "thé"),
])  # fmt: skip
def test_an_encoding_that_only_the_server_names_is_known_to_ingestion(charset, text):
    page = f"<html><body><h1>{text}</h1></body></html>".encode(charset)
    assert text in read_document("tea.html", as_utf8(page, "text/html", charset), max_bytes=10_000).text


@each_row(("data", "media_type", "charset"), [
    (b"%PDF-1.4 \xb2\xe8", "application/pdf", "gbk"),
    ("茶".encode(), "text/html", "utf-8"),
    ("茶".encode("utf-16"), "text/html", "gbk"),
    (b"\xff\xff\xff", "text/html", "gbk"),
    (b"a-b", "text/html", "punycode"),
    (b"a", "text/html", "gb99"),
    (b"a", "text/html", ""),
])  # fmt: skip
def test_other_bytes_stay_as_they_are(data, media_type, charset):
    assert as_utf8(data, media_type, charset) == data


@each_row(("media_type", "path", "named"), [
    ("text/html", "/x.php?a=b.c", "html"),
    ("text/html", "/index.asp", "html"),
    ("application/pdf", "/download", "pdf"),
    ("text/plain", "/a/readme.md?raw=1", "md"),
    ("text/plain", "/main.py", "py"),
    ("text/plain", "/hours", "txt"),
    ("text/plain", "/v1.2/notes", "txt"),
    ("text/markdown", "/x", "md"),
    (DOCX, "/x", "docx"),
])  # fmt: skip
def test_what_its_file_is_named_with(media_type, path, named):
    assert extension(media_type, f"https://example.com{path}") == named
