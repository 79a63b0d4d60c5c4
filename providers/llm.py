"""The language models: an ordered chain in which the next one steps in for one that fails."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeVar

from errors import ModelError
from providers.answer_stream import THINKING, CutOff, DiscardedThoughts
from providers.attempt import ProviderRequest, Purpose
from providers.catalog import configured
from providers.chat import ChainLink, warm_up
from providers.failures import ProviderError, describe, rested
from providers.ollama import OllamaWatch
from providers.repetition import without_repetition
from providers.structured import MOST_WITH_THOUGHTS, Form, ModelReply, Prompt, UnfilledError, fill
from providers.thoughts import without_thoughts
from schema import Call, Message
from settings import Settings

__all__ = ["Chain", "CutOff", "Form", "Health", "Model", "Prompt", "Purpose", "Restart"]

T = TypeVar("T")


class Restart(NamedTuple):
    """In a stream: what was said so far is void, another provider starts anew."""

    provider: str
    reason: Message


@dataclass(frozen=True, slots=True)
class Health:
    """How a provider of the chain is doing."""

    provider: str
    model: str
    state: Literal["ok", "failing", "open", "unknown"]
    error: Message | None = None
    latency: float | None = None  # seconds until the last answer's first token


class Chain:
    """Who may be asked, in order. One per process; opened and used in one event loop."""

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Callable[[], float] = time.monotonic,
        chance: random.Random | None = None,
    ) -> None:
        self._clock, self._chance, self._limit = clock, chance or random.Random(), settings.answer_timeout
        self._links = [ChainLink(provider, clock) for provider in configured(settings)]
        self._retired: list[ChainLink] = []
        ollama = next((link.provider for link in self._links if link.provider.name == "ollama"), None)
        self._watch = OllamaWatch(ollama.base_url, ollama.model, self._ollama_changed) if ollama else None

    def warm(self) -> None:
        """Begin to load what the first call will need; a call that is earlier waits for it."""
        if self._present():
            warm_up()

    def model(self) -> Model | None:
        """A handle for one turn; None when nobody can be asked: then answers are extracted from the sources."""
        links = self._present()
        if not links:
            return None
        limit = self._limit or THINKING * max(link.provider.timeout for link in links)
        return Model(self._shared(links), limit, self._watch)

    def health(self) -> list[Health]:
        """Every provider that is there, in order, and an Ollama that lacks something."""
        found = [_health(link) for link in self._present()]
        if self._watch and self._watch.problem:
            found.append(Health("ollama", "", "failing", self._watch.problem))
        return found

    async def look(self) -> None:
        """See now whether Ollama is there, instead of within seconds."""
        if self._watch:
            await self._watch.look()

    async def close(self) -> None:
        if self._watch:
            await self._watch.close()
        for link in (*self._links, *self._retired):
            await link.close()

    def _present(self) -> list[ChainLink]:
        """Ollama is one of them while it answers, with the model that it has."""
        there = bool(self._watch and self._watch.model)
        return [link for link in self._links if link.provider.name != "ollama" or there]

    def _ollama_changed(self, model: str) -> None:
        """It is there (again), or has another model."""
        warm_up()
        place = next(number for number, link in enumerate(self._links) if link.provider.name == "ollama")
        link = self._links[place]
        if link.provider.model == model:
            link.condition.breaker.succeeded()
        else:
            self._retired.append(link)
            self._links[place] = ChainLink(replace(link.provider, model=model), self._clock)

    def _shared(self, links: list[ChainLink]) -> list[ChainLink]:
        """In order; those with a weight first, drawn by it."""
        sharing = [link for link in links if link.provider.weight > 0]
        drawn: list[ChainLink] = []
        while sharing:
            one = self._chance.choices(sharing, [link.provider.weight for link in sharing])[0]
            sharing.remove(one)
            drawn.append(one)
        return [*drawn, *(link for link in links if link.provider.weight <= 0)]


class Model:
    """One turn's handle on the chain. Every failure is a ModelError."""

    def __init__(self, links: list[ChainLink], limit: float, watch: OllamaWatch | None = None) -> None:
        self._links, self._limit, self._watch = links, limit, watch
        self.name = links[0].provider.model  # who would be asked first; after an answer: who answered
        self.calls: list[Call] = []  # every request, in the order in which they ended, with errors

    def deadline(self) -> float:
        """On the event loop's clock: when what begins now is over, whoever is asked for it."""
        return asyncio.get_running_loop().time() + self._limit

    async def stream(
        self, prompt: Prompt, *, purpose: Purpose = "answer", deadline: float | None = None
    ) -> AsyncGenerator[str | Restart | CutOff, None]:
        """The answer's text, piece by piece; after a `Restart` it begins anew, and a `CutOff` ends it too early."""
        has_text, errors = False, list[ProviderError]()
        asked = ProviderRequest(prompt, purpose, self.calls.append, body=_BOUNDED, deadline=deadline or self.deadline())
        for link in self._links:
            if not self._admitted(link, asked, errors):
                continue
            try:
                if has_text:
                    has_text = False
                    yield Restart(link.provider.model, _anew(errors[-1].message, link))
                async with aclosing(link.stream(replace(asked, alone=self._is_last(link)))) as pieces:
                    async for piece in pieces:
                        has_text = isinstance(piece, str)
                        yield Restart(link.provider.model, THOUGHTS) if isinstance(piece, DiscardedThoughts) else piece
                self.name = link.provider.model
                return
            except ProviderError as error:
                errors.append(self._noticed(error, link))
            finally:
                link.condition.breaker.release()
        raise _nobody(errors)

    async def fill(
        self,
        prompt: Prompt,
        form: type[Form],
        *,
        purpose: Purpose,
        temperature: float | None = None,
        model: str | None = None,
    ) -> Form:
        """The form, filled. `model` is the first provider's, or "provider/model" for one of the chain."""
        links, model = self._with_model(model)
        places: list[int] = []  # of this form's calls

        async def filled(link: ChainLink, request: ProviderRequest) -> Form:
            async def ask(asked: Prompt, body: dict[str, object]) -> ModelReply:
                tentative = not body.keys() <= {"max_tokens"} and not link.ways.knows(form)
                return await link.ask(replace(request, prompt=asked, body=body, tentative=tentative))

            request = replace(
                request, until=await link.ready(), model=model if link is links[0] else None, record=record
            )
            try:
                return await fill(ask, prompt, form, link.ways)
            except UnfilledError as error:
                failure = describe("form", link.provider)
                self.calls[places[-1]] = replace(self.calls[places[-1]], error=failure.message)
                raise ModelError(failure.message, failure.remedy) from error

        def record(call: Call) -> None:
            places.append(len(self.calls))
            self.calls.append(call)

        asked = ProviderRequest(prompt, purpose, self.calls.append, temperature=temperature, deadline=self.deadline())
        return await self._through(links, asked, filled)

    async def write(
        self, prompt: Prompt, *, purpose: Purpose, temperature: float | None = None, deadline: float | None = None
    ) -> str:
        """The whole text at once, up to where it begins to turn in circles."""

        async def written(link: ChainLink, request: ProviderRequest) -> str:
            return without_repetition(without_thoughts((await link.ask(request)).text))

        asked = ProviderRequest(prompt, purpose, self.calls.append, temperature=temperature, body=_BOUNDED)
        return await self._through(self._links, replace(asked, deadline=deadline or self.deadline()), written)

    async def _through(
        self,
        links: list[ChainLink],
        request: ProviderRequest,
        ask: Callable[[ChainLink, ProviderRequest], Awaitable[T]],
    ) -> T:
        """The first answer along the chain. Raises ModelError when there is none."""
        errors: list[ProviderError] = []
        for link in links:
            if not self._admitted(link, request, errors):
                continue
            try:
                answer = await ask(link, replace(request, alone=self._is_last(link)))
                self.name = link.provider.model
                return answer
            except ProviderError as error:
                errors.append(self._noticed(error, link))
            finally:
                link.condition.breaker.release()
        raise _nobody(errors)

    def _admitted(self, link: ChainLink, request: ProviderRequest, errors: list[ProviderError]) -> bool:
        """Whether it may be asked now; why not is in the record."""
        condition = link.condition
        if asyncio.get_running_loop().time() >= request.deadline:  # those before have taken all of it
            errors += [] if errors else [ProviderError(describe("late", link.provider))]
            return False
        if condition.breaker.admit():
            return True
        resting = ProviderError(rested(condition.failure, link.provider, condition.breaker.left))
        self.calls.append(Call(request.purpose, link.provider.name, link.provider.model, error=resting.message))
        errors.append(resting)
        return False

    def _noticed(self, error: ProviderError, link: ChainLink) -> ProviderError:
        if self._watch and link.provider.name == "ollama":
            self._watch.poke()  # it may be gone
        return error

    def _is_last(self, link: ChainLink) -> bool:
        """Whether nobody behind it could step in."""
        behind = self._links[self._links.index(link) + 1 :]
        return not any(other.condition.breaker.would_admit for other in behind)

    def _with_model(self, model: str | None) -> tuple[list[ChainLink], str | None]:
        """The links, whoever offers the wanted model first, and the model's name there."""
        name, _, rest = (model or "").partition("/")
        wanted = [link for link in self._links if rest and link.provider.name == name]
        return ([*wanted, *(link for link in self._links if link not in wanted)], rest if wanted else model)


_BOUNDED: dict[str, Any] = {"max_tokens": MOST_WITH_THOUGHTS}  # of a text: several times what anybody is shown
THOUGHTS = Message(
    zh="以上是模型的思考过程，不是回答。", en="What came so far were the model's thoughts, not its answer."
)


def _health(link: ChainLink) -> Health:
    condition = link.condition
    state: Literal["ok", "failing", "open", "unknown"] = "ok" if condition.asked else "unknown"
    if condition.failure:
        state = "failing" if condition.breaker.state == "closed" else "open"
    error = condition.failure.message if condition.failure else None
    return Health(link.provider.name, link.provider.model, state, error, condition.latency)


def _anew(reason: Message, link: ChainLink) -> Message:
    who = link.provider
    return Message(
        zh=f"{reason.zh}改由 {who.label}（{who.model}）重新回答。",
        en=f"{reason.en} {who.label} ({who.model}) starts the answer over.",
    )


def _nobody(errors: list[ProviderError]) -> ModelError:
    """Why nobody answered: each with its reason, the remedies once."""
    message = Message(zh="".join(e.message.zh for e in errors), en=" ".join(e.message.en for e in errors))
    return ModelError(message, *dict.fromkeys(remedy for error in errors for remedy in error.suggestions))
