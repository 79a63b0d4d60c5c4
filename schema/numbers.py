"""Numbers as people and programs hand them in: `true` is none, though Python and pydantic take it for 1."""

from __future__ import annotations

from types import NoneType
from typing import Any, get_args

from pydantic import BaseModel, ValidationInfo, field_validator
from pydantic_core import PydanticKnownError


class StrictNumbers(BaseModel):
    """A form whose numbers are numbers."""

    @field_validator("*", mode="before")
    @classmethod
    def _a_number_is_no_truth_value(cls, value: Any, field: ValidationInfo) -> Any:
        return refuse_truth_value(value, cls.model_fields[str(field.field_name)].annotation)


def refuse_truth_value(value: Any, annotation: Any) -> Any:
    """The value. Raises, as pydantic does for a word, for true or false where a field holds nothing but a number."""
    kinds = {kind for kind in (get_args(annotation) or (annotation,)) if kind is not NoneType}
    if isinstance(value, bool) and kinds and kinds <= {int, float}:
        raise PydanticKnownError("float_type" if float in kinds else "int_type")
    return value
