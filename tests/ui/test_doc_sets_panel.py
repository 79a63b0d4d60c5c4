"""Deleting a document set: the question says what goes with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from library import Library
from schema import DocSetInfo, Language, Source
from settings import Settings
from ui.doc_sets import deletion_asked, deletion_question


def sources(number: int) -> list[Source]:
    return [Source(one, "合同", "website", f"https://{one}.example/") for one in range(1, number + 1)]


def test_without_sources_only_its_documents_are_told() -> None:
    question = deletion_question(DocSetInfo("合同", 1200, 5000), [])
    assert question.zh == "要删除文档集“合同”和其中的 1,200 个文件吗？"
    assert question.en == "Delete the set “合同” with its 1,200 documents?"
    assert deletion_question(DocSetInfo("x", 1, 1), []).en == "Delete the set “x” with its 1 document?"


def test_its_websites_and_repositories_are_told_by_address_and_of_many_the_number() -> None:
    info = DocSetInfo("合同", 3, 9)
    one = deletion_question(info, sources(1))
    assert "它的 1 个网站或仓库来源也会一并删除" in one.zh
    assert "Its website or repository goes too" in one.en
    many = deletion_question(info, sources(40))
    for said in (many.zh, many.en):
        assert "40" in said
        assert said.count(".example/") == 5
        assert said.endswith("\n…")
    assert "Its 40 websites or repositories go too" in many.en


@pytest.mark.parametrize(("language", "said"), [("zh", "一并删除"), ("en", "goes too")])
async def test_the_sources_of_the_set_that_is_picked_are_asked_for(
    tmp_path: Path, language: Language, said: str
) -> None:
    async with await Library.open(
        Settings(data_dir=tmp_path / "library", embedding="hashing", ingest_workers=0)
    ) as library:
        await library.add_doc_set("plain")
        library.store.put_source(Source(0, "docs", "github", "https://github.com/a/b\u202e"))
        name, words = json.loads(deletion_asked(library, "docs", language))
        assert name == "docs"
        assert said in words
        assert words.endswith("\n- https://github.com/a/b\N{REPLACEMENT CHARACTER}")
        assert said not in deletion_asked(library, "plain", language)
        for nothing in (None, "", "gone"):
            assert json.loads(deletion_asked(library, nothing, language)) == ["", ""]
