"""Bounds of what a model fills in: a form's schema says them, and what goes past them is cut, never refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema


@dataclass(frozen=True, slots=True)
class AtMost:
    """So many entries of a list.

    A server that writes a form by its schema lets a weak model list things until a bound is reached. Texts have none:
    llama-cpp-python dies of a schema with a `maxLength` of 1,000. They end with the tokens that a request allows.
    """

    count: int

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self._cut, handler(source))

    def __get_pydantic_json_schema__(self, inner: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**handler(inner), "maxItems": self.count}

    def _cut(self, value: Any) -> Any:
        return value[: self.count] if isinstance(value, list) else value
