"""Gradio draws up no help for programmers once the page's package is loaded; stock Gradio does at each start."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import gradio as gr
import pytest
from gradio import events

from ui.gradio_internals.help_texts import WithoutHelp

PART = "import gradio as gr\n\n\nclass Part(gr.Textbox):\n    EVENTS = ['poked']\n"


def stock_meta() -> ModuleType:
    """Gradio's module as it is written."""
    spec = importlib.util.find_spec("gradio.component_meta")
    assert spec is not None
    assert spec.origin is not None
    fresh = importlib.util.spec_from_file_location("stock_component_meta", spec.origin)
    assert fresh is not None
    assert fresh.loader is not None
    module = importlib.util.module_from_spec(fresh)
    fresh.loader.exec_module(module)
    return module


@pytest.fixture
def part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    (tmp_path / "a_part.py").write_text(PART, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "a_part", raising=False)
    return importlib.import_module("a_part")


def test_a_component_leaves_no_file_beside_its_source(part: ModuleType, tmp_path: Path) -> None:
    assert callable(part.Part.poked)
    assert not (tmp_path / "a_part.pyi").exists()
    stock_meta().create_or_modify_pyi(part.Part, "Part", part.Part.EVENTS)
    assert (tmp_path / "a_part.pyi").exists(), "stock Gradio writes none any more: this repair may go"


def test_no_event_gets_a_text_of_its_own() -> None:
    assert "{{ component }}" in (gr.Textbox.change.__doc__ or "")
    stock_source = Path(events.__file__).read_text(encoding="utf-8")
    assert "render(component=component)" in stock_source, "stock Gradio renders none any more: this repair may go"


def test_every_other_module_is_loaded_as_ever() -> None:
    seen = [one for one in sys.meta_path if isinstance(one, WithoutHelp)]
    assert len(seen) == 1
    assert seen[0].find_spec("gradio.routes", None) is None
    assert seen[0].find_spec("json", None) is None
