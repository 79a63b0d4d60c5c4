"""A page that takes files by upload only, each from the user who has uploaded it, and refuses what it cannot read."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

import gradio as gr
from gradio.utils import get_upload_folder, is_in_or_equal

from doors.services import SERVICES
from errors import StoreError
from ui.events import unreadable
from ui.gradio_internals.calls import NO_CALL
from ui.gradio_internals.owners import Owners, file_paths
from ui.gradio_internals.spared import PageConfig, SparedApp, without_endpoints
from ui.texts import corner_message
from ui.user import user_of


class UploadsOnly(gr.Blocks):
    """Gradio checks the paths in a request only where it was launched, not where it is mounted: there a made-up
    request could have it copy any file of the machine to where the page serves files, or fetch a URL.
    """

    owners: Owners | None = None  # whose the files are, where there is a login

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.default_config = PageConfig(self)

    def get_config_file(self) -> Any:
        """Not yet where the page is only begun: all its parts would be described in vain."""
        if not self.exited:
            return {}
        return without_endpoints(super().get_config_file())  # type: ignore[arg-type]

    async def process_api(self, *given: Any, **named: Any) -> Any:
        """An event reads its own user's files, and what it gives to download is that user's alone."""
        request: Any = named.get("request")
        try:
            return await self._process(user_of(request), *given, **named)
        except StoreError as error:  # of a database that is away, say
            raise gr.Error(corner_message(error.in_full, request), print_exception=False) from error

    async def _process(self, user: str, *given: Any, **named: Any) -> Any:
        if not user or self.owners is None:
            return await super().process_api(*given, **named)
        if not self.owners.has_files(named.get("inputs"), user):
            raise _not_uploaded()
        done = await super().process_api(*given, **named)
        self.owners.add_files(done.get("data"), user)
        return done

    async def preprocess_data(self, block_fn: Any, inputs: list[Any], *rest: Any, **named: Any) -> Any:
        for path in file_paths(inputs):
            if not is_in_or_equal(path, get_upload_folder()):
                raise _not_uploaded()
        try:
            return await super().preprocess_data(block_fn, inputs, *rest, **named)
        except gr.Error as error:  # says which value, but in HTML and with a traceback in the log
            raise unreadable(str(error.message)) from None
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise (_not_called() if block_fn.api_name in SERVICES else unreadable()) from error

    def handle_streaming_diffs(  # a name of Gradio's
        self, block_fn: Any, data: list[Any], session_hash: Any, run: Any, final: bool, simple_format: bool = False
    ) -> list[Any]:
        """What a page is to do with a component ("update") is sent whole: made of the one before, it would change that
        one while the page has yet to read it, and what the box was to forget, or a button to become, would be lost."""
        before = list(self.pending_diff_streams.get(session_hash, {}).get(run) or [])
        now = list(data)
        sent = super().handle_streaming_diffs(block_fn, data, session_hash, run, final, simple_format)
        if final or simple_format or not before:
            return sent
        return [
            [["replace", [], new]] if _is_update(old) and _is_update(new) and old != new else one
            for old, new, one in zip_longest(before, now, sent)
        ]


SparedApp.unmounted = (UploadsOnly,)


def hide_status(page: gr.Blocks) -> None:
    """Events whose progress is hidden tell it nobody but the chat while an answer is written into it: it keeps the
    buttons of the answer back. A page copies whole each part that was ever told, with every word of any event."""
    for event in page.fns.values():
        if event.show_progress == "hidden" and event.show_progress_on is None:
            written = event.outputs if event.types_generator else []
            event.show_progress_on = [part for part in written if isinstance(part, gr.Chatbot)]


def _is_update(value: Any) -> bool:
    return isinstance(value, dict) and value.get("__type__") == "update"


def _not_called() -> gr.Error:
    """To a program, which has no page to reload."""
    return gr.Error(f"{NO_CALL.zh}\n{NO_CALL.en}", title="settings", print_exception=False)


def _not_uploaded() -> gr.Error:
    return gr.Error("文件不是从这个页面上传的。 / The file was not uploaded here.", print_exception=False)
