"""Every setting can be set by its own name in every way, and no name means two settings."""

from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from pydantic import SecretStr, ValidationError

import citewise
from config_file import ProviderEntry
from profiles import PROFILES
from setting_names import names_of, older_names
from settings import Settings

FIELDS = Settings.model_fields
BY_VARIABLE = [name for name in FIELDS if name != "llm_providers"]
IN_FILE = [name for name in BY_VARIABLE if name != "config_file"]
TEXTS = ["other", "10.0.0.0/8", "http://other.lan", "004", "11", "0.5"]  # one of them suits a setting without default
TOGETHER = {
    "ocr": {"ocr_model": "m", "ocr_base_url": "http://localhost:1"},
    "milvus_url": {"database_url": "postgresql://localhost/x"},
    "llm_input_price": {"llm_output_price": "7"},
    "llm_output_price": {"llm_input_price": "7"},
}


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the tests were started with."""
    for variable in (one for field in FIELDS for one in names_of(field)):
        monkeypatch.delenv(variable, raising=False)


def other(name: str) -> str:
    """Text of a value that is not the setting's default."""
    default, kind = FIELDS[name].default, FIELDS[name].annotation
    if isinstance(default, bool):
        return str(not default).lower()
    if isinstance(default, int | float):
        bounds = {type(one).__name__: one for one in FIELDS[name].metadata}
        most = getattr(bounds.get("Le"), "le", default + 1)
        return str(default + 1 if default + 1 <= most else most / 2)
    if choices := [one for one in get_args(kind) if isinstance(one, str) and one != default]:
        return choices[0]
    return next(text for text in TEXTS if fits(name, text))


def fits(name: str, text: str) -> bool:
    try:
        Settings.from_mapping({name: text, **TOGETHER.get(name, {})})
    except ValidationError:
        return False
    return True


def shown(settings: Settings, name: str) -> Any:
    value = getattr(settings, name)
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    return (
        tuple(one.get_secret_value() if isinstance(one, SecretStr) else one for one in value)
        if isinstance(value, tuple)
        else value
    )


@pytest.mark.parametrize("name", BY_VARIABLE)
def test_a_setting_is_set_by_its_own_name_in_every_way(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("other").touch()  # for the name of a file
    text, beside = other(name), TOGETHER.get(name, {})
    wanted = shown(Settings.from_mapping({name: text, **beside}), name)
    plain = Settings.from_mapping({})
    assert wanted != shown(plain, name)
    changed = {name, *beside, *(PROFILES["004"] if name == "profile" else ())}

    def holds(settings: Settings) -> None:
        assert shown(settings, name) == wanted
        same = settings.model_copy(update={one: getattr(plain, one) for one in changed})
        assert same.model_dump() == plain.model_dump(), "another setting changed as well"

    holds(Settings(**{name: text, **beside}))
    holds(citewise.aopen(**{name: text, **beside}).settings)
    for variable in names_of(name):
        given = {variable: text, **{f"CITEWISE_{one.upper()}": value for one, value in beside.items()}}
        holds(Settings.from_mapping(given))
        with monkeypatch.context() as environment:
            for key, value in given.items():
                environment.setenv(key, value)
            holds(Settings())
        Path(".env").write_text("".join(f"{key}={value}\n" for key, value in given.items()), encoding="utf-8")
        holds(Settings())
        Path(".env").unlink()
    if name in IN_FILE:
        Path("config.yaml").write_text(yaml.safe_dump({"retrieval": {name: yaml.safe_load(text), **beside}}))
        holds(Settings())


def test_the_chain_of_models_is_set_by_an_argument() -> None:
    entry = ProviderEntry(name="mine", model="m", base_url="http://x/v1")
    assert citewise.aopen(llm_providers=(entry,)).settings.llm_providers == (entry,)


def test_no_name_means_two_settings() -> None:
    taken: dict[str, str] = {}
    for name in FIELDS:
        for one in {name.upper(), *(variable.upper() for variable in names_of(name))}:
            assert taken.setdefault(one, name) == name, f"{one} means {taken[one]} and {name}"


@pytest.mark.parametrize("model", ["intfloat/multilingual-e5-small", "openai", "simple"])
def test_a_model_of_embeddings_is_no_embedder(model: str, tmp_path: Path) -> None:
    opened = citewise.aopen(tmp_path, embedding="hashing", embedding_model=model).settings
    assert (opened.embedding, opened.embedding_model) == ("hashing", model)


def test_in_the_file_a_model_of_embeddings_is_one_unless_it_is_a_word_of_the_documents(tmp_path: Path) -> None:
    def read(text: str) -> tuple[str, str | None]:
        (tmp_path / "own.yaml").write_text(f"retrieval: {{{text}}}", encoding="utf-8")
        found = Settings.from_mapping({"CITEWISE_CONFIG": str(tmp_path / "own.yaml")})
        return found.embedding, found.embedding_model

    assert read("embedding_model: BAAI/bge-m3") == ("auto", "BAAI/bge-m3")
    assert read("embedding: ollama, embedding_model: bge-m3") == ("ollama", "bge-m3")
    assert read("embedding_model: sentence-transformers") == ("sentence-transformers", None)
    assert read("embedding: hashing, embedding_model: simple") == ("hashing", None)


def test_a_source_beats_those_below_it_by_whatever_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path(".env").write_text("CITEWISE_TOP_K=8\n")
    monkeypatch.setenv("RAG_DEFAULT_TOP_K", "9")
    assert Settings().top_k == 9
    assert Settings(top_k=4).top_k == 4


def test_a_plain_word_of_the_environment_is_no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOST", "PORT", "USERS", "WEB", "URI", "LOG_LEVEL"):
        monkeypatch.setenv(name, "9")
    assert Settings().model_dump() == Settings.from_mapping({}).model_dump()


def test_older_names_that_set_something_are_known() -> None:
    environment = {"RAG_DEFAULT_TOP_K": "7", "CITEWISE_PORT": "1", "OPENAI_API_KEY": "k", "EMBEDDING_MODEL": "qwen"}
    in_file = {"CITEWISE_TOP_K": "3", "DASH_MODEL_NAME": "x", "GITHUB_TOKEN": " ", "CITEWISE_OPENAI_MODEL": "m"}
    used = older_names((environment, in_file), FIELDS)
    assert used == {"top_k": "RAG_DEFAULT_TOP_K", "embedding": "EMBEDDING_MODEL", "dashscope_model": "DASH_MODEL_NAME"}
