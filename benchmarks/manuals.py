"""A library for benchmarks: manuals of made-up machines, each in one language, and questions in both of them.

The same for the same machine, always. A manual's facts are single sentences with a value of their own, among sentences
that every manual has.
"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml
from pydantic import BaseModel

from schema import Language, Message

LANGUAGES: tuple[Language, Language] = ("en", "zh")


class _Text(BaseModel):
    zh: str
    en: str

    def filled(self, machine: Message, value: int) -> Message:
        return Message(zh=self.zh.format(m=machine.zh, v=value), en=self.en.format(m=machine.en, v=value))


class _Section(BaseModel):
    title: _Text
    said: _Text
    asked: _Text
    values: tuple[int, int]
    around: list[_Text]


class _Texts(BaseModel):
    kinds: list[_Text]
    makes: dict[str, str]
    sections: list[_Section]


class Fact(NamedTuple):
    """One sentence of one manual, and how to ask for it in either language."""

    manual: str  # name of the document
    language: Language  # of the document
    sentence: str
    question: Message


class Manual(NamedTuple):
    name: str
    language: Language
    text: str
    facts: tuple[Fact, ...]


def manuals(count: int, languages: tuple[Language, ...] = LANGUAGES) -> list[Manual]:
    """So many manuals, the languages taking turns."""
    return [_manual(number // len(languages), languages[number % len(languages)]) for number in range(count)]


@cache
def _manual(number: int, language: Language) -> Manual:
    texts, chance = _texts(), random.Random(f"{language} {number}")
    name, machine = f"{'manual' if language == 'en' else '说明书'}-{number + 1:03}.md", _machine(number, language)
    parts, facts = [f"# {machine.to(language)}"], []
    for section in texts.sections:
        value = chance.randint(*section.values)
        said = section.said.filled(machine, value).to(language)
        facts.append(Fact(name, language, said, section.asked.filled(machine, value)))
        around = [text.filled(machine, chance.randrange(2, 60)).to(language) for text in section.around]
        chance.shuffle(around)
        around.insert(chance.randrange(len(around) + 1), said)
        title = section.title.zh if language == "zh" else section.title.en
        parts += [f"## {title}", ("" if language == "zh" else " ").join(around)]
    return Manual(name, language, "\n\n".join(parts) + "\n", tuple(facts))


def _machine(number: int, language: Language) -> Message:
    """ "Calder centrifugal pump": the make as the manual's language has it, or spelled out for the other one."""
    texts = _texts()
    makes = {key: names.split() for key, names in texts.makes.items()}
    series, place = divmod(number, len(makes[language]))
    kind = texts.kinds[(number + series) % len(texts.kinds)]
    zh, en = (makes["en"][place],) * 2 if language == "en" else (makes["zh"][place], makes["pinyin"][place])
    return Message(zh=f"{zh}{kind.zh}", en=f"{en} {kind.en}")


@cache
def _texts() -> _Texts:
    content = Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")
    return _Texts.model_validate(yaml.safe_load(content))
