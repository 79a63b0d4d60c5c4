"""Addresses of web pages in a message: where each begins and ends, and which words beside it only call it a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from planning.terms import ONE_URL, URL

LONGEST = 2_000  # characters of an address
_han = "[\u3040-\u30ff\u3400-\u9fff]"
# Han in a path belongs to it ("/wiki/上海"), until words come that only a person would write there.
_speech = (
    "讲[了的述]|说[了的]|写[了的]|介绍了|提到|是[什啥做干]|有[什哪没]|里面|里的|中的|上的|的(?:主要|内容|核心"
    "|摘要)|总结|概括|归纳|请|然后|并|这[个篇是里]|那[个篇]"
    "|抓取|爬取|保存|翻译|分析一|提取|怎么|如何|什么|吗|呢"
)
_no_path = f"的|并|是|与|跟|及|里(?!约)|(?:和|里|中|上|以及|还有)(?!{_han})"
_plain = r"a-z0-9\-._~:/?#@!$&*+=%"
_address = re.compile(
    rf"(?:https?://(?:\[[0-9a-f:.]+\]|(?=[a-z0-9]|{_han}))|(?<![a-z0-9@./_\-])www\.(?=[a-z0-9\-]+\.[a-z]))"
    rf"(?:[{_plain}]|,(?=\d)|;(?=[a-z]+=)|\([{_plain},;]*\)|\[[{_plain},;]*\]"
    rf"|(?<=[/=_\-#])(?!{_no_path})(?:(?!{_speech}){_han})+)*",
    re.IGNORECASE,
)
_domain = re.compile(  # without https or www, only where one is told to go there: node.js is a name, too
    r"(?:抓取|抓一下|爬取|爬一下|采集|打开|访问|浏览|读取|读一下|总结(?:一下)?"
    r"|(?<![a-z])(?:fetch|crawl|scrape|visit|open|browse|go to|read|summari[sz]e)(?![a-z]))"
    r"\s?(?:(?:网页|网站|页面|the|this|site|website|page)\s?)*"
    r"(?P<url>(?:[a-z0-9][a-z0-9\-]{0,62}\.){1,6}(?:com|org|net|edu|gov|cn|io|dev|info|ai|app|uk|de|jp|hk|tw|eu)"
    rf"(?::\d{{1,5}})?(?:/[{_plain}]*)?)(?![a-z0-9@])"
)
_listed = re.compile(rf"{ONE_URL}(?:\s?[、,;]\s?{URL}++)+")
_link = re.compile(rf"\[[^\[\]\n]{{0,200}}\]\({URL}++\)|<{URL}++>")
_page_zh = (
    "(?:网页|页面|网站|网址|链接|站点|主页|文章|博[客文]|帖子|新闻|报道|公告|文档|资料|论文|教程|url|link)(?:地址)?"
)
_one_zh = "(?:(?:这|那|该|此|以下|下面|下列)(?:[一两二三四五几]?[个篇条份]|些)?的?)"
_page_en = (
    "(?:web ?|blog ?|news ?|home ?|github |wikipedia )?(?:pages?|sites?|articles?|posts?|links?|urls?|address(?:es)?"
    "|documents?|documentation|docs|papers?|tutorials?|guides?|story|stories|threads?|repo(?:sitory)?|contents?)"
)
_called = re.compile(
    rf"(?:{_one_zh}?{_page_zh}\s?[:(]?\s?|{_one_zh}\s?:?\s?"
    rf"|(?<![a-z])(?:(?:the|this|that|these|those|following|my|our|a|an) ){{0,3}}{_page_en}"
    rf"(?: (?:at|on|from|under|behind|of|here|located at|found at)(?= ))?\s?[:(]?\s?|(?<![a-z])(?:the|this|that) )"
    rf"{URL}++\)?|{ONE_URL}\s?{_one_zh}{_page_zh}|{ONE_URL} (?:web ?)?(?:page|site|article)(?![a-z])"
)


class Address(NamedTuple):
    """An address and where it stands; what is written without a scheme gets https."""

    start: int
    end: int
    url: str


def find_addresses(text: str) -> Iterator[Address]:
    """The addresses in a text that is not folded: a full-width comma ends one, a half-width one may not."""
    for found in _address.finditer(text):
        written = found[0].rstrip(".,;:!?*~&$+#@")
        if len(written) <= LONGEST and re.search(r"[^\W_]", written.partition("//")[2] or written):
            yield Address(found.start(), found.start() + len(written), _with_scheme(written))


def find_domains(masked: str, text: str) -> Iterator[Address]:
    """Addresses without a scheme that a message orders to visit: “抓取 example.com/faq”."""
    for found in _domain.finditer(masked):
        start, end = found.span("url")
        end = start + len(text[start:end].rstrip(".,;:!?*~&"))
        yield Address(start, end, _with_scheme(text[start:end]))


def names_of_pages(masked: str) -> Iterator[tuple[int, int]]:
    """Spans of masked addresses, with the words that only call them pages: “这篇文章 https://…”, "[x](…)"; of"
    " lists."""
    for pattern in (_link, _called, _listed):
        for found in pattern.finditer(masked):
            yield found.span()


def without_scheme(url: str) -> str:
    """What two ways to write an address have in common."""
    return url.strip().rstrip("/").removeprefix("https://").lower()


def whole_address(url: str, text: str, starts: Iterable[int]) -> str | None:
    """The address, if it stands whole at one of the places: where Han follow one, a model may see better where it
    ends."""
    for start in starts:
        after = text[start + len(url) : start + len(url) + 1]
        if text.startswith(url, start) and not re.match(r"[\w.:/@%-]", after, re.ASCII) and any(find_addresses(url)):
            return url
    return None


def _with_scheme(written: str) -> str:
    return written if "://" in written[:8] else f"https://{written}"
