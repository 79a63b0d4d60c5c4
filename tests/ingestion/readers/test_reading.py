"""Files of every encoding and none: what becomes a document, and what a person is told about the rest."""

import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errors import FileError
from ingestion.encoding import decode
from ingestion.readers import SUPPORTED, clean_name, read_document
from schema import Document
from tests.each_row import each_row

DATA = Path(__file__).parents[2] / "data"
MB = 1_000_000
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)

SIMPLIFIED = [
    "请在周五之前提交报销单，逾期不再受理。",
    "会议改到下午三点，地点在二楼会议室。",
    "本产品保修期为两年，电池不在保修范围之内。",
    "安装前请先关闭电源，并阅读说明书第3页。",
    "他说：“明天见。”然后就离开了办公室。",
    "北京、上海和广州的住宿标准是每晚600元。",
    "患儿体温超过三十八度五时应及时就医。",
    "使用 pip install 安装依赖，然后运行 app.py 即可。",
    "春眠不觉晓，处处闻啼鸟。夜来风雨声，花落知多少。",
    "第一章 总则\r\n第一条 为了规范管理，制定本办法。",
]
TRADITIONAL = [
    "請在週五之前提交報銷單，逾期不再受理。",
    "會議改到下午三點，地點在二樓會議室。",
    "本產品保固期為兩年，電池不在保固範圍之內。",
    "安裝前請先關閉電源，並閱讀說明書第3頁。",
    "他說：「明天見。」然後就離開了辦公室。",
    "臺北、高雄和臺中的住宿標準是每晚3000元。",
    "病童體溫超過三十八度五時應及時就醫。",
    "使用 pip install 安裝套件，然後執行 app.py 即可。",
    "春眠不覺曉，處處聞啼鳥。夜來風雨聲，花落知多少。",
    "第一章 總則\r\n第一條 為了規範管理，制定本辦法。",
]


def read(name: str, data: bytes, max_bytes: int = MB) -> Document:
    return read_document(name, data, max_bytes=max_bytes)


@each_row("text", SIMPLIFIED + TRADITIONAL)
@each_row("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030"])
def test_chinese_of_every_encoding(text: str, encoding: str) -> None:
    assert read("a.txt", text.encode(encoding)).text == text.replace("\r\n", "\n")


@each_row("text", TRADITIONAL)
def test_big5(text: str) -> None:
    document = read("a.md", text.encode("big5"))
    assert document.text == text.replace("\r\n", "\n")
    assert document.language == "zh"


@each_row("encoding", ["ascii", "utf-16-le", "utf-16-be"])
def test_english_of_every_encoding(encoding: str) -> None:
    document = read("a.txt", "Hello there, plain words.\r\nAnd a second line.\rA third.".encode(encoding))
    assert document.text == "Hello there, plain words.\nAnd a second line.\nA third."
    assert document.language == "en"


@each_row("text", ["“Smart quotes” – and a dash.", "Größe, Häuser und schöne Füße.", "Café déjà vu"])
def test_western(text: str) -> None:
    assert decode(text.encode("cp1252")) == (text, "cp1252")


def test_a_lost_byte_does_not_change_the_encoding() -> None:
    data = "".join(SIMPLIFIED).encode()
    document = read("a.txt", data[:-1])
    assert document.text.startswith(SIMPLIFIED[0])
    assert document.text.endswith("\ufffd")


def test_the_whole_file_is_the_text_and_the_front_matter_is_metadata() -> None:
    data = (DATA / "员工手册.md").read_bytes()
    document = read("员工手册.md", data)
    assert document.text == data.decode()
    assert document.kind == "markdown"
    assert document.size == len(data)
    assert document.metadata["title"] == "云杉科技员工手册"
    assert document.metadata["effective"] == "2024-07-01"
    assert document.text[document.metadata["body_start"] :].lstrip().startswith("# 云杉科技员工手册")
    json.dumps(document.metadata, allow_nan=False)


@each_row(
    "front",
    [
        "a: [1, 2",
        "- a\n- b",
        "just words",
        "date: 2024-13-45",
        "a: &a [1]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b]\n"
        "d: &d [*c, *c, *c, *c, *c, *c, *c, *c]\ne: [*d, *d, *d, *d, *d, *d, *d, *d]",
        "a: &a [*a]",
        "a: !!python/object/apply:os.system [ls]",
    ],
)
def test_a_bad_front_matter_is_text(front: str) -> None:
    document = read("a.md", f"---\n{front}\n---\nThe body.".encode())
    assert "body_start" not in document.metadata
    assert document.text.startswith("---")


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"], include_characters="\n\t"), max_size=200))
def test_any_front_matter_is_read(front: str) -> None:
    document = read("a.md", f"---\n{front}\n---\nThe body.".encode())
    json.dumps(document.metadata, allow_nan=False)
    assert document.text[document.metadata.get("body_start", 0) :].endswith("The body.")


