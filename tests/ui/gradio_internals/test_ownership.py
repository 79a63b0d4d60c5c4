"""Two users and a stranger at the real program: what one has asked and uploaded is out of reach for the others."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from gradio_client import Client
from httpx2 import Client as Http

from doors.passwords import hash_password
from doors.services import SERVICES
from tests.browser.program import program
from ui.gradio_internals.owners import Owners

NAMES = {"alice": "correct horse", "bob": "battery staple"}
KEY = "k3y-of-a-program-that-nobody-guesses"
SECRET, TALK = "Wintergarten", "alices-conversation"
FILE = f"# {SECRET}\n\nThe {SECRET} opens at nine.".encode()


@dataclass
class Person:
    """Somebody at the page's addresses, as its own scripts use them."""

    http: Http
    page: str
    config: dict[str, Any] = field(default_factory=dict)

    def upload(self, name: str, content: bytes) -> str:
        [path] = self.http.post("/gradio_api/upload", files={"files": (name, content)}).json()
        return str(path)

    def status_of_file(self, path: str) -> int:
        return self.http.get(f"/gradio_api/file={path}").status_code

    def join(self, number: int, data: list[Any], page: str = "", event: Any = None) -> tuple[int, Any]:
        asked = {"data": data, "fn_index": number, "session_hash": page or self.page, "event_data": event}
        answer = self.http.post("/gradio_api/queue/join", json=asked)
        return answer.status_code, answer.json() if answer.status_code == 200 else None

    def told(self, number: int, data: list[Any], event: Any = None) -> str:
        """All that an event brings."""
        status, _ = self.join(number, data, event=event)
        if status != 200:
            return ""
        with self.http.stream("GET", "/gradio_api/queue/data", params={"session_hash": self.page}) as lines:
            said = []
            for line in lines.iter_lines():
                said.append(line)
                assert len(said) < 1000, "the event does not end"
                if '"process_completed"' in line or '"close_stream"' in line:
                    break
        return "\n".join(said)


@dataclass
class House:
    url: str
    alice: Person
    bob: Person
    served: list[dict[str, Any]]  # the events that the server answers
    events: list[dict[str, Any]]  # of these, that are told a conversation's name, or may be
    parts: dict[int, Any]
    thread: int
    turn: str = ""  # of alice's conversation

    def event(self, name: str) -> dict[str, Any]:
        return next(one for one in self.events if one["api_name"] == name)

    def inputs(self, event: dict[str, Any], talk: str) -> list[Any]:
        return [talk if one == self.thread else self.parts[one].get("value") for one in event["inputs"]]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    users = ",".join(f"{name}:{hash_password(password)}" for name, password in NAMES.items())
    folder = tmp_path_factory.mktemp("house") / "library"
    with program(folder, CITEWISE_USERS=users, CITEWISE_API_KEYS=f"robot:{KEY}") as url:
        people = []
        for number, (name, password) in enumerate(NAMES.items()):
            http = Http(base_url=url, timeout=60)
            assert http.post("/login", data={"username": name, "password": password}).status_code == 200
            people.append(Person(http, f"page{number}"))
        config = people[0].http.get("/config").json()
        parts = {one["id"]: one["props"] for one in config["components"]}
        threads = {one["id"] for one in config["components"] if one["type"] == "browserstate"}
        thread = next(one for one in threads if parts[one]["storage_key"] == "citewise-conversation")
        served = [one for one in config["dependencies"] if one["backend_fn"]]
        events = [one for one in served if thread in one["inputs"] or one["api_name"].startswith("open")]
        found = House(url, *people, served, events, parts, thread)
        ask = found.event("sent")
        data = found.inputs(ask, TALK)
        data[0] = {"text": f"Save it: when does the {SECRET} open?", "files": [_file(people[0].upload("a.md", FILE))]}
        turn = re.search(r"#(?:plan|evaluation)/([\w-]{36})", people[0].told(ask["id"], data))
        assert turn is not None
        found.turn = turn[1]
        yield found
        for person in people:
            person.http.close()


def _file(path: str) -> dict[str, Any]:
    return {"path": path, "orig_name": Path(path).name, "meta": {"_type": "gradio.FileData"}}


