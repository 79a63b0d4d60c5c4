"""`/metrics`, as Prometheus reads it."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient
from prometheus_client.parser import text_string_to_metric_families

from doors.metrics import metrics_door
from stores.feedback import Feedback
from tests.conftest import MakeSettings
from tests.graph.turn_cases import GUIDE, assistant_of, say, upload


async def test_the_figures_of_the_library_and_the_turns(make_settings: MakeSettings, tmp_path: Path) -> None:
    async with assistant_of(make_settings()) as assistant:
        await say(assistant, "save it", upload(tmp_path, "guide.md", GUIDE))
        for turn, value in (("1", 1), ("2", 1), ("3", -1), ("4", 1)):
            assistant.feedback.put("t", Feedback(turn, value))
        site = FastAPI()
        site.include_router(metrics_door(assistant))
        async with AsyncClient(transport=ASGITransport(site), base_url="http://localhost") as client:
            answer = await client.get("/metrics")
        stats = assistant.library.stats()
    assert answer.headers["content-type"].startswith("text/plain")
    samples = {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }
    assert samples["citewise_turns_total", "replied"] == 1
    assert samples["citewise_library", "documents"] == 1
    assert samples["citewise_library", "chunks"] == stats.chunks
    assert samples["citewise_turn_seconds_count",] == 1
    assert (samples["citewise_feedback", "up"], samples["citewise_feedback", "down"]) == (3, 1)
    assert samples["citewise_feedback_score",] == 0.75
