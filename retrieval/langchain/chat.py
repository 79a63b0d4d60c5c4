"""A chat model of LangChain's where retrieval wants a model: to imagine an answer, to rerank."""

from __future__ import annotations

import asyncio

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel

from errors import ModelError
from providers.attempt import Purpose
from providers.llm import Model
from providers.structured import Form, ModelReply, Prompt, StructuredModes, UnfilledError, Way, fill
from providers.thoughts import without_thoughts
from schema import Message


class ChatModel(Model):
    """Asked in plain words, also for forms, which every chat model understands; in a thread, since an asynchronous
    client belongs to the event loop of its first use."""

    def __init__(self, chat: BaseChatModel) -> None:
        self._chat = chat
        self.name = chat.get_name()
        self.calls = []

    async def write(
        self, prompt: Prompt, *, purpose: Purpose, temperature: float | None = None, deadline: float | None = None
    ) -> str:
        """Raises ModelError."""
        return without_thoughts((await self._ask(prompt)).text)

    async def fill(
        self,
        prompt: Prompt,
        form: type[Form],
        *,
        purpose: Purpose,
        temperature: float | None = None,
        model: str | None = None,
    ) -> Form:
        """Raises ModelError."""
        try:
            return await fill(lambda asked, _: self._ask(asked), prompt, form, _InWords())
        except UnfilledError as error:
            raise self._failed(error) from error

    async def _ask(self, prompt: Prompt) -> ModelReply:
        return await asyncio.to_thread(self._invoke, list(prompt))

    def _invoke(self, prompt: list[tuple[str, str]]) -> ModelReply:
        """Whatever a model of anybody's raises, the search goes on without it; a StopIteration, as of a fake without
        further replies, would never reach who awaits the thread."""
        try:
            return ModelReply(self._chat.invoke(prompt).text)
        except Exception as error:
            raise self._failed(error) from error

    def _failed(self, error: Exception) -> ModelError:
        return ModelError(
            Message(
                zh=f"模型 {self.name} 没有给出可用的回答：{error}。",
                en=f"The model {self.name} gave no usable answer: {error}.",
            ),
            Message(zh="请检查这个模型。", en="Check this model."),
        )


class _InWords(StructuredModes):
    def order(self, form: type[BaseModel]) -> list[Way]:
        return ["text"]