def test_a_stranger_gets_nothing(house: House) -> None:
    stranger = Http(base_url=house.url)
    of_page = ["/", "/config", "/theme.css", "/gradio_api/info", "/gradio_api/file=/etc/hostname"]
    of_alice = ["/gradio_api/queue/data?session_hash=page0", "/gradio_api/heartbeat/page0", f"/conversations/{TALK}.md"]
    places = [*of_page, *of_alice, "/metrics", "/v1/models", "/mcp"]
    assert [(place, stranger.get(place).status_code) for place in places] == [(place, 401) for place in places]
    assert stranger.post("/gradio_api/upload", files={"files": ("a.md", FILE)}).status_code == 401
    assert stranger.post("/gradio_api/queue/join", json={"data": [], "fn_index": 0}).status_code == 401
    assert stranger.post("/v1/chat/completions", json={"messages": []}).status_code == 401


def test_a_stranger_learns_whether_it_runs(house: House) -> None:
    with Http(base_url=house.url) as stranger:
        assert stranger.get("/healthz").json() == {"status": "ok"}
        assert stranger.get("/ready").json() == {"status": "ready"}
        refused = stranger.get("/ready", headers={"host": "evil.example"})
    assert refused.status_code == 421


def test_a_program_comes_in_by_password_or_key(house: House) -> None:
    Client(house.url, auth=("alice", NAMES["alice"]), verbose=False).close()
    Client(house.url, headers={"Authorization": f"Bearer {KEY}"}, verbose=False).close()
    with pytest.raises(Exception, match=r"(?i)credentials"):
        Client(house.url, auth=("alice", NAMES["bob"]), verbose=False)


def test_an_upload_is_its_owners(house: House) -> None:
    path = house.alice.upload("mine.txt", b"of alice")
    assert house.alice.status_of_file(path) == 200
    assert house.bob.status_of_file(path) == 404
    asked = f"/gradio_api/file={path}"
    spelt = (f"/gradio_api/file/{path}", f"/gradio_api/file%3D{path}", f"/gradio_api/file=/../{path}")
    for way in (*spelt, f"{asked}?x=1", f"/{asked}", f"/file={path}"):
        answer = house.bob.http.get(way)
        assert (way, answer.status_code, "of alice" in answer.text) == (way, 404, False)
    assert house.bob.upload("mine.txt", b"of alice") == path  # who has the same file may see it
    assert house.bob.status_of_file(path) == 200


@pytest.mark.parametrize(
    "named", ["/etc/hostname", "https://example.com/a.png", "http:/example.com", "file:///etc/hostname", "../x"]
)
def test_the_page_fetches_no_address_and_no_other_file(house: House, named: str) -> None:
    assert house.alice.status_of_file(named) == 404


def test_no_event_reads_a_file_of_another(house: House) -> None:
    path = house.alice.upload("report.txt", b"The safe has the number 4711.")
    ask = house.event("sent")
    data = house.inputs(ask, "bobs")
    data[0] = {"text": "What is the number?", "files": [_file(path)]}
    told = house.bob.told(ask["id"], data)
    assert "not uploaded here" in told
    assert "4711" not in told


@pytest.mark.parametrize("name", [TALK, f"../{TALK}", f"alice/{TALK}", f"../alice/{TALK}", f"alice%2F{TALK}"])
def test_no_event_tells_of_another_users_conversation(house: House, name: str) -> None:
    """Every event of the page that is told a conversation's name, with whatever a made-up request says."""
    asked = [one for one in house.events if not _begins_a_turn(one)]
    assert len(asked) >= 5
    kinds = ("source", "plan", "trace", "evaluation")
    for number, event in enumerate(asked):
        for kind in kinds if name == TALK else kinds[number % 4 :][:1]:
            made = {
                "kind": kind, "turn": house.turn, "name": name, "number": 1, "words": SECRET, "title": "x",
                "index": 0, "value": SECRET, "previous_value": "", "liked": True, "selected": True,
                "key": '["", "a.md"]', "strategy": "keyword", "way": "before", "at": 0,
            }  # fmt: skip
            told = house.bob.told(event["id"], house.inputs(event, name), made)
            assert f"Save it: when does the {SECRET}" not in told, event["api_name"]
    assert house.bob.http.get(f"/conversations/{name}.md").status_code == 404
    load = house.event("load")
    assert f"Save it: when does the {SECRET}" in house.alice.told(load["id"], house.inputs(load, TALK))


