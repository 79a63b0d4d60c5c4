"""The offline support score against labelled answers, and against true sentences made false by one change.

An answer's score is the mean of its sentences' scores, each weighted by how much it says: what decides is the share of
the answer that the context holds, and a "Yes!" in front of it should neither save nor sink it. With a model configured
its judgement of a sample is measured in the same way.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from benchmarks.faithfulness_fit import answer_score, fitted, read_answer
from benchmarks.judged import Item, ask
from benchmarks.report import DATA, Bar, Report, progress
from evaluation.metrics import auroc
from evaluation.support import SourceText, judge
from schema import Support
from text import search_tokens, sentences

T = TypeVar("T")
Row = dict[str, Any]  # a line of the file: question, context, lang, answer, label
Change = Callable[[str, "World"], str | None]


class World(NamedTuple):
    """What a change may draw on: the random numbers, the names of the whole set by kind, the row's own context."""

    random: random.Random
    names: dict[str, list[str]]
    context: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, default=DATA / "faithfulness", help="folder of jsonl files (ours)")
    parser.add_argument("--changes", type=int, default=150, help="changed sentences per language and kind, at most")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--fit", action="store_true", help="fit what each part of the score counts; nothing else")
    parser.add_argument(
        "--rows", type=int, default=100, help="answers of each file that a configured model judges; 0: none (100)"
    )
    parser.add_argument(
        "--scripted", action="store_true", help="let the scripted model judge: only proves the plumbing"
    )


def run(options: argparse.Namespace) -> Report:
    rows = {path.stem: _rows(path) for path in sorted(options.data.glob("*.jsonl"))}
    report = Report({})
    if options.fit:
        report.metrics, report.notes = fitted(
            {name: [read_answer(row) for row in progress(answers, name)] for name, answers in rows.items()}
        )
        return report
    for name, answers in rows.items():
        report.metrics[name] = metrics = _auroc(name, answers)
        if "begin" in name:
            report.bars[f"{name} auroc"] = Bar(metrics["support"], metrics["content_words"] + 0.01)
    report.metrics["changes"] = {}
    changes: dict[str, list[Changed]] = {}
    for language in ("en", "zh"):
        both = [row for answers in rows.values() for row in answers if row["lang"] == language]
        for kind, found in _changed(both, language, options).items():
            changes[f"{language} {kind}"] = found
            report.metrics["changes"][f"{language} {kind}"] = lower = _lower(found)
            if kind in {"number", "name", "negation"}:
                report.bars[f"{language} {kind} lower"] = Bar(lower["lower"], 0.80)
    if options.rows:
        _add_judge(report, rows, changes, options)
    return report


def _rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


# --- labelled answers --------------------------------------------------------------------------------------------


def _auroc(name: str, rows: Sequence[Row]) -> dict[str, float]:
    """AUROC of the support score, beside that of the share of the answer's distinct content words in the context."""
    faithful = [row["label"] == "faithful" for row in rows]
    scores = [answer_score(row["answer"], row["context"], row["question"]) for row in progress(rows, name)]
    shares = []
    for row in rows:
        words = set(search_tokens(row["answer"]))
        shares.append(len(words & set(search_tokens("\n".join(row["context"])))) / len(words) if words else 0.0)
    return {
        "support": auroc(*_parted(scores, faithful)),
        "content_words": auroc(*_parted(shares, faithful)),
        "rows": len(rows),
    }


def _parted(scores: Sequence[float], faithful: Sequence[bool]) -> tuple[list[float], list[float]]:
    pairs = list(zip(scores, faithful, strict=True))
    return [score for score, true in pairs if true], [score for score, true in pairs if not true]


# --- true sentences made false -----------------------------------------------------------------------------------


class Changed(NamedTuple):
    """A true sentence, the false one made of it, and how well the context supports each."""

    true: str
    false: str
    row: Row
    before: Support
    after: Support


