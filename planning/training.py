"""Trains what recognises orders in everyday words from the bank of paraphrases: python -m planning.training

A linear support vector machine over hashed n-grams (planning/features.py), its margins read as logarithms of
probabilities. `--folds` leaves out whole lines of the bank instead, and prints how many of their phrases are recognised
by what was learned from the other lines.
"""

from __future__ import annotations

import argparse
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

from planning.features import BUCKETS, grams

FOLDER = Path(__file__).with_name("phrases")
BANKS = ("search", "cut")
PER_LINE = 60
OF_CONTENT = 110  # what people ask has no end; how to search can be said in so many ways
_strength = 0.3  # C of the machine
_SLOPE = 3.0  # of its margins, as logarithms of probabilities
_READ = 20  # phrases of which the n-grams of one are in the digest
_name = re.compile("@([a-z]+|[\u3400-\u9fff])")
_leads = {
    "zh": "请|麻烦|帮我|这次|麻烦你|这回|这个问题|劳驾|可以|你|给我|我想|希望你|我要你|这一题|那就|就|直接".split("|"),
    "en": "please|could you|can you|this time|for this one|I'd like you to|just|for this question|would you"
    "|I want you to|you can|let's|maybe|here|now|kindly|you should|I'd prefer that you".split("|"),
}
_tails = {
    "zh": "吧|就行|就好|谢谢|即可|可以吗|好吗|哈|啊|一下|行吗|好不好".split("|"),
    "en": "please|thanks|for this|this time|ok|if you can|for me|here|for this question|for once".split("|"),
}


class Phrase(NamedTuple):
    text: str
    label: str
    line: int


def phrases(bank: str) -> list[Phrase]:
    """Phrases drawn from each line of a bank, and the parts of them between commas; the same ones every time."""
    drawn: dict[str, Phrase | None] = {}
    for phrase in _phrases_of(FOLDER / f"{bank}.txt"):
        parts = [part.strip() for part in re.split("[,，、:：]", phrase.text)]
        for text in dict.fromkeys(
            [phrase.text, *(part for part in parts if len(re.findall(r"[a-z]+|[^\x00-\x7f]", part)) > 2)]
        ):
            known = drawn.setdefault(text, phrase._replace(text=text))
            if known is None or known.label != phrase.label:
                drawn[text] = None  # says two things
    return [phrase for phrase in drawn.values() if phrase]


def _phrases_of(path: Path) -> Iterator[Phrase]:
    label = ""
    lists: dict[str, list[str]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("= "):
            label = line[2:]
        elif line.startswith("@") and " = " in line:
            name, _, values = line.partition(" = ")
            lists[name[1:]] = values.split("|")
        elif line and not line.startswith("#"):
            random = Random(line)
            for _ in range(OF_CONTENT if label == "content" else PER_LINE):
                text = _varied(_filled(line, lists, random), random, whole=label != "content")
                if text:
                    yield Phrase(text, label, number)


def _filled(line: str, lists: dict[str, list[str]], random: Random) -> str:
    han = bool(re.search("[\u3400-\u9fff]", line))
    parts = []
    for slot in line.split("/"):
        part = random.choice(slot.split("|"))
        while found := _name.search(part):
            part = part[: found.start()] + random.choice(lists[found[1]]) + part[found.end() :]
        parts.append(part.replace("-", "") if part.strip() in ("-", "") or han else part)
    text = ("" if han else " ").join(part for part in parts if part)
    return re.sub(r"\s+(?=[,:.!?])", "", re.sub(r"\s+", " ", text)).strip().lower()


def _varied(text: str, random: Random, *, whole: bool) -> str:
    """With politeness around it, or a word left out, as people do; of content sometimes only a part."""
    language = "zh" if re.search("[\u3400-\u9fff]", text) else "en"
    gap = "" if language == "zh" else " "
    words = re.findall("[a-z0-9']+|[^a-z0-9\\s]|\\s+", text)
    if random.random() < 0.2 and len(words) > 5:
        del words[random.randrange(len(words))]
    if not whole and random.random() < 0.25 and len(words) > 6:
        cut = random.randrange(3, len(words) - 2)
        words = words[:cut] if random.random() < 0.5 else words[cut:]
    text = "".join(words).strip()
    if random.random() < 0.3:
        text = random.choice(_leads[language]).lower() + gap + text
    if random.random() < 0.2:
        text = text + gap + random.choice(_tails[language]).lower()
    return text


def matrix(texts: list[str]) -> Any:
    from scipy.sparse import csr_matrix

    rows, columns, values = [], [], []
    for row, text in enumerate(texts):
        held = [bucket for *_, bucket in grams(text)]
        rows += [row] * len(held)
        columns += held
        values += [len(held) ** -0.5] * len(held)
    return csr_matrix((values, (rows, columns)), shape=(len(texts), BUCKETS))


def fit(drawn: list[Phrase]) -> Any:
    from sklearn.svm import LinearSVC

    model = LinearSVC(C=_strength, random_state=0)
    return model.fit(matrix([one.text for one in drawn]), [one.label for one in drawn])


def digest(drawn: list[Phrase]) -> str:
    """Of what weights are learned from: each phrase with its class, the n-grams of some, how the machine is set."""
    told = hashlib.sha256(repr((_strength, _SLOPE, BUCKETS)).encode())
    for number, one in enumerate(drawn):
        told.update(f"{one.label}\t{one.text}\n".encode())
        if number % _READ == 0:
            told.update(repr([bucket for *_, bucket in grams(one.text)]).encode())
    return told.hexdigest()


def freeze(bank: str) -> dict[str, np.ndarray[Any, Any]]:
    """Labels, bias and the weights in steps of `scale`, one row a bucket; what they are learned from as a digest."""
    drawn = phrases(bank)
    model = fit(drawn)
    scale = float(_SLOPE * np.abs(model.coef_).max()) / 127
    weights = np.rint(_SLOPE * model.coef_.T / scale).astype(np.int8)
    return {
        "labels": np.array(model.classes_), "bias": _SLOPE * model.intercept_.astype(np.float32),
        "scale": np.float32(scale), "weights": weights, "learned_from": np.array(digest(drawn)),
    }  # fmt: skip


def folds(bank: str, count: int = 3) -> dict[str, float]:
    """By class: the share of phrases that are recognised when their lines were left out."""
    drawn = phrases(bank)
    lines = sorted({one.line for one in drawn})
    Random(0).shuffle(lines)
    right: dict[str, list[bool]] = {}
    for fold in range(count):
        out = {*lines[fold::count]}
        model = fit([one for one in drawn if one.line not in out])
        asked = [one for one in drawn if one.line in out]
        for one, label in zip(asked, model.predict(matrix([one.text for one in asked])), strict=True):
            right.setdefault(one.label, []).append(one.label == label)
            right.setdefault("orders taken for content", []).append(label == "content" and one.label != label)
    return {label: sum(values) / len(values) for label, values in sorted(right.items())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folds", action="store_true")
    options = parser.parse_args()
    for bank in BANKS:
        if options.folds:
            print(bank, {label: round(value, 3) for label, value in folds(bank).items()})
        else:
            frozen: dict[str, Any] = dict(freeze(bank))
            np.savez_compressed(FOLDER / f"{bank}.npz", **frozen)


if __name__ == "__main__":
    main()
