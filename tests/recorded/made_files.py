"""Made files for an ingestion: many kinds, both languages, duplicates, damaged ones, an archive. Always the same."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.ingestion.hostile_parts import docx, pdf, zipped

_WORDS = {
    "zh": "水泵 压力 阀门 检修 温度 记录 员工 年假 报销 申请 部门 审批 合同 交付 库存 质量 培训 安全 客户 版本".split(),
    "en": "pump pressure valve service temperature record employee leave expense request team approval contract".split()
    + "delivery stock quality training safety customer version".split(),
}


class MadeFile(NamedTuple):
    name: str
    data: bytes
    metadata: dict[str, str]


def made_files(count: int) -> Iterator[MadeFile]:
    """Every 25th repeats the content of one before, every 20th cannot be read, some come again under their name."""
    chance = random.Random(20_26)
    makers = list(_MAKERS.items())
    earlier: list[MadeFile] = []
    for number in range(count):
        language = ("zh", "en")[number % 2]
        kind, make = makers[number % len(makers)]
        name = f"{('资料', 'papers')[number % 2]}/{number // 100}/{number}.{kind}"
        data = make(chance, language, number)
        if number % 25 == 24:
            data = chance.choice(earlier).data if kind in ("md", "txt") else data
        if number % 20 == 19:
            data = _DAMAGED[number // 20 % len(_DAMAGED)](data)
        metadata = {"owner": f"team {number % 5}"} if number % 6 == 0 else {}
        file = MadeFile(name if number % 50 else "again.md" if number % 100 else "archive.zip", data, metadata)
        if file.name == "again.md":
            file = file._replace(data=_markdown(chance, language, number))
        if file.name == "archive.zip":
            members = [(f"{number}/{one}.md", _markdown(chance, language, one)) for one in range(5)]
            file = MadeFile(f"{number}.zip", zipped(*members, ("bad.pdf", b"%PDF-1.7 nothing")), metadata)
        earlier.append(file)
        yield file


def _sentence(chance: random.Random, language: str) -> str:
    words = chance.choices(_WORDS[language], k=chance.randint(4, 14))
    number = chance.randint(1, 999)
    return f"{''.join(words)}，共{number}项。" if language == "zh" else f"The {' '.join(words)} has {number} parts. "


def _paragraph(chance: random.Random, language: str) -> str:
    return "".join(_sentence(chance, language) for _ in range(chance.randint(1, 6))).strip()


def _markdown(chance: random.Random, language: str, number: int) -> bytes:
    parts = [f"---\ntitle: File {number}\n---\n"] if number % 9 == 0 else []
    parts.append(f"# {_WORDS[language][number % 20]} {number}\n")
    for section in range(chance.randint(1, 6)):
        parts += [f"## {section + 1} {chance.choice(_WORDS[language])}\n", f"{_paragraph(chance, language)}\n"]
    parts.append("| a | b |\n|---|---|\n| 1 | 2 |\n" if number % 4 == 0 else "```python\nx = 1\n```\n")
    return "\n".join(parts).encode()


def _text(chance: random.Random, language: str, number: int) -> bytes:
    text = "\r\n\r\n".join(_paragraph(chance, language) for _ in range(chance.randint(1, 8)))
    return text.encode(("gb18030", "utf-8", "utf-16")[number % 3])


def _python(chance: random.Random, language: str, number: int) -> bytes:
    functions = (f'def f{n}(x):\n    """{_sentence(chance, language)}"""\n    return x + {n}\n' for n in range(9))
    return "\n\n".join(functions).encode()


def _json(chance: random.Random, language: str, number: int) -> bytes:
    rows = [{"id": n, "note": _sentence(chance, language)} for n in range(chance.randint(2, 9))]
    return json.dumps(rows, ensure_ascii=False).encode()


def _csv(chance: random.Random, language: str, number: int) -> bytes:
    rows = [f'{n},"{_sentence(chance, language)}",{chance.randint(1, 99)}' for n in range(chance.randint(2, 20))]
    return "\n".join(["id,note,count", *rows, ""]).encode()


def _html(chance: random.Random, language: str, number: int) -> bytes:
    parts = "".join(f"<h2>{n}</h2><p>{_paragraph(chance, language)}</p>" for n in range(3))
    return f"<html lang='{language}'><head><title>{number}</title></head><body>{parts}</body></html>".encode()


def _notebook(chance: random.Random, language: str, number: int) -> bytes:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": [f"# {number}\n", _paragraph(chance, language)]},
        {
            "cell_type": "code",
            "metadata": {},
            "outputs": [],
            "execution_count": 1,
            "source": ["x = 1\n", f"y = {number}"],
        },
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def _docx(chance: random.Random, language: str, number: int) -> bytes:
    texts = [_paragraph(chance, language) for _ in range(4)]
    return docx("".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in texts))


def _pdf(chance: random.Random, language: str, number: int) -> bytes:
    return pdf(f"BT /F1 12 Tf 72 700 Td ({_sentence(chance, 'en')}) Tj ET")


_MAKERS: dict[str, Callable[[random.Random, str, int], bytes]] = {
    "md": _markdown, "txt": _text, "py": _python, "json": _json, "csv": _csv, "html": _html, "ipynb": _notebook,
    "docx": _docx, "pdf": _pdf,
}  # fmt: skip
_DAMAGED: tuple[Callable[[bytes], bytes], ...] = (
    lambda _: b"",
    lambda data: data[: len(data) // 3],
    lambda data: bytes(64) + data,
    lambda data: b"\xff\xfe\x00" + data[::-1],
)
