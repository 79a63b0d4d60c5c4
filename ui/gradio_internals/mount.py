"""Puts the page into the site with all that stands around it. START READING HERE for this folder, after README.md."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import gradio as gr
from fastapi import FastAPI

from ui.gradio_internals.blocks import UploadsOnly
from ui.gradio_internals.calls import CallsMiddleware
from ui.gradio_internals.first_script import FirstScript
from ui.gradio_internals.mended_scripts import MendedScripts
from ui.gradio_internals.owners import Owners, OwnersMiddleware
from ui.gradio_internals.pages import PagesMiddleware
from ui.gradio_internals.refusals import RefusalsMiddleware
from ui.gradio_internals.spared import LastingAssets, knows_its_app, rest_between_events
from ui.gradio_internals.streams import StreamsMiddleware
from ui.gradio_internals.uploads import tidy_uploads


def mount_page(
    site: FastAPI, page: UploadsOnly, open_page: Callable[[], AbstractContextManager[None]], **how: Any
) -> None:
    """Serves the page at every address that the site has not taken yet. `open_page` runs while a page is open, `how`
    goes to Gradio. What asks who somebody is, and from where, is added to the site afterwards."""
    page.owners = Owners()
    tidy_uploads()
    site.add_middleware(StreamsMiddleware)
    site.add_middleware(FirstScript)
    site.add_middleware(PagesMiddleware, page=open_page)
    site.add_middleware(OwnersMiddleware, owners=page.owners)
    site.add_middleware(RefusalsMiddleware)
    site.add_middleware(CallsMiddleware)
    site.add_middleware(MendedScripts)
    site.add_middleware(LastingAssets)
    gr.mount_gradio_app(site, page, path="/", **how)
    knows_its_app(page, site)
    rest_between_events(page)
