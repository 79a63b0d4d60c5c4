"""Gradio is loaded without the help for programmers that it draws up at each start.

For each of its components and those of this page it reads the source, writes a file for editors (.pyi) beside it, which
would stand among the files of an installation, and renders the help of each event: a third of the time that Gradio
takes to load.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

_DRAWN_UP = {"gradio.component_meta": ("create_or_modify_pyi",), "gradio.events": ("EventListener", "set_doc")}


class WithoutHelp(importlib.abc.MetaPathFinder):
    """Loads the two modules of Gradio that draw up help, and has them draw up none."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname not in _DRAWN_UP:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.loader is None:
            return None
        loaded: Any = spec.loader
        load = loaded.exec_module

        def load_without(module: ModuleType) -> None:
            load(module)
            *owner, name = _DRAWN_UP[fullname]
            of = getattr(module, owner[0]) if owner else module
            if hasattr(of, name):
                setattr(of, name, lambda *_, **__: None)

        loaded.exec_module = load_without
        return spec


def install() -> None:
    """For whoever loads Gradio from now on; whoever has it already has its help as well."""
    if not any(isinstance(one, WithoutHelp) for one in sys.meta_path):
        sys.meta_path.insert(0, WithoutHelp())
