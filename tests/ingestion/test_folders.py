"""Which files of a folder are stored, and under what names."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from errors import CitewiseError
from ingestion.folders import incoming_of, split_unchanged
from schema import Chunking, DocumentInfo, Origin


def write(path: Path, content: bytes = b"some text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def names(*paths: Path) -> list[str]:
    return [file.name for file in incoming_of(paths).files]


def test_files_are_called_by_their_path_in_the_folder(tmp_path):
    for name in ("b.md", "a/README.md", "a/deep/er/说明.txt", "Makefile"):
        write(tmp_path / name)
    found = incoming_of([tmp_path], "set", Chunking(size=300))
    assert sorted(file.name for file in found.files) == ["Makefile", "a/README.md", "a/deep/er/说明.txt", "b.md"]
    assert {(file.doc_set, file.chunking.size, file.data) for file in found.files} == {("set", 300, None)}
    assert all(Path(file.path).is_absolute() and file.origin.file_path == file.name for file in found.files)
    assert found.skipped == []
    assert names(tmp_path / "a" / "README.md") == ["README.md"]


def test_what_nobody_would_ask_about_is_left_out(tmp_path):
    for name in (".git/HEAD.md", "node_modules/x/a.md", "__pycache__/a.md", ".venv/a.md", ".hidden.md", "kept.md"):
        write(tmp_path / name)
    assert names(tmp_path) == ["kept.md"]
    assert incoming_of([tmp_path]).skipped == []


def test_unknown_kinds_are_listed(tmp_path):
    write(tmp_path / "a.md")
    write(tmp_path / "film.mp4")
    write(tmp_path / "program", b"\x7fELF\0\0\0")
    found = incoming_of([tmp_path])
    assert [file.name for file in found.files] == ["a.md"]
    assert sorted(Path(path).name for path, _ in found.skipped) == ["film.mp4", "program"]
    assert names(tmp_path / "film.mp4") == ["film.mp4"]  # asked for by name: its reader says why not


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
def test_links_do_not_lead_out(tmp_path):
    outside = write(tmp_path / "outside" / "secret.md")
    folder = tmp_path / "folder"
    write(folder / "a.md")
    (folder / "inside.md").symlink_to(folder / "a.md")
    (folder / "out.md").symlink_to(outside)
    (folder / "nowhere.md").symlink_to(folder / "gone.md")
    (folder / "linked").symlink_to(outside.parent)
    (folder / "round").symlink_to(folder)
    os.mkfifo(folder / "pipe.md")
    found = incoming_of([folder])
    assert [file.name for file in found.files] == ["a.md", "inside.md"]
    assert sorted(Path(path).name for path, _ in found.skipped) == ["nowhere.md", "out.md", "pipe.md"]


def test_the_same_name_in_two_folders_and_the_same_folder_twice(tmp_path):
    for name in ("docs/a.md", "more/a.md", "third/docs/a.md"):
        write(tmp_path / name)
    folders = [tmp_path / "docs", tmp_path / "more", tmp_path / "docs"]
    assert names(*folders) == ["a.md", "more/a.md"]
    found = incoming_of([*folders, tmp_path / "more" / "a.md", tmp_path / "third" / "docs"])
    assert [file.name for file in found.files] == ["a.md", "more/a.md", "docs/a.md"]


def test_what_is_not_there_is_said(tmp_path):
    with pytest.raises(CitewiseError) as error:
        incoming_of([tmp_path / "nowhere"])
    assert "nowhere" in error.value.message.zh
    assert error.value.suggestions


def test_unchanged_is_what_has_the_same_stamp_and_set_and_was_cut_as_wished(tmp_path):
    path = write(tmp_path / "a.md")
    [file] = incoming_of([tmp_path]).files
    cut = Chunking(strategy="fixed", size=300, overlap=0)
    stored = DocumentInfo(
        1, "a.md", "", "markdown", "en", 9, 1, cut, "digest", "", Origin(stamp=file.origin.stamp)
    )  # fmt: skip
    assert split_unchanged([file], [stored]) == ([], [stored])
    assert split_unchanged([file], [replace(stored, doc_set="other")]) == ([file], [])
    assert split_unchanged([file], [replace(stored, origin=Origin())]) == ([file], [])
    other = replace(file, chunking=Chunking(size=200))
    assert split_unchanged([other], [stored]) == ([other], [])
    os.utime(path, ns=(1, 1))
    changed = incoming_of([tmp_path]).files
    assert split_unchanged(changed, [stored]) == (changed, [])
