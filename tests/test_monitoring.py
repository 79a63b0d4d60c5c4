"""What monitoring systems are told: runs for LangSmith, spans for OpenTelemetry, and nothing unless it is asked for."""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from langchain_core.tracers.langchain import wait_for_all_tracers
from langsmith import utils
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

import settings as settings_module
from benchmarks.model_server import Reply
from errors import CitewiseError
from graph import monitoring
from tests.conftest import MakeSettings
from tests.graph.turn_cases import Script, assistant_of, say, talking

QUESTION = "How long do I wait after priming the pump?"


class Collector:
    """Keeps what is sent to it."""

    def __init__(self) -> None:
        self.received: list[tuple[str, bytes]] = []
        self.url = ""

    def spans(self) -> list[Span]:
        found = [ExportTraceServiceRequest.FromString(body) for path, body in self.received if path == "/v1/traces"]
        return [
            span
            for request in found
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    @property
    def text(self) -> str:
        return "\n".join(body.decode("utf-8", "replace") for _, body in self.received)


@pytest.fixture
def collector() -> Iterator[Collector]:
    kept = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(b"{}")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            packed = self.headers.get("content-encoding")
            if packed == "zstd":
                import zstandard

                body = zstandard.ZstdDecompressor().decompressobj().decompress(body)
            kept.received.append((self.path, gzip.decompress(body) if packed == "gzip" else body))
            self._answer(b"{}" if "json" in (self.headers.get("content-type") or "") else b"")

        do_PATCH = do_POST

        def _answer(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    kept.url = f"http://127.0.0.1:{server.server_address[1]}"
    yield kept
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def langsmith(monkeypatch: pytest.MonkeyPatch, collector: Collector) -> Iterator[Any]:
    """Its variables, which it reads once."""

    def forget() -> None:
        utils.get_env_var.cache_clear()
        utils.get_tracer_project.cache_clear()

    @contextmanager
    def reading(**variables: str) -> Iterator[None]:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        forget()
        yield
        wait_for_all_tracers()

    for name in ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2", "LANGSMITH_ENDPOINT", "LANGSMITH_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    yield reading
    monkeypatch.undo()
    forget()


async def test_langsmith_is_told_of_the_turn_its_steps_and_its_model_calls(
    make_settings: MakeSettings, collector: Collector, langsmith: Any
) -> None:
    with langsmith(LANGSMITH_TRACING="true", LANGSMITH_ENDPOINT=collector.url, LANGSMITH_API_KEY="lsv2-for-tests"):
        async with talking(make_settings, Script(), CITEWISE_LLM_API_KEY="sk-secret-of-tests") as (assistant, _):
            await say(assistant, QUESTION)
    names = set(re.findall(r'"name":\s*"(\w+)"', collector.text))
    assert {"LangGraph", "route", "retrieve", "answer", "evaluate", "ChatOpenAI"} <= names
    assert QUESTION in collector.text
    assert "sk-secret-of-tests" not in collector.text


async def test_without_its_switch_langsmith_is_told_nothing(
    make_settings: MakeSettings, collector: Collector, langsmith: Any
) -> None:
    with langsmith(LANGSMITH_ENDPOINT=collector.url, LANGSMITH_API_KEY="lsv2-for-tests"):
        async with talking(make_settings, Script()) as (assistant, _):
            await say(assistant, QUESTION)
    assert collector.received == []


@pytest.fixture
def exporting(monkeypatch: pytest.MonkeyPatch, collector: Collector) -> Collector:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    return collector


def attributes(span: Span) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in span.attributes}


async def test_spans_of_a_turn_its_nodes_and_model_calls(make_settings: MakeSettings, exporting: Collector) -> None:
    async with talking(make_settings, Script(), CITEWISE_OTEL="true") as (assistant, _):
        await say(assistant, QUESTION)
    by_id = {span.span_id: span for span in exporting.spans()}
    names = [span.name for span in by_id.values()]
    assert names.count("turn") == 1
    assert {"route", "retrieve", "answer", "evaluate"} <= set(names)
    calls = [span for span in by_id.values() if span.name == "chat m"]
    assert {by_id[span.parent_span_id].name for span in calls} >= {"answer", "evaluate"}
    for span in calls:
        told = attributes(span)
        assert told["gen_ai.usage.input_tokens"] > 0
        assert told["gen_ai.usage.output_tokens"] > 0
        assert span.end_time_unix_nano > span.start_time_unix_nano
    (turn,) = (span for span in by_id.values() if span.name == "turn")
    assert not turn.parent_span_id
    assert {by_id[span.parent_span_id].name for span in by_id.values() if span.name == "answer"} == {"turn"}
    sent = exporting.text
    assert "citewise" in sent
    assert "priming" not in sent  # the question
    assert "Prime the pump" not in sent  # the document, the answer


async def test_texts_are_sent_only_when_a_second_setting_says_so(
    make_settings: MakeSettings, exporting: Collector
) -> None:
    async with talking(make_settings, Script(), CITEWISE_OTEL="true", CITEWISE_OTEL_CONTENT="true") as (assistant, _):
        await say(assistant, QUESTION)
    told = [attributes(span) for span in exporting.spans()]
    assert QUESTION in [one.get("citewise.question") for one in told]
    outputs = [json.loads(one["gen_ai.output.messages"]) for one in told if "gen_ai.output.messages" in one]
    assert [{"role": "ai", "content": "Prime the pump [1]."}] in outputs


async def test_a_failed_request_is_an_error_without_its_text(make_settings: MakeSettings, exporting: Collector) -> None:
    failing = Script(answer=Reply("no: secret words", status=401))
    async with talking(make_settings, failing, CITEWISE_OTEL="true") as (assistant, _):
        await say(assistant, QUESTION)
    failed = [span for span in exporting.spans() if span.status.code == 2]
    assert [span.name for span in failed] == ["chat m"]
    assert "Authentication" in attributes(failed[0])["error.type"]
    assert "secret words" not in exporting.text


async def test_nothing_is_exported_unless_it_is_asked_for(make_settings: MakeSettings, exporting: Collector) -> None:
    async with talking(make_settings, Script()) as (assistant, _):
        await say(assistant, QUESTION)
    assert exporting.received == []


async def test_nobody_listening_harms_no_turn(make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    async with talking(make_settings, Script(), CITEWISE_OTEL="true") as (assistant, _):
        events = await say(assistant, QUESTION)
        assert assistant.metrics.totals().turns == {"answered": 1}
    assert events


async def test_an_absent_extra_names_the_command(make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(CitewiseError) as refused:
        async with assistant_of(make_settings(CITEWISE_OTEL="true")):
            pass
    assert "uv sync --extra otel" in refused.value.suggestions[0].zh
    assert "uv sync --extra otel" in refused.value.suggestions[0].en
    assert all("CITEWISE_OTEL" in said for said in (refused.value.suggestions[1].zh, refused.value.suggestions[1].en))
    assert refused.value.still_works is None  # nothing starts while it is set


def test_no_spans_without_the_setting(make_settings: MakeSettings) -> None:
    assert monitoring.open_spans(make_settings()) is None


def test_what_env_says_to_monitoring_systems_is_handed_on(
    bare_environment: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("LANGSMITH_PROJECT", "mine")
    for name in ("LANGSMITH_TRACING", "OTEL_SERVICE_NAME"):
        monkeypatch.setenv(name, "")  # so that it is put back
        monkeypatch.delenv(name)
    (tmp_path / ".env").write_text(
        "LANGSMITH_TRACING=true\nLANGSMITH_PROJECT=other\nOTEL_SERVICE_NAME=docs\nPATH_OF_OTHERS=x\n"
    )
    settings_module.hand_on()
    assert os.environ["LANGSMITH_TRACING"] == "true"
    assert os.environ["OTEL_SERVICE_NAME"] == "docs"
    assert os.environ["LANGSMITH_PROJECT"] == "mine"
    assert "PATH_OF_OTHERS" not in os.environ
