"""The names by which variables set the settings, and the values that variables hold of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args

from pydantic import AliasChoices
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from schema import EmbeddingName

Variables = Mapping[str, str | None]

EMBEDDERS = {"openai", "qwen", "simple", *get_args(EmbeddingName)}  # what EMBEDDING_MODEL says in the older documents


class Value(NamedTuple):
    """What a variable says of a setting."""

    name: str  # of the variable
    text: str


def names_of(field_name: str, field: FieldInfo) -> tuple[str, ...]:
    """The variables that set a field: its own name, CITEWISE_ before the field's name, then those that the older
    documents and other programs use. None for what no variable can say."""
    alias = field.validation_alias
    if not isinstance(alias, AliasChoices):
        return ()
    own, *older = [str(name) for name in alias.choices]
    return tuple(dict.fromkeys([own, f"CITEWISE_{field_name.upper()}", *older]))


def values_of(variables: Variables, fields: Mapping[str, FieldInfo]) -> dict[str, Value]:
    """What the variables say, by field; a variable with nothing but spaces in it says nothing.

    A name may be written in small letters. `EMBEDDING_MODEL` is a variable of many programs, and meets the name of
    another setting: it counts only where it holds a word of the older documents, which is an embedder and no model.
    """
    values = {name.upper(): value for name, value in variables.items() if value and value.strip()}
    values |= {name: value for name, value in variables.items() if value and value.strip()}
    found: dict[str, Value] = {}
    for field_name, field in fields.items():
        if name := next((name for name in names_of(field_name, field) if name in values), None):
            found[field_name] = Value(name, values[name])
    if values.get("EMBEDDING_MODEL") in EMBEDDERS:
        found.setdefault("embedding", Value("EMBEDDING_MODEL", values["EMBEDDING_MODEL"]))
    return found


def older_names(sources: Sequence[Variables], fields: Mapping[str, FieldInfo]) -> dict[str, str]:
    """The fields that a name sets which is not their own, with that name; the first of the sources comes first."""
    used: dict[str, str] = {}
    for variables in reversed(sources):
        used |= {field_name: value.name for field_name, value in values_of(variables, fields).items()}
    own = {name: {names_of(name, fields[name])[0], f"CITEWISE_{name.upper()}"} for name in used}
    return {name: by for name, by in used.items() if by not in own[name]}


class VariableSource(PydanticBaseSettingsSource):
    """Settings out of variables, by the names of their fields."""

    def __init__(self, settings_cls: type[BaseSettings], variables: Variables) -> None:
        super().__init__(settings_cls)
        self._variables = variables

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        return None, field_name, False  # all at once, below

    def __call__(self) -> dict[str, Any]:
        values = values_of(self._variables, self.settings_cls.model_fields)
        return {field_name: value.text for field_name, value in values.items()}


class ArgumentSource(PydanticBaseSettingsSource):
    """Arguments by the names of their fields: pydantic hands them on by the first name of a variable each."""

    def __init__(self, settings_cls: type[BaseSettings], arguments: PydanticBaseSettingsSource) -> None:
        super().__init__(settings_cls)
        self._arguments = arguments

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        return None, field_name, False  # as above

    def __call__(self) -> dict[str, Any]:
        fields = self.settings_cls.model_fields
        by_variable = {names[0]: name for name, field in fields.items() if (names := names_of(name, field))}
        return {by_variable.get(name, name): value for name, value in self._arguments().items()}
