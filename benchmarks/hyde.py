"""What a hypothetical passage gains and what a misleading one costs: always, only after a weak search, only after a
strong one. The passages are simulated; they come as a model's would, from a server through the real client."""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.model_server import Reply, filled, model_server, wanted_form
from benchmarks.report import DATA, Bar, Report, progress
from benchmarks.retrieval import Dataset, evaluate, read, upload
from library import Library
from providers.llm import Chain, Model
from schema import Evidence, StrategyName
from settings import Settings
from text import detect_language, sentences

_CHUNKS = 50  # asked for, so that ten documents come out
_KEPT = 0.3  # of the words of a helpful passage, and of a rival's
_WORDS = 100  # of a passage at most
_STRONG = 0.7  # confidence of a first search that has found very relevant passages
_RATES = (0.25, 0.5)  # of rivals among helpful passages
_KINDS = {
    "helpful": f"{_KEPT:.0%} of the right paragraph's words, sentences shuffled, the other words from elsewhere",
    "wrong": "another paragraph, drawn at random, word by word",
    "rival": "as helpful, but of the wrong paragraph that the question itself finds first",
    "copied rival": "that wrong paragraph word by word: the worst there is",
}
_FALLS = {  # (policy, kind) -> how far nDCG@10 may fall below the default's
    ("always", "wrong"): 0.005,
    ("always", "rival"): 0.06,
    ("weak", "helpful"): 0.0,
    ("weak", "wrong"): 0.001,
    ("weak", "rival"): 0.01,
}
Ranking = dict[str, list[str]]  # query id -> document ids, best first


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, default=DATA / "retrieval", help="a BEIR-style folder (ours)")
    parser.add_argument("--limit", type=int, default=400, help="so many questions, drawn at random")


def run(options: argparse.Namespace) -> Report:
    dataset = _sampled(read(options.data), options.limit)
    found = asyncio.run(_measure(dataset))
    figures = {name: evaluate(ranking, dataset)["ndcg@10"] for name, ranking in found.plain.items()}
    metrics: dict[str, Any] = dict(figures)
    for policy, asked in found.asked().items():
        kinds = {kind: evaluate(ranking, dataset)["ndcg@10"] for kind, ranking in found.ranked(policy).items()}
        share = len(asked) / len(dataset.queries)
        gain = (kinds["helpful"] - figures["default"]) / share if share else 0.0
        metrics[policy] = {"asked": share, "gain a call": gain, **kinds}
    bars = {
        f"{policy}, {kind} passages": Bar(metrics[policy][kind], figures["default"] - fall)
        for (policy, kind), fall in _FALLS.items()
    }
    bars["gain a call, weak beside strong"] = Bar(metrics["weak"]["gain a call"], metrics["strong"]["gain a call"])
    notes = [
        f"{len(dataset.queries)} questions, nDCG@10. These passages are simulated, no model wrote them:",
        *(f"  {kind}: {what}" for kind, what in _KINDS.items()),
        f"asked: the share of the questions for which one is asked for; always: the strategy hyde; weak: the default "
        f"policy, where the first search has a confidence below {Settings.from_mapping({}).hyde_below:g}; strong: only "
        f"where it has {_STRONG:g} or more",
    ]
    return Report(metrics, bars, notes)


def _sampled(dataset: Dataset, limit: int) -> Dataset:
    kept = random.Random(0).sample(sorted(dataset.queries), min(limit, len(dataset.queries)))
    queries, relevant = {key: dataset.queries[key] for key in kept}, {key: dataset.relevant[key] for key in kept}
    return Dataset(dataset.documents, queries, relevant)


@dataclass
class _Rankings:
    """What the library found, in all ways."""

    plain: dict[str, Ranking]  # "default" without a model, "rm3"
    confidence: dict[str, float]
    hyde: dict[str, Ranking] = field(default_factory=dict)  # by kind of passage, the strategy hyde
    policy: dict[str, Ranking] = field(default_factory=dict)  # by kind of passage, the default policy with a model
    below: float = 0.0

    def asked(self) -> dict[str, set[str]]:
        """For which questions a passage is asked for."""
        return {
            "always": set(self.confidence),
            "weak": {key for key, value in self.confidence.items() if value < self.below},
            "strong": {key for key, value in self.confidence.items() if value >= _STRONG},
        }

    def ranked(self, policy: str) -> dict[str, Ranking]:
        """By kind of passage, and for rivals among helpful ones."""
        asked, default = self.asked()[policy], self.plain["default"]
        found = {
            kind: {key: self.hyde[kind][key] if key in asked else default[key] for key in default} for kind in _KINDS
        }
        if policy == "weak":
            found = self.policy
        chance = random.Random(1)
        drawn = {key: chance.random() for key in default}
        mixes = {
            f"{rate:.0%} rivals": {key: found["rival" if drawn[key] < rate else "helpful"][key] for key in default}
            for rate in _RATES
        }
        return found | mixes


