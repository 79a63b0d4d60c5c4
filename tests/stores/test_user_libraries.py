"""Which folder is whose, and that nothing opens a library where it is not clear whose is meant."""

from __future__ import annotations

from pathlib import Path

import pytest

import citewise
from errors import CitewiseError
from library import Library
from settings import read_settings
from stores.selection import open_shared, open_store
from stores.user_libraries import folder_name, note_owner, own_settings, settings_of, user_folders
from tests.conftest import MakeSettings

PRIVATE = {"CITEWISE_LIBRARIES": "private", "CITEWISE_API_KEYS": "anna:key-of-anna-1234567890"}
NAMES = ["anna", "Anna", "ANNA", "a.nna", "a-nna", "安娜", "安", "..", "a" * 64, "a" * 63, "@", "é", "e\u0301", "con"]


def test_every_name_has_a_folder_of_its_own_on_every_file_system(tmp_path: Path) -> None:
    folders = [folder_name(name) for name in NAMES]
    assert len({folder.casefold() for folder in folders}) == len(NAMES)
    for name, folder in zip(NAMES, folders, strict=True):
        assert folder.isascii()
        assert not set(folder) & set("./\\:@ "), folder
        assert len(folder) < 60
        note_owner(tmp_path / "libraries" / folder, name)
    assert [one.user for one in user_folders(tmp_path)] == sorted(NAMES)
    (tmp_path / "libraries" / folder_name("anna") / "owner").write_text("ben")  # it says what its name does not
    assert "ben" not in [one.user for one in user_folders(tmp_path)]


def test_a_users_settings_have_their_folder_and_the_models_of_all(make_settings: MakeSettings, tmp_path: Path) -> None:
    own = settings_of(make_settings(**PRIVATE), "anna")
    assert own.data_dir == tmp_path / "library" / "libraries" / folder_name("anna")
    assert own.models_folder == tmp_path / "library" / "models"
    assert own_settings(own) == own


async def test_no_library_is_opened_where_it_is_not_clear_whose(make_settings: MakeSettings, tmp_path: Path) -> None:
    unnamed = make_settings(**PRIVATE)
    named = make_settings(**PRIVATE, CITEWISE_AS_USER="anna")  # but of the folder that all have shared
    of_another = settings_of(unnamed, "anna").model_copy(update={"as_user": "ben"})
    for settings in (unnamed, named, of_another):
        for open_it in (open_store, open_shared):
            with pytest.raises(CitewiseError) as refused:
                open_it(settings)
            assert "anna" in refused.value.suggestions[0].en
        with pytest.raises(CitewiseError):
            await Library.open(settings)
    assert not tmp_path.joinpath("library").exists()


def test_whose_it_is_must_be_said_and_known(make_settings: MakeSettings) -> None:
    with pytest.raises(CitewiseError, match="no user was named"):
        own_settings(make_settings(**PRIVATE))
    with pytest.raises(CitewiseError, match="no user ana"):
        own_settings(make_settings(**PRIVATE, CITEWISE_AS_USER="ana"))
    with pytest.raises(CitewiseError, match="share one library"):
        own_settings(make_settings(CITEWISE_AS_USER="anna"))
    removed = settings_of(make_settings(**PRIVATE), "ben").data_dir
    removed.mkdir(parents=True)  # who is no user any more has left a library
    assert own_settings(make_settings(**PRIVATE, CITEWISE_AS_USER="ben")).data_dir == removed


def test_a_program_in_python_says_whose(
    bare_environment: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in PRIVATE.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(CitewiseError, match="no user was named"):
        citewise.open(tmp_path / "data")
    with citewise.open(tmp_path / "data", as_user="anna") as library:
        assert library.asynchronous.assistant.settings.data_dir.name == folder_name("anna")


def test_it_does_not_go_with_a_database(bare_environment: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**PRIVATE, "CITEWISE_DATABASE_URL": "postgresql://localhost/x"}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(CitewiseError) as refused:
        read_settings()
    assert "database of its own for each group" in refused.value.message.en
    assert "各用一个数据库" in refused.value.message.zh
