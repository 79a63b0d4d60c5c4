"""Scripts of Gradio that ask first.js something on their way, where nothing can be put before or around them."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import gradio
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

_ASSETS = Path(gradio.__file__).parent / "templates" / "frontend" / "assets"
_CORE = re.compile(r"/assets/(core-[\w-]+\.js)")
# How a part is told anything, and where it is noted that there is a part to tell.
_TELLS = re.compile(r"(async update_state\((\w+),(\w+),\w+=!0\)\{)")
_NOTES = re.compile(r"register_component\((\w+),(\w+),\w+\)\{this\.(#\w+)\.set\(\1,\2\)")


class MendedScripts:
    """Has Gradio's page ask `citewise.hasHeard` before it tells a part of it anything. What that is worth is said by
    first.js, which comes anew with each page: these scripts are kept by the browser for a year."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = _CORE.fullmatch(scope["path"]) if scope["type"] == "http" and scope["method"] == "GET" else None
        if asked and (script := mended(_ASSETS / asked[1])):
            await Response(script, media_type="text/javascript")(scope, receive, send)
        else:
            await self._app(scope, receive, send)


@functools.cache
def mended(path: Path) -> str:
    """Nothing where another Gradio says it in other words, or there is no such script: then it stays as it is."""
    script = path.read_text(encoding="utf-8") if path.is_file() else ""
    noted, told = _NOTES.search(script), _TELLS.search(script)
    if not noted or not told:
        return ""
    asked = f"if(globalThis.citewise?.hasHeard?.(this.{noted[3]}.get({told[2]}),{told[3]}))return;"
    return script[: told.end()] + asked + script[told.end() :]
