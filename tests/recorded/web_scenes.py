"""Scripted turns with a local website: offers, yes and no, orders, addresses, what cannot be fetched."""

from __future__ import annotations

from benchmarks.model_server import Reply, model_server, wanted_form
from benchmarks.web_site import Page, WebSite
from tests.graph.turn_cases import JUDGEMENT, Script
from tests.graph.web_cases import CHIPS, PATHS, finds, news_site, quotes, reached
from tests.recorded.model_scenes import has
from tests.recorded.scenes import ASKED, GUIDE_FILE, HANDBOOK_FILE
from tests.recorded.stage import Stage, scene


def web(site: WebSite) -> dict[str, str]:
    """Pages come in any order, and what a space learns depends on it: this one learns nothing."""
    return {**reached(site), "CITEWISE_EMBEDDING": "hashing"}


@scene
async def offered(stage: Stage, language: str) -> None:
    """Yes and no, by the button and in words, too late, after a restart, and when something else is said."""
    zh, chips = language == "zh", CHIPS[language]
    with news_site(language) as site:
        await stage.open(**web(site))
        await stage.add(GUIDE_FILE)
        await stage.say(chips)
        await stage.turn(agree=False)
        await stage.turn(agree=True)
        await stage.say(chips)
        await stage.say("不用了，谢谢" if zh else "no, thanks")
        await stage.say(chips)
        await stage.say("你好" if zh else "hello")
        await stage.turn(agree=True)
        await stage.turn(chips, thread="kept", listed=True)
        await stage.open()
        await stage.turn(agree=True, thread="kept", readers=2)
        await stage.say(chips, thread="later")
        await stage.say(chips, thread="later", language=language)


@scene
async def agreed_in_words(stage: Stage, language: str) -> None:
    with news_site(language) as site:
        await stage.open(**web(site))
        await stage.add(HANDBOOK_FILE)
        await stage.say(CHIPS[language])
        await stage.say("好的，搜吧" if language == "zh" else "yes, go ahead")
        await stage.say("那功耗呢？" if language == "zh" else "And how much power does it draw?")


@scene
async def web_policies(stage: Stage, language: str) -> None:
    zh, chips = language == "zh", CHIPS[language]
    with news_site(language) as site:
        await stage.open(**web(site), CITEWISE_WEB="never")
        await stage.say(chips)
        await stage.say(f"上网搜索：{chips}" if zh else f"search the web: {chips}")
        await stage.say(chips, web="always")
        await stage.open(**web(site))
        await stage.add(GUIDE_FILE)
        await stage.say(chips, web="never")
        await stage.say(ASKED[language][1], web="always")
        await stage.say(f"只在 guide.md 里查：{chips}" if zh else f"only in guide.md: {chips}", web="always")
        await stage.say(chips, web="always")


@scene
async def addresses(stage: Stage, language: str) -> None:
    zh = language == "zh"
    with news_site(language) as site:
        await stage.open(**web(site))
        await stage.add(GUIDE_FILE)
        first, second, third = (site.url(path) for path in PATHS)
        await stage.say(f"抓取 {first} 并总结" if zh else f"read {first} and summarize it")
        await stage.say(f"保存网页 {second}" if zh else f"save {second}", doc_set="news", chunking={"size": 100})
        await stage.say(f"总结 {site.url('/nowhere')}" if zh else f"summarize {site.url('/nowhere')}")
        site.pages["/cut"] = Page("<p>half", cut=True)
        await stage.say(f"抓取 {site.url('/cut')}" if zh else f"fetch {site.url('/cut')}")
        await stage.say(f"上网搜索：{ASKED[language][1]}" if zh else f"search the web for {ASKED[language][1]}")
        finds(site)
        await stage.say(f"上网搜索：{ASKED[language][0]}" if zh else f"search the web for {ASKED[language][0]}")
        await stage.say(CHIPS[language], thread="offer", scope={"doc_sets": ["news"]})
        site.pages["/stalls"] = Page("<p>half", stalls=True)
        await stage.turn(
            f"抓取 {site.url('/stalls')} 并总结" if zh else f"read {site.url('/stalls')} and summarize it",
            thread="stopped",
            stop=has("Gathered"),
        )
        await stage.say(f"抓取 {third} 并总结" if zh else f"read {third} and summarize it", thread="stopped")


@scene
async def offered_after_a_weak_answer(stage: Stage, language: str) -> None:
    said = Script(
        judge={**JUDGEMENT, "completeness": 1},
        answer={"zh": "表示管路里有空气[1]。", "en": "It means air in the line [1]."}[language],
    )

    def script(request: dict) -> Reply:
        return quotes(request) if wanted_form(request) == "About" else said(request)

    with news_site(language) as site, model_server(script) as server:
        await stage.open(**web(site), CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=server.base_url)
        await stage.add(GUIDE_FILE, HANDBOOK_FILE)
        await stage.say(ASKED[language][1])
        await stage.turn(agree=True)
        await stage.say(ASKED[language][0], thread="no")
        await stage.turn(agree=False, thread="no")
        await stage.close()


@scene
async def web_with_a_model(stage: Stage, language: str) -> None:
    with news_site(language) as site, model_server(quotes) as server:
        await stage.open(**web(site), CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=server.base_url)
        await stage.add(GUIDE_FILE)
        await stage.say(CHIPS[language], web="always", strategy="hybrid")
        await stage.say(CHIPS[language], thread="again", strategy="hybrid")
        await stage.close()
