"""The settings as a table: what each is, and where it differs from the default. No secret is in it, nor its length."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from schema import Language
from setting_names import names_of
from settings import Settings
from ui.texts import text

HIDDEN = "•••"
_URL = re.compile(r"[a-z][a-z0-9+.-]{0,30}://\S+", re.IGNORECASE)
_TOKEN = re.compile(r"[\w.~%-]{20,}+")  # of a part of a path: with figures and letters, nobody has chosen it as a name
_FIGURE, _LETTER = re.compile(r"\d"), re.compile("[A-Za-z]")
_USER = re.compile(r"^[^/@\s]+@(?=[\w.-]+(?:[:/]|$))")  # user:password@host without a scheme


def settings_table(settings: Settings, language: Language) -> dict[str, Any]:
    rows = [_row(settings, name, field, language) for name, field in Settings.model_fields.items()]
    return {
        "title": text("settings", language),
        "about": text("settings_about", language),
        "head": [text(key, language) for key in ("set_setting", "set_value", "set_default")],
        "rows": sorted(rows, key=lambda row: not row["differs"]),
        "same": text("set_same", language),
        "none": text("set_none", language),
    }


def _row(settings: Settings, name: str, field: FieldInfo, language: Language) -> dict[str, Any]:
    value, default = getattr(settings, name), field.get_default(call_default_factory=True)
    displayed = displayed_value(value, language, secret=_is_secret(field))
    return {
        "name": next(iter(names_of(name)), name),
        "value": displayed,
        "default": "" if _is_secret(field) else displayed_value(default, language),
        "differs": value != default,
    }


def _is_secret(field: FieldInfo) -> bool:
    return "SecretStr" in repr(field.annotation)


def displayed_value(value: Any, language: Language, secret: bool = False) -> str:
    """A setting for a person's eyes."""
    if secret or isinstance(value, SecretStr):
        return text("set_yes" if value else "set_no", language)
    if value is None or value == "" or value == ():
        return "–"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, BaseModel):
        value = {key: getattr(value, key) for key in type(value).model_fields if getattr(value, key) is not None}
    if isinstance(value, Mapping):
        return " ".join(f"{key}={displayed_value(one, language)}" for key, one in value.items())
    if isinstance(value, tuple | list):
        return ", ".join(displayed_value(one, language) for one in value)
    return without_secrets(f"{value:g}" if isinstance(value, float) else str(value))


def without_secrets(words: str) -> str:
    """Addresses without what stands before an @, behind a ? or #, or looks like a token in their path."""
    return _URL.sub(lambda found: _masked(found[0]), _USER.sub(f"{HIDDEN}@", words))


def _masked(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:  # no address after all: whatever it is
        return HIDDEN
    _, at, host = parts.netloc.rpartition("@")
    path = "/".join(
        _TOKEN.sub(HIDDEN, part) if _FIGURE.search(part) and _LETTER.search(part) else part
        for part in parts.path.split("/")
    )
    query, fragment = (HIDDEN if part else "" for part in (parts.query, parts.fragment))
    return urlunsplit((parts.scheme, f"{HIDDEN}@{host}" if at else host, path, query, fragment))
