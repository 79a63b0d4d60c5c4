"""Other names of what has one name here: those of the older documents, and those that other programs use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator

from schema.common import Language, Message, StrategyName

# As the older documents call them: "faissbert" searches by vectors alone; "bm25rerank" by keywords and vectors, to be
# sorted again by the reranker that is set.
OLDER_STRATEGIES: dict[str, StrategyName] = {
    "faissbert": "vector", "bm25rerank": "hybrid", "faiss": "vector", "bm25": "keyword",
}  # fmt: skip
StrategyWord = Literal[StrategyName, "faissbert", "bm25rerank", "faiss", "bm25"]  # what a program may send
_CHINESE = {
    "zh", "cn", "zho", "chi", "chinese", "mandarin", "cmn", "中文", "汉语", "普通话", "华语", "简体中文", "繁體中文",
}  # fmt: skip
_ENGLISH = {"en", "eng", "english", "英文", "英语", "英文版"}


class UnfitValue(ValueError):
    """A value that does not fit, with a sentence about it in both languages, as a validator raises it."""

    def __init__(self, message: Message) -> None:
        super().__init__(f"{message.zh} / {message.en}")
        self.message = message


def language_code(value: Any) -> Any:
    """`zh` or `en` for every way to write them ("cn", "zh-CN", "zh_Hans", "en_US.UTF-8"); anything else as it is."""
    if not isinstance(value, str):
        return value
    first = re.split(r"[-_.@\s]", value.strip().lower(), maxsplit=1)[0]
    return "zh" if first in _CHINESE else "en" if first in _ENGLISH else value


def strategy_name(value: Any) -> Any:
    """A strategy's name here for any of its names, in whatever case, with or without hyphens.

    Raises ValueError, in both languages and with the known names, for a text that names none.
    """
    if not isinstance(value, str):
        return value
    plain = re.sub(r"[-_\s]", "", value.lower())
    name = OLDER_STRATEGIES.get(plain, plain)
    if name not in get_args(StrategyName):
        raise UnfitValue(no_strategy(value[:100]))
    return name


def no_strategy(value: str) -> Message:
    """That there is no strategy of this name, and which there are."""
    known, older = ", ".join(get_args(StrategyName)), ", ".join(f"{a} = {b}" for a, b in OLDER_STRATEGIES.items())
    return Message(
        zh=f"没有检索策略“{value}”。可用的有：{known}（别名 {older}）。",
        en=f"There is no strategy {value}. There are {known} (also {older}).",
    )


LanguageCode = Annotated[Language, BeforeValidator(language_code)]
StrategyChoice = Annotated[StrategyName, BeforeValidator(strategy_name, json_schema_input_type=StrategyWord)]


Names = Sequence[str] | str


def names_of(given: Names) -> tuple[str, ...]:
    """One name is a list of one."""
    return (given,) if isinstance(given, str) else tuple(given)
