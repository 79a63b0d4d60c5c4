"""Numbers as people and programs hand them in: `true` is none, though Python and pydantic take it for 1."""

from __future__ import annotations

from types import NoneType
from typing import Any, get_args

from pydantic import BaseModel, ValidationInfo, field_validator


class StrictNumbers(BaseModel):
    """A form whose numbers are numbers."""

    @field_validator("*", mode="before")
    @classmethod
    def _a_number_is_no_truth_value(cls, value: Any, field: ValidationInfo) -> Any:
        return refuse_truth_value(value, cls.model_fields[str(field.field_name)].annotation)


def refuse_truth_value(value: Any, annotation: Any) -> Any:
    """The value. Raises ValueError for true or false where a field holds nothing but a number."""
    kinds = {kind for kind in (get_args(annotation) or (annotation,)) if kind is not NoneType}
    if isinstance(value, bool) and kinds and kinds <= {int, float}:
        raise ValueError(f"{str(value).lower()} 不是数字，请写一个数 / {str(value).lower()} is no number, write one")
    return value
