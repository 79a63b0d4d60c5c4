"""How files are cut, in words."""

from __future__ import annotations

from schema import Chunking, Message

_CHUNKERS = {
    "semantic": Message(zh="语义切片", en="semantic chunks"),
    "fixed": Message(zh="固定大小切片", en="fixed-size chunks"),
    "recursive": Message(zh="递归切片", en="recursive chunks"),
    "markdown": Message(zh="Markdown 结构切片", en="Markdown chunks"),
    "code": Message(zh="代码切片", en="code chunks"),
}
_UNITS = {
    "characters": Message(zh="字符", en="characters"),
    "tokens": Message(zh="词元", en="tokens"),
    "words": Message(zh="词", en="words"),
}


def describe_chunking(chunking: Chunking) -> Message:
    """“递归切片，每片不超过 300 字符” / "recursive chunks of up to 300 characters"."""
    name = _CHUNKERS[chunking.strategy] if chunking.strategy else Message(zh="默认切片", en="default chunks")
    zh, en = [name.zh], [name.en]
    unit = _UNITS[chunking.unit or "characters"]
    if chunking.size is not None:
        zh.append(f"每片至多 {chunking.size} {unit.zh}")
        en.append(f"of up to {chunking.size} {unit.en}")
    if chunking.overlap:
        zh.append(f"重叠 {chunking.overlap}")
        en.append(f"overlapping by {chunking.overlap}")
    return Message(zh="，".join(zh), en=" ".join(en))
