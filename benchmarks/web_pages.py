"""The pages of the local website: articles with furniture in both languages, other types, and every misbehaviour."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

from benchmarks.web_site import Answer, Page, Request, redirect

_MENU = {
    "en": ("Home", "News", "Contact", "Sign in", "Cookie settings", "Subscribe to our newsletter"),
    "zh": ("首页", "新闻", "联系我们", "登录", "隐私设置", "订阅电子报"),
}


def article(
    language: str, title: str, paragraphs: tuple[str, ...], *, author: str = "", date: str = "", table: str = ""
) -> str:
    """An HTML page as they are: head, menus, advertisement, the article, comments, footer."""
    menu = "".join(f'<li><a href="/{number}">{name}</a></li>' for number, name in enumerate(_MENU[language]))
    text = "".join(f"<h2>{p[3:]}</h2>" if p.startswith("## ") else f"<p>{p}</p>" for p in paragraphs)
    return f"""<!DOCTYPE html>
<html lang="{language}"><head><meta charset="utf-8"><title>{title}</title>
<meta name="author" content="{author}"><meta property="article:published_time" content="{date}">
<style>body {{ color: #222 }}</style><script>window.tracker = {{ "id": 7 }};</script></head>
<body><header><nav><ul>{menu}</ul></nav></header>
<div class="advertisement">Buy one, get one free!</div>
<main><article><h1>{title}</h1>{text}{table}</article></main>
<aside><ul>{menu}</ul></aside><footer><p>© 2026</p><ul>{menu}</ul></footer></body></html>"""


RAILWAY = article(
    "en",
    "The Qinghai–Tibet railway",
    (
        "The Qinghai–Tibet railway connects Xining with Lhasa over 1,956 kilometres. It was completed on 1 July 2006.",
        "## The highest line in the world",
        "The line crosses the Tanggula Pass at 5,072 metres above the sea, which makes it the highest railway that "
        "carries passengers. More than 960 kilometres of it lie above 4,000 metres.",
        "## Permafrost",
        "About 550 kilometres are laid on permafrost. Bridges and cooled embankments keep the ground frozen, since "
        "thawing soil would let the track sink.",
    ),
    author="Ada Martin",
    date="2024-05-17",
    table="<table><tr><th>Station</th><th>Height (m)</th></tr><tr><td>Xining</td><td>2,200</td></tr>"
    "<tr><td>Tanggula</td><td>5,068</td></tr><tr><td>Lhasa</td><td>3,641</td></tr></table>",
)
TIDES = article(
    "en",
    "Why there are two tides a day",
    (
        "The Moon pulls the near side of the Earth more strongly than its centre, and the centre more strongly than "
        "the far side. The oceans bulge on both sides, and a place on the turning Earth passes both bulges in a day.",
        "## Spring tides and neap tides",
        "At new moon and at full moon the Sun and the Moon pull along one line: the spring tides are high. At the "
        "quarters they work against each other, and the neap tides are low.",
        "The highest tides of all are measured in the Bay of Fundy in Canada: 16 metres between ebb and flood.",
    ),
    author="Jonas Weber",
    date="2023-11-02",
)
DUNHUANG = article(
    "zh",
    "敦煌莫高窟简介",
    (
        "莫高窟位于甘肃省敦煌市东南二十五公里处，始建于公元366年，是世界上现存规模最大的佛教艺术地之一。",
        "## 规模",
        "莫高窟现存洞窟735个，壁画四万五千平方米，彩塑二千四百多尊。其中有壁画和彩塑的洞窟为492个，分布在长一千七百米的崖壁上。",
        "## 藏经洞",
        "1900年，道士王圆箓在第16窟的甬道里发现了藏经洞，洞中藏有四世纪到十一世纪的文书、绢画等文物五万多件。"
        "这些文物后来流散到世界各地的博物馆。",
        "1987年，莫高窟被列入《世界遗产名录》。",
    ),
    author="李文",
    date="2022-08-09",
)
DAM = article(
    "zh",
    "都江堰是怎样分水的",
    (
        "都江堰建于公元前256年前后，由秦国蜀郡太守李冰父子主持修建，至今仍在灌溉成都平原。",
        "## 三大工程",
        "鱼嘴把岷江分为内江和外江：枯水时六成的水流入内江，洪水时六成的水排入外江。"
        "飞沙堰排走泥沙和多余的洪水，宝瓶口控制进入灌区的水量。",
        "## 灌溉面积",
        "都江堰灌区的灌溉面积已超过一千万亩，涉及七个市的四十个县。",
    ),
    author="陈静",
    date="2021-03-30",
)
SHORT = (
    "<html><head><title>茶</title></head><body><nav>首页</nav>"
    "<h1>龙井茶</h1><p>龙井茶产于杭州西湖一带。</p></body></html>"
)
HANDBOOK = "# Opening hours\n\nThe archive is open from Tuesday to Friday, 10:00 to 16:00.\n"


def pdf(text: str) -> bytes:
    """A PDF of one page with this one line (Latin-1)."""
    stream = b"BT /F1 12 Tf 72 720 Td (" + text.encode("latin-1") + b") Tj ET"
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )
    out, places = io.BytesIO(b"%PDF-1.4\n"), []
    out.seek(0, io.SEEK_END)
    for number, one in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, one))
    start = out.tell()
    out.write(b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places))
    out.write(b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % start)
    return out.getvalue()


def to_given(request: Request) -> Page:
    """/to?url=…: redirected there."""
    return redirect(parse_qs(urlsplit(request.path).query).get("url", ["/"])[0])


def once(status: int, then: Answer, **headers: str) -> Callable[[Request], Page]:
    """This status for the first request, then the page."""
    asked: list[Request] = []

    def answer(request: Request) -> Page:
        asked.append(request)
        if len(asked) == 1:
            return Page(status=status, headers={name.replace("_", "-"): value for name, value in headers.items()})
        return then(request) if callable(then) else then

    return answer


PAGES: dict[str, Answer] = {
    "/robots.txt": Page("User-agent: *\nDisallow: /private/\nAllow: /private/open\n", "text/plain"),
    "/": Page(article("en", "Start", ("See <a href='/en/railway'>railways</a> and <a href='/en/tides'>tides</a>.",))),
    "/en/railway": Page(RAILWAY, etag='"railway-1"', last_modified="Fri, 17 May 2024 08:00:00 GMT"),
    "/en/tides": Page(TIDES),
    "/zh/dunhuang": Page(DUNHUANG, etag='W/"dunhuang"'),
    "/zh/dam": Page(DAM),
    "/zh/short": Page(SHORT),
    "/zh/gbk": Page(DAM.replace("utf-8", "gbk").encode("gb18030"), "text/html; charset=gbk"),
    "/zh/gbk-unsaid": Page(DAM.replace('<meta charset="utf-8">', "").encode("gb18030"), "text/html"),
    "/private/secret": Page(TIDES),
    "/private/open": Page(TIDES),
    # other types
    "/handbook.md": Page(HANDBOOK, "text/markdown; charset=utf-8"),
    "/hours.txt": Page("Open from 10:00 to 16:00.\n", "text/plain"),
    "/data.json": Page(json.dumps({"station": "Lhasa", "height": 3641}), "application/json"),
    "/paper.pdf": Page(pdf("The archive is open on Tuesdays."), "application/pdf"),
    "/paper-as-html": Page(pdf("The archive is open on Tuesdays."), "text/html"),
    "/untyped": Page(TIDES, None),
    "/untyped-json": Page('{"open": true}', None),
    "/download": Page(HANDBOOK, "application/octet-stream"),
    "/picture.png": Page(b"\x89PNG\r\n\x1a\n" + bytes(64), "image/png"),
    "/picture-as-html": Page(b"\x89PNG\r\n\x1a\n" + bytes(64), "text/html"),
    "/film": Page(bytes(64), "video/mp4", endless=True),
    "/program": Page(b"\x7fELF" + bytes(64), None),
    "/empty": Page(b""),
    # redirects
    "/moved": redirect("/en/tides", 301),
    "/moved-nowhere": Page(status=302),
    "/loop": redirect("/loop-2"),
    "/loop-2": redirect("/loop"),
    **{f"/chain/{number}": redirect(f"/chain/{number - 1}", 307) for number in range(1, 11)},
    "/chain/0": Page(TIDES),
    "/to": to_given,
    # failures
    "/gone": Page(status=410),
    "/login": Page(status=401),
    "/broken": Page("oops", status=500),
    "/busy": Page(status=429, headers={"Retry-After": "1"}),
    "/busy-long": Page(status=503, headers={"Retry-After": "86400"}),
    "/part": Page(TIDES[:500], status=206, headers={"Content-Range": f"bytes 0-499/{len(TIDES)}"}),
    "/unasked-304": Page(status=304, media_type=None),
    # slow, large, wrong
    "/slow-headers": Page(TIDES, first_delay=3600),
    "/slow-body": Page(TIDES, piece=16, piece_delay=0.1),
    "/stalls": Page(TIDES, stalls=True),
    "/endless": Page(b"<p>again and again</p>\n" * 1000, endless=True),
    "/huge": lambda _: Page(b"a" * 20_000_000, "text/plain"),
    "/huge-said": Page(raw=b"HTTP/1.1 200 -\r\nContent-Type: text/plain\r\nContent-Length: 99999999999\r\n\r\n"),
    "/cut": Page(TIDES, cut=True),
    "/gzip": Page(TIDES, encoding="gzip"),
    "/gzip-two": Page(
        gzip.compress(TIDES[:700].encode()) + gzip.compress(TIDES[700:].encode()), headers={"Content-Encoding": "gzip"}
    ),
    "/deflate": Page(TIDES, encoding="deflate"),
    "/raw-deflate": Page(TIDES, encoding="raw-deflate"),
    "/bomb": lambda _: Page(bytes(50_000_000), encoding="gzip"),
    "/not-gzip": Page(raw=b"HTTP/1.1 200 -\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n<p>plain</p>"),
    "/brotli": Page(TIDES, encoding="br"),
    "/nonsense": Page(raw=b"\x16\x03\x01 this is no HTTP\r\n\r\n"),
    "/headers-without-end": Page(raw=b"HTTP/1.1 200 -\r\n" + b"X-A: " + b"a" * 1_000_000),
}
