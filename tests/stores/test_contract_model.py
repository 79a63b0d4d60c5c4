"""What every store must do: any sequence of changes leaves what a plain dict would hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from store_cases import FORMS, batch, found, nearest, serve, task

from errors import StoreError
from schema import Scope
from stores.base import Store
from stores.problems import TaskGone

WORDS = ["alpha", "beta", "北京", "C++", "γάμμα", "x_y"]
paragraphs = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join), max_size=4)
names = st.sampled_from(["a", "b", "c"])
sets = st.sampled_from(["", "s", "t"])


class AgainstADict(RuleBasedStateMachine):
    """Any sequence of additions, moves, renamings, deletions, tasks, swaps and reopenings."""

    form: Callable[[Path], Store]
    folder: Path
    run = 0

    @initialize()
    def begin(self):
        type(self).run += 1
        self.path = self.folder / str(self.run)
        self.store = type(self).form(self.path)
        self.salt = "one"
        serve(self.store)
        self.model: dict[tuple[str, str], list[str]] = {}
        self.sets: set[str] = set()
        self.tasks: dict[int, tuple[str, str]] = {}
        self.ever: dict[int, tuple[str, str]] = {}  # tasks with the set they were made for

    # --- documents ---

    @rule(given=st.lists(st.tuples(names, sets, paragraphs), max_size=3))
    def put_all(self, given):
        batches = [batch(name, texts, doc_set, space_name=self.salt) for name, doc_set, texts in given]
        expected = []
        for name, doc_set, texts in given:
            known = self.model.get((name, doc_set))
            expected.append("added" if known is None else "unchanged" if known == texts else "replaced")
            self.model[name, doc_set] = texts
            self.sets.add(doc_set)
        assert [stored.outcome for stored in self.store.put_all(batches)] == expected

    @rule(name=names, doc_set=sets)
    def delete(self, name, doc_set):
        assert self.store.delete(name, doc_set) == (self.model.pop((name, doc_set), None) is not None)

    @rule(name=names, doc_set=sets, to=sets)
    def move(self, name, doc_set, to):
        if (name, doc_set) in self.model and to != doc_set and (name, to) in self.model:
            with pytest.raises(StoreError):
                self.store.move(name, doc_set, to)
            return
        assert self.store.move(name, doc_set, to) == ((name, doc_set) in self.model)
        if (name, doc_set) in self.model:
            self.model[name, to] = self.model.pop((name, doc_set))
            self.sets.add(to)

    # --- sets ---

    @rule(doc_set=sets)
    def add_set(self, doc_set):
        assert self.store.add_doc_set(doc_set) == (doc_set not in self.sets | {""})
        self.sets.add(doc_set)

    @rule(doc_set=sets, to=sets)
    def rename(self, doc_set, to):
        there = doc_set in self.sets - {""}
        if there and to != doc_set and to in self.sets | {""}:
            with pytest.raises(StoreError):
                self.store.rename_doc_set(doc_set, to)
            return
        assert self.store.rename_doc_set(doc_set, to) == there
        if there:
            self.sets = self.sets - {doc_set} | {to}
            self.model = {(name, to if of == doc_set else of): texts for (name, of), texts in self.model.items()}
            self.tasks = {one: (name, to if of == doc_set else of) for one, (name, of) in self.tasks.items()}

    @rule(doc_set=sets)
    def delete_set(self, doc_set):
        there = doc_set in self.sets - {""}
        assert self.store.delete_doc_set(doc_set) == there
        if there:
            self.sets.discard(doc_set)
            self.model = {key: texts for key, texts in self.model.items() if key[1] != doc_set}
            self.tasks = {one: key for one, key in self.tasks.items() if key[1] != doc_set}

    # --- tasks ---

    @rule(wanted=st.lists(st.tuples(names, sets), max_size=3))
    def add_tasks(self, wanted):
        for one, key in zip(self.store.add_tasks([task(*key) for key in wanted]), wanted, strict=True):
            self.tasks = {other: known for other, known in self.tasks.items() if known != key}
            self.tasks[one.id] = self.ever[one.id] = key
            self.sets.add(key[1])

    @rule(data=st.data(), texts=paragraphs)
    def finish(self, data, texts):
        if not self.ever:
            return
        chosen = data.draw(st.sampled_from(sorted(self.ever)))
        name, doc_set = self.ever[chosen]
        made = replace(batch(name, texts, doc_set, space_name=self.salt), task=chosen)
        if chosen not in self.tasks:
            with pytest.raises(TaskGone):
                self.store.put(made)
            return
        self.store.put(made)
        self.model[self.tasks.pop(chosen)] = texts

    @rule(data=st.data())
    def drop(self, data):
        if self.tasks:
            chosen = data.draw(st.sampled_from(sorted(self.tasks)))
            self.store.drop_tasks([chosen])
            del self.tasks[chosen]

    # --- the whole ---

    @rule(salt=st.sampled_from(["one", "two"]))
    def swap(self, salt):
        self.salt = salt
        serve(self.store, salt)

    @rule()
    def reopen(self):
        if self.form is not FORMS["throw-away"]:
            self.store.close()
            self.store = self.form(self.path)

    @invariant()
    def same_documents(self):
        assert {(d.name, d.doc_set): d.chunks for d in self.store.documents()} == {
            key: len(texts) for key, texts in self.model.items()
        }
        counted = {info.name: (info.documents, info.chunks) for info in self.store.doc_sets()}
        wanted = dict.fromkeys(self.sets - {""}, (0, 0))
        for (_, doc_set), texts in self.model.items():
            documents, chunks = wanted.get(doc_set, (0, 0))
            wanted[doc_set] = documents + 1, chunks + len(texts)
        assert counted == wanted
        assert {one.id: (one.name, one.doc_set) for one in self.store.tasks()} == self.tasks

    @invariant()
    def same_findings(self):
        everything = [(name, text) for (name, _), texts in self.model.items() for text in texts]
        for word in WORDS:
            assert found(self.store, word) == {(name, text) for name, text in everything if word in text.split()}
        for doc_set in {key[1] for key in self.model} | self.sets:
            here = [(name, text) for (name, of), texts in self.model.items() if of == doc_set for text in texts]
            wanted = {(name, text) for name, text in here if "alpha" in text.split()}
            assert found(self.store, "alpha", doc_sets=(doc_set,)) == wanted
            assert sorted(nearest(self.store, "alpha", self.salt, k=99, doc_sets=(doc_set,))) == sorted(here)
        assert sorted(nearest(self.store, "alpha", self.salt, k=99)) == sorted(everything)
        if "alpha" in {text for _, text in everything}:
            assert set(nearest(self.store, "alpha", self.salt)[0][1].split()) == {"alpha"}

    @invariant()
    def same_texts(self):
        for (name, doc_set), texts in self.model.items():
            shown = self.store.chunks(name, doc_set)
            assert [hit.text for hit in shown] == texts
            assert [hit.position for hit in shown] == list(range(len(texts)))
            assert self.store.opening(Scope(documents=(name,), doc_sets=(doc_set,)), 99) == [
                hit.chunk_id for hit in shown
            ]

    def teardown(self):
        if hasattr(self, "store"):
            self.store.close()


@pytest.mark.parametrize("form", FORMS)
def test_any_sequence_of_changes_matches_a_dict(form, tmp_path):
    machine = type("Machine", (AgainstADict,), {"form": staticmethod(FORMS[form]), "folder": tmp_path})
    quick = settings(max_examples=12, stateful_step_count=12, suppress_health_check=list(HealthCheck), database=None)
    run_state_machine_as_test(machine, settings=quick)
