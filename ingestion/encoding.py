"""Which encoding a file of text is in: Unicode first, then the two Chinese ones, then what charset-normalizer finds."""

from __future__ import annotations

import codecs
import re
import unicodedata
from functools import cache

# The most frequent characters of Chinese prose, simplified and traditional: short texts hold several of them, the
# same bytes read in a wrong encoding almost none.
_FREQUENT = frozenset(
    "的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生自会那后能对着事其里所去行过"
    "家十用发天如然作方成者多日都三小军二无同么经法当起与好看学进种将还分此心前面又定见只主没公从这為來個們說國時"
    "於會後對著裡過發無經當與學進種將還從本工动動员員应應每月第部位理高新全文件请請按内內量名长長电電业業务務"
    "开開关關问問题題现現实實体體机機务使用以及或可以需不超时間间须須假期费費报報销銷保存数數据據线線东東车車书書"
)
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 64_000  # bytes that are looked at; the rest must decode as well
_LEAST = 0.55  # the score below which no Chinese or Unicode reading is believed
# One Chinese character by itself at a Latin letter: what é, ü or “ and the letter after it become when read as Chinese.
_alone = re.compile(
    r"(?<![\x80-\U0010ffff])[\u3400-\u9fff](?=[A-Za-z])|(?<=[A-Za-z])[\u3400-\u9fff](?![\x80-\U0010ffff])"
)
_control = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]")


def decode(data: bytes) -> tuple[str, str] | None:
    """(text, encoding) of bytes that are text; None for what no encoding explains."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _strict(data, encoding)
    text = _strict(data, "utf-8")
    if text and "\0" not in text[0]:
        return text
    damaged = data.decode("utf-8", "replace")
    if 0 < 20 * damaged.count("\ufffd") <= len(damaged.encode()) - len(damaged) and "\0" not in damaged:
        return damaged, "utf-8"  # a byte lost here and there; U+FFFD stands in its place
    candidates = ["gb18030", "big5", "cp950", "big5hkscs"] if b"\0" not in data else []
    candidates += ["utf-16-le", "utf-16-be"] if len(data) % 2 == 0 else []
    readings = [(score, encoding) for encoding in candidates if (score := _score(data, encoding)) >= _LEAST]
    for _, encoding in sorted(readings, key=lambda reading: -reading[0]):
        if found := _strict(data, encoding):
            return found
    return None if b"\0" in data else _other(data)


def _strict(data: bytes, encoding: str) -> tuple[str, str] | None:
    try:
        return data.decode(encoding), encoding
    except UnicodeDecodeError:
        return None


def _other(data: bytes) -> tuple[str, str] | None:
    """Western when most of it is ASCII letters; else what charset-normalizer makes of it, Cyrillic or Japanese."""
    from charset_normalizer import from_bytes

    letters = len(re.findall(rb"[A-Za-z]", data[:_SAMPLE]))
    guesses = ["cp1252"] if letters > len(data[:_SAMPLE]) / 2 else []
    guesses += [match.encoding for match in from_bytes(data[:_SAMPLE]) if not match.encoding.startswith("utf")]
    for encoding in guesses:
        found = _strict(data, encoding)
        if found and not _control.search(found[0][:_SAMPLE]):
            return found
    return None


def _score(data: bytes, encoding: str) -> float:
    """How much the bytes read in this encoding look like text, at most 1: the mean weight of their characters."""
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(data[:_SAMPLE], final=len(data) <= _SAMPLE)
    except UnicodeDecodeError:
        return 0.0
    if _control.search(text):
        return 0.0
    foreign = [mark for mark in text if mark >= "\x80"]
    if not foreign:
        return 1.0 if text.strip() else 0.0
    if len(_alone.findall(text)) > len(foreign) / 2:
        return 0.0
    plain = min(len(text) - len(foreign), len(foreign))  # ASCII says little, however much of it there is
    return (sum(map(_weight, foreign)) + plain * 0.6) / (len(foreign) + plain)


@cache
def _weight(mark: str) -> float:
    if mark in _FREQUENT:
        return 1.0
    if mark in "，。、；：？！“”‘’（）《》「」『』—…·　【】％～":
        return 1.0
    if "\u4e00" <= mark <= "\u9fff":
        return 0.7 if _is_common(mark) else 0.1
    category = unicodedata.category(mark)
    return -1.0 if category in ("Cn", "Co", "Cs", "Cc") else 0.3 if category[0] in "LNPSZ" else 0.0


def _is_common(mark: str) -> bool:
    """In the first level of GB 2312 (3,755 simplified) or of Big5 (5,401 traditional characters)."""
    for encoding, first, last in (("gb2312", 0xB0, 0xD7), ("big5", 0xA4, 0xC6)):
        try:
            if first <= mark.encode(encoding)[0] <= last:
                return True
        except UnicodeEncodeError:
            continue
    return False
