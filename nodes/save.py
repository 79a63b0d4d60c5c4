"""save: uploads and re-indexed documents into the library. A person waits a moment for them, never longer."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from errors import CitewiseError
from ingestion.queue import SOON
from library import Library, Outcomes
from nodes.context import TurnContext
from nodes.events import Event, Progress
from nodes.save_reply import NO_FILE, reply
from nodes.state import State, Upload
from schema import AS_USUAL, IncomingFile, Plan, Scope, StoreOutcome, Task

_TICK = 0.25  # seconds between two looks at what is on its way
_LIVE = 8  # files whose stages are told
_TOLD = 200  # files of which it is told that they are stored


async def save(state: State, runtime: Runtime[TurnContext]) -> dict[str, Any]:
    context, plan, uploads = runtime.context, state["plan"], state["uploads"]
    library, asked = context.library, "retrieve" in plan.actions
    tasks = await (_submit(uploads, plan, state, library) if uploads else _cut_again(plan, library))
    watch = TaskWatch(library, context.emit, tasks)
    if asked:
        await library.hurry([task.id for task in tasks])
    settings = context.settings
    await watch.wait(settings.save_question_patience if asked else settings.save_patience)
    text = reply(watch.results(), asked, plan.language) if tasks else NO_FILE.to(plan.language)
    said = context.reply(plan, text)
    stored = [what.document.name for what in watch.outcomes.values() if isinstance(what, StoreOutcome)]
    changed: dict[str, Any] = {"saved": bool(stored)}
    if uploads and (stored or None in watch.outcomes.values()):
        # Under the names that they have in the library by now; where none is there yet, the question is about the rest.
        changed["uploads"] = [Upload(name=name, path="") for name in stored]
        changed["plan"] = plan.model_copy(update={"scope": _renamed(plan.scope, [u.name for u in uploads], stored)})
    return changed | {"messages": said}


def next_step(state: State) -> str:
    """Save, then fetch, then ask: on to the question, unless nothing came in."""
    actions = state["plan"].actions
    if "fetch_web" in actions:
        return "fetch_web"
    return "retrieve" if "retrieve" in actions and (state["saved"] or not state["uploads"]) else "end"


# --- what is handed in ---------------------------------------------------------------------------------------------


async def _submit(uploads: Sequence[Upload], plan: Plan, state: State, library: Library) -> list[Task]:
    doc_set = state["controls"].doc_set if state["controls"].doc_set is not None else plan.doc_set
    files = [
        IncomingFile(name, path=upload.path, doc_set=doc_set or "", chunking=plan.chunking_for(upload.name))
        for name, upload in await asyncio.to_thread(_apart, uploads)
    ]
    return await library.submit(files, priority=SOON, copy=True)


async def _cut_again(plan: Plan, library: Library) -> list[Task]:
    """Each in its own set."""
    named = plan.every_file or bool(plan.scope.documents)
    scope = Scope(doc_sets=plan.scope.doc_sets) if plan.every_file else plan.scope
    spared = {wish.file for wish in plan.per_file if wish.chunking == AS_USUAL} if plan.every_file else set()
    documents = [d for d in library.documents(scope) if d.name not in spared] if named else []
    cuts = [(d.name, d.doc_set, plan.chunking_for(d.name)) for d in documents]
    return await library.submit_rechunk(cuts, priority=SOON)


def _apart(uploads: Sequence[Upload]) -> list[tuple[str, Upload]]:
    """With the names to store them under: the same file twice is one, other files of the same name are numbered."""
    named: dict[str, Upload] = {}
    names = [upload.name for upload in uploads]
    used: set[tuple[str, str]] = set()
    for upload in uploads:
        if names.count(upload.name) > 1:
            content = upload.name, _digest(upload.path)
            if content in used:
                continue
            used.add(content)
        named[_unused(upload.name, named, names)] = upload
    return list(named.items())


def _digest(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:  # it fails when its turn comes
        return path


def _unused(name: str, taken: dict[str, Upload], others: Sequence[str]) -> str:
    stem, dot, extension = name.rpartition(".") if "." in name[1:] else (name, "", "")
    new, number = name, 1
    while new in taken or (new != name and new in others):
        number += 1
        new = f"{stem} ({number}){dot}{extension}"
    return new


def _renamed(scope: Scope, uploads: Sequence[str], stored: Sequence[str]) -> Scope:
    """Who names an archive means its files. A scope of uploads that are not there yet is none."""
    names = [name for name in scope.documents if name not in uploads or name in stored]
    stems = tuple(f"{name.rpartition('.')[0]}/" for name in scope.documents if name in uploads and name not in stored)
    names += [name for name in stored if stems and name.startswith(stems)]
    return scope.model_copy(update={"documents": tuple(names)})


# --- while they are on their way -----------------------------------------------------------------------------------


class TaskWatch:
    """Tells what becomes of tasks: of thousands not every one is worth an event, and no stage more than one a tick."""

    def __init__(self, library: Library, emit: Callable[[Event], None], tasks: Sequence[Task]) -> None:
        self._library, self._emit = library, emit
        self._names = {task.id: task.name for task in tasks}
        self._told: dict[int, tuple[str, float, int]] = {}
        self._over = 0
        self.outcomes: Outcomes = {task.id: None for task in tasks}
        for task in tasks[:_LIVE]:
            self._tell(task.id, Progress(task.name, "read", 0.0))

    async def wait(self, patience: float) -> None:
        """Until all is done, or so many seconds have passed."""
        deadline = time.monotonic() + patience
        while None in self.outcomes.values():
            left = deadline - time.monotonic()
            known: Outcomes = {task_id: what for task_id, what in self.outcomes.items() if what is not None}
            waiting = [task_id for task_id in self.outcomes if task_id not in known]
            found = await self._library.finished(waiting, timeout=max(0.0, min(_TICK, left)))
            self.outcomes = known | found
            self._look(found)
            if left <= 0:
                return

    def results(self) -> list[tuple[str, StoreOutcome | CitewiseError | None]]:
        return [(self._names[task_id], what) for task_id, what in self.outcomes.items()]

    def _look(self, found: Outcomes) -> None:
        tasks = self._library.tasks()
        self._over = sum(what is not None for what in self.outcomes.values())
        self._names.update((task.id, task.name) for task in tasks if task.id in found)
        live = 0
        for task_id in [one for one in self._told if one not in found]:  # an archive: its files stand in its place
            self._tell(task_id, Progress(self._names[task_id], "done", 1.0))
        for task in tasks:
            if found.get(task.id, self) is None and task.stage and live < _LIVE:
                live += 1
                self._tell(task.id, Progress(task.name, task.stage, task.fraction))
        for task_id, what in found.items():
            if isinstance(what, StoreOutcome):
                self._names[task_id] = what.document.name
                if len(self._told) < _TOLD or task_id in self._told:
                    self._tell(task_id, Progress(what.document.name, "done", 1.0, stored=what))
            elif what is not None:
                self._names.setdefault(task_id, "?")
                self._tell(task_id, Progress(self._names[task_id], "failed", 1.0, error=what))

    def _tell(self, task_id: int, progress: Progress) -> None:
        over = self._over if progress.stage not in ("done", "failed") else 0  # who moves tells the sums as well
        if self._told.get(task_id) != (progress.stage, progress.fraction, over):
            self._told[task_id] = progress.stage, progress.fraction, over
            self._emit(replace(progress, done=self._over, total=len(self.outcomes)))
