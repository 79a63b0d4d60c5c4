"""Whole turns through the real graph and library, without a model and with a scripted one."""

from __future__ import annotations

import json
import unicodedata

import pytest
from turn_cases import GUIDE, HANDBOOK, assistant_of, of, say, upload

from benchmarks.model_server import Reply, model_server, wanted_form
from graph.request import Request
from nodes.events import Answered, Evaluated, EvidenceFound, Failed, PlanMade, Progress, Replied, Reset, Token
from nodes.state import Record
from schema import Chunking, Scope
from settings import Settings


async def test_save_then_ask_in_one_message(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        events = await say(
            assistant, "用递归切片保存，然后告诉我年假有几天？", upload(tmp_path, "员工手册.md", HANDBOOK)
        )
        assert of(events, PlanMade)[0].plan.actions == ("save", "retrieve")
        assert of(events, Progress)[-1].stored.outcome == "added"
        answer = of(events, Answered)[0].answer
        assert "十五天" in answer.text
        assert "[1]" in answer.text
        assert answer.fallback_used
        assert answer.language == "zh"
        citation = next(c for s in answer.statements for c in s.citations if "十五天" in c.quote)
        assert (citation.start_line, citation.support.supported) == (5, True)
        assert HANDBOOK[citation.start : citation.end] == citation.quote
        verdict = of(events, Evaluated)[-1].verdict
        assert verdict.support > 0.8
        assert verdict.faithfulness is None


async def test_each_file_gets_its_own_chunking(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        files = [upload(tmp_path, "a.md", GUIDE), upload(tmp_path, "b.md", HANDBOOK)]
        events = await say(assistant, "save a.md with markdown chunks and b.md fixed at 800", *files)
        stored = {event.file: event.stored.document.chunking for event in of(events, Progress) if event.stored}
        assert stored["a.md"].strategy == "markdown"
        assert (stored["b.md"].strategy, stored["b.md"].size) == ("fixed", 800)
        assert not of(events, Answered)


async def test_one_bad_file_does_not_stop_the_others(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        events = await say(assistant, "保存", upload(tmp_path, "空.md", "  \n"), upload(tmp_path, "guide.md", GUIDE))
        failed = [event for event in of(events, Progress) if event.error]
        assert [event.file for event in failed] == ["空.md"]
        assert assistant.library.names() == ["guide.md"]
        assert "空.md" in of(events, Replied)[0].text


async def test_reindex_by_name_and_unchanged_upload(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        await say(assistant, "save it", upload(tmp_path, "guide.md", GUIDE))
        events = await say(assistant, "Re-index guide.md with fixed chunks of 100")
        assert of(events, Progress)[-1].stored.document.chunking.strategy == "fixed"
        again = await say(assistant, "save, fixed chunks of 100", upload(tmp_path, "guide.md", GUIDE))
        assert of(again, Progress)[-1].stored.outcome == "unchanged"
        assert "unchanged" in of(again, Replied)[0].text


async def test_a_file_without_a_word_is_answered_in_the_pages_language(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        for language, said, name in (("en", "saved", "1.md"), ("zh", "已保存", "2.md"), (None, "已保存", "3.md")):
            events = await say(assistant, "", upload(tmp_path, name, f"{name} {GUIDE}"), language=language)
            assert said in of(events, Replied)[0].text


async def test_scope_words_and_controls(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        await say(assistant, "保存", upload(tmp_path, "guide.md", GUIDE), upload(tmp_path, "员工手册.md", HANDBOOK))
        events = await say(assistant, "只在 guide.md 里查：报销上限是多少")
        assert {hit.document for hit in of(events, EvidenceFound)[0].evidence.hits} <= {"guide.md"}
        events = await say(assistant, "只在 guide.md 里查：报销上限是多少", scope=Scope(documents=("员工手册.md",)))
        assert {hit.document for hit in of(events, EvidenceFound)[0].evidence.hits} == {"员工手册.md"}
        assert "三千元" in of(events, Answered)[0].answer.text
        events = await say(assistant, "只在 假期.md 里查：报销上限是多少")
        assert of(events, PlanMade)[0].notices
        assert "三千元" in of(events, Answered)[0].answer.text


async def test_controls_beat_words(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        events = await say(
            assistant,
            "用固定大小切片保存，每片200字",
            upload(tmp_path, "h.md", HANDBOOK),
            chunking=Chunking(strategy="markdown"),
        )
        chunking = of(events, Progress)[-1].stored.document.chunking
        assert (chunking.strategy, chunking.size) == ("markdown", 200)
        events = await say(assistant, "用向量检索：年假几天", strategy="keyword")
        assert of(events, EvidenceFound)[0].evidence.strategy == "keyword"


async def test_a_strategy_to_come_says_what_stands_in(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        await say(assistant, "保存", upload(tmp_path, "h.md", HANDBOOK))
        answer = of(await say(assistant, "用hyde检索：年假几天"), Answered)[0].answer
        assert any("假设文档" in notice.zh and "hyde" in notice.en.lower() for notice in answer.notices)


@pytest.mark.parametrize(("message", "word"), [("你好", "你好"), ("hello", "Hello")])
async def test_hello_gets_a_hint_in_its_language(make_settings, message: str, word: str) -> None:
    async with assistant_of(make_settings()) as assistant:
        events = await say(assistant, message)
        assert of(events, Replied)[0].text.startswith(word)
        assert not of(events, Answered)


async def test_an_empty_library_says_so_and_invents_nothing(make_settings) -> None:
    async with assistant_of(make_settings()) as assistant:
        answer = of(await say(assistant, "What is the refund deadline?"), Answered)[0].answer
        assert "Nothing in the library" in answer.text
        assert (answer.sources, answer.statements, answer.confidence) == ((), (), 0.0)


async def test_names_are_those_of_the_library(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        decomposed = unicodedata.normalize("NFD", "résumé.md")  # as macOS writes names
        await say(assistant, "save résumé.md with fixed chunks of 100", upload(tmp_path, decomposed, GUIDE))
        [document] = assistant.library.documents()
        assert (document.name, document.chunking.strategy) == ("résumé.md", "fixed")


async def test_a_question_of_another_world_finds_nothing(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        await say(assistant, "保存", upload(tmp_path, "guide.md", GUIDE), upload(tmp_path, "h.md", HANDBOOK))
        answer = of(await say(assistant, "What is the capital of Mongolia?"), Answered)[0].answer
        assert (answer.sources, answer.confidence) == ((), 0.0)
        assert "Nothing in the library" in answer.text


async def test_what_is_in_it_shows_how_the_file_begins(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        events = await say(assistant, "保存这个文件，然后告诉我里面讲了什么", upload(tmp_path, "guide.md", GUIDE))
        answer = of(events, Answered)[0].answer
        assert answer.sources
        assert "pump" in answer.text.lower()


async def test_this_file_is_the_one_spoken_of_last(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        await say(assistant, "保存", upload(tmp_path, "guide.md", GUIDE))
        await say(assistant, "保存", upload(tmp_path, "员工手册.md", HANDBOOK))
        answer = of(await say(assistant, "这个文件里有什么？"), Answered)[0].answer
        assert {hit.document for hit in answer.sources} == {"员工手册.md"}
        assert "回答由各节的开头组成（最多 12 节）" in answer.notices[0].zh
        await say(assistant, "only in guide.md: what is the noise?")
        answer = of(await say(assistant, "What is in this file?"), Answered)[0].answer
        assert {hit.document for hit in answer.sources} == {"guide.md"}


async def test_a_question_in_another_language_than_the_file(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        await say(assistant, "保存", upload(tmp_path, "guide.md", GUIDE))
        answer = of(await say(assistant, "只在 guide.md 里查：启动之前要做什么？"), Answered)[0].answer
        assert "启动 = start" in answer.notices[0].zh
        assert answer.text.startswith("Prime the pump")
        assert answer.found_by == answer.notices[0]  # nothing that is wrong
        assert "pump" in dict(answer.statements[0].gloss)
        [own] = of(await say(assistant, "only in guide.md: what to do with the pump first?"), Answered)
        assert not any(one.gloss for one in own.answer.statements)
        [other] = of(await say(assistant, "只在 guide.md 里查：谁喜欢猫头鹰？"), Answered)  # no word of it is there
        assert "用文件的语言提问" in other.answer.notices[0].zh


async def test_thanks_are_not_greeted(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        await say(assistant, "保存", upload(tmp_path, "guide.md", GUIDE))
        assert "不客气" in of(await say(assistant, "谢谢"), Replied)[0].text
        assert "welcome" in of(await say(assistant, "Thanks!"), Replied)[0].text


async def test_a_name_of_a_file_is_no_markup(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        events = await say(assistant, "save", upload(tmp_path, "a [x](y) *b* _c_ d_e.md", GUIDE))
        assert r"**a \[x\](y) \*b\* \_c\_ d_e.md**: saved, 1 chunk (" in of(events, Replied)[0].text


async def test_conversations_survive_a_restart_and_stay_apart(make_settings, tmp_path) -> None:
    settings = make_settings()
    async with assistant_of(settings) as assistant:
        await say(assistant, "保存", upload(tmp_path, "h.md", HANDBOOK), thread="a")
        await say(assistant, "年假几天？", thread="a")
        await say(assistant, "hello", thread="b")
    async with assistant_of(settings) as assistant:
        history = await assistant.history("a")
        record = Record.of(history[-1])
        assert [m.type for m in history] == ["human", "ai", "human", "ai"]
        assert record.answer.sources[0].document == "h.md"
        assert record.verdict.support is not None
        assert (await assistant.history("b"))[0].content == "hello"
        await assistant.forget("a")
        assert await assistant.history("a") == []
        assert len(await assistant.history("b")) == 2


async def test_a_follow_up_is_searched_with_the_question_before(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        await say(assistant, "保存", upload(tmp_path, "h.md", HANDBOOK), upload(tmp_path, "guide.md", GUIDE))
        await say(assistant, "How do I start the pump?")
        answer = of(await say(assistant, "And what about the noise it makes?"), Answered)[0].answer
        assert "air in the line" in answer.text


async def test_stopping_keeps_what_was_said(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        await say(assistant, "保存", upload(tmp_path, "h.md", HANDBOOK))
        events = assistant.run_turn(Request("t", "年假几天？"))
        async for event in events:
            if isinstance(event, Token):
                break
        await events.aclose()
        last = (await assistant.history("t"))[-1]
        assert "已停止" in last.content
        assert of(await say(assistant, "报销上限是多少"), Answered)[0].answer.text


# --- with a model ------------------------------------------------------------------------------------------------


def scripted(text: str, plan: dict | None = None):
    def script(request: dict) -> Reply:
        form = wanted_form(request)
        if form == "FilledPlan":
            return Reply(json.dumps(plan)) if plan else Reply(status=400)
        if form == "Judgement":
            scores = {"faithfulness": 5, "relevance": 4, "completeness": 3}
            return Reply(json.dumps({**{f"{key}_reason": "so" for key in scores}, **scores}))
        return Reply(text)

    return script


def with_model(make_settings, url: str) -> Settings:
    return make_settings(CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=url)


async def test_a_model_answers_and_its_citations_are_checked(make_settings, tmp_path) -> None:
    text = "员工每年有十五天带薪年假[1]。员工每年有四十天带薪年假[1]。见[9]。"
    with model_server(scripted(text)) as server:
        async with assistant_of(with_model(make_settings, server.base_url)) as assistant:
            await say(assistant, "保存", upload(tmp_path, "h.md", HANDBOOK))
            events = await say(assistant, "年假几天？")
            answer = of(events, Answered)[0].answer
            assert answer.answered_by == "m"
            assert not answer.fallback_used
            shown = "".join(event.text for event in of(events, Token))
            assert shown == answer.text
            assert "[1]⚠" in shown
            assert "[9]" not in shown
            assert [s.supported for s in answer.statements if s.citations] == [True, False]
            verdict = of(events, Evaluated)[-1].verdict
            assert (verdict.faithfulness, verdict.judged_by) == (5, "m")


async def test_a_broken_stream_falls_back_to_the_sources(make_settings, tmp_path) -> None:
    def script(request: dict) -> Reply:
        return Reply("员工每年有一百天年假，这是胡说", cut_after=2) if request.get("stream") else Reply(status=400)

    with model_server(script) as server:
        async with assistant_of(with_model(make_settings, server.base_url)) as assistant:
            await say(assistant, "保存", upload(tmp_path, "h.md", HANDBOOK))
            events = await say(assistant, "年假几天？")
            reset = next(i for i, event in enumerate(events) if isinstance(event, Reset))
            answer = of(events, Answered)[0].answer
            assert "".join(e.text for e in events[reset:] if isinstance(e, Token)) == answer.text
            assert "十五天" in answer.text
            assert answer.fallback_used
            assert answer.notices
            assert of(events, Evaluated)[-1].verdict.faithfulness is None


async def test_a_defect_becomes_a_message_with_an_id(make_settings, monkeypatch) -> None:
    async with assistant_of(make_settings()) as assistant:
        monkeypatch.setattr(assistant.library, "names", lambda: 1 / 0)
        failed = of(await say(assistant, "What is the refund deadline?"), Failed)[0]
        assert failed.error_id in failed.error.message.zh
        monkeypatch.undo()
        assert of(await say(assistant, "hello"), Replied)
