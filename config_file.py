"""config.yaml: the chain of models and a few settings in a file. `config.yaml.example` shows all that it may hold."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from itertools import chain, islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from errors import CitewiseError
from schema import Message
from schema.names import UnfitValue, language_code
from schema.numbers import StrictNumbers
from setting_names import EMBEDDERS
from validation import problem_of

log = logging.getLogger(__name__)

KNOWN = ("openai", "dashscope", "deepseek", "ollama")  # their addresses need not be given
_OTHER_NAMES = {"qwen": "dashscope", "tongyi": "dashscope"}
_SECTIONS = {  # of settings: what is named otherwise there; anything else goes by the setting's own name
    "retrieval": {},
    "web": {},
    "language": {"default": "fallback_language"},
}
_ELSEWHERE = ("llm_providers", "config_file")  # no settings of these sections
_DEEPEST = 8  # levels of the file that are read
_LARGEST = 10_000  # values of it: a few lines of YAML can stand for thousands of millions
_ONE_PRICE = Message(zh="input_price 和 output_price 要同时设置", en="input_price and output_price go together")
_ALWAYS: dict[str, tuple[Any, ...]] = {"supported": ({"zh", "en"},), "auto_detect": (True,)}  # cannot be otherwise


class ProviderEntry(StrictNumbers):
    """A link of the chain, as the file gives it. Of a known provider the settings hold model, address and key."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    model: str | None = None
    base_url: str | None = Field(None, pattern=r"^https?://")
    api_key: SecretStr | None = None
    timeout: float | None = Field(None, gt=0, allow_inf_nan=False)  # seconds
    weight: float = Field(0.0, ge=0, allow_inf_nan=False)  # of those that share the first place
    input_price: float | None = Field(None, ge=0, allow_inf_nan=False)  # of a million tokens
    output_price: float | None = Field(None, ge=0, allow_inf_nan=False)
    currency: str = Field("USD", min_length=1, max_length=8)

    @model_validator(mode="after")
    def _both_prices(self) -> ProviderEntry:
        if (self.input_price is None) != (self.output_price is None):
            raise UnfitValue(_ONE_PRICE)
        return self

    @field_validator("base_url", mode="after")
    @classmethod
    def _without_slash(cls, value: str | None) -> str | None:
        urlsplit(value or "")  # raises ValueError for what is no address
        return value.rstrip("/") if value else value


class ConfigFileSource(PydanticBaseSettingsSource):
    """config.yaml, or the file that CITEWISE_CONFIG names. Its values go by field names, which any variable beats."""

    def __init__(self, settings_cls: type[BaseSettings], variables: Mapping[str, str | None]) -> None:
        super().__init__(settings_cls)
        self._variables = variables

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        return None, field_name, False  # all at once, below

    def __call__(self) -> dict[str, Any]:
        named = str(self.current_state.get("config_file") or "").strip()
        if not named and not Path("config.yaml").exists():
            return {}
        return read_config(Path(named or "config.yaml"), self._variables, self.settings_cls.model_fields)


def read_config(path: Path, variables: Mapping[str, str | None], fields: Mapping[str, Any]) -> dict[str, Any]:
    """The file's values by the names of the settings. Raises CitewiseError saying what is wrong with the file."""
    content = _load(path)
    _check_extent(path, content)
    content = _substituted(content, variables)
    if not isinstance(content, dict):
        raise _wrong(path, "顶层应是键和值", "the top level must be a mapping")
    values: dict[str, Any] = {}
    for section, inner in content.items():
        if section != "llm_providers" and section not in _SECTIONS:
            _warn(path, str(section), [*_SECTIONS, "llm_providers"], fields)
        elif inner is not None and not isinstance(inner, dict):
            raise _wrong(path, f"“{section}”应是键和值", f'"{section}" must be a mapping')
        elif section == "llm_providers":
            values |= _providers(path, inner or {})
        else:
            values |= _plain(path, section, inner or {}, fields)
    return values


def _load(path: Path) -> Any:
    import yaml

    try:
        return yaml.safe_load(path.read_text(encoding="utf-8-sig")) or {}
    except UnicodeDecodeError as error:
        raise _wrong(path, "不是 UTF-8 编码", "it is not UTF-8") from error
    except OSError as error:
        raise _wrong(path, f"无法读取（{error.strerror}）", f"it cannot be read ({error.strerror})") from error
    except (ValueError, LookupError, RecursionError) as error:  # a date that is none, nested without end ...
        raise _wrong(path, f"不是有效的 YAML（{error}）", f"it is no YAML ({error})") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        problem = getattr(error, "problem", None) or "YAML"
        raise _wrong(
            path, f"第 {line} 行不是有效的 YAML（{problem}）", f"line {line} is no YAML ({problem})"
        ) from error


def _check_extent(path: Path, content: Any) -> None:
    """Aliases may stand for a file without end."""
    level, count = [content], 0
    for _ in range(_DEEPEST):
        nested = [
            outer.values() if isinstance(outer, dict) else outer for outer in level if isinstance(outer, dict | list)
        ]
        level = list(islice(chain.from_iterable(nested), _LARGEST))
        count += len(level)
    if level or count >= _LARGEST:
        raise _wrong(path, "嵌套太深或内容太多", "it is nested too deeply or holds too much")


