"""Values that do not fit their fields, told by name in both languages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from errors import CitewiseError
from schema import Message
from schema.names import UnfitValue

_MOST = 5  # of one request that are told

_WHOLE = Message(zh="须为整数", en="must be a whole number")
_NUMBER = Message(zh="须为数字", en="must be a number")
_WHETHER = Message(zh="须为 true 或 false", en="must be true or false")
_LIST = Message(zh="须为列表", en="must be a list")
_OBJECT = Message(zh="须为对象（名称与值）", en="must be an object of names and values")
_PROBLEMS: dict[str, Message] = {
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_from_float": _WHOLE,
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "finite_number": _NUMBER,
    "bool_type": _WHETHER,
    "bool_parsing": _WHETHER,
    "list_type": _LIST,
    "tuple_type": _LIST,
    "dict_type": _OBJECT,
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "string_type": Message(zh="须为文字", en="must be text"),
    "missing": Message(zh="缺少", en="is missing"),
    "json_invalid": Message(zh="不是有效的 JSON", en="invalid JSON"),
}

_EMPTY = Message(zh="不能为空", en="must not be empty")
_PATTERNS = {
    r"\S": _EMPTY,
    "^https?://": Message(zh="须以 http:// 或 https:// 开头", en="must begin with http:// or https://"),
    r"^(\d{1,9}-\d{1,9}(,\d{1,9}-\d{1,9}){0,99})?$": Message(
        zh="须写成 120-160,200-230 这样", en="must be written like 120-160,200-230"
    ),
    r"^[\x20-\x7e]+$": Message(zh="只能是一行英文、数字和符号", en="must be one line of ASCII"),
}


def validation_error(error: ValidationError, form: type[BaseModel] | None = None) -> CitewiseError:
    """What to raise; with the form that was to be filled, a number out of range is told its range."""
    return unfit_values(list(field_problems(error, form)))


def unfit_values(wrong: Sequence[Message]) -> CitewiseError:
    """What to raise for values of which that is wrong."""
    return CitewiseError(
        "settings",
        Message(
            zh=f"值不合适：{'；'.join(one.zh for one in wrong)}。",
            en=f"A value does not fit: {'; '.join(one.en for one in wrong)}.",
        ),
        Message(zh="请改正后重试。", en="Correct it and try again."),
    )


def field_problems(error: ValidationError, form: type[BaseModel] | None = None) -> Iterator[Message]:
    """Each with its name."""
    yield from told_problems(error.errors(include_url=False, include_input=False), form)


def told_problems(errors: Sequence[ErrorDetails], form: type[BaseModel] | None = None) -> Iterator[Message]:
    """The first few, each with its name."""
    for one in errors[:_MOST]:
        name = "/".join(str(part) for part in one["loc"] if part != "overrides")
        if one["type"] == "extra_forbidden":
            yield Message(zh=f"没有参数 {name}", en=f"there is no parameter {name}")
            continue
        what = problem_of(one, form)
        if isinstance(one.get("ctx", {}).get("error"), UnfitValue):
            name = ""  # it says itself what it is about
        yield Message(zh=f"{name} {what.zh}".strip(), en=f"{name} {what.en}".strip())


def problem_of(one: ErrorDetails, form: type[BaseModel] | None) -> Message:
    """What is wrong, without the name of the field."""
    kind, about = one["type"], one.get("ctx", {})
    if kind in ("greater_than_equal", "greater_than", "less_than_equal", "less_than"):
        return _range(about, bounds(one["loc"], form))
    if kind == "literal_error":
        known = str(about["expected"]).replace(" or ", ", ").replace("'", "")
        return Message(zh=f"可用的值：{known}", en=f"must be one of {known}")
    if kind == "string_pattern_mismatch" and (pattern := about["pattern"]) in _PATTERNS:
        return _PATTERNS[pattern]
    if kind == "string_too_long":
        return Message(zh=f"最多 {about['max_length']} 个字符", en=f"has at most {about['max_length']} characters")
    if kind == "too_long":
        return Message(zh=f"最多 {about['max_length']} 项", en=f"has at most {about['max_length']} items")
    if kind == "too_short" and about["min_length"] == 1:
        return _EMPTY
    if isinstance(unfit := about.get("error"), UnfitValue):
        return Message(zh=unfit.message.zh.rstrip("。"), en=unfit.message.en.rstrip("."))
    return _PROBLEMS.get(kind, Message(zh=one["msg"], en=one["msg"]))


def _range(about: dict[str, Any], bounds: tuple[Any, Any]) -> Message:
    """Both ends where they are known, else the one that was passed."""
    low = bounds[0] if bounds[0] is not None else about.get("ge", about.get("gt"))
    high = bounds[1] if bounds[1] is not None else about.get("le", about.get("lt"))
    if low is not None and high is not None:
        return Message(zh=f"须在 {low} 到 {high} 之间", en=f"must be between {low} and {high}")
    if low is not None:
        least = "大于" if "gt" in about else "至少为"
        return Message(zh=f"须{least} {low}", en=f"must be {'more than' if 'gt' in about else 'at least'} {low}")
    most = "小于" if "lt" in about else "至多为"
    return Message(zh=f"须{most} {high}", en=f"must be {'less than' if 'lt' in about else 'at most'} {high}")


def bounds(loc: tuple[int | str, ...], form: type[BaseModel] | None) -> tuple[Any, Any]:
    """Least and greatest value of the field at this place in a form; None: no end, or not known."""
    field = None
    for part in loc:
        if form is None or not isinstance(part, str) or part not in form.model_fields:
            break
        field = form.model_fields[part]
        kind = field.annotation
        form = kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None
    marks = field.metadata if field else []
    low = next((mark.ge for mark in marks if getattr(mark, "ge", None) is not None), None)
    high = next((mark.le for mark in marks if getattr(mark, "le", None) is not None), None)
    return low, high
