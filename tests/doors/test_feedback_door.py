"""`/feedback.jsonl`: all that was said for the person of this machine, for a user what they have said."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from doors.feedback import feedback_door
from stores.feedback import FEEDBACK, Feedback, FeedbackStore


def client(store: FeedbackStore, user: str) -> TestClient:
    site = FastAPI()
    assistant: Any = SimpleNamespace(feedback=store)
    site.include_router(feedback_door(assistant))

    async def logged_in(scope: Scope, receive: Receive, send: Send) -> None:
        await site({**scope, "user": user} if user else scope, receive, send)

    return TestClient(logged_in)


@pytest.mark.parametrize(("user", "words"), [("", ["好", "bad"]), ("anna", ["好"]), ("bob", [])])
def test_it_is_a_file_of_lines(tmp_path: Path, user: str, words: list[str]) -> None:
    store = FeedbackStore.in_file(tmp_path / FEEDBACK)
    store.put("anna/t", Feedback("1", 1, "好", "年假几天？"))
    store.put("t", Feedback("2", -1, "bad"))
    answer = client(store, user).get("/feedback.jsonl")
    assert [json.loads(line)["word"] for line in answer.text.splitlines()] == words
    assert answer.headers["content-disposition"].startswith("attachment")
    store.close()


def test_a_damaged_file_is_said_with_its_remedy(tmp_path: Path) -> None:
    (tmp_path / FEEDBACK).write_bytes(b"no database at all" * 100)
    store = FeedbackStore.in_file(tmp_path / FEEDBACK)
    answer = client(store, "").get("/feedback.jsonl")
    store.close()
    assert answer.status_code == 500
    assert "移走" in answer.text
    assert "move it away" in answer.text
