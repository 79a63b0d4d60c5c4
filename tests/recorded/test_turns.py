"""Scripted turns are what they were when they were recorded."""

from __future__ import annotations

import asyncio

import pytest

from tests.recorded import turns
from tests.recorded.stage import SCENES, play


@pytest.fixture(scope="module")
def recorded() -> dict:
    return turns.recorded()


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_plays_as_it_was_recorded(name: str, recorded: dict) -> None:
    assert turns.scene_differences(name, recorded[name], asyncio.run(play(name))) == []


def test_every_recorded_scene_is_played(recorded: dict) -> None:
    assert set(recorded) == set(SCENES)
    assert sum("scene" in line for lines in recorded.values() for line in lines) >= 200
    assert turns.PATH.stat().st_size < 500_000