def _substituted(value: Any, variables: Mapping[str, str | None]) -> Any:
    """`${NAME}` by the variable's value; a text that is empty then is None, as if it were not given."""
    if isinstance(value, dict):
        return {str(key): _substituted(inner, variables) for key, inner in value.items()}
    if isinstance(value, list):
        return [_substituted(inner, variables) for inner in value]
    if isinstance(value, str):
        return re.sub(r"\$\{(\w+)\}", lambda found: variables.get(found[1]) or "", value).strip() or None
    return value


def _providers(path: Path, section: dict[str, Any]) -> dict[str, Any]:
    """The chain in its order, and what the settings hold of the known providers."""
    fallback = section.pop("fallback", None) or []
    order = [section.pop("primary", None), *(fallback if isinstance(fallback, list) else [fallback])]
    given = {_setting_name(name): inner or {} for name, inner in section.items()}
    named = dict.fromkeys(_setting_name(str(name)) for name in order if name is not None)
    entries = {name: _entry(path, name, given.get(name, {})) for name in [*named, *given]}
    values: dict[str, Any] = {}
    for entry in entries.values():
        if entry.name in KNOWN:
            own = entry.model_dump(include={"model", "base_url", "api_key"}, exclude_none=True)
            values |= {f"{entry.name}_{key}": value for key, value in own.items()}
    # an address of one's own may want no key; but a key that was to come from a variable and is not there is missing
    keyless = {
        name for name, inner in given.items() if "api_key" in inner and name not in KNOWN and not inner["api_key"]
    }
    values["llm_providers"] = tuple(
        entry for name, entry in entries.items() if (name in named or not named) and name not in keyless
    )
    return values


def _setting_name(name: str) -> str:
    name = name.strip()
    return _OTHER_NAMES.get(name.lower(), name.lower() if name.lower() in KNOWN else name)


def _entry(path: Path, name: str, given: Any) -> ProviderEntry:
    place = f"llm_providers.{name}"
    if not isinstance(given, dict):
        raise _wrong(path, f"“{place}”应是键和值", f'"{place}" must be a mapping')
    if "name" in given:
        raise _wrong(path, f"“{place}”里不能有 name", f'"{place}" must not hold a name')
    try:
        entry = ProviderEntry(name=name, **{key: value for key, value in given.items() if value is not None})
    except ValidationError as error:
        raise _wrong(path, *_problems(place, error)) from error
    missing = [key for key in ("base_url", "model") if not getattr(entry, key)] if name not in KNOWN else []
    if missing:
        raise _wrong(
            path,
            f"未知的提供商“{name}”缺少 {'、'.join(missing)}（已知的有 {'、'.join(KNOWN)}）",
            f'"{name}" is no known provider ({", ".join(KNOWN)}) and lacks {" and ".join(missing)}',
        )
    return entry


def _problems(place: str, error: ValidationError) -> tuple[str, str]:
    found = [(".".join([place, *map(str, one["loc"])]), problem_of(one, ProviderEntry)) for one in error.errors()]
    zh, en = "；".join(f"{at}：{what.zh}" for at, what in found), "; ".join(f"{at}: {what.en}" for at, what in found)
    return zh, en


def _plain(path: Path, section: str, given: dict[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Sections whose keys are settings; what is not is said in the log and has no effect."""
    names, values = _SECTIONS[section], dict[str, Any]()
    for key, value in given.items():
        name = names.get(key, key)
        if (
            key == "embedding_model" and isinstance(value, str) and value in EMBEDDERS
        ):  # as the older documents write it
            name = "embedding"
        if key in _ALWAYS:
            listed = {language_code(str(one)) for one in value} if isinstance(value, list) else value
            known = listed in _ALWAYS[key]
        else:
            known = name in fields and name not in _ELSEWHERE
            if value is not None and known and not (key != name and name in given):
                values[name] = value
        if not known:
            _warn(path, f"{section}.{key}", [*names, *(_ALWAYS if section == "language" else ())], fields)
    return values


def _warn(path: Path, place: str, known: Sequence[str], fields: Mapping[str, Any]) -> None:
    """Say that a key has no effect, and which one may have been meant."""
    section, _, name = place.rpartition(".")
    settings = [one for one in fields if one not in _ELSEWHERE]
    near = [name] if not section and name in settings else []  # it stands above the sections
    near = near or get_close_matches(name.lower(), [one for one in [*known, *settings] if one != name], 1, 0.7)
    meant = [one if not section and one in known else f"{section or 'retrieval'}.{one}" for one in near]
    zh, en = (f"，是否想写“{meant[0]}”？", f" (did you mean {meant[0]}?)") if meant else ("", "")
    log.warning("配置文件 %s：“%s”不起作用%s / %s: %s has no effect%s", path, place, zh, path, place, en)


def _wrong(path: Path, zh: str, en: str) -> CitewiseError:
    return CitewiseError(
        "settings",
        Message(zh=f"配置文件 {path} 有误：{zh}。", en=f"The configuration {path} is wrong: {en}."),
        Message(
            zh="请对照 config.yaml.example 修改，或用 CITEWISE_CONFIG 指定另一个文件。",
            en="Compare it with config.yaml.example, or name another file by CITEWISE_CONFIG.",
        ),
    )
