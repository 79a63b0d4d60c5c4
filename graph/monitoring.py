"""What a turn tells monitoring systems: OpenTelemetry spans of turns, nodes and model calls.

LangSmith needs nothing of ours: LangGraph and LangChain report to it when its environment variables say so.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langgraph.errors import GraphBubbleUp

from errors import missing_extra
from schema import Message
from settings import Settings

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage
    from langchain_core.outputs import LLMResult
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span

_WITHOUT = Message(zh="或者去掉 CITEWISE_OTEL。", en="Or remove CITEWISE_OTEL.")  # nothing starts while it is set
FLUSH = 3000  # milliseconds that closing waits for what is not sent yet


def open_spans(settings: Settings) -> Spans | None:
    """None unless the settings ask for it. Raises CitewiseError where the extra is not installed."""
    if not settings.otel:
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise missing_extra("otel", _WITHOUT) from error
    named = "OTEL_SERVICE_NAME" in os.environ or "service.name=" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    resource = Resource.create({} if named else {"service.name": "citewise"})
    provider = TracerProvider(resource=resource)  # our own: other programs of this process keep theirs
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return Spans(provider, settings.otel_content)


class Spans(BaseCallbackHandler):
    """Makes a span of every run of the graph, of every node in it and of every request to a model.

    Times, names, models and token counts; texts only with `content`.
    """

    run_inline = True  # a thread for each call would cost more than the call

    def __init__(self, provider: TracerProvider, content: bool = False) -> None:
        self._provider, self._content = provider, content
        self._tracer = provider.get_tracer("citewise")
        self._open: dict[UUID, Span] = {}
        self._stands_for: dict[UUID, UUID] = {}  # runs without a span of their own: edges, channels

    def close(self) -> None:
        """Blocks for a while at most, whether or not anybody listens."""
        self._provider.force_flush(FLUSH)
        self._provider.shutdown()

    def on_chain_start(
        self,
        serialized: Any,
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **more: Any,
    ) -> None:
        name = more.get("name") or ""
        if parent_run_id is None:
            self._begin(run_id, None, "turn")
            if self._content and isinstance(inputs, dict) and inputs.get("messages"):
                self._open[run_id].set_attribute("citewise.question", str(inputs["messages"][-1].content))
        elif name and name == (metadata or {}).get("langgraph_node"):
            self._begin(run_id, parent_run_id, name)
        else:
            self._stands_for[run_id] = parent_run_id

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **more: Any) -> None:
        self._end(run_id)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **more: Any) -> None:
        self._end(run_id, None if isinstance(error, GraphBubbleUp) else error)  # an offer waits: that is no error

    def on_chat_model_start(
        self,
        serialized: Any,
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **more: Any,
    ) -> None:
        asked = more.get("invocation_params") or {}
        model = str(asked.get("model") or asked.get("model_name") or "")
        self._begin(run_id, parent_run_id, f"chat {model}".strip())
        span = self._open[run_id]
        span.set_attributes({"gen_ai.operation.name": "chat", "gen_ai.request.model": model})
        if self._content:
            prompt = [{"role": one.type, "content": str(one.text)} for one in messages[0]]
            span.set_attribute("gen_ai.input.messages", json.dumps(prompt, ensure_ascii=False))

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **more: Any) -> None:
        if (span := self._open.get(run_id)) is not None:
            message: Any = getattr(response.generations[0][0], "message", None)
            if usage := getattr(message, "usage_metadata", None):
                span.set_attribute("gen_ai.usage.input_tokens", usage["input_tokens"])
                span.set_attribute("gen_ai.usage.output_tokens", usage["output_tokens"])
            if self._content and message is not None:
                reply = [{"role": "ai", "content": str(message.text)}]
                span.set_attribute("gen_ai.output.messages", json.dumps(reply, ensure_ascii=False))
        self._end(run_id)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **more: Any) -> None:
        self._end(run_id, error)

    def _begin(self, run_id: UUID, parent_run_id: UUID | None, name: str) -> None:
        from opentelemetry.trace import set_span_in_context

        while parent_run_id in self._stands_for:
            parent_run_id = self._stands_for[parent_run_id]
        above = self._open.get(parent_run_id) if parent_run_id else None
        within = set_span_in_context(above) if above is not None else None
        self._open[run_id] = self._tracer.start_span(name, within)

    def _end(self, run_id: UUID, error: BaseException | None = None) -> None:
        self._stands_for.pop(run_id, None)
        if (span := self._open.pop(run_id, None)) is None:
            return
        if error is not None:
            from opentelemetry.trace import Status, StatusCode

            span.set_attribute("error.type", type(error).__name__)
            span.set_status(Status(StatusCode.ERROR, str(error) if self._content else None))
        span.end()
