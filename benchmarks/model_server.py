"""A scripted OpenAI-compatible server on loopback: real HTTP, replies by a function. For tests and benchmarks.

It speaks chat (plain, streamed, tools, json_schema), embeddings, the list of models and what an Ollama says of itself,
and fails in every way that a provider fails. `model_server` serves from a thread of this process, `spawned_server` from
a process of its own, so that the server's work does not count as the measured program's.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import importlib
import json
import re
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

import numpy as np

_ROOT = Path(__file__).parent.parent
STALL = 3600.0  # seconds: longer than anybody waits


@dataclass(frozen=True)
class Reply:
    """What the server says to one request; the fields below `text` are faults and delays."""

    text: str = ""
    status: int = 200
    first_delay: float = 0.0  # seconds before the first byte
    piece_delay: float = 0.0  # seconds between two pieces of a stream
    piece: int = 4  # characters of a piece
    cut_after: int | None = None  # pieces of a stream until an error event
    drop_after: int | None = None  # pieces of a stream until the socket is closed; 0 without a stream: no answer at all
    stall_after: int | None = None  # pieces of a stream until nothing comes any more, the connection staying open
    gone: bool = False  # the server crashes: every connection is closed, and nobody listens any more
    retry_after: float | str | None = None  # the header: seconds, or whatever else a server says
    arguments: str | None = None  # called with these: the tool that the request forces
    reasoning: str = ""  # as `reasoning_content`, before the text
    raw: str | None = None  # the body itself, instead of a well-formed one
    vectors: Sequence[Sequence[float]] | None = None  # of an embedding request; None: `vector_of` each text
    usage: tuple[int, int] | None = None  # tokens in and out; None: counted roughly
    finish: str = "stop"  # why the text ends; "length": as many tokens as the request allows


Script = Callable[[dict[str, Any]], Reply]


@dataclass
class ModelServer:
    """The server's address and every request body it has seen."""

    base_url: str
    requests: list[dict[str, Any]] = field(default_factory=list)  # to /chat/completions
    embedding_requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)  # of all of them, as they were given
    models: Sequence[str] = ("m",)
    ollama: bool = False  # whether /api/tags and /api/version answer

    @property
    def root(self) -> str:
        """The address without /v1, as Ollama's is given."""
        return self.base_url.removesuffix("/v1")


@contextmanager
def model_server(
    script: Script,
    *,
    embed: Script = lambda _: Reply(),
    latency: float = 0.0,
    pace: float = 0.0,
    models: Sequence[str] = ("m",),
    ollama: bool = False,
    port: int = 0,
) -> Iterator[ModelServer]:
    """Serve on 127.0.0.1 until the block ends.

    `latency` is waited before each chat answer or its first token, `pace` before every further piece of a stream.
    """
    server = _Server(("127.0.0.1", port), _Handler)
    server.seen = ModelServer(f"http://127.0.0.1:{server.server_port}/v1", models=models, ollama=ollama)
    server.script, server.embed, server.latency, server.pace = script, embed, latency, pace
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server.seen
    finally:
        server.end()
        thread.join()


@contextmanager
def nobody_listening() -> Iterator[str]:
    """An address of this machine that refuses every connection."""
    with socket.socket() as taken:  # bound, so that nobody else gets the port, but not listening
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/v1"


