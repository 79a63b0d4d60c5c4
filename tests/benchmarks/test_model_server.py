"""The scripted server itself: what it speaks, over plain HTTP and through the clients that meet it."""

from __future__ import annotations

import base64
import http.client
import json
import threading
import urllib.request
from urllib.parse import urlsplit

import numpy as np
import pytest
from openai import OpenAI

from benchmarks.model_server import (
    Reply,
    filled,
    model_server,
    nobody_listening,
    spawned_server,
    vector_of,
    wanted_form,
)

MESSAGES = [{"role": "user", "content": "hello"}]


def client(url: str) -> OpenAI:
    return OpenAI(base_url=url, api_key="k", max_retries=0)


def test_it_lists_its_models_and_is_an_ollama_on_demand() -> None:
    with model_server(lambda _: Reply(), models=("a", "b")) as server:
        assert [one.id for one in client(server.base_url).models.list()] == ["a", "b"]
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(f"{server.root}/api/tags")
        server.ollama = True
        tags = json.load(urllib.request.urlopen(f"{server.root}/api/tags"))
        assert [model["name"] for model in tags["models"]] == ["a", "b"]
        assert json.load(urllib.request.urlopen(f"{server.root}/api/version"))["version"]


@pytest.mark.parametrize("encoding", ["float", "base64"])
def test_embeddings_depend_on_the_text_alone(encoding: str) -> None:
    with model_server(lambda _: Reply()) as server:
        asked = client(server.base_url).embeddings
        reply = asked.create(model="m", input=["the river", "the river bank", "桥"], encoding_format=encoding)
        rows = [
            np.array(one.embedding)
            if encoding == "float"
            else np.frombuffer(base64.b64decode(str(one.embedding)), dtype="<f4")
            for one in reply.data
        ]
        assert np.allclose(rows[0], vector_of("the river"))
        assert rows[0] @ rows[1] > 0.5 > abs(rows[0] @ rows[2])
        short = asked.create(model="m", input="the river", dimensions=8)
        assert len(short.data[0].embedding) == 8
        assert [request["input"] for request in server.embedding_requests][1] == "the river"


def test_vectors_on_demand() -> None:
    with model_server(lambda _: Reply(), embed=lambda _: Reply(vectors=[[float("nan"), 1.0]])) as server:
        assert np.isnan(client(server.base_url).embeddings.create(model="m", input="x").data[0].embedding[0])


def test_a_forced_tool_is_called_and_usage_ends_a_stream() -> None:
    tool = {"type": "function", "function": {"name": "Plan", "parameters": {"type": "object"}}}
    with model_server(lambda request: filled(request, {"a": 1}, usage=(3, 4))) as server:
        chat = client(server.base_url).chat.completions
        called = chat.create(model="m", messages=MESSAGES, tools=[tool]).choices[0].message.tool_calls[0].function
        assert (called.name, json.loads(called.arguments)) == ("Plan", {"a": 1})
        assert wanted_form(server.requests[0]) == "Plan"
        chunks = list(chat.create(model="m", messages=MESSAGES, stream=True, stream_options={"include_usage": True}))
        assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == '{"a": 1}'
        assert chunks[-1].usage.total_tokens == 7


def test_one_connection_serves_many_requests_and_ends_with_the_server() -> None:
    with model_server(lambda _: Reply("hi")) as server:
        connection = http.client.HTTPConnection(urlsplit(server.base_url).netloc, timeout=5)
        body = json.dumps({"model": "m", "messages": MESSAGES})
        for stream in (False, True, False):
            connection.request("POST", "/v1/chat/completions", json.dumps({**json.loads(body), "stream": stream}))
            assert b"hi" in connection.getresponse().read()
            socket = connection.sock
        assert connection.sock is socket is not None
    assert socket.recv(1) == b""


def test_those_who_wait_do_not_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    together = threading.Barrier(20, timeout=60)
    monkeypatch.setattr("benchmarks.model_server._Handler._wait", lambda *_: together.wait())
    with model_server(lambda _: Reply("hi"), latency=0.2) as server:
        chat = client(server.base_url).chat.completions
        threads = [threading.Thread(target=lambda: chat.create(model="m", messages=MESSAGES)) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(server.requests) == 20
        assert not together.broken


def test_nobody_listening_refuses() -> None:
    with nobody_listening() as address, pytest.raises(ConnectionRefusedError):
        http.client.HTTPConnection(urlsplit(address).netloc).connect()


def test_in_a_process_of_its_own_it_says_what_it_saw() -> None:
    with spawned_server("benchmarks.script:reply") as server:
        reply = client(server.base_url).chat.completions.create(model="m", messages=MESSAGES)
        assert reply.choices[0].message.content
        assert [request["messages"] for request in server.requests] == [MESSAGES]
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(f"{server.root}/v1/models")
