"""What can go wrong with a page, as errors that say what to do."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import httpcore2

from schema import Message
from web.base import WebError

Reason = Literal["refused", "robots", "unreachable", "time", "size", "type", "status", "redirects", "damaged", "limit"]
_LONGEST_SHOWN = 150  # characters of an address

_OTHER_PAGE = Message(zh="请换一个网页。", en="Choose another page.")
_LATER = Message(zh="请稍后再试，或换一个网页。", en="Try again later, or choose another page.")
_BY_HAND = Message(
    zh="请在浏览器中打开它，保存后作为文件上传。", en="Open it in a browser, save it, and upload the file."
)
SWITCHED_OFF = Message(
    zh="联网已关闭（页面选项或 CITEWISE_WEB=never），因此没有搜索或抓取网页。请打开它再试，或把网页保存成文件上传。",
    en="The web is switched off (on the page or by CITEWISE_WEB=never), so nothing was searched or fetched. Switch it "
    "on and try again, or save the page and upload the file.",
)
_CHECK_ADDRESS = Message(
    zh="请检查网址：以 http:// 或 https:// 开头，不含用户名和密码。",
    en="Check the address: it begins with http:// or https:// and holds no user name and no password.",
)
_ALLOW = Message(
    zh="如果它是你信任的内部网站，请把它写进 CITEWISE_WEB_ALLOW。",
    en="If it is a site of your own network that you trust, name it in CITEWISE_WEB_ALLOW.",
)


class PageError(WebError):
    """A page that was not fetched: `reason` in one word, `status` where a server gave one."""

    def __init__(self, reason: Reason, message: Message, *suggestions: Message, status: int = 0) -> None:
        super().__init__(message, *suggestions)
        self.reason, self.status = reason, status


def shown(url: object) -> str:
    text = "".join(mark if mark.isprintable() else "�" for mark in str(url))
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


# --- refused before anything is connected to -----------------------------------------------------------------------


def no_address(url: object) -> PageError:
    return PageError(
        "refused",
        Message(zh=f"“{shown(url)}”不是可以抓取的网址。", en=f'"{shown(url)}" is no address that can be fetched.'),
        _CHECK_ADDRESS,
    )


def inner_address(host: str) -> PageError:
    return PageError(
        "refused",
        Message(
            zh=f"“{shown(host)}”不在公共互联网上，为安全起见没有连接。",
            en=f'"{shown(host)}" is not on the public internet and was not connected to, for safety.',
        ),
        _ALLOW,
    )


def other_port(host: str, port: int) -> PageError:
    return PageError(
        "refused",
        Message(
            zh=f"“{shown(host)}”的端口 {port} 不是网页的端口（80、443），没有连接。",
            en=f'Port {port} of "{shown(host)}" is none of web pages (80, 443); it was not connected to.',
        ),
        _ALLOW,
    )


def insecure(url: object) -> PageError:
    return PageError(
        "refused",
        Message(
            zh=f"加密的网页要转到未加密的“{shown(url)}”，没有继续。",
            en=f'An encrypted page leads to "{shown(url)}", which is not encrypted; it was not followed.',
        ),
        _OTHER_PAGE,
    )


def forbidden_by_robots(url: object) -> PageError:
    return PageError(
        "robots",
        Message(
            zh=f"网站的 robots.txt 不允许程序抓取“{shown(url)}”。",
            en=f'The robots.txt of the site does not let programs fetch "{shown(url)}".',
        ),
        _BY_HAND,
    )


def robots_failed(url: object, status: int) -> PageError:
    return PageError(
        "robots",
        Message(
            zh=f"网站的 robots.txt 读不出来（状态 {status}），因此没有抓取“{shown(url)}”。",
            en=f'The robots.txt of the site cannot be read (status {status}), so "{shown(url)}" was not fetched.',
        ),
        _LATER,
        status=status,
    )


# --- what the network and the server did ---------------------------------------------------------------------------


def unknown_host(host: str) -> PageError:
    return PageError(
        "unreachable",
        Message(zh=f"找不到网站“{shown(host)}”。", en=f'The site "{shown(host)}" was not found.'),
        Message(zh="请检查网址和网络连接。", en="Check the address and the connection to the internet."),
    )


def unreachable(url: object) -> PageError:
    return PageError(
        "unreachable", Message(zh=f"无法连接“{shown(url)}”。", en=f'"{shown(url)}" cannot be connected to.'), _LATER
    )


def untrusted(url: object) -> PageError:
    return PageError(
        "unreachable",
        Message(
            zh=f"“{shown(url)}”的证书无效，不能确认是这个网站。",
            en=f'The certificate of "{shown(url)}" is not valid: it may be another site.',
        ),
        _OTHER_PAGE,
    )


def broken(url: object) -> PageError:
    return PageError(
        "damaged",
        Message(
            zh=f"“{shown(url)}”的回答不完整或已损坏。", en=f'The answer of "{shown(url)}" is incomplete or damaged.'
        ),
        _LATER,
    )


def too_slow(url: object) -> PageError:
    return PageError(
        "time",
        Message(zh=f"“{shown(url)}”没有在限定时间内传完。", en=f'"{shown(url)}" did not come within the time limit.'),
        Message(
            zh="请稍后再试，或用 CITEWISE_WEB_TIMEOUT 延长时间。",
            en="Try again later, or allow more time with CITEWISE_WEB_TIMEOUT.",
        ),
    )


def too_large(url: object, most: int) -> PageError:
    megabytes = f"{most / 1_000_000:g} MB"
    return PageError(
        "size",
        Message(zh=f"“{shown(url)}”超过 {megabytes}，没有读完。", en=f'"{shown(url)}" is larger than {megabytes}.'),
        Message(zh="可以用 CITEWISE_WEB_MAX_MB 放宽上限。", en="Raise the limit with CITEWISE_WEB_MAX_MB."),
    )


def not_readable(url: object, media_type: str) -> PageError:
    return PageError(
        "type",
        Message(
            zh=f"“{shown(url)}”不是可以阅读的文档（{shown(media_type) or '类型不明'}）。",
            en=f'"{shown(url)}" is no document that can be read ({shown(media_type) or "of unknown type"}).',
        ),
        Message(
            zh="可以阅读网页、PDF、纯文本、Markdown、JSON、CSV 和 Office 文档。",
            en="Web pages, PDF, plain text, Markdown, JSON, CSV and office documents are read.",
        ),
    )


def empty(url: object) -> PageError:
    return PageError("type", Message(zh=f"“{shown(url)}”是空的。", en=f'"{shown(url)}" is empty.'), _OTHER_PAGE)


def too_many_redirects(url: object) -> PageError:
    return PageError(
        "redirects",
        Message(zh=f"“{shown(url)}”一再转到别的网址，没有继续。", en=f'"{shown(url)}" leads from address to address.'),
        _BY_HAND,
    )


def leads_elsewhere(url: object, there: object) -> PageError:
    return PageError(
        "redirects",
        Message(
            zh=f"“{shown(url)}”转到网站之外的“{shown(there)}”，没有继续。",
            en=f'"{shown(url)}" leads out of the site, to "{shown(there)}"; it was not followed.',
        ),
        Message(zh="需要它时，请单独抓取那个网址。", en="If you want it, fetch that address by itself."),
    )


def moved(url: object, there: object) -> PageError:
    return PageError(
        "redirects",
        Message(zh=f"“{shown(url)}”现在转到“{shown(there)}”。", en=f'"{shown(url)}" now leads to "{shown(there)}".'),
        Message(zh="那个网页已经在其中。", en="That page is there already."),
    )


def too_many_pages(url: object, most: int) -> PageError:
    return PageError(
        "limit",
        Message(
            zh=f"“{shown(url)}”的网页超过 {most} 个，其余没有抓取。",
            en=f'"{shown(url)}" has more than {most} pages; the others were left out.',
        ),
        Message(
            zh="可以用 CITEWISE_CRAWL_MAX_PAGES 放宽上限，或给出其中一个文件夹的网址。",
            en="Raise the limit with CITEWISE_CRAWL_MAX_PAGES, or give the address of one of its folders.",
        ),
    )


def refused_by_server(url: object, status: int) -> PageError:
    name = shown(url)
    if status in (404, 410):
        message = Message(zh=f"网页“{name}”不存在（{status}）。", en=f'The page "{name}" does not exist ({status}).')
        return PageError("status", message, _OTHER_PAGE, status=status)
    if status in (401, 402, 403, 407, 451):
        message = Message(
            zh=f"网站不让程序读取“{name}”（{status}）。", en=f'The site does not give out "{name}" ({status}).'
        )
        return PageError("status", message, _BY_HAND, status=status)
    if status == 429:
        message = Message(zh=f"网站说访问太频繁：“{name}”（429）。", en=f'The site is asked too often: "{name}" (429).')
        return PageError("status", message, _LATER, status=status)
    message = Message(
        zh=f"网站没有给出“{name}”（状态 {status}）。", en=f'The site did not give "{name}" (status {status}).'
    )
    return PageError("status", message, _LATER, status=status)


@contextmanager
def explaining_errors(url: object) -> Iterator[None]:
    """What the connection raises, as a PageError."""
    try:
        yield
    except httpcore2.TimeoutException as error:
        raise too_slow(url) from error
    except httpcore2.ConnectError as error:
        certificate = isinstance(error.__context__, ssl.SSLCertVerificationError)
        raise (untrusted(url) if certificate else unreachable(url)) from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError) as error:
        raise broken(url) from error
