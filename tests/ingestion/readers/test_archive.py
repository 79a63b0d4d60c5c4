"""Zip archives: what comes out of an honest one, and what becomes of the others."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zipfile
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errors import FileError
from ingestion.readers.archive import Limits, Member, is_archive, read_packed, unpack
from ingestion.readers.base import clean_path
from tests.each_row import each_row

LIMITS = Limits(files=100, total_bytes=10_000_000, file_bytes=3_000_000)


def zipped(*files: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return packed.getvalue()


def raw_zip(*files: tuple[bytes, bytes], flags: int = 0, extra: bytes = b"", size: int | None = None) -> bytes:
    """Stored members with names of any bytes; `size` is what the headers say in place of the truth."""
    body, table = b"", b""
    for name, data in files:
        told = len(data) if size is None else size
        fields = struct.pack("<HHHHIIIHH", flags, 0, 0, 33, zlib.crc32(data), len(data), told, len(name), len(extra))
        table += b"PK\x01\x02" + struct.pack("<HH", 20, 20) + fields + struct.pack("<HHHII", 0, 0, 0, 0, len(body))
        table += name + extra
        body += b"PK\x03\x04" + struct.pack("<H", 20) + fields + name + extra + data
    counts = struct.pack("<HHHHIIH", 0, 0, len(files), len(files), len(table), len(body), 0)
    return body + table + b"PK\x05\x06" + counts


def unpacked(data: bytes, limits: Limits = LIMITS) -> dict[str, Member]:
    members = list(unpack("a.zip", data, limits))
    assert len({member.path for member in members}) == len(members)
    return {member.path: member for member in members}


def refusal(data: bytes, limits: Limits = LIMITS) -> str:
    with pytest.raises(FileError) as refused:
        unpack("一.zip", data, limits)  # at the call: nothing was unpacked yet
    assert "一.zip" in refused.value.message.zh
    assert refused.value.suggestions
    return refused.value.message.en


def test_its_files_with_their_folders():
    members = unpacked(zipped(("docs/", b""), ("docs/a.md", b"# A"), ("手册/员工.md", "# 员工".encode())))
    assert members["docs/a.md"] == Member("docs/a.md", b"# A")
    assert members["手册/员工.md"].data.decode() == "# 员工"
    assert len(members) == 2


def test_one_member_is_in_memory_at_a_time():
    data = zipped(*((f"{n}.bin", bytes(2_000_000)) for n in range(30)))
    limits = Limits(ratio=10_000)
    tracemalloc.start()
    assert sum(len(member.data) for member in unpack("a.zip", data, limits)) == 60_000_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000


@each_row(
    ("name", "encoding"),
    [
        ("报告/第一季度销售情况.md", "gbk"),
        ("說明書/產品資料.txt", "big5"),
        ("说明.txt", "utf-8"),
        ("café.txt", "cp437"),
    ],
)
def test_names_without_the_flag_of_utf8(name, encoding):
    assert list(unpacked(raw_zip((name.encode(encoding), b"text")))) == [name]


def test_the_unicode_path_of_info_zip():
    raw, name = b"?.txt", "说明.txt".encode()
    field = b"\x01" + struct.pack("<I", zlib.crc32(raw)) + name
    extra = struct.pack("<HH", 0x7075, len(field)) + field
    assert list(unpacked(raw_zip((raw, b"text"), extra=extra))) == ["说明.txt"]


@each_row(
    ("name", "path"),
    [
        (b"../../etc/passwd", "etc/passwd"),
        (b"docs/../../x.md", "x.md"),
        (b"/etc/passwd", "etc/passwd"),
        (b"C:\\Windows\\win.ini", "Windows/win.ini"),
        (b"a\\b\\c.md", "a/b/c.md"),
        (b"a//b/./c.md", "a/b/c.md"),
        (b"...", "unnamed"),
    ],
)
def test_paths_lead_nowhere(name, path):
    assert list(unpacked(raw_zip((name, b"text")))) == [path]


def test_a_name_twice_is_two_files():
    members = unpacked(raw_zip((b"x.md", b"1"), (b"../x.md", b"2"), (b"x.md", b"3"), (b"d/x", b"4"), (b"d/x", b"5")))
    assert {path: member.data for path, member in members.items()} == {
        "x.md": b"1", "x (2).md": b"2", "x (3).md": b"3", "d/x": b"4", "d/x (2)": b"5",
    }  # fmt: skip


def test_one_name_for_thousands_of_files():
    data = raw_zip(*((b"x.md", b"%d" % n) for n in range(5_000)), (b"x (2).md", b"own"))
    members = unpacked(data, Limits(files=6_000))
    assert members["x (5000).md"].data == b"4999"
    assert members["x (2) (2).md"].data == b"own"


def test_litter_is_left_out_silently():
    names = ["a.md", "__MACOSX/._a.md", ".DS_Store", "d/.git/config", "Thumbs.db", "d\\"]
    assert list(unpacked(raw_zip(*((name.encode(), b"" if name == "d\\" else b"x") for name in names)))) == ["a.md"]


def test_what_is_skipped_says_why():
    link = zipfile.ZipInfo("link.md")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    inner = zipped(("x.md", b"x"))
    data = zipped(
        (link, b"/etc/passwd"), ("in.zip", inner), ("disguised.md", inner), ("x.tar.gz", b"x"),
        ("big.txt", b"x" * 3_000_001), ("fine.md", b"# fine"),
    )  # fmt: skip
    members = unpacked(data, LIMITS._replace(ratio=5_000))
    assert {path: bool(member.problem) for path, member in members.items()} == {
        "link.md": True, "in.zip": True, "disguised.md": True, "x.tar.gz": True, "big.txt": True, "fine.md": False,
    }  # fmt: skip
    for member in members.values():
        assert not (member.data and member.problem)
        assert member.problem is None or (member.path in member.problem.zh and member.path in member.problem.en)
    assert "symbolic link" in members["link.md"].problem.en
    assert "3 MB" in members["big.txt"].problem.en


def test_an_office_file_within_is_a_file():
    word = zipped(("[Content_Types].xml", b"<x/>"), ("word/document.xml", b"<x/>"))
    assert unpacked(zipped(("合同.docx", word)))["合同.docx"].data == word


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_methods_are_skipped(method):
    [member] = unpacked(zipped(("a.md", b"text" * 99), method=method)).values()
    assert "method" in member.problem.en


def test_a_damaged_member_does_not_keep_the_others_away():
    data = bytearray(zipped(("a.md", b"first " * 9), ("b.md", b"second"), method=zipfile.ZIP_STORED))
    data[data.index(b"first")] ^= 1
    members = unpacked(bytes(data))
    assert "damaged" in members["a.md"].problem.en
    assert members["b.md"].data == b"second"


@pytest.mark.parametrize("told", [1, 10**9])
def test_a_size_that_lies(told):
    """Never more is read than a member says it has, and what it says counts towards the limits."""
    data = raw_zip((b"a.txt", b"abcdef"), size=told)
    if told > LIMITS.total_bytes:
        assert "would have more" in refusal(data)
    else:
        assert "damaged" in unpacked(data)["a.txt"].problem.en


def test_password():
    assert "password" in refusal(raw_zip((b"a.md", b"secret"), (b"b.md", b"secret"), flags=1))
    mixed = bytearray(zipped(("a.md", b"first"), ("b.md", b"second")))
    mixed[mixed.index(b"PK\x01\x02") + 8] |= 1
    members = unpacked(bytes(mixed))
    assert "password" in members["a.md"].problem.en
    assert members["b.md"].data == b"second"


def test_bombs():
    assert "zip bomb" in refusal(zipped(("zeros.txt", bytes(9_000_000))))
    packed = zlib.compress(bytes(2_000_000), 9)[2:-4]
    once = raw_zip((b"a", packed))
    entry = once[once.index(b"PK\x01\x02") : once.index(b"PK\x05\x06")]
    counts = struct.pack("<HHHHIIH", 0, 0, 50, 50, 50 * len(entry), once.index(b"PK\x01\x02"), 0)
    overlapping = once[: once.index(b"PK\x01\x02")] + entry * 50 + b"PK\x05\x06" + counts
    assert "zip bomb" in refusal(overlapping)


def test_limits():
    assert "more than 100 files" in refusal(zipped(*((f"{n}.md", b"x") for n in range(101))))
    noise = bytes(range(256)) * 4_000
    assert "more than 10 MB" in refusal(zipped(*((f"{n}.md", noise) for n in range(11)), method=zipfile.ZIP_STORED))
    assert "files" in refusal(zipped(*((f"{n:0200}.md", b"") for n in range(500))), LIMITS)  # a table nobody has


def test_nothing_to_unpack():
    assert "no files" in refusal(zipped())
    assert "no files" in refusal(zipped(("d/", b""), (".hidden", b"x")))


@each_row("data", [b"", b"PK\x03\x04", b"words", zipped(("a.md", b"x" * 99))[:-9]])
def test_damaged(data):
    assert "damaged" in refusal(data)


def test_what_is_an_archive():
    data = zipped(("a.md", b"x"))
    assert is_archive("a.zip", data)
    assert is_archive("a.docx", data)  # by its content
    assert is_archive("a.zip", io.BytesIO(data))
    assert is_archive("a.zip", data[:-9])
    assert not is_archive("a.docx", data[:-9])
    assert not is_archive("a.zip", zipped(("[Content_Types].xml", b"<x/>")))
    assert not is_archive("a.epub", zipped(("mimetype", b"application/epub+zip")))
    assert not is_archive("a.zip", b"words")


def test_other_archives_are_told_of_zip():
    with pytest.raises(FileError) as refused:
        read_packed("a.tar.gz", b"\x1f\x8b")
    assert "zip" in refused.value.suggestions[0].zh
    assert "zip" in refused.value.suggestions[0].en


@given(st.binary(max_size=200), st.integers(0, 300), st.integers(0, 255))
def test_any_archive_is_unpacked_or_refused(noise, at, byte):
    data = bytearray(zipped(("docs/a.md", b"# A"), ("b.txt", noise)))
    data[at % len(data)] = byte
    for damaged in (bytes(data), noise):
        is_archive("a.zip", damaged)
        try:
            members = list(unpack("a.zip", damaged, LIMITS))
        except FileError:
            continue
        assert all(clean_path(member.path) == member.path for member in members)


@given(st.text(max_size=600) | st.lists(st.sampled_from(["..", ".", "a", "员工 ", " .", "C:", "x" * 90])).map("/".join))
def test_any_path_becomes_a_safe_one(path):
    clean = clean_path(path)
    assert len(clean.encode()) <= 400
    assert not set(clean) & set("\\\0\n\r")
    assert all(part not in ("", ".", "..") for part in clean.split("/"))
    assert clean_path(clean) == clean
