"""Scripted turns with a scripted model server: plans, answers, judges, and everything that fails or is stopped."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from benchmarks.model_server import ModelServer, Reply, filled, model_server, nobody_listening, wanted_form
from tests.graph.turn_cases import PASSAGE, PLAN, Script
from tests.recorded.scenes import ASKED, GUIDE_FILE, HANDBOOK_FILE, SAVE
from tests.recorded.stage import Stage, scene

SOUND = {"zh": "员工每年有十五天带薪年假[1]。", "en": "Prime the pump before the first start [1]."}
WRONG = {"zh": "员工每年有四十天带薪年假[1]。见[9]。", "en": "Prime the pump after forty starts [1]. See [9]."}
GARBLED = {"zh": "城市的河里有音乐。", "en": "The city is a river of music."}
UNSURE = {"zh": "简短一点：年假有几天？", "en": "Keep this short: how do I prime the pump?"}


class Model(Script):
    """A script that also ranks passages, and imagines them in another language."""

    def __call__(self, request: dict[str, Any]) -> Reply:
        if wanted_form(request) == "Ranking":
            return filled(request, {"ranking": [2, 1], "irrelevant": [3]})
        if wanted_form(request) == "Translated":
            return filled(request, {"translated": "How long? 多久？", "passage": PASSAGE})
        return super().__call__(request)


@asynccontextmanager
async def with_model(
    stage: Stage, script: Callable[[dict[str, Any]], Reply], **variables: str
) -> AsyncIterator[ModelServer]:
    """The stage opened with a model and with documents in both languages."""
    with model_server(script) as server:
        named = {"CITEWISE_LLM_MODEL": "m", "CITEWISE_LLM_BASE_URL": server.base_url}
        await stage.open(**named, **variables)
        await stage.add(HANDBOOK_FILE, GUIDE_FILE)
        yield server
        await stage.close()


@scene
async def model_answers(stage: Stage, language: str) -> None:
    zh, script = language == "zh", Model(answer=SOUND[language])
    async with with_model(stage, script):
        await stage.say(ASKED[language][0])
        await stage.say(ASKED[language][0], thread="quick", evaluate=False)
        for number, text in enumerate(
            (f"{SOUND[language]}{WRONG[language]}", WRONG[language], GARBLED[language], "", "?")
        ):
            script.replies["answer"] = text
            await stage.say(ASKED[language][0], thread=f"said {number}", strategy="keyword")
        script.replies["answer"] = SOUND[language] + (" The city is a river." * 400 if not zh else "的一是了" * 2000)
        await stage.say(ASKED[language][0], thread="circles")
        script.replies["answer"] = SOUND[language]
        question = "年假有几天？" if zh else "How do I prime the pump?"
        script.replies["plan"] = PLAN | {"question": question, "translation": "How many days?" if zh else "如何灌泵？"}
        await stage.say(UNSURE[language])
        await stage.say("那要提前多久？" if zh else "And how long?", strategy="rm3")
        await stage.say("为什么？" if zh else "why?", strategy="hybrid")
        script.replies["plan"] = PLAN | {"intent": "unknown"}
        await stage.say("嗯，那个，怎么说呢" if zh else "well, you know, that thing")
        script.replies["plan"] = PLAN | {"intent": "save", "files": ["guide.md"]}
        await stage.say("把它弄进去" if zh else "put it in, please", ("new.md", GUIDE_FILE[1] + "New."))
        for strategy in ("hyde", "vector", "rm3"):
            await stage.say(ASKED[language][1], thread=strategy, strategy=strategy)
        await stage.say(ASKED[language][1], thread="reranked", overrides={"rerank": "llm", "top_k": 2})
        await stage.say(ASKED[language][3])
        await stage.say("你好" if zh else "hello")
        await stage.say(
            "用英文回答：年假有几天？" if zh else "Answer in Chinese: how do I prime the pump?", thread="language"
        )


@scene
async def model_fails(stage: Stage, language: str) -> None:
    """Each failure meets a fresh start, since a provider that fails is left alone for a while."""
    sound, question = SOUND[language], ASKED[language][0]
    failures: dict[str, dict[str, Any]] = {
        "refused": {"answer": Reply("no such model", status=404), "judge": Reply(status=400)},
        "wrong key": {"answer": Reply("bad key", status=401), "judge": Reply(status=401)},
        "broken": {"answer": Reply("overloaded", status=500), "judge": Reply(status=500)},
        "cut": {"answer": Reply(sound * 3, cut_after=2)},
        "dropped": {"answer": Reply(sound * 3, drop_after=3)},
        "length": {"answer": Reply(sound, finish="length")},
        "bad judge": {"judge": "I would rather not."},
        "bad plan": {"plan": "I cannot say.", "answer": sound},
        "half a plan": {"plan": {"reason": "x"}, "answer": sound},
        "not JSON": {"answer": Reply(raw="<html>"), "judge": Reply(raw="<html>")},
    }
    for name, failing in failures.items():
        async with with_model(stage, Model(**{"answer": sound, **failing})):
            await stage.say(
                UNSURE[language] if "plan" in name else question,
                thread=name,
                strategy="hybrid" if "plan" not in name else None,
            )
    with nobody_listening() as address:
        await stage.open(CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=address)
        await stage.say(question, thread="nobody")


@scene
async def failover(stage: Stage, language: str) -> None:
    """The second provider steps in: before the first word, and in the middle of the answer."""
    for number, broken in enumerate((Reply(status=500), Reply(SOUND[language] * 3, cut_after=5))):
        with model_server(Model(answer=SOUND[language])) as second:
            more = {"OPENAI_API_KEY": "k", "OPENAI_MODEL": "second", "OPENAI_BASE_URL": second.base_url}
            async with with_model(stage, Model(answer=broken, judge=Reply(status=500), plan=Reply(status=500)), **more):
                await stage.say(ASKED[language][0], thread=str(number), strategy="hybrid")
                await stage.say(ASKED[language][1], thread=str(number), strategy="hybrid")


@scene
async def stopped(stage: Stage, language: str) -> None:
    """Stopped while the plan, the answer and the judge are waited for; the conversation goes on after each."""
    said = {
        "zh": "员工每年有十五天带薪年假[1]。年假须提前",
        "en": "Prime the pump before the first start [1]. Wait for",
    }[language]
    stalled = Reply("x", first_delay=3600)
    script = Model(answer=SOUND[language])
    async with with_model(stage, script):
        script.replies["plan"] = stalled
        await stage.turn(UNSURE[language], stop=has("TurnBegun"), listed=True)
        script.replies |= {"plan": PLAN, "answer": Reply(said, stall_after=len(said) // 4 + 1)}
        await stage.turn(ASKED[language][0], stop=told(said[-4:]))
        await stage.turn(ASKED[language][1], stop=told(said[-4:]), readers=2)
        script.replies |= {"answer": SOUND[language], "judge": stalled}
        await stage.turn(ASKED[language][0], stop=has("Evaluated"))
        script.replies["judge"] = Model().replies["judge"]
        await stage.say(ASKED[language][0])
        await stage.open()
        await stage.say(ASKED[language][0], thread="later")


@scene
async def stopped_saving(stage: Stage, language: str) -> None:
    """Stopped while the embedder is waited for: the files go on being saved."""
    holds = [Reply(first_delay=3600)]
    with model_server(Model(), embed=lambda _: holds[0]) as server:
        address = {"CITEWISE_EMBEDDING_BASE_URL": server.base_url}
        await stage.open(
            CITEWISE_EMBEDDING="compatible", CITEWISE_EMBEDDING_MODEL="e", CITEWISE_EMBEDDING_API_KEY="k", **address
        )
        uploads = (GUIDE_FILE, HANDBOOK_FILE)
        await stage.turn(SAVE[language], uploads, stop=has("Progress"), settle=False)
        holds[0] = Reply()
    with model_server(Model()) as server:
        await stage.open(**{**stage.variables, "CITEWISE_EMBEDDING_BASE_URL": server.base_url})
        await stage.settle()
        for question in ASKED[language][:2]:
            await stage.say(question)
        await stage.close()


@scene
async def model_remembers(stage: Stage, language: str) -> None:
    zh, question, script = language == "zh", ASKED[language][0], Model(answer=SOUND[language])
    async with with_model(stage, script):
        await stage.say(question)
        await stage.say(f" {question} ", thread="another")
        script.replies["answer"] = WRONG[language]
        await stage.say("重新回答" if zh else "Answer again", thread="another")
        await stage.say(question, thread="third")
        await stage.say(question, thread="third", strategy="keyword")
        await stage.open()
        await stage.say(question, thread="later")


@scene
async def model_pages(stage: Stage, language: str) -> None:
    """Several pages follow turns with a model; a question is edited while its answer is remembered."""
    async with with_model(stage, Model(answer=SOUND[language])):
        await stage.turn(ASKED[language][0], readers=2, leave=has("Token"))
        await stage.turn(ASKED[language][1], readers=2, leave=has("Answered"))
        last = await stage.last()
        await stage.turn(ASKED[language][2], replaces=last.id, readers=2)
        last = await stage.last()
        await stage.turn(ASKED[language][2], replaces=last.id, controls={"strategy": "hyde"})


def has(kind: str) -> Callable[[Sequence[Any]], bool]:
    return lambda events: any(type(event).__name__ == kind for event in events)


def told(text: str) -> Callable[[Sequence[Any]], bool]:
    return lambda events: (
        text in "".join(getattr(event, "text", "") for event in events if type(event).__name__ == "Token")
    )
