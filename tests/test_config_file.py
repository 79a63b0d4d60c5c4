"""config.yaml: its forms, what beats it, and what is said of a wrong one."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from pydantic import SecretStr, ValidationError

from errors import CitewiseError
from providers.catalog import configured
from settings import Settings

EXAMPLE = Path(__file__).parent.parent / "config.yaml.example"
OF_THE_DOCUMENTS = """
llm_providers:
  primary: "openai"
  fallback: ["deepseek", "ollama"]
  openai:
    model: "gpt-3.5-turbo"
    api_key: "${OPENAI_API_KEY}"
    timeout: 30
  deepseek:
    model: "deepseek-chat"
    api_key: "${DEEPSEEK_API_KEY}"
    timeout: 20
  ollama:
    model: "llama2"
    base_url: "http://localhost:11434"
    timeout: 60
retrieval:
  top_k: 7
  min_similarity: 0.2
  max_context_length: 1500
  embedding_model: "simple"
language:
  default: "en"
  supported: ["zh", "en"]
  auto_detect: true
"""


def read(tmp_path: Path, text: str, **variables: str) -> Settings:
    path = tmp_path / "given.yaml"
    path.write_text(text, encoding="utf-8")
    return Settings.from_mapping({"CITEWISE_CONFIG": str(path), **variables})


def test_the_form_of_the_documents(tmp_path: Path) -> None:
    found = read(tmp_path, OF_THE_DOCUMENTS, OPENAI_API_KEY="k1")
    assert [(entry.name, entry.timeout) for entry in found.llm_providers] == [
        ("openai", 30.0),
        ("deepseek", 20.0),
        ("ollama", 60.0),
    ]
    assert (found.openai_model, found.openai_api_key, found.deepseek_api_key) == (
        "gpt-3.5-turbo",
        SecretStr("k1"),
        None,
    )
    assert (found.ollama_model, found.top_k, found.min_similarity, found.max_context_length) == ("llama2", 7, 0.2, 1500)
    assert (found.embedding, found.fallback_language) == ("tfidf", "en")


@pytest.mark.parametrize("name", ["CITEWISE_TOP_K", "DEFAULT_TOP_K"])
def test_any_variable_beats_the_file_and_an_argument_beats_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    assert read(tmp_path, OF_THE_DOCUMENTS, **{name: "9"}).top_k == 9
    monkeypatch.chdir(tmp_path)
    Path("config.yaml").write_text(OF_THE_DOCUMENTS, encoding="utf-8")
    assert Settings().top_k == 7
    Path(".env").write_text(f"{name}=8\nDEEPSEEK_API_KEY=from-dotenv\n", encoding="utf-8")
    assert Settings().top_k == 8
    assert Settings().deepseek_api_key == SecretStr("from-dotenv")
    monkeypatch.setenv(name, "9")
    assert Settings().top_k == 9
    assert Settings(top_k=3).top_k == 3
    assert Settings.from_mapping({}).top_k == 5  # a file that nobody named is not read


def test_a_key_that_is_not_there_is_no_key(tmp_path: Path) -> None:
    text = """
llm_providers:
  primary: office
  fallback: local
  office: {model: a, base_url: "http://x/v1/", api_key: "${OFFICE_KEY}", weight: 2}
  local: {model: b, base_url: "http://y/v1"}