def _begins_a_turn(event: dict[str, Any]) -> bool:
    return event["api_name"].split("_")[0] in ("sent", "choose", "example", "asked", "check", "run")


@pytest.mark.parametrize(
    "made", [None, "turn", ["turn"], {}, {"turn": 1, "name": None, "key": "[1", "value": {}, "index": 0}],
    ids=["nothing", "words", "list", "empty", "kinds"],
)  # fmt: skip
def test_a_made_up_event_is_refused(house: House, made: Any) -> None:
    """And leaves no traceback: the fixture looks at the program's log."""
    asked = [one for one in house.served if one["collects_event_data"]]
    assert len(asked) >= 15
    for event in asked:
        told = house.bob.told(event["id"], house.inputs(event, "bobs"), made)
        assert "reload the page" in told or '"success":true' in told, event["api_name"]


@pytest.mark.parametrize("values", [[], [{"x": 1}, 5]], ids=["nothing", "objects and numbers"])
def test_made_up_values_leave_no_traceback(house: House, values: list[Any]) -> None:
    for number, event in enumerate(house.served):
        count = len(event["inputs"]) if values else 0
        made = [values[(number + place) % 2] for place in range(count)]
        told = house.bob.told(event["id"], made, {"value": "x", "liked": True})
        remedy = "/gradio_api/info" if event["api_name"] in SERVICES else "reload the page"
        assert count or not event["inputs"] or remedy in told, event["api_name"]


def test_a_page_is_its_users(house: House) -> None:
    load = house.event("load")
    status, begun = house.alice.join(load["id"], house.inputs(load, TALK))
    assert status == 200
    bob = house.bob
    assert bob.http.get("/gradio_api/queue/data", params={"session_hash": "page0"}).status_code == 404
    twice = "/gradio_api/queue/data?session_hash=page1&session_hash=page0"
    assert bob.http.get(twice).status_code == 404
    assert bob.http.get("/gradio_api/heartbeat/page0").status_code == 404
    assert bob.join(load["id"], house.inputs(load, "bobs"), page="page0")[0] == 404
    call = {"data": house.inputs(load, "bobs"), "session_hash": "page0"}
    for way in ("run/load", "api/load", "call/load", "call/v2/load"):
        assert bob.http.post(f"/gradio_api/{way}", json=call).status_code == 404, way
    gone = {"session_hash": "page1", "fn_index": load["id"], "event_id": begun["event_id"]}
    assert bob.http.post("/gradio_api/cancel", json=gone).status_code == 404
    assert bob.http.post("/gradio_api/reset", json={"event_id": begun["event_id"]}).status_code == 404
    assert bob.http.get(f"/gradio_api/call/load/{begun['event_id']}").status_code == 404
    assert house.alice.told(load["id"], house.inputs(load, TALK))  # all of it still goes on


@pytest.mark.parametrize(
    "place",
    ["gradio_api/deep_link?session_hash=page0", "gradio_api/component_server", "gradio_api/proxy=https://x.hf.space/",
     "gradio_api/process_recording", "gradio_api/stream/page0/0/1/playlist.m3u8", "gradio_api/runs", "monitoring",
     "monitoring/summary", "gradio_api/mcp", "gradio_api/token", "gradio_api/custom_component/x/client/x/x.js"],
)  # fmt: skip
def test_what_the_page_does_not_need_is_closed(house: House, place: str) -> None:
    assert house.alice.http.get(f"/{place}").status_code == 404
    assert house.alice.http.post(f"/{place}", json={}).status_code == 404


def test_conversations_asked_for_by_programs_are_their_users(house: House) -> None:
    robot = Http(base_url=house.url, headers={"Authorization": f"Bearer {KEY}"})
    assert house.alice.http.get(f"/conversations/{TALK}.md").status_code == 200
    for other in (robot, house.bob.http):
        assert other.get(f"/conversations/{TALK}.md").status_code == 404


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.gradio_internals.owners._REMEMBERED", 10)
    owners = Owners()
    for number in range(100):
        assert owners.claim("page", str(number), "alice")
    assert not owners.claim("page", "99", "bob")
    assert len(owners._of["page"]) == 10
    assert json.dumps(sorted(owners._of["page"])) == json.dumps([str(number) for number in range(90, 100)])
