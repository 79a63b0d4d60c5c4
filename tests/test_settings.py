"""Settings: the documents' names, and `.env.example` as their complete list."""

import re
from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from setting_names import names_of
from settings import Settings
from tests.each_row import each_row

EXAMPLE = (Path(__file__).parent.parent / ".env.example").read_text(encoding="utf-8")


def test_names_of_the_older_documents_are_accepted() -> None:
    found = Settings.from_mapping({"DASH_MODEL_NAME": "qwen-plus", "RAG_DEFAULT_TOP_K": "7", "TEXT_CHUNK_SIZE": "500"})
    assert (found.dashscope_model, found.top_k, found.text_chunk_size) == ("qwen-plus", 7, 500)


def test_own_name_beats_the_older_one() -> None:
    assert Settings.from_mapping({"RAG_DEFAULT_TOP_K": "7", "CITEWISE_TOP_K": "3"}).top_k == 3


def test_a_mapping_is_read_instead_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITEWISE_TOP_K", "9")
    assert Settings.from_mapping({}).top_k == 5
    assert Settings().top_k == 9


@pytest.mark.parametrize("blank", ["", "  "])
def test_a_name_without_a_value_counts_as_not_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, blank: str) -> None:
    blanks = dict.fromkeys((name for field in Settings.model_fields for name in names_of(field)), blank)
    assert Settings.from_mapping(blanks) == Settings.from_mapping({})
    assert Settings.from_mapping({"CITEWISE_TOP_K": blank, "DEFAULT_TOP_K": "7"}).top_k == 7
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("".join(f"{name}={blank}\n" for name in blanks), encoding="utf-8")
    for name in blanks:
        monkeypatch.setenv(name, blank)
    assert Settings().model_dump() == Settings.from_mapping({}).model_dump()


def test_cn_means_zh_and_nonsense_is_refused() -> None:
    assert Settings.from_mapping({"CITEWISE_FALLBACK_LANGUAGE": "cn"}).fallback_language == "zh"
    with pytest.raises(ValidationError):
        Settings.from_mapping({"CITEWISE_TOP_K": "0"})


@each_row("field", [field for field in Settings.model_fields if names_of(field)])
def test_the_example_lists_every_setting_with_its_default(field: str) -> None:
    names = names_of(field)
    line = re.search(rf"^# {names[0]}=(.*)$", EXAMPLE, re.MULTILINE)
    assert line, f"{names[0]} is missing in .env.example"
    default = Settings.model_fields[field].default
    if default is not None:
        shown = (
            str(default).lower()
            if isinstance(default, bool)
            else f"{default:g}"
            if isinstance(default, float)
            else ",".join(default)
            if isinstance(default, tuple)
            else str(default)
        )
        assert line[1] == shown
    for older in names[1:]:
        assert older in EXAMPLE or older == f"CITEWISE_{field.upper()}"


@each_row(
    ("variables", "embedding"),
    [
        ({}, "auto"),
        ({"RAG_EMBEDDING_MODEL": "openai"}, "openai"),
        ({"EMBEDDING_MODEL": "qwen"}, "dashscope"),
        ({"CITEWISE_EMBEDDING": "simple", "EMBEDDING_MODEL": "openai"}, "tfidf"),
        ({"EMBEDDING_MODEL": "nomic-embed-text"}, "auto"),  # another program's variable
    ],
)
def test_embeddings_by_the_names_of_the_older_documents(variables: dict[str, str], embedding: str) -> None:
    assert Settings.from_mapping(variables).embedding == embedding


def test_an_embedding_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValidationError):
        Settings.from_mapping({"CITEWISE_EMBEDDING": "word2vec"})


@pytest.mark.parametrize("endless", ["inf", "nan"])
def test_a_time_out_has_an_end(endless: str) -> None:
    with pytest.raises(ValidationError):
        Settings.from_mapping({"CITEWISE_LLM_TIMEOUT": endless})


def test_names_stand_between_commas_or_in_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITEWISE_WEB_SEARCH", "tavily, ddgs,")
    assert Settings().web_search == ("tavily", "ddgs")
    assert Settings.from_mapping({"CITEWISE_WEB_ALLOW": "10.0.0.0/8"}).web_allow == ("10.0.0.0/8",)
    assert Settings.from_mapping({}).web_allow == ()


def test_an_intranet_may_stand_in_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text("web:\n  web: never\n  web_allow: [wiki.lan, 10.0.0.0/8]\n")
    found = Settings.from_mapping({"CITEWISE_CONFIG": str(tmp_path / "own.yaml")})
    assert (found.web, found.web_allow) == ("never", ("wiki.lan", "10.0.0.0/8"))


def test_addresses_of_the_web_by_their_usual_names() -> None:
    found = Settings.from_mapping(
        {
            "SEARXNG_URL": "http://localhost:8080/",
            "TAVILY_API_KEY": "t",
            "GITHUB_TOKEN": "g",
            "MIN_SCORE_THRESHOLD": ".3",
        }
    )
    assert (found.searxng_url, found.min_score_threshold) == ("http://localhost:8080", 0.3)
    assert (found.tavily_api_key, found.github_token) == (SecretStr("t"), SecretStr("g"))
    with pytest.raises(ValidationError):
        Settings.from_mapping({"SEARXNG_URL": "file:///etc/passwd"})


@each_row("entry", ["wiki.lan", "localhost", "10.0.0.5", "10.0.0.0/8", "fd00::/8", "[::1]", "例子.内网"])
def test_what_may_be_allowed_of_an_intranet(entry: str) -> None:
    assert Settings.from_mapping({"CITEWISE_WEB_ALLOW": entry}).web_allow == (entry,)


@each_row("agent", ["引用", "a\r\nX: b", "a\n"])
def test_who_asks_is_said_in_one_line_of_ascii(agent: str) -> None:
    with pytest.raises(ValidationError):
        Settings.from_mapping({"CITEWISE_WEB_USER_AGENT": agent})


@each_row("entry", ["http://wiki.lan/", "*.lan", "10.0.0.0/33", "wiki.lan:8080", ".", "a..b"])
def test_what_is_no_host_and_no_network_is_refused(entry: str) -> None:
    with pytest.raises(ValidationError):
        Settings.from_mapping({"CITEWISE_WEB_ALLOW": entry})


def test_every_name_of_the_example_sets_something() -> None:
    """Whole lines, and the names in brackets; what other libraries read themselves aside."""
    listed = set(re.findall(r"^# ([A-Z][A-Z0-9_]+)=", EXAMPLE, re.MULTILINE))
    bracketed = {name for group in re.findall(r"\[([A-Z0-9_, ]+)\]", EXAMPLE) for name in group.split(", ")}
    known = {name for field in Settings.model_fields for name in names_of(field)}
    assert {*listed, *bracketed} - known - {"EMBEDDING_MODEL"} == {
        "OTEL_EXPORTER_OTLP_ENDPOINT", "LANGSMITH_TRACING", "LANGSMITH_API_KEY", "LANGSMITH_ENDPOINT",
        "LANGSMITH_PROJECT",
    }  # fmt: skip
    assert len(bracketed) > 20