def test_kinds() -> None:
    assert read("a.txt", b"# Title\n\nWords.\n").kind == "markdown"
    assert read("a.txt", b"Only words.\n# not a heading of a document\n").kind == "text"
    assert read("README", b"Only words.\n").kind == "text"
    assert read("A.MD", b"words").kind == "markdown"
    code = read("tool.py", b"def f():\n    return 1\n")
    assert (code.kind, code.metadata["programming_language"]) == ("code", "python")


@each_row(
    ("name", "data", "says"),
    [
        ("空.md", b"", "空.md"),
        ("blank.txt", "\ufeff \n\t　".encode(), "empty"),
        ("旧.doc", OLE + "WordDocument".encode("utf-16-le"), "damaged"),
        ("locked.xlsx", OLE + "EncryptedPackage".encode("utf-16-le"), "password"),
        ("a.docx", b"PK\x03\x04 and no more", "damaged"),
        ("a.md", b"\x89PNG\r\n\x1a\n\0\0", "damaged"),
        ("noise.txt", bytes(range(256)) * 20, "noise.txt"),
        ("zeros.txt", b"abc\0\1\2\0def\0" * 9, "zeros.txt"),
        ("a.xyz", b"words", "not supported"),
    ],
)
def test_what_is_refused(name: str, data: bytes, says: str) -> None:
    with pytest.raises(FileError) as refused:
        read(name, data)
    assert says in refused.value.message.en
    assert name in refused.value.message.zh
    assert refused.value.suggestions


def packed(**members: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for path, text in members.items():
            archive.writestr(path, text)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "mime", "remedy"),
    [
        ("图.odg", "application/vnd.oasis.opendocument.graphics", ".odt"),
        ("disguised.docx", "application/vnd.oasis.opendocument.formula", ".odt"),
    ],
)
def test_other_office_files_say_what_to_save_them_as(name: str, mime: str, remedy: str) -> None:
    with pytest.raises(FileError) as refused:
        read(name, packed(mimetype=mime, content="x"))
    assert remedy in refused.value.suggestions[0].en
    assert remedy in refused.value.suggestions[0].zh


def test_text_that_bears_an_office_name_is_read_as_what_it_is() -> None:
    assert read("笔记.docx", "只是文字，不是 Word 文件。".encode()).text == "只是文字，不是 Word 文件。"


def test_what_is_supported_is_said() -> None:
    with pytest.raises(FileError) as refused:
        read("a.xyz", b"words")
    said = re.findall(r"\.[a-z]+(?=[,、，])", refused.value.suggestions[0].zh)
    assert {".pdf", ".docx", ".xlsx", ".md"} < set(said) <= set(SUPPORTED)


def test_too_large_names_the_limit_and_the_setting() -> None:
    with pytest.raises(FileError) as refused:
        read("big.md", b"x" * (3 * MB), max_bytes=2 * MB)
    assert "3.0 MB" in refused.value.message.en
    assert "2 MB" in refused.value.message.zh
    assert "CITEWISE_MAX_FILE_MB" in refused.value.suggestions[0].en


@each_row(
    ("name", "clean"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\a\\员工手册.md", "员工手册.md"),
        ("a\x00b\n.md", "ab.md"),
        ("cafe\u0301.md", "caf\u00e9.md"),
        ("\u202egnp.md", "gnp.md"),
        ("dots...", "dots"),
        ("", "unnamed"),
        ("/", "unnamed"),
        ("..", "unnamed"),
        ("\ud800.md", "?.md"),
    ],
)
def test_names(name: str, clean: str) -> None:
    assert clean_name(name) == clean


@given(st.text(max_size=400))
def test_any_name_becomes_a_safe_one(name: str) -> None:
    clean = clean_name(name)
    assert clean
    assert len(clean.encode()) <= 200
    assert not set(clean) & set("/\\\0\n\r")
    assert clean not in (".", "..")
    assert clean_name(clean) == clean


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        document = read("a.md", data)
    except FileError:
        return
    assert document.text.strip()
    assert "\r" not in document.text
