"""One frozen Settings object, read once: arguments over environment over .env over config.yaml over defaults."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from dotenv import dotenv_values
from pydantic import (
    AliasChoices,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from config_file import CONFIG_ONLY, ConfigFileSource, ProviderEntry, read_config
from errors import CitewiseError
from profiles import ProfileName, profile_name, with_profile
from schema import ChunkerName, Message, RerankerType, SizeUnit, VectorIndexName, WebPolicy
from schema.names import LanguageCode, StrategyChoice
from schema.numbers import refuse_truth_value
from setting_names import ArgumentSource, VariableSource, names_of, values_of
from setting_types import EmbedderChoice, Hosts, Names, Networks, RerankerChoice, Secrets, WebAddress


def _names(*names: str) -> AliasChoices:
    """The setting's own name first, then the names that the older documents used."""
    return AliasChoices(*names)


class Settings(BaseSettings):
    """Everything that can be set. `.env.example` lists the same, with a comment each."""

    model_config = SettingsConfigDict(
        frozen=True, extra="ignore", populate_by_name=True, allow_inf_nan=False,
        case_sensitive=True,  # else the argument `embedding_model` would be taken for the variable EMBEDDING_MODEL
    )  # fmt: skip

    # where things are
    data_dir: Path = Field(Path("saved_files"), validation_alias=_names("CITEWISE_DATA_DIR", "URI"))
    host: str = Field("127.0.0.1", validation_alias=_names("CITEWISE_HOST"))
    port: int = Field(7860, ge=0, le=65535, validation_alias=_names("CITEWISE_PORT"))
    # who may come in (doors/users.py): beyond loopback nobody without a login
    users: Secrets = Field((), validation_alias=_names("CITEWISE_USERS"))  # name:scrypt...., from `cli.py user NAME`
    api_keys: Secrets = Field((), validation_alias=_names("CITEWISE_API_KEYS"))  # name:key
    login_days: float = Field(7.0, gt=0, validation_alias=_names("CITEWISE_LOGIN_DAYS"))
    allowed_hosts: Names = Field((), validation_alias=_names("CITEWISE_ALLOWED_HOSTS"))
    trusted_proxies: Networks = Field((), validation_alias=_names("CITEWISE_TRUSTED_PROXIES"))
    open_browser: bool = Field(True, validation_alias=_names("CITEWISE_OPEN_BROWSER"))
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        "INFO", validation_alias=_names("CITEWISE_LOG_LEVEL", "LOG_LEVEL")
    )
    # the program ends some seconds after its last page was closed; never beyond loopback or with a login
    close_with_browser: bool = Field(False, validation_alias=_names("CITEWISE_CLOSE_WITH_BROWSER"))
    otel: bool = Field(False, validation_alias=_names("CITEWISE_OTEL"))
    otel_content: bool = Field(False, validation_alias=_names("CITEWISE_OTEL_CONTENT"))

    # the values of one of the older documents, where nothing else is set (profiles.py)
    profile: Annotated[ProfileName | None, BeforeValidator(profile_name)] = Field(
        None, validation_alias=_names("CITEWISE_PROFILE")
    )
    config_file: Path = Field(Path("config.yaml"), validation_alias=_names("CITEWISE_CONFIG"))

    # the models, asked in this order: any OpenAI-compatible address, the known providers whose key is given, Ollama
    # when it answers. A list in config.yaml takes the place of the known ones.
    llm_model: str | None = Field(None, validation_alias=_names("CITEWISE_LLM_MODEL"))
    llm_base_url: str | None = Field(None, validation_alias=_names("CITEWISE_LLM_BASE_URL"))
    llm_api_key: SecretStr | None = Field(None, validation_alias=_names("CITEWISE_LLM_API_KEY"))
    llm_input_price: float | None = Field(None, ge=0, validation_alias=_names("CITEWISE_LLM_INPUT_PRICE"))
    llm_output_price: float | None = Field(None, ge=0, validation_alias=_names("CITEWISE_LLM_OUTPUT_PRICE"))
    llm_currency: str = Field("USD", min_length=1, max_length=8, validation_alias=_names("CITEWISE_LLM_CURRENCY"))
    openai_model: str = Field("gpt-4o-mini", validation_alias=_names("OPENAI_MODEL"))
    openai_base_url: str | None = Field(None, validation_alias=_names("OPENAI_BASE_URL"))
    openai_api_key: SecretStr | None = Field(None, validation_alias=_names("OPENAI_API_KEY"))
    dashscope_model: str = Field("qwen-turbo", validation_alias=_names("DASHSCOPE_MODEL", "DASH_MODEL_NAME"))
    dashscope_base_url: str = Field(
        "https://dashscope.aliyuncs.com/compatible-mode/v1", validation_alias=_names("DASHSCOPE_BASE_URL")
    )
    dashscope_api_key: SecretStr | None = Field(None, validation_alias=_names("DASHSCOPE_API_KEY"))
    deepseek_model: str = Field("deepseek-chat", validation_alias=_names("DEEPSEEK_MODEL"))
    deepseek_base_url: str = Field("https://api.deepseek.com/v1", validation_alias=_names("DEEPSEEK_BASE_URL"))
    deepseek_api_key: SecretStr | None = Field(None, validation_alias=_names("DEEPSEEK_API_KEY"))
    ollama_auto: bool = Field(True, validation_alias=_names("CITEWISE_OLLAMA"))
    ollama_base_url: str = Field("http://localhost:11434", validation_alias=_names("OLLAMA_BASE_URL"))
    ollama_model: str | None = Field(None, validation_alias=_names("OLLAMA_MODEL"))
    llm_providers: tuple[ProviderEntry, ...] = Field((), validation_alias=CONFIG_ONLY)
    llm_timeout: float = Field(30.0, gt=0, validation_alias=_names("CITEWISE_LLM_TIMEOUT"))  # seconds
    answer_timeout: float | None = Field(None, gt=0, validation_alias=_names("CITEWISE_ANSWER_TIMEOUT"))  # seconds
    llm_temperature: float = Field(0.0, ge=0, le=2, validation_alias=_names("CITEWISE_LLM_TEMPERATURE"))

    # reading and chunking
    max_file_mb: float = Field(50.0, gt=0, validation_alias=_names("CITEWISE_MAX_FILE_MB"))
    chunker: ChunkerName = Field("recursive", validation_alias=_names("CITEWISE_CHUNKER"))
    chunk_unit: SizeUnit = Field("characters", validation_alias=_names("CITEWISE_CHUNK_UNIT"))  # of the sizes below
    # measured (python -m benchmarks chunking): recall is best between 800/300 and 1000/300; with a third of overlap an
    # answer that straddles a boundary stands whole in one chunk
    text_chunk_size: int = Field(900, ge=50, validation_alias=_names("CITEWISE_TEXT_CHUNK_SIZE", "TEXT_CHUNK_SIZE"))
    text_chunk_overlap: int = Field(
        300, ge=0, validation_alias=_names("CITEWISE_TEXT_CHUNK_OVERLAP", "TEXT_CHUNK_OVERLAP")
    )
    # Chinese says more in fewer characters: its chunks have at most these (and never more than the sizes above)
    chinese_chunk_size: int = Field(600, ge=50, validation_alias=_names("CITEWISE_CHINESE_CHUNK_SIZE"))
    chinese_chunk_overlap: int = Field(100, ge=0, validation_alias=_names("CITEWISE_CHINESE_CHUNK_OVERLAP"))
    code_chunk_size: int = Field(1000, ge=50, validation_alias=_names("CITEWISE_CODE_CHUNK_SIZE", "CODE_CHUNK_SIZE"))
    code_chunk_overlap: int = Field(
        0, ge=0, validation_alias=_names("CITEWISE_CODE_CHUNK_OVERLAP", "CODE_CHUNK_OVERLAP")
    )
    ingest_workers: int = Field(1, ge=0, le=8, validation_alias=_names("CITEWISE_INGEST_WORKERS"))  # processes; 0: none

    # how long a message waits for its files (seconds); the rest goes on in the background
    save_patience: float = Field(5.0, ge=0, validation_alias=_names("CITEWISE_SAVE_PATIENCE"))
    save_question_patience: float = Field(60.0, ge=0, validation_alias=_names("CITEWISE_SAVE_QUESTION_PATIENCE"))

    # embeddings; "auto" never sends a text anywhere: a local model that is on disk, else tfidf, else hashing
    embedding: EmbedderChoice = Field(
        "auto", validation_alias=_names("CITEWISE_EMBEDDING", "RAG_EMBEDDING_MODEL")
    )  # and EMBEDDING_MODEL, where it names one of these: setting_names.py
    embedding_model: str | None = Field(None, validation_alias=_names("CITEWISE_EMBEDDING_MODEL"))
    dashscope_embedding_model: str = Field("text-embedding-v3", validation_alias=_names("DASHSCOPE_EMBEDDING_MODEL"))
    embedding_base_url: str | None = Field(None, validation_alias=_names("CITEWISE_EMBEDDING_BASE_URL"))
    embedding_api_key: SecretStr | None = Field(None, validation_alias=_names("CITEWISE_EMBEDDING_API_KEY"))
    embedding_dimensions: int | None = Field(
        None, ge=8, le=16_384, validation_alias=_names("CITEWISE_EMBEDDING_DIMENSIONS", "EMBEDDING_DIMENSIONS")
    )
    embedding_query_prefix: str | None = Field(None, validation_alias=_names("CITEWISE_EMBEDDING_QUERY_PREFIX"))
    embedding_passage_prefix: str | None = Field(None, validation_alias=_names("CITEWISE_EMBEDDING_PASSAGE_PREFIX"))
    embedding_batch_size: int = Field(32, ge=1, le=2048, validation_alias=_names("CITEWISE_EMBEDDING_BATCH_SIZE"))
    embedding_concurrency: int = Field(4, ge=1, le=64, validation_alias=_names("CITEWISE_EMBEDDING_CONCURRENCY"))
    embedding_timeout: float = Field(30.0, gt=0, validation_alias=_names("CITEWISE_EMBEDDING_TIMEOUT"))  # seconds
    embedding_question_timeout: float = Field(
        3.0, gt=0, validation_alias=_names("CITEWISE_EMBEDDING_QUESTION_TIMEOUT")
    )  # seconds
    embedding_cache_mb: float = Field(500.0, ge=0, validation_alias=_names("CITEWISE_EMBEDDING_CACHE_MB"))
    fastembed_cache: Path | None = Field(
        None, validation_alias=_names("CITEWISE_FASTEMBED_CACHE", "FASTEMBED_CACHE_PATH")
    )
    model_hub: str = Field("https://huggingface.co", validation_alias=_names("CITEWISE_MODEL_HUB", "HF_ENDPOINT"))
    tfidf_dimensions: int = Field(512, ge=8, le=4096, validation_alias=_names("CITEWISE_TFIDF_DIMENSIONS"))
    hashing_dimensions: int = Field(512, ge=8, le=4096, validation_alias=_names("CITEWISE_HASHING_DIMENSIONS"))

    # how the nearest vectors are found; "auto" compares with all of them while that is fast
    vector_index: VectorIndexName = Field("auto", validation_alias=_names("CITEWISE_VECTOR_INDEX"))

    # retrieval
    strategy: StrategyChoice = Field("default", validation_alias=_names("CITEWISE_STRATEGY"))
    top_k: int = Field(5, ge=1, le=50, validation_alias=_names("CITEWISE_TOP_K", "RAG_DEFAULT_TOP_K", "DEFAULT_TOP_K"))
    min_similarity: float = Field(0.3, ge=0, le=1, validation_alias=_names("CITEWISE_MIN_SIMILARITY"))
    min_confidence: float = Field(0.3, ge=0, le=1, validation_alias=_names("CITEWISE_MIN_CONFIDENCE"))
    hyde_below: float = Field(0.4, ge=0, le=1, validation_alias=_names("CITEWISE_HYDE_BELOW"))
    reranker: RerankerChoice = Field(
        "auto", validation_alias=_names("CITEWISE_RERANKER", "RAG_USE_RERANK", "USE_RERANK")
    )
    reranker_model: str | None = Field(
        None, validation_alias=_names("CITEWISE_RERANKER_MODEL", "RERANKER_NAME_OR_PATH")
    )
    reranker_api_key: SecretStr | None = Field(None, validation_alias=_names("CITEWISE_RERANKER_API_KEY"))
    reranker_base_url: WebAddress | None = Field(None, validation_alias=_names("CITEWISE_RERANKER_BASE_URL"))
    reranker_type: RerankerType = Field(
        "cross-encoder", validation_alias=_names("CITEWISE_RERANKER_TYPE", "RERANKER_TYPE")
    )
    rerank_top_k: int = Field(3, ge=1, le=50, validation_alias=_names("CITEWISE_RERANK_TOP_K", "RERANK_TOP_K"))
    rerank_floor: float = Field(0.02, ge=0, le=1, validation_alias=_names("CITEWISE_RERANK_FLOOR"))
    rerank_timeout: float = Field(10.0, gt=0, validation_alias=_names("CITEWISE_RERANK_TIMEOUT"))  # seconds
    rerank_model: str | None = Field(None, validation_alias=_names("CITEWISE_RERANK_MODEL", "RERANK_MODEL"))
    rerank_temperature: float = Field(
        0.0, ge=0, le=2, validation_alias=_names("CITEWISE_RERANK_TEMPERATURE", "RERANK_TEMPERATURE")
    )
    # tokens; five Chinese chunks of 600 characters fit with their headings, and all fits a window of 4,096 of a local
    # model, since one token a Chinese character is counted, a third more than models need
    max_context_length: int = Field(4000, ge=100, validation_alias=_names("CITEWISE_MAX_CONTEXT_LENGTH"))
    # measured on long files with 800 questions in each language: with five hits the answer is in the evidence for 98.1
    # and 99.8 % of them instead of 96.4 and 99.5
    parent_sections: bool = Field(True, validation_alias=_names("CITEWISE_PARENT_SECTIONS"))
    answer_cache: int = Field(500, ge=0, le=100_000, validation_alias=_names("CITEWISE_ANSWER_CACHE"))  # answers
    answer_cache_days: float = Field(7.0, gt=0, validation_alias=_names("CITEWISE_ANSWER_CACHE_DAYS"))

    # the web
    web: WebPolicy = Field("ask", validation_alias=_names("CITEWISE_WEB"))
    web_doc_set: str = Field("web", validation_alias=_names("CITEWISE_WEB_DOC_SET"))
    min_score_threshold: float | None = Field(
        None, ge=0, le=1, validation_alias=_names("CITEWISE_MIN_SCORE_THRESHOLD", "MIN_SCORE_THRESHOLD")
    )
    web_search: Names = Field(("searxng", "tavily", "ddgs"), validation_alias=_names("CITEWISE_WEB_SEARCH"))
    ddgs_engines: Names = Field(
        ("duckduckgo", "brave", "startpage", "mojeek"), validation_alias=_names("CITEWISE_DDGS_ENGINES")
    )
    searxng_url: WebAddress | None = Field(None, validation_alias=_names("CITEWISE_SEARXNG_URL", "SEARXNG_URL"))
    tavily_api_key: SecretStr | None = Field(None, validation_alias=_names("CITEWISE_TAVILY_API_KEY", "TAVILY_API_KEY"))
    tavily_base_url: WebAddress = Field("https://api.tavily.com", validation_alias=_names("CITEWISE_TAVILY_BASE_URL"))
    web_results: int = Field(3, ge=1, le=20, validation_alias=_names("CITEWISE_WEB_RESULTS"))  # pages a question
    web_timeout: float = Field(10.0, gt=0, validation_alias=_names("CITEWISE_WEB_TIMEOUT"))  # seconds
    web_max_mb: float = Field(10.0, gt=0, validation_alias=_names("CITEWISE_WEB_MAX_MB"))  # unpacked
    web_redirects: int = Field(5, ge=0, le=20, validation_alias=_names("CITEWISE_WEB_REDIRECTS"))
    web_concurrency: int = Field(8, ge=1, le=64, validation_alias=_names("CITEWISE_WEB_CONCURRENCY"))
    web_per_host: int = Field(2, ge=1, le=16, validation_alias=_names("CITEWISE_WEB_PER_HOST"))
    web_allow: Hosts = Field((), validation_alias=_names("CITEWISE_WEB_ALLOW"))
    web_user_agent: str = Field(
        "Citewise/0.1 (fetches pages that a person asked about)",
        pattern=r"^[\x20-\x7e]+$",
        validation_alias=_names("CITEWISE_WEB_USER_AGENT"),
    )
    web_retention_days: float = Field(90.0, ge=0, validation_alias=_names("CITEWISE_WEB_RETENTION_DAYS"))
    web_record_embeddings: bool = Field(True, validation_alias=_names("CITEWISE_WEB_RECORD_EMBEDDINGS"))
    web_cache_mb: float = Field(500.0, ge=0, validation_alias=_names("CITEWISE_WEB_CACHE_MB"))
    crawl_max_pages: int = Field(100, ge=1, le=100_000, validation_alias=_names("CITEWISE_CRAWL_MAX_PAGES"))
    crawl_max_depth: int = Field(3, ge=0, le=50, validation_alias=_names("CITEWISE_CRAWL_MAX_DEPTH"))
    crawl_delay: float = Field(1.0, ge=0, validation_alias=_names("CITEWISE_CRAWL_DELAY"))  # seconds, per host
    github_api_url: WebAddress = Field("https://api.github.com", validation_alias=_names("CITEWISE_GITHUB_API_URL"))
    github_token: SecretStr | None = Field(None, validation_alias=_names("CITEWISE_GITHUB_TOKEN", "GITHUB_TOKEN"))

    # language of questions whose language cannot be told
    fallback_language: LanguageCode = Field("zh", validation_alias=_names("CITEWISE_FALLBACK_LANGUAGE"))

    @model_validator(mode="before")
    @classmethod
    def _blank_is_not_set(cls, values: Any) -> Any:
        """`OPENAI_API_KEY=` or a few spaces behind it: no key. What is not set is as the profile says."""
        return with_profile(
            {key: value for key, value in values.items() if not (isinstance(value, str) and not value.strip())}
        )

    @field_validator("*", mode="before")
    @classmethod
    def _a_number_is_no_truth_value(cls, value: Any, field: ValidationInfo) -> Any:
        return refuse_truth_value(value, cls.model_fields[str(field.field_name)].annotation)

    @model_validator(mode="after")
    def _both_prices(self) -> Self:
        if (self.llm_input_price is None) != (self.llm_output_price is None):
            raise ValueError("CITEWISE_LLM_INPUT_PRICE and CITEWISE_LLM_OUTPUT_PRICE go together")
        return self

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        in_file = dotenv_values(".env", encoding="utf-8")
        return (
            ArgumentSource(settings_cls, init_settings),
            VariableSource(settings_cls, os.environ),
            VariableSource(settings_cls, in_file),
            ConfigFileSource(settings_cls, {**in_file, **os.environ}),
        )

    @classmethod
    def from_mapping(cls, values: Mapping[str, str]) -> Settings:
        """Settings from a mapping instead of the process environment, by names of variables or of fields.

        Nothing else is read, but the file that the mapping itself names in CITEWISE_CONFIG.
        """
        fields = cls.model_fields
        found: dict[str, Any] = {name: value for name, value in values.items() if name in fields and value.strip()}
        found |= {name: value.text for name, value in values_of(values, fields).items()}
        if path := found.get("config_file"):
            found = {**read_config(Path(path), values, fields), **found}
        return _MappedSettings(**found)


