"""What every store must do: keep the files that documents were read from, once for each content."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from store_cases import FORMS_BY_WORDS, batch

from schema import Chunking, OriginalFile
from stores.base import DocumentBatch, Store

pytestmark = pytest.mark.parametrize("store", FORMS_BY_WORDS, indirect=True)

PDF = bytes(range(256)) * 9000  # more than one block


def original(data: bytes, path: Path | None = None) -> OriginalFile:
    kept = OriginalFile(hashlib.sha256(data).hexdigest(), len(data))
    if path is None:
        return kept._replace(data=data)
    path.write_bytes(data)
    return kept._replace(path=str(path))


def of(name: str, words: str, file: OriginalFile | None, doc_set: str = "") -> DocumentBatch:
    return replace(batch(name, [words], doc_set), original=file)


def test_an_original_goes_with_its_last_document(store: Store, tmp_path: Path) -> None:
    file = original(PDF, tmp_path / "a.pdf")
    store.put_all([of("a.pdf", "one", file), of("b.pdf", "two", file, "set"), of("c.pdf", "three", None)])
    (tmp_path / "a.pdf").unlink()
    assert store.original("a.pdf") == store.original("b.pdf", "set") == PDF
    assert store.original_info("a.pdf") == OriginalFile(file.digest, len(PDF))
    assert store.original_info("c.pdf") is store.original("c.pdf") is store.original("none.pdf") is None

    store.put(
        replace(batch("a.pdf", ["one"], chunking=Chunking(size=9)), replaces=batch("a.pdf", ["one"]).document.digest)
    )
    store.move("a.pdf", "", "set")
    assert store.original("a.pdf", "set") == PDF  # cut again and moved
    store.put(of("a.pdf", "another text", None, "set"))
    assert store.original_info("a.pdf", "set") is None
    assert store.original("b.pdf", "set") == PDF
    store.delete_doc_set("set")
    store.put(of("d.pdf", "four", file))  # its bytes went with b.pdf, and its file is gone
    assert store.original_info("d.pdf") is None


def test_an_original_that_is_its_text_or_comes_later(store: Store, tmp_path: Path) -> None:
    text = batch("a.md", ["one 茶"]).document.text.encode()
    store.put(of("a.md", "one 茶", original(text)))
    assert store.original("a.md") == text

    generation = store.generation()
    later = original(b"\xef\xbb\xbf" + text)
    assert store.put(of("a.md", "one 茶", later)).outcome == "unchanged"
    assert (store.original("a.md"), store.generation()) == (b"\xef\xbb\xbf" + text, generation)

    changed = original(b"as it was read", tmp_path / "b.pdf")
    (tmp_path / "b.pdf").write_bytes(b"as it is now")
    store.put(of("b.pdf", "two", changed))
    assert store.original_info("b.pdf") is None