@contextmanager
def spawned_server(script: str, *, latency: float = 0.0, pace: float = 0.0) -> Iterator[ModelServer]:
    """The same in a process of its own; the script by its name, as "package.module:function"."""
    command = [sys.executable, "-m", "benchmarks.model_server", script]
    command += ["--latency", str(latency), "--pace", str(pace)]
    with subprocess.Popen(command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            base_url = process.stdout.readline().strip()
            if not base_url:
                raise RuntimeError("the model server did not start")
            yield _Spawned(base_url)
        finally:
            process.communicate()  # closes its standard input, which ends it


class _Spawned(ModelServer):
    """Requests are fetched from the other process when they are looked at."""

    def __getattribute__(self, name: str) -> Any:
        if name in ("requests", "embedding_requests"):
            with urllib.request.urlopen(f"{self.root}/seen") as answer:
                return json.load(answer)[name]
        return super().__getattribute__(name)


def wanted_form(request: dict[str, Any]) -> str | None:
    """The name of the form that a structured call asks for, in whatever way; None for a plain answer."""
    wanted = (request.get("response_format") or {}).get("json_schema", {}).get("name")
    wanted = wanted or next((tool["function"]["name"] for tool in request.get("tools") or []), None)
    if wanted or not request.get("messages"):
        return cast(str | None, wanted)
    asked = (str(message["content"]) for message in reversed(request["messages"]))
    described = (re.search(r'"title": ?"(\w+)", ?"type": ?"object"\}\s*$', text) for text in asked)
    return next((found[1] for found in described if found), None)


def filled(request: dict[str, Any], form: dict[str, Any], **how: Any) -> Reply:
    """A form in the way the request asks for it: as arguments of the forced tool, or as text."""
    text = json.dumps(form, ensure_ascii=False)
    return Reply(arguments=text, **how) if request.get("tools") else Reply(text, **how)


def vector_of(text: str, dimensions: int = 64) -> list[float]:
    """A vector of length 1 that depends on nothing but the text; texts that share words are near each other."""
    vector = np.zeros(dimensions)
    for term in re.findall(r"[a-z0-9]+|[\u4e00-\u9fff]", text.lower()) or [text]:
        number = int.from_bytes(hashlib.blake2b(term.encode("utf-8", "replace"), digest_size=8).digest(), "big")
        vector[number % dimensions] += 1.0 if number >> 63 else -1.0
    length = float(np.linalg.norm(vector))
    return cast(list[float], (vector / length if length else np.eye(1, dimensions)[0]).tolist())


class _Server(ThreadingHTTPServer):
    """A thread per connection; all of them are closed at the end, kept-alive ones too."""

    request_queue_size = 128
    seen: ModelServer
    script: Script
    embed: Script
    latency: float
    pace: float

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.closing = threading.Event()
        self._open: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no news; anything else is a broken script and is printed."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def end(self) -> None:
        self.closing.set()
        self.vanish()

    def vanish(self) -> None:
        """Listen no more, and close every connection."""
        self.shutdown()
        self.server_close()
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # headers and body in one packet; flushed where something must go out
    server: _Server

    def do_GET(self) -> None:
        seen = self.server.seen
        if self.path == "/v1/models":
            self._send({"object": "list", "data": [{"id": name, "object": "model"} for name in seen.models]})
        elif self.path == "/seen":
            self._send({"requests": seen.requests, "embedding_requests": seen.embedding_requests})
        elif self.path == "/api/tags" and seen.ollama:
            self._send({"models": [{"name": name, "model": name, "details": {}} for name in seen.models]})
        elif self.path == "/api/version" and seen.ollama:
            self._send({"version": "0.0.0"})
        else:
            self._send({"error": {"message": "not found"}}, 404)

    def do_POST(self) -> None:
        size = int(self.headers["Content-Length"])
        if len(data := self.rfile.read(size)) < size:  # the client has gone in the middle of its question
            self.close_connection = True
            return
        body = json.loads(data)
        embeds = self.path.endswith("/embeddings")
        self.server.seen.keys.append(self.headers.get("Authorization", "").removeprefix("Bearer "))
        (self.server.seen.embedding_requests if embeds else self.server.seen.requests).append(body)
        reply = (self.server.embed if embeds else self.server.script)(body)
        self._wait(reply.first_delay + (0.0 if embeds else self.server.latency))
        streams = bool(body.get("stream"))
        if reply.gone or (not streams and reply.drop_after is not None):
            self.close_connection = True
            if reply.gone:
                self.server.vanish()
        elif reply.raw is not None:
            self._send(reply.raw, reply.status, reply)
        elif reply.status != 200:
            self._send({"error": {"message": reply.text or "scripted failure", "type": "error"}}, reply.status, reply)
        elif embeds:
            self._send(_embeddings(body, reply))
        elif streams:
            self._stream(body, reply)
        else:
            self._send(_completion(body, reply))

    def _wait(self, seconds: float) -> None:
        if seconds > 0:
            self.server.closing.wait(seconds)

    def _send(self, content: dict[str, Any] | str, status: int = 200, reply: Reply | None = None) -> None:
        data = (content if isinstance(content, str) else json.dumps(content)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if reply is not None and reply.retry_after is not None:
            self.send_header("Retry-After", str(reply.retry_after))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, body: dict[str, Any], reply: Reply) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.flush()
        starts = range(0, len(reply.text), reply.piece)
        pieces: list[dict[str, Any]] = [{"content": reply.text[i : i + reply.piece]} for i in starts]
        if reply.arguments is not None:
            pieces = [{"tool_calls": [_tool_call(body, reply.arguments)]}]
        if reply.reasoning:
            self._event(_chunk(body, {"reasoning_content": reply.reasoning}))
        for number in range(len(pieces) + 1):
            if number == reply.stall_after:
                self._wait(STALL)
            if number in (reply.stall_after, reply.drop_after):
                self.close_connection = True
                return
            if number == reply.cut_after:
                self._event({"error": {"message": "scripted break", "type": "server_error"}})
                break
            if number < len(pieces):
                self._event(_chunk(body, pieces[number]))
                self._wait(reply.piece_delay or self.server.pace)
        else:
            self._event(_chunk(body, {}, finish=reply.finish))
            if (body.get("stream_options") or {}).get("include_usage"):
                self._event({**_chunk(body, {}), "choices": [], "usage": _usage(body, reply)})
            self._event("[DONE]")
        self.wfile.write(b"0\r\n\r\n")

    def _event(self, content: dict[str, Any] | str) -> None:
        text = content if isinstance(content, str) else json.dumps(content)
        data = f"data: {text}\n\n".encode()
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        pass


def _usage(request: dict[str, Any], reply: Reply) -> dict[str, int]:
    asked = sum(len(str(message.get("content") or "")) for message in request.get("messages", []))
    given, got = reply.usage or (asked // 4 + 1, len(reply.text or reply.arguments or "") // 4 + 1)
    return {"prompt_tokens": given, "completion_tokens": got, "total_tokens": given + got}


def _tool_call(request: dict[str, Any], arguments: str) -> dict[str, Any]:
    name = request["tools"][0]["function"]["name"]
    return {"index": 0, "id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}


def _completion(request: dict[str, Any], reply: Reply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    if reply.arguments is not None:
        message |= {"content": None, "tool_calls": [_tool_call(request, reply.arguments)]}
    choice = {"index": 0, "message": message, "finish_reason": reply.finish}
    return {
        "id": "scripted",
        "object": "chat.completion",
        "created": 0,
        "model": request["model"],
        "choices": [choice],
        "usage": _usage(request, reply),
    }


def _chunk(request: dict[str, Any], delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {
        "id": "scripted",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": request["model"],
        "choices": [choice],
    }


def _embeddings(request: dict[str, Any], reply: Reply) -> dict[str, Any]:
    texts = [request["input"]] if isinstance(request["input"], str) else request["input"]
    vectors = reply.vectors
    if vectors is None:
        vectors = [vector_of(text, request.get("dimensions") or 64) for text in texts]
    packed = request.get("encoding_format") == "base64"
    data = [
        {
            "object": "embedding",
            "index": number,
            "embedding": base64.b64encode(np.asarray(vector, "<f4").tobytes()).decode() if packed else list(vector),
        }
        for number, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
    return {"object": "list", "model": request["model"], "data": data, "usage": usage}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.model_server", description=__doc__)
    parser.add_argument("script", help="package.module:function, from a request's body to a Reply")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer or its first token")
    parser.add_argument("--pace", type=float, default=0.0, help="seconds before every further piece of a stream")
    parser.add_argument("--port", type=int, default=0, help="0: any that is free")
    options = parser.parse_args()
    module, _, name = options.script.partition(":")
    script = getattr(importlib.import_module(module), name)
    with model_server(script, latency=options.latency, pace=options.pace, port=options.port) as server:
        print(server.base_url, flush=True)
        sys.stdin.read()  # until whoever started it goes away


if __name__ == "__main__":
    main()