"""
    assert [entry.name for entry in read(tmp_path, text).llm_providers] == ["local"]
    office, local = read(tmp_path, text, OFFICE_KEY="k").llm_providers
    assert (office.name, office.base_url, office.api_key, office.weight) == ("office", "http://x/v1", SecretStr("k"), 2)
    assert (local.name, local.api_key, local.timeout) == ("local", None, None)


def test_the_example_is_read_without_a_word(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    found = read(tmp_path, EXAMPLE.read_text(encoding="utf-8"))
    assert [entry.name for entry in found.llm_providers] == ["openai", "deepseek", "ollama"]
    assert found.model_copy(update={"llm_providers": (), "config_file": Path("config.yaml")}) == Settings.from_mapping(
        {}
    )
    assert not caplog.records


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("llm_providers: [", "line 1"),
        ("a: b\n- c", "line 2"),
        ("- openai", "mapping"),
        ("llm_providers: openai", "llm_providers"),
        ("llm_providers: {primary: mine}", "base_url"),
        ("llm_providers: {primary: mine, mine: {base_url: 'http://x'}}", "lacks model"),
        ("llm_providers: {openai: {timeout: soon}}", "llm_providers.openai.timeout"),
        ("llm_providers: {openai: {modle: x}}", "llm_providers.openai.modle"),
        ("llm_providers: {openai: gpt}", "llm_providers.openai"),
        ("llm_providers: {mine: {model: m, base_url: 'x/v1'}}", "base_url"),
        ("llm_providers: {mine: {model: m, base_url: 'http://[::1'}}", "base_url"),
        ("llm_providers: {mine: {name: yours, model: m, base_url: 'http://x'}}", "must not hold a name"),
        ("llm_providers: {openai: {weight: .inf}}", "weight"),
        ("llm_providers: {openai: {timeout: .inf}}", "timeout"),
        ("llm_providers: &a {openai: *a}", "nested too deeply"),
        (
            "a: &a [x, x, x]\n"
            + "".join(f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]\n" for a, b in pairwise("abcdefghijk")),
            "holds too much",
        ),
        ("retrieval: {top_k: 2024-99-99}", "no YAML"),
        ("retrieval: " + "[" * 3000, "no YAML"),
        ("retrieval: !!int ''", "no YAML"),
    ],
)
def test_what_is_wrong_is_said_in_both_languages(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(CitewiseError) as caught:
        read(tmp_path, text)
    assert caught.value.kind == "settings"
    assert said in caught.value.message.en
    assert "given.yaml" in caught.value.message.zh
    assert caught.value.suggestions


def test_a_file_that_was_named_must_be_there_and_be_utf8(tmp_path: Path) -> None:
    with pytest.raises(CitewiseError, match="cannot be read"):
        Settings.from_mapping({"CITEWISE_CONFIG": str(tmp_path / "none.yaml")})
    (tmp_path / "gbk.yaml").write_bytes("llm_providers: {} # 提供商".encode("gbk"))
    with pytest.raises(CitewiseError, match="UTF-8"):
        Settings.from_mapping({"CITEWISE_CONFIG": str(tmp_path / "gbk.yaml")})


def test_what_has_no_effect_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    content = {"retrieval": {"top_kk": 3}, "language": {"auto_detect": False}, "colours": {}}
    assert read(tmp_path, yaml.safe_dump(content)).top_k == 5
    assert [word for word in ("top_kk", "auto_detect", "colours") if word not in caplog.text] == []


@pytest.mark.parametrize(
    ("text", "place", "meant"),
    [
        ("retrieval: {top_kk: 3}", "retrieval.top_kk", "retrieval.top_k"),
        ("retreival: {top_k: 3}", "retreival", "retrieval"),
        ("top_k: {a: 1}", "top_k", "retrieval.top_k"),
        ("web: {crawl_max_page: 3}", "web.crawl_max_page", "web.crawl_max_pages"),
        ("language: {defualt: en}", "language.defualt", "language.default"),
        ("top_kk: 3", "top_kk", "retrieval.top_k"),
    ],
)
def test_a_misspelt_key_is_named_with_the_one_that_was_meant(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str, place: str, meant: str
) -> None:
    read(tmp_path, text)
    assert f"“{place}”不起作用，是否想写“{meant}”？" in caplog.text
    assert f"{place} has no effect (did you mean {meant}?)" in caplog.text


def test_lists_of_odd_things_have_no_effect_either(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings = read(tmp_path, "language: {supported: [{a: 1}]}\nretrieval: {llm_providers: [{name: mine}]}")
    assert settings.llm_providers == ()
    assert "language.supported" in caplog.text
    assert "retrieval.llm_providers" in caplog.text


def test_an_empty_file_says_nothing(tmp_path: Path) -> None:
    assert read(tmp_path, "# nothing\n").llm_providers == ()
    assert read(tmp_path, "llm_providers:\nretrieval:\n").llm_providers == ()


def test_prices_come_in_pairs_and_belong_to_their_provider(tmp_path: Path) -> None:
    text = "{deepseek: {api_key: k, input_price: 0.5, output_price: 2, currency: CNY}, openai: {api_key: k}}"
    priced, free = configured(read(tmp_path, f"llm_providers: {text}", CITEWISE_OLLAMA="false"))
    assert (priced.prices, priced.currency, free.prices) == ((0.5, 2.0), "CNY", None)
    assert priced.cost(priced.model, (2_000_000, 500_000)) == 2.0
    assert priced.cost("another", (2_000_000, 500_000)) is None
    assert priced.cost(priced.model, (10, None)) is None
    assert free.cost(free.model, (10, 10)) is None
    with pytest.raises(CitewiseError, match="go together") as refused:
        read(tmp_path, "llm_providers: {deepseek: {input_price: 1}}")
    assert "llm_providers.deepseek：input_price 和 output_price 要同时设置" in refused.value.message.zh


def test_the_prices_of_the_plain_variables_are_those_of_their_model() -> None:
    given = {"CITEWISE_LLM_MODEL": "m", "CITEWISE_LLM_BASE_URL": "http://localhost:8000/v1", "CITEWISE_OLLAMA": "false"}
    prices = {"CITEWISE_LLM_INPUT_PRICE": "0.5", "CITEWISE_LLM_OUTPUT_PRICE": "2", "CITEWISE_LLM_CURRENCY": "CNY"}
    [priced] = configured(Settings.from_mapping({**given, **prices}))
    assert (priced.prices, priced.currency, priced.cost("m", (2_000_000, 500_000))) == ((0.5, 2.0), "CNY", 2.0)
    [free] = configured(Settings.from_mapping(given))
    assert (free.prices, free.currency, free.cost("m", (10, 10))) == (None, "", None)
    with pytest.raises(ValidationError, match="go together"):
        Settings.from_mapping({"CITEWISE_LLM_INPUT_PRICE": "1"})


@pytest.mark.parametrize(
    "text",
    ["retrieval: {top_k: true}", "retrieval: {min_similarity: false}", "llm_providers: {openai: {timeout: true}}"],
)
def test_true_is_no_number(tmp_path: Path, text: str) -> None:
    with pytest.raises((ValidationError, CitewiseError), match=r"should be a valid|must be a number"):
        read(tmp_path, text)
