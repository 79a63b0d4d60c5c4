"""A question with the words of one Chinese region finds documents with those of another, and says so."""

from __future__ import annotations

import pytest

from library import Library

MAINLAND = "安装软件之前，请先备份硬盘上的数据库。"
PRINTER = "打印机连接网络后即可打印。"
TAIWAN = "安裝軟體之前，請先備份硬碟上的資料庫。"


@pytest.fixture
async def library(make_settings):
    async with await Library.open(make_settings()) as library:
        await library.add("mainland.md", MAINLAND.encode())
        await library.add("printer.md", PRINTER.encode())
        await library.settle()  # else the vectors may be fitted again between two searches
        yield library


async def test_a_word_that_the_library_lacks_is_searched_for_as_its_own(library) -> None:
    right = await library.search("打印机怎麼打印？")
    found = await library.search("印表機怎麼列印？")
    assert [hit.chunk_id for hit in found.hits] == [hit.chunk_id for hit in right.hits]
    assert found.confidence == pytest.approx(right.confidence, abs=0.01)
    assert found.question == "打印机怎麼打印？"
    assert found.found_by is not None
    assert found.found_by.zh == "“印表機”在资料中作“打印机”，“列印”在资料中作“打印”，已一并检索。"
    assert "“打印”, which the documents say for “列印”" in found.found_by.en
    assert right.found_by is None


@pytest.mark.parametrize("question", ["安裝軟體之前要做什麼？", "安装软件之前要做什么？"])
async def test_where_the_library_says_both_both_are_found(library, question) -> None:
    await library.add("taiwan.md", TAIWAN.encode())
    found = await library.search(question)
    documents = [hit.document for hit in found.hits]
    assert {*documents[:2]} == {"mainland.md", "taiwan.md"}
    own = "taiwan.md" if "軟體" in question else "mainland.md"
    assert documents[0] == own  # as it was typed
    assert found.found_by is None
    await library.delete(own)
    other = await library.search(question)
    assert other.confidence == pytest.approx(found.confidence, abs=0.1)
    assert other.found_by is not None


async def test_the_answer_goes_by_the_word_of_the_best_source(library) -> None:
    await library.add("mollusc.md", "软体机器人由硅胶制成。".encode())
    found = await library.search("安裝軟體之前要備份什麼？")
    assert found.hits[0].document == "mainland.md"
    assert found.question == "安裝软件之前要備份什麼？"
    assert found.found_by is not None
    assert found.found_by.zh == "“軟體”在资料中作“软件”，已一并检索。"
