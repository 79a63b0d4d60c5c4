"""A scripted OpenAI-compatible server on loopback: real HTTP, replies by a function. For tests and benchmarks."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """What the model says to one request."""

    text: str = ""
    status: int = 200
    first_delay: float = 0.0  # seconds before the first byte
    piece_delay: float = 0.0  # seconds between two pieces of a stream (4 characters each)
    cut_after: int | None = None  # break the stream after so many pieces


Script = Callable[[dict[str, Any]], Reply]


@dataclass
class ModelServer:
    """The server's address and every request body it has seen."""

    base_url: str
    requests: list[dict[str, Any]] = field(default_factory=list)


@contextmanager
def model_server(script: Script) -> Iterator[ModelServer]:
    """Serve on a free port of 127.0.0.1 until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.requests.append(body)
            reply = script(body)
            time.sleep(reply.first_delay)
            if reply.status != 200:
                self._send(reply.status, {"error": {"message": reply.text or "scripted failure", "type": "error"}})
            elif body.get("stream"):
                self._stream(reply)
            else:
                self._send(200, _completion(body, reply.text))

        def _send(self, status: int, content: dict[str, Any]) -> None:
            data = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _stream(self, reply: Reply) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            pieces = [reply.text[i : i + 4] for i in range(0, len(reply.text), 4)]
            for number, piece in enumerate(pieces):
                if number == reply.cut_after:
                    self._event({"error": {"message": "scripted break", "type": "server_error"}})
                    return
                self._event(_chunk({"content": piece}))
                time.sleep(reply.piece_delay)
            self._event(_chunk({}, finish="stop"))
            self.wfile.write(b"data: [DONE]\n\n")

        def _event(self, content: dict[str, Any]) -> None:
            self.wfile.write(b"data: " + json.dumps(content).encode() + b"\n\n")
            self.wfile.flush()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    seen = ModelServer(f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def wanted_form(request: dict[str, Any]) -> str | None:
    """The name of the form that a structured call asks for; None for a plain answer."""
    wanted = request.get("response_format", {}).get("json_schema", {}).get("name")
    return wanted or next((tool["function"]["name"] for tool in request.get("tools", [])), None)


def _completion(request: dict[str, Any], text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {
        "id": "scripted",
        "object": "chat.completion",
        "created": 0,
        "model": request["model"],
        "choices": [choice],
        "usage": usage,
    }


def _chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "scripted", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]}