def _changed(rows: Sequence[Row], language: str, options: argparse.Namespace) -> dict[str, list[Changed]]:
    """By kind of change."""
    dice = random.Random(options.seed)
    names: dict[str, list[str]] = {}
    for row in rows:
        for kind, found in proper_names(" ".join(row["context"])):
            names.setdefault(kind, []).append(found)
    true = list(_true_sentences(rows))
    dice.shuffle(true)
    results: dict[str, list[Changed]] = {}
    for kind, change in CHANGES.items():
        made: list[Changed] = []
        for sentence, row in progress(true, f"{language} {kind}"):
            if len(made) == options.changes:
                break
            false = change(sentence, World(dice, names, " ".join(row["context"])))
            if false is None or false == sentence:
                continue
            sources = [SourceText(text) for text in row["context"]]
            before, after = judge(sentence, sources).support, judge(false, sources).support
            made.append(Changed(sentence, false, row, before, after))
        if made:
            results[kind] = made
    return results


def _lower(changes: Sequence[Changed]) -> dict[str, float]:
    """The share of sentences that score lower than before, and that pass before and after it."""
    return {
        "lower": sum(one.after.score < one.before.score for one in changes) / len(changes),
        "supported_before": sum(one.before.supported for one in changes) / len(changes),
        "supported_after": sum(one.after.supported for one in changes) / len(changes),
        "n": len(changes),
    }


def _true_sentences(rows: Sequence[Row]) -> Iterator[tuple[str, Row]]:
    """Sentences of faithful answers, and the first sentences of each context, which it holds by definition."""
    for row in rows:
        said = [row["context"][-1]] if row["label"] != "faithful" else [row["answer"]]
        for text in said:
            for start, end in list(sentences(text))[:2]:
                if len(search_tokens(text[start:end])) >= 4:
                    yield text[start:end], row


def proper_names(text: str) -> Iterator[tuple[str, str]]:
    """(kind, name): capitalised words within an English sentence, Chinese people, places and bodies by their tags."""
    for match in re.finditer(r"(?<=[a-z,] )(?:[A-Z][a-z]{2,})(?: [A-Z][a-z]{2,})*", text):
        yield f"en{match[0].count(' ')}", match[0]
    if re.search(r"[\u4e00-\u9fff]", text):
        import rjieba

        yield from ((tag, word) for word, tag in rjieba.tag(text) if tag in {"nr", "ns", "nt"} and len(word) > 1)


def _number(sentence: str, world: World) -> str | None:
    """One figure becomes another that the context does not hold."""
    found = list(re.finditer(r"(?<![A-Za-z\d.,])\d+(?:\.\d+)?(?![A-Za-z\d])", sentence))
    if not found:
        return None
    match = world.random.choice(found)
    digits = list(match[0])
    for _ in range(20):
        place = world.random.choice([i for i, sign in enumerate(digits) if sign.isdigit()])
        digits[place] = world.random.choice("123456789")
        if "".join(digits) not in world.context:
            return sentence[: match.start()] + "".join(digits) + sentence[match.end() :]
    return None


def _other_number(sentence: str, world: World) -> str | None:
    """One figure becomes another figure of the same context."""
    found = list(re.finditer(r"(?<![A-Za-z\d.,])\d+(?![A-Za-z\d.])", sentence))
    others = [n for n in re.findall(r"(?<![A-Za-z\d.,])\d+(?![A-Za-z\d.])", world.context) if n not in sentence]
    if not found or not others:
        return None
    match = world.random.choice(found)
    return sentence[: match.start()] + str(world.random.choice(others)) + sentence[match.end() :]


def _name(sentence: str, world: World) -> str | None:
    """One name becomes another of its kind that the context does not hold."""
    found = [(kind, name) for kind, name in proper_names(sentence) if kind in world.names]
    if not found:
        return None
    kind, name = world.random.choice(found)
    others = [other for other in world.names[kind] if other not in world.context]
    return sentence.replace(name, str(world.random.choice(others))) if others else None


def _other_name(sentence: str, world: World) -> str | None:
    """One name becomes another name of the same context."""
    found = list(proper_names(sentence))
    others = [(kind, other) for kind, other in proper_names(world.context) if other not in sentence]
    pairs = [(name, other) for kind, name in found for other_kind, other in others if kind == other_kind]
    return sentence.replace(*world.random.choice(pairs)) if pairs else None