class _MappedSettings(Settings):
    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], init_settings: PydanticBaseSettingsSource, *_: Any, **__: Any
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (ArgumentSource(settings_cls, init_settings),)


def read_settings() -> Settings:
    """The settings of this process. Raises CitewiseError that names each wrong one by its variable."""
    try:
        return Settings()
    except ValidationError as error:
        fields, lines = Settings.model_fields, list[str]()
        for wrong in error.errors():
            name = str(next(iter(wrong["loc"]), ""))
            names = names_of(name, fields[name]) if name in fields else ()
            lines.append("  " + ": ".join([*names[:1], wrong["msg"]]))
        listed = "\n".join(lines)
        zh = f"设置有误，请检查 .env、config.yaml 和环境变量：\n{listed}"
        en = f"Wrong settings, check .env, config.yaml and the environment:\n{listed}"
        raise CitewiseError("settings", Message(zh, en), [_EXAMPLE]) from error
    except UnicodeDecodeError as error:
        raise CitewiseError("settings", _NOT_UTF8) from error


_EXAMPLE = Message(zh="全部设置见 .env.example。", en="All settings stand in .env.example.")
_NOT_UTF8 = Message(zh=".env 不是 UTF-8 编码，请另存为 UTF-8。", en=".env is not UTF-8: save it as UTF-8.")


def hand_on() -> None:
    """What .env says to LangSmith and OpenTelemetry, which read the process's environment, into it."""
    for name, value in dotenv_values(".env", encoding="utf-8").items():
        if value and name.startswith(("LANGSMITH_", "LANGCHAIN_", "OTEL_")):
            os.environ.setdefault(name, value)
