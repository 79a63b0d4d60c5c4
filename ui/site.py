"""Everything that is served over HTTP: the page, the doors for other programs, and the guard before them all."""

from __future__ import annotations

import gradio as gr
from fastapi import FastAPI

from doors.metrics import metrics_door
from graph.turns import Assistant
from ui.guard import GuardMiddleware
from ui.page import build_page


def build_site(assistant: Assistant) -> FastAPI:
    settings = assistant.settings
    site = FastAPI(title="Citewise", openapi_url=None)
    # the doors: site.include_router(...), one line each, before the page, which takes every other address
    site.include_router(metrics_door(assistant))
    page, mounted_with = build_page(assistant)
    site.add_middleware(GuardMiddleware, host=settings.host)
    # Too large is said by the library, for one file: the page itself would drop the whole upload.
    gr.mount_gradio_app(site, page, path="/", max_file_size=f"{20 * settings.max_file_mb:g}mb", **mounted_with)
    return site
