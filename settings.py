"""One frozen Settings object, read once: arguments over environment over .env over config.yaml over defaults."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from dotenv import dotenv_values
from pydantic import BeforeValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from config_file import ConfigFileSource, ProviderEntry, read_config
from errors import CitewiseError
from profiles import ProfileName, profile_name, with_profile
from schema import ChunkerName, Message, RerankerType, SizeUnit, VectorIndexName, WebPolicy
from schema.names import LanguageCode, StrategyChoice, UnfitValue
from schema.numbers import StrictNumbers
from setting_names import VariableSource, names_of, values_of
from setting_types import EmbedderChoice, Hosts, Names, Networks, OcrChoice, RerankerChoice, Secrets, WebAddress
from validation import problem_of


class Settings(BaseSettings, StrictNumbers):
    """Everything that can be set. `.env.example` lists the same, with a comment each; setting_names.py names them."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    # where things are
    data_dir: Path = Path("saved_files")
    database_url: SecretStr | None = None  # postgresql://...: the library is there, and not in the data folder
    milvus_url: WebAddress | None = None  # with database_url: vectors of a large library are searched there
    milvus_token: SecretStr | None = None  # user:password, or a key
    models_dir: Path | None = None  # of models that were downloaded; `models` in the data folder if none
    # private: every login has a library of its own, below the data folder (stores/user_libraries.py)
    libraries: Literal["shared", "private"] = "shared"
    open_libraries: int = Field(8, ge=1, le=1000)  # at a time, unless more are in use
    as_user: str | None = None  # whose library a terminal or a program in Python opens
    host: str = "127.0.0.1"
    port: int = Field(7860, ge=0, le=65535)
    # who may come in (doors/users.py): beyond loopback nobody without a login
    users: Secrets = ()  # name:scrypt...., from `cli.py user NAME`
    api_keys: Secrets = ()  # name:key
    login_days: float = Field(7.0, gt=0)
    allowed_hosts: Names = ()
    trusted_proxies: Networks = ()
    open_browser: bool = True
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    # the program ends some seconds after its last page was closed; never beyond loopback or with a login
    close_with_browser: bool = False
    otel: bool = False
    otel_content: bool = False

    # the values of one of the older documents, where nothing else is set (profiles.py)
    profile: Annotated[ProfileName | None, BeforeValidator(profile_name)] = None
    config_file: Path = Path("config.yaml")

    # the models, asked in this order: any OpenAI-compatible address, the known providers whose key is given, Ollama
    # when it answers. A list in config.yaml takes the place of the known ones.
    llm_model: str | None = None
    llm_base_url: str | None = None
    llm_api_key: SecretStr | None = None
    llm_input_price: float | None = Field(None, ge=0)
    llm_output_price: float | None = Field(None, ge=0)
    llm_currency: str = Field("USD", min_length=1, max_length=8)
    openai_model: str = "gpt-4o-mini"
    openai_base_url: str | None = None
    openai_api_key: SecretStr | None = None
    dashscope_model: str = "qwen-turbo"
    dashscope_base_url: str = "https://dashscope.aliyuncs.com/compatible-mode/v1"
    dashscope_api_key: SecretStr | None = None
    deepseek_model: str = "deepseek-chat"
    deepseek_base_url: str = "https://api.deepseek.com/v1"
    deepseek_api_key: SecretStr | None = None
    ollama_auto: bool = True
    ollama_base_url: str = "http://localhost:11434"
    ollama_model: str | None = None
    llm_providers: tuple[ProviderEntry, ...] = ()  # of config.yaml alone
    llm_timeout: float = Field(30.0, gt=0)  # seconds
    answer_timeout: float | None = Field(None, gt=0)  # seconds
    llm_temperature: float = Field(0.0, ge=0, le=2)

    # reading and chunking
    max_file_mb: float = Field(50.0, gt=0)
    ocr: OcrChoice = "rapidocr"  # reads scans and pictures, where its extra is installed
    # with ocr "model": a vision model at an OpenAI-compatible address, which is sent the pages
    ocr_model: str | None = None
    ocr_base_url: WebAddress | None = None
    ocr_api_key: SecretStr | None = None
    ocr_timeout: float = Field(120.0, gt=0)  # seconds a page
    max_original_mb: float = Field(50.0, ge=0)  # a larger file is read, but not kept beside its text; 0: none is
    chunker: ChunkerName = "recursive"
    chunk_unit: SizeUnit = "characters"  # of the sizes below
    # measured (python -m benchmarks chunking): recall is best between 800/300 and 1000/300; with a third of overlap an
    # answer that straddles a boundary stands whole in one chunk
    text_chunk_size: int = Field(900, ge=50)
    text_chunk_overlap: int = Field(300, ge=0)
    # Chinese says more in fewer characters: its chunks have at most these (and never more than the sizes above)
    chinese_chunk_size: int = Field(600, ge=50)
    chinese_chunk_overlap: int = Field(100, ge=0)
    code_chunk_size: int = Field(1000, ge=50)
    code_chunk_overlap: int = Field(0, ge=0)
    ingest_workers: int = Field(1, ge=0, le=8)  # processes; 0: none
    ingest_here: bool = True  # false, with database_url: files are left to the programs of `cli.py worker`

    # how long a message waits for its files (seconds); the rest goes on in the background
    save_patience: float = Field(5.0, ge=0)
    save_question_patience: float = Field(60.0, ge=0)

    # embeddings; "auto" never sends a text anywhere: a local model that is on disk, else tfidf, else hashing
    embedding: EmbedderChoice = "auto"  # and EMBEDDING_MODEL, where it names one of these: setting_names.py
    embedding_model: str | None = None
    dashscope_embedding_model: str = "text-embedding-v3"
    embedding_base_url: str | None = None
    embedding_api_key: SecretStr | None = None
    embedding_dimensions: int | None = Field(None, ge=8, le=16_384)
    embedding_query_prefix: str | None = None
    embedding_passage_prefix: str | None = None
    embedding_batch_size: int = Field(32, ge=1, le=2048)
    embedding_concurrency: int = Field(4, ge=1, le=64)
    embedding_timeout: float = Field(30.0, gt=0)  # seconds
    embedding_question_timeout: float = Field(3.0, gt=0)  # seconds
    embedding_cache_mb: float = Field(500.0, ge=0)
    fastembed_cache: Path | None = None
    model_hub: str = "https://huggingface.co"
    tfidf_dimensions: int = Field(512, ge=8, le=4096)
    hashing_dimensions: int = Field(512, ge=8, le=4096)

    # how the nearest vectors are found; "auto" compares with all of them while that is fast
    vector_index: VectorIndexName = "auto"

    # retrieval
    strategy: StrategyChoice = "default"
    top_k: int = Field(5, ge=1, le=50)
    min_similarity: float = Field(0.3, ge=0, le=1)
    min_confidence: float = Field(0.3, ge=0, le=1)
    hyde_below: float = Field(0.4, ge=0, le=1)
    reranker: RerankerChoice = "auto"
    reranker_model: str | None = None
    reranker_api_key: SecretStr | None = None
    reranker_base_url: WebAddress | None = None
    reranker_type: RerankerType = "cross-encoder"
    rerank_top_k: int = Field(3, ge=1, le=50)
    rerank_floor: float = Field(0.02, ge=0, le=1)
    rerank_timeout: float = Field(10.0, gt=0)  # seconds
    rerank_model: str | None = None
    rerank_temperature: float = Field(0.0, ge=0, le=2)
    # tokens; five Chinese chunks of 600 characters fit with their headings, and all fits a window of 4,096 of a local
    # model, since one token a Chinese character is counted, a third more than models need
    max_context_length: int = Field(4000, ge=100)
    # measured on long files with 800 questions in each language: with five hits the answer is in the evidence for 98.1
    # and 99.8 % of them instead of 96.4 and 99.5
    parent_sections: bool = True
    # a call to the model for every two chunks is not what anybody expects of a library
    abstracts: bool = False
    answer_cache: int = Field(500, ge=0, le=100_000)  # answers
    answer_cache_days: float = Field(7.0, gt=0)

    # the web
    web: WebPolicy = "ask"
    web_doc_set: str = "web"
    min_score_threshold: float | None = Field(None, ge=0, le=1)
    web_search: Names = ("searxng", "tavily", "ddgs")
    ddgs_engines: Names = ("duckduckgo", "brave", "startpage", "mojeek")
    searxng_url: WebAddress | None = None
    tavily_api_key: SecretStr | None = None
    tavily_base_url: WebAddress = "https://api.tavily.com"
    web_results: int = Field(3, ge=1, le=20)  # pages a question
    web_timeout: float = Field(10.0, gt=0)  # seconds
    web_max_mb: float = Field(10.0, gt=0)  # unpacked
    web_redirects: int = Field(5, ge=0, le=20)
    web_concurrency: int = Field(8, ge=1, le=64)
    web_per_host: int = Field(2, ge=1, le=16)
    web_allow: Hosts = ()
    web_user_agent: str = Field("Citewise/0.1 (fetches pages that a person asked about)", pattern=r"^[\x20-\x7e]+$")
    web_retention_days: float = Field(90.0, ge=0)
    web_record_embeddings: bool = True
    web_cache_mb: float = Field(500.0, ge=0)
    crawl_max_pages: int = Field(100, ge=1, le=100_000)
    crawl_max_depth: int = Field(3, ge=0, le=50)
    crawl_delay: float = Field(1.0, ge=0)  # seconds, per host
    github_api_url: WebAddress = "https://api.github.com"
    github_token: SecretStr | None = None

    # language of questions whose language cannot be told
    fallback_language: LanguageCode = "zh"

    @model_validator(mode="before")
    @classmethod
    def _blank_is_not_set(cls, values: Any) -> Any:
        """`OPENAI_API_KEY=` or a few spaces behind it: no key. What is not set is as the profile says."""
        return with_profile(
            {key: value for key, value in values.items() if not (isinstance(value, str) and not value.strip())}
        )

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.ocr == "model" and not (self.ocr_model and self.ocr_base_url):
            raise UnfitValue(_NO_OCR_MODEL)
        if (self.llm_input_price is None) != (self.llm_output_price is None):
            raise UnfitValue(_ONE_PRICE)
        if self.libraries == "private" and self.database_url:
            raise UnfitValue(_ONE_DATABASE)
        if self.milvus_url and not self.database_url:
            raise UnfitValue(_NO_DATABASE)
        return self

    @property
    def models_folder(self) -> Path:
        return self.models_dir or self.data_dir / "models"

    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], init_settings: PydanticBaseSettingsSource, *_: Any, **__: Any
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        in_file = dotenv_values(".env", encoding="utf-8")
        return (
            init_settings,
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
        return (init_settings,)


def read_settings() -> Settings:
    """The settings of this process. Raises CitewiseError that names each wrong one by its variable."""
    try:
        return Settings()
    except ValidationError as error:
        wrong = [_told(one) for one in error.errors()]
        zh = "\n".join(["设置有误，请检查 .env、config.yaml 和环境变量：", *(one.zh for one in wrong)])
        en = "\n".join(["Wrong settings, check .env, config.yaml and the environment:", *(one.en for one in wrong)])
        raise CitewiseError("settings", Message(zh=zh, en=en), _EXAMPLE) from error
    except UnicodeDecodeError as error:
        raise CitewiseError("settings", _NOT_UTF8) from error


def _told(wrong: ErrorDetails) -> Message:
    """A line about a wrong value, with the variable that sets it."""
    name, what = str(next(iter(wrong["loc"]), "")), problem_of(wrong, Settings)
    begin = "  " + "".join(f"{variable}: " for variable in names_of(name)[:1] if name)
    return Message(zh=f"{begin}{what.zh}。", en=f"{begin}{what.en}.")


_NO_OCR_MODEL = Message(
    zh="CITEWISE_OCR=model 还需要 CITEWISE_OCR_MODEL 和 CITEWISE_OCR_BASE_URL",
    en="CITEWISE_OCR=model needs CITEWISE_OCR_MODEL and CITEWISE_OCR_BASE_URL",
)
_ONE_PRICE = Message(
    zh="CITEWISE_LLM_INPUT_PRICE 和 CITEWISE_LLM_OUTPUT_PRICE 要同时设置",
    en="CITEWISE_LLM_INPUT_PRICE and CITEWISE_LLM_OUTPUT_PRICE go together",
)
_ONE_DATABASE = Message(
    zh="CITEWISE_LIBRARIES=private 不能与 CITEWISE_DATABASE_URL 同用：请给每组用户各开一个程序、各用一个数据库",
    en="CITEWISE_LIBRARIES=private does not go with CITEWISE_DATABASE_URL: run a program with a database of its own "
    "for each group of users",
)
_NO_DATABASE = Message(
    zh="CITEWISE_MILVUS_URL 要与 CITEWISE_DATABASE_URL 同用：知识库在 PostgreSQL 里，Milvus 只检索向量",
    en="CITEWISE_MILVUS_URL needs CITEWISE_DATABASE_URL: the library is in PostgreSQL, Milvus searches its vectors",
)
_EXAMPLE = Message(zh="全部设置见 .env.example。", en="All settings stand in .env.example.")
_NOT_UTF8 = Message(zh=".env 不是 UTF-8 编码，请另存为 UTF-8。", en=".env is not UTF-8: save it as UTF-8.")


def hand_on() -> None:
    """What .env says to LangSmith and OpenTelemetry, which read the process's environment, into it."""
    for name, value in dotenv_values(".env", encoding="utf-8").items():
        if value and name.startswith(("LANGSMITH_", "LANGCHAIN_", "OTEL_")):
            os.environ.setdefault(name, value)