async def _measure(dataset: Dataset) -> _Rankings:
    passages: dict[str, str] = {}  # by question: what the model says next
    with (
        tempfile.TemporaryDirectory(prefix="citewise-hyde-") as folder,
        model_server(lambda request: _reply(request, passages)) as server,
    ):
        settings = Settings.from_mapping(
            {
                "CITEWISE_DATA_DIR": folder,
                "CITEWISE_OLLAMA": "false",
                "CITEWISE_LLM_MODEL": "simulated",
                "CITEWISE_LLM_BASE_URL": server.base_url,
            }
        )
        chain = Chain(settings)
        async with await Library.open(settings) as library:
            owners = await upload(library, dataset.documents)
            await library.settle()

            async def search(what: str, strategy: StrategyName, model: Model | None = None) -> dict[str, Evidence]:
                found = {}
                for key, question in progress(dataset.queries.items(), what):
                    found[key] = await library.search(question, strategy=strategy, top_k=_CHUNKS, model=model)
                return found

            def ranking(evidence: dict[str, Evidence]) -> Ranking:
                return {
                    key: list(dict.fromkeys(owners[hit.document] for hit in one.hits)) for key, one in evidence.items()
                }

            default = await search("default", "default")
            plain = {"default": ranking(default), "rm3": ranking(await search("rm3", "rm3"))}
            found = _Rankings(plain, {key: one.confidence for key, one in default.items()}, below=settings.hyde_below)
            writer = _Writer(dataset, plain["default"])
            for kind in _KINDS:
                passages.update({text: writer.passage(kind, key) for key, text in dataset.queries.items()})
                found.hyde[kind] = ranking(await search(f"{kind}, always", "hyde", chain.model()))
                found.policy[kind] = ranking(await search(f"{kind}, weak", "default", chain.model()))
        await chain.close()
    return found


def _reply(request: dict[str, Any], passages: dict[str, str]) -> Reply:
    """The passage for the question between the marks; in a form where a translation is wanted beside it."""
    asked = "\n".join(str(message["content"]) for message in request["messages"])
    found = re.search(r"^<(question-\w+)>\n(.*)\n</\1>$", asked, re.DOTALL | re.MULTILINE)
    assert found is not None
    passage = passages[found[2]]
    return filled(request, {"translated": "", "passage": passage}) if wanted_form(request) else Reply(passage)


class _Writer:
    """Simulates the passages. The same for the same question and kind."""

    def __init__(self, dataset: Dataset, default: Ranking) -> None:
        self._dataset, self._default = dataset, default
        self._documents = sorted(key for key, text in dataset.documents.items() if text.strip())

    def passage(self, kind: str, key: str) -> str:
        chance, relevant = random.Random(f"{kind} {key}"), self._dataset.relevant[key]
        others = [
            document
            for document in chance.sample(self._documents, min(20, len(self._documents)))
            if document not in relevant
        ]
        rival = next((document for document in self._default[key] if document not in relevant), others[0])
        if kind == "wrong":
            return self._copied(others[0])
        if kind == "copied rival":
            return self._copied(rival)
        return self._garbled(
            max(relevant, key=lambda one: relevant[one]) if kind == "helpful" else rival, others[0], chance
        )

    def _copied(self, document: str) -> str:
        words, joined = _words(self._dataset.documents[document])
        return joined(words[:_WORDS])

    def _garbled(self, document: str, elsewhere: str, chance: random.Random) -> str:
        text, foreign = self._dataset.documents[document], _words(self._dataset.documents[elsewhere])[0]
        parts = [text[start:end] for start, end in sentences(text)]
        chance.shuffle(parts)
        words = [word for part in parts for word in _words(part)[0]]
        return _words(text)[1]([word if chance.random() < _KEPT else chance.choice(foreign) for word in words[:_WORDS]])


def _words(text: str) -> tuple[list[str], Callable[[list[str]], str]]:
    """The words of a text, and how its language joins them."""
    import rjieba

    if detect_language(text) == "zh":
        return [word for word in rjieba.cut(text) if word.strip()], "".join
    return text.split(), " ".join
