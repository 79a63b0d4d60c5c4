"""Fixtures of the chain's tests."""

from __future__ import annotations

import pytest

from providers import chat


@pytest.fixture
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it is asked again, an address has a hundredth of a second."""
    monkeypatch.setattr(chat, "FIRST_WAIT", 0.01)
