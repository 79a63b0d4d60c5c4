"""What tests of questions to the web share: three pages of five sections, whoever finds them, a model that cites."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.model_server import Reply, filled, wanted_form
from benchmarks.web_pages import PAGES, article
from benchmarks.web_site import Page, WebSite, as_json, web_site
from graph.turns import Assistant

CHIPS = {
    "zh": "最近 AI 芯片的新闻",
    "en": "What is the latest news on AI chips?",
}
_PAGES = {
    "zh": (
        (
            "AI 芯片新闻：启明七号发布",
            "启明半导体最近发布了新一代 AI 芯片启明七号，采用三纳米工艺，内存带宽为每秒五点二太字节。",
            "这款芯片的功耗为六百五十瓦，比上一代低百分之十八。",
            "首批产品九月交付给三家云服务商。",
            "公司同时开放了编译器的源代码。",
            "分析师预计全年出货量为四十万片。",
        ),
        (
            "AI 芯片新闻：晶圆厂扩产",
            "南海晶圆厂最近宣布扩产 AI 芯片，月产能将从三万片提高到五万片。",
            "新厂房位于东莞，投资额为一百二十亿元。",
            "设备将于明年三月进场安装。",
            "当地计划培训两千名工程师。",
            "工厂的用水全部循环使用。",
        ),
        (
            "AI 芯片新闻：边缘推理",
            "灵犀科技最近推出用于摄像头的 AI 芯片，推理一张图片只需两毫瓦时。",
            "芯片支持八位和四位整数运算。",
            "开发板售价为三百九十九元。",
            "软件包可以从官网免费下载。",
            "第一批客户是两家安防企业。",
        ),
    ),
    "en": (
        (
            "AI chip news: the Qiming 7 is out",
            "The latest AI chip of Qiming is the Qiming 7, made in three nanometres with 5.2 terabytes a second.",
            "It draws 650 watts, 18 percent less than the one before.",
            "Three cloud providers get the first ones in September.",
            "The sources of the compiler were opened as well.",
            "Analysts expect 400,000 to be sold this year.",
        ),
        (
            "AI chip news: a larger factory",
            "In the latest news on AI chips, Nanhai enlarges its factory from 30,000 to 50,000 wafers a month.",
            "The new hall stands in Dongguan and costs twelve billion yuan.",
            "Its machines will be installed next March.",
            "Two thousand engineers are to be trained there.",
            "All of the water in it is used again.",
        ),
        (
            "AI chip news: inference at the edge",
            "Lingxi has news for cameras: its latest AI chip reads a picture with two milliwatt hours.",
            "It calculates with integers of eight and of four bits.",
            "A board for developers costs 399 yuan.",
            "The software can be downloaded without charge.",
            "Its first customers are two makers of alarms.",
        ),
    ),
}
PATHS = ("/news/1", "/news/2", "/news/3")
_HEADS = {"zh": ("发布", "功耗", "交付", "软件", "市场"), "en": ("Release", "Power", "Delivery", "Software", "Market")}


@contextmanager
def news_site(language: str = "zh") -> Iterator[WebSite]:
    """Three pages of news, and a search engine that finds them."""
    with web_site(PAGES) as site:
        for path, (title, *sections) in zip(PATHS, _PAGES[language], strict=True):
            parts = [
                part for head, text in zip(_HEADS[language], sections, strict=True) for part in (f"## {head}", text)
            ]
            site.pages[path] = Page(article(language, title, tuple(parts)), etag=f'"{path}"')
        finds(site, *PATHS)
        yield site


def finds(site: WebSite, *paths: str) -> None:
    """What the search engine answers from now on."""
    results = [{"url": site.url(path), "title": path, "content": "a snippet"} for path in paths]
    site.pages["/search"] = lambda _: as_json({"results": results})


def reached(site: WebSite) -> dict[str, str]:
    """Variables of the environment with which the site is the web."""
    return {"CITEWISE_WEB_ALLOW": ",".join(site.hosts), "SEARXNG_URL": site.url(), "CITEWISE_WEB_SEARCH": "searxng"}


def quotes(request: dict[str, Any]) -> Reply:
    """A model that says what a page is about, and answers with the first sentence of the first document."""
    form, asked = wanted_form(request), str(request["messages"][-1]["content"])
    if form == "About":
        return filled(request, {"reason": "news", "title": "", "keywords": ["AI"], "entities": [], "topics": ["AI"]})
    sentence = re.search(r"<document-\w+ number=\"1\">\n.*\n.*\n\n(?:#.*\n+)*(.*?[。.])(?:\s|$)", asked)
    said = f"{sentence[1]}[1]" if sentence else "?"
    if form:
        return filled(request, {"answer": said, "key_points": [said], "missing": ""})
    return Reply(said)


def fetched(site: WebSite) -> list[str]:
    return [request.path for request in site.requests if request.path in PATHS]


def stored(assistant: Assistant) -> set[str]:
    return {info.origin.url for info in assistant.library.documents() if info.origin.url}
