"""The services as named endpoints for `gradio_client`: the only events of the page that other programs see."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gradio as gr
from pydantic.fields import FieldInfo

from doors.problems import in_words
from doors.services import AT_ONCE, SERVICES, Service, Services, language_for
from errors import CitewiseError
from ui.events import unreadable
from ui.user import user_of

FILE = inspect.Parameter("file", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation=dict | None)
REQUEST = inspect.Parameter("request", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=gr.Request)


def add_api(services: Services) -> None:
    """Inside the page."""
    for name, service in SERVICES.items():
        gr.api(  # type: ignore[attr-defined]  # as the documentation has it
            _endpoint(services, name, service),
            api_name=name,
            api_description=_described(service),
            concurrency_limit=AT_ONCE,
            concurrency_id=f"api-{name}",
        )


def _endpoint(services: Services, name: str, service: Service) -> Callable[..., Any]:
    """A function with the form's fields as its parameters, as Gradio reads them; uploads come as files, too."""
    fields = service.form.model_fields
    takes_file = name == "add_document"

    async def call(*values: Any) -> dict[str, Any]:
        request, *rest = values
        given = {key: value for key, value in zip(fields, rest, strict=False) if value is not None}
        try:
            data = await _uploaded(rest[-1], given) if takes_file else None
            result = await services.call(name, given, user_of(request), data)
        except CitewiseError as error:
            raise gr.Error(in_words(error, language_for(given)), title=error.kind, print_exception=False) from error
        return result.model_dump(mode="json")

    parameters = [_parameter(key, field) for key, field in fields.items()]
    parameters += [FILE] if takes_file else []
    signature = inspect.Signature([REQUEST, *parameters], return_annotation=dict)
    call.__name__ = name
    call.__signature__ = signature  # type: ignore[attr-defined]
    call.__annotations__ = {one.name: one.annotation for one in signature.parameters.values()}
    return call


def _parameter(name: str, field: FieldInfo) -> inspect.Parameter:
    default = inspect.Parameter.empty if field.is_required() else field.get_default(call_default_factory=True)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(name, kind, default=default, annotation=field.annotation)


async def _uploaded(file: dict[str, Any] | None, given: dict[str, Any]) -> bytes | None:
    """The bytes of a file, which the page has let in as an upload, and its name where none is given."""
    if not file:
        return None
    if not isinstance(file, dict) or not isinstance(file.get("path"), str):
        raise unreadable()
    path = Path(file["path"])
    if not given.get("name"):
        given["name"] = str(file.get("orig_name") or path.name)
    return await asyncio.to_thread(path.read_bytes)


def _described(service: Service) -> str:
    lines = [f"{name}: {field.description}" for name, field in service.form.model_fields.items() if field.description]
    return "\n".join([f"{service.about.zh} / {service.about.en}", *lines])
