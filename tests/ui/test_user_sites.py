"""A library of one's own for each user: what one has, no door gives another."""

from __future__ import annotations

import asyncio
import base64
import gc
import json
import weakref
from typing import Any

import httpx2
import pytest

from doors.services import SERVICES
from tests.conftest import MakeSettings
from tests.test_page_pictures import guide
from tests.ui.user_site_cases import PRIVATE, served

SECRET = "Quillfeather"
ASKED = "Who keeps the lamp of the pier?"
COUNTED = "Which order has the largest amount?"


def service(name: str, /, **given: Any) -> tuple[str, str, Any]:
    return "POST", f"/services/{name}", given


def tool(name: str, /, **given: Any) -> tuple[str, str, Any]:
    params = {"name": name, "arguments": given}
    return "POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def chat(question: str) -> tuple[str, str, Any]:
    return "POST", "/v1/chat/completions", {"model": "citewise", "messages": [{"role": "user", "content": question}]}


LAMP = f"# Lamp\n\nThe lamp of the pier is kept by {SECRET}.\n"
ORDERS = f"order,amount,note\nA1,120,rope\n{SECRET},900,sails\nB7,300,oil\n"
CASE = {"question": "Who?", "answer": SECRET, "evidence": [{"document": "lamp.md", "quote": SECRET}]}
OF_ANNA = [
    service("add_document", name="lamp.md", content=LAMP, doc_set=SECRET),
    service("add_document", name="orders.csv", content=ORDERS),
    service("add_document", name="guide.pdf", base64=base64.b64encode(guide()).decode()),
    service("change_glossary", add=[["灯塔看守人", SECRET]]),
    service("add_source", address=f"https://example.com/{SECRET}/", doc_set="web"),
    service("lab_put", name="harbour", jsonl=json.dumps(CASE)),
]


# What shows its owner the secret, by every door: each must show it to anna, and nothing of it to ben.
TELLING = [
    service("list_documents"),
    service("list_sets"),
    service("search", question="lamp of the pier"),
    service("ask", question=ASKED),
    service("ask", question=ASKED, documents=["lamp.md"]),
    service("ask", question=COUNTED),
    service("evaluate", question=ASKED),
    service("chunks", name="lamp.md"),
    service("preview", name="orders.csv"),
    service("list_glossary"),
    service("list_sources"),
    service("lab_cases", name="harbour"),
    tool("list_documents"),
    tool("search", question="lamp of the pier"),
    tool("ask", question=ASKED),
    tool("list_sources"),
    chat(ASKED),
    chat(COUNTED),
    ("GET", "/originals?name=lamp.md&doc_set=Quillfeather", None),
    ("GET", "/originals?name=orders.csv", None),
]
SHOWN = ["/originals?name=guide.pdf", "/pages/1.png?name=guide.pdf", "/pages/1.json?name=guide.pdf"]
EXPORTED = ["/unanswered.jsonl", "/unanswered.csv", "/feedback.jsonl", "/conversations/mine.md"]


async def told(client: httpx2.AsyncClient, method: str, path: str, given: Any) -> str:
    headers = {"accept": "application/json, text/event-stream"}
    reply = await client.request(method, path, json=given, headers=headers)
    assert reply.status_code < 500, reply.text
    return reply.text


async def of_page(client: httpx2.AsyncClient, name: str, **given: Any) -> str:
    """What an endpoint of the page tells a program."""
    data = [given.get(field) for field in SERVICES[name].form.model_fields]
    begun = await client.post(f"/gradio_api/call/{name}", json={"data": data})
    assert begun.status_code == 200, begun.text
    return (await client.get(f"/gradio_api/call/{name}/{begun.json()['event_id']}")).text


async def test_what_is_one_users_no_door_gives_another(
    make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gc, "freeze", lambda: None)  # as the first turn ends: what has come by then is looked for here
    async with served(make_settings(**PRIVATE, CITEWISE_WEB="never")) as (sites, clients):
        anna, ben = clients["anna"], clients["ben"]
        for method, path, given in OF_ANNA:
            assert "error" not in json.loads(await told(anna, method, path, given))
        unseen = [one for one in TELLING if SECRET not in await told(anna, *one)]
        assert unseen == []  # else what follows would say nothing
        assert SECRET in await of_page(anna, "search", question="lamp of the pier")
        leaks = [one for one in TELLING if SECRET in (await told(ben, *one)).replace(json.dumps(one[2]), "")]
        assert leaks == []
        assert SECRET not in await of_page(ben, "search", question="lamp of the pier")
        assert '"total": 0' in await of_page(ben, "list_documents")
        for path in SHOWN:
            assert [(await one.get(path)).status_code for one in (anna, ben)] == [200, 404], path
        [upload] = (await anna.post("/gradio_api/upload", files={"files": ("a.md", LAMP.encode())})).json()
        of_upload = [(await one.get(f"/gradio_api/file={upload}")).status_code for one in (anna, ben)]
        assert of_upload == [200, 404]
        await told(
            anna,
            *service(
                "ask", question=f"Which salary, pension and dental insurance does {SECRET} get?", conversation="mine"
            ),
        )
        for path in EXPORTED:
            assert SECRET not in (await ben.get(path)).text, path
        assert SECRET in (await anna.get("/unanswered.jsonl")).text

        taken = [
            service("delete_document", name="lamp.md", doc_set=SECRET),
            service("delete", names=["orders.csv"]),
            service("move", names=["orders.csv"], to="mine"),
            service("remove_source", id=1),
            service("lab_delete_set", name="harbour"),
            service("delete_set", name=SECRET),
        ]
        for one in taken:
            await told(ben, *one)
        assert [one for one in TELLING if SECRET not in await told(anna, *one)] == []

        # of one name: each has their own
        await told(ben, *service("add_document", name="lamp.md", content="The lamp of the pier is kept by Ben."))
        assert "Ben" in await told(ben, *service("ask", question=ASKED))
        assert "is kept by Ben" not in await told(anna, *service("ask", question=ASKED))
        counted = [json.loads(await told(one, *service("stats")))["documents"] for one in (anna, ben)]
        assert counted == [3, 1]

        site, assistant = await sites._sites["anna"].opened
        kept = [weakref.ref(one) for one in (site, site.state.page, assistant, assistant.library)]
        del site, assistant
        while "anna" in sites._sites:  # what the page has begun comes to its end
            sites.close_idle(0)
            await asyncio.sleep(0.01)
        await sites.until_closed("anna")
        for _ in range(100):  # Gradio's loops of the page end when they look next
            gc.collect()
            if all(one() is None for one in kept):
                break
            await asyncio.sleep(0.05)
        assert [one() for one in kept] == [None] * len(kept)  # what is closed leaves the memory