def _swapped_names(sentence: str, world: World) -> str | None:
    """Two names of the sentence change places."""
    found = list(dict.fromkeys(name for _, name in proper_names(sentence)))
    if len(found) < 2 or found[0] in found[1] or found[1] in found[0]:
        return None
    parts = re.split(f"({re.escape(found[0])}|{re.escape(found[1])})", sentence)
    places = {found[0]: found[1], found[1]: found[0]}
    return "".join(places.get(part, part) for part in parts)


_denials = re.compile(
    r"\b(?:did|does|do|was|were|is|are|can|could|will|would|has|have|had)( not|n't)\b(?! only)"
    r"|(?<![不无很密])[不没未](?![仅但过同断少来错])"
)
_affirmed = re.compile(r"\b(?:was|were|is|are|can|could|will|would|has been|have been|had been)\b(?! not|n't)")
_affirmed_zh = re.compile(
    r"(?<![还就也只但要可总])(?:是(?!否)|会(?=[给让把被在有进使成产导出])|能(?=[够在给让使])|可以|将(?=[在会于继有进举])|应当|需要|已经|已(?!经))"
)
_negated_zh = {"已经": "尚未", "已": "未", "将": "将不", "是": "不是", "会": "不会", "能": "不能", "可以": "不可以"}


def _negation(sentence: str, world: World) -> str | None:
    """A denial is taken away, or one is put where there was none."""
    if match := _denials.search(sentence):
        cut = match.span(1) if match[1] else match.span()
        return sentence[: cut[0]] + sentence[cut[1] :]
    if match := _affirmed.search(sentence):
        return f"{sentence[: match.end()]} not{sentence[match.end() :]}"
    if match := _affirmed_zh.search(sentence):
        return sentence[: match.start()] + _negated_zh.get(match[0], "不" + match[0]) + sentence[match.end() :]
    return None


# The first three are promised; the others, made of the context's own words, are harder and reported.
CHANGES: dict[str, Change] = {
    "number": _number,
    "name": _name,
    "negation": _negation,
    "number of the context": _other_number,
    "name of the context": _other_name,
    "names swapped": _swapped_names,
}


# --- the same by a model -----------------------------------------------------------------------------------------


def _add_judge(
    report: Report, rows: dict[str, list[Row]], changes: dict[str, list[Changed]], options: argparse.Namespace
) -> None:
    """The judge's AUROC on a sample of each file, and how often it marks a false sentence lower than the true one."""
    dice = random.Random(options.seed)
    sample = {name: dice.sample(answers, min(options.rows, len(answers))) for name, answers in rows.items()}
    pairs = {kind: found[: max(1, options.rows // 10)] for kind, found in changes.items()}
    items = [Item(row["question"], row["answer"], row["context"], row["lang"]) for row in _flat(sample)]
    for one in _flat(pairs):
        items += [Item("", text, one.row["context"], one.row["lang"]) for text in (one.true, one.false)]
    judged = ask(items, scripted=options.scripted)
    if not judged.judge:
        report.notes.append("no model is configured: its judgement was not measured")
        return
    opinions = iter(judged.opinions)
    report.metrics["judge"] = {"model": judged.judge, "not judged": judged.opinions.count(None)}
    for name, answers in sample.items():
        found = [(opinion.score, row["label"] == "faithful") for row in answers if (opinion := next(opinions))]
        scores, faithful = [score for score, _ in found], [label for _, label in found]
        report.metrics[f"judge {name}"] = {"auroc": auroc(*_parted(scores, faithful)), "rows": len(found)}
    for kind, each in pairs.items():
        said = [(next(opinions), next(opinions)) for _ in each]
        both = [(before, after) for before, after in said if before and after]
        lower = sum(after.score < before.score for before, after in both) / len(both) if both else 0.0
        report.metrics[f"judge {kind}"] = {"lower": lower, "n": len(both)}
    if judged.scripted:
        report.notes.append("the judge is the scripted server: its figures only prove the plumbing")


def _flat(groups: dict[str, list[T]]) -> list[T]:
    return [one for group in groups.values() for one in group]
