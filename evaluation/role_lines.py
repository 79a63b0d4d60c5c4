"""Lines that say who wrote a text or whom to ask: “prepared by Jane Roe” to "who wrote it", “联系人：李雷” to 找谁."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from evaluation.answer_reading import Array
from evaluation.answer_types import expected_types, holds
from evaluation.blocks import SourceUnit
from evaluation.counted_nouns import raised
from question_words import question_terms
from schema import Hit
from text import HAN, STOP_WORDS, search_tokens, simplified

_asks_author = re.compile(
    r"\bwho (?:wrote|authored|prepared|compiled|drafted|drew up|put together|signed|sent)\b|\bauthors?\b|\bwritten by\b"
    r"|谁(?:来|负责)?(?:写|编|撰|起草|拟|整理|执笔)|作者|[编撰]写人|起草人",
    re.IGNORECASE,
)
_names_author = re.compile(
    r"\b(?i:(?:written|authored|prepared|compiled|drafted|drawn up|put together) by\b|authors?\s?[:：])"
    r"|\A\W*[Bb]y [A-Z]|\b(?:[Rr]egards|[Ss]incerely|[Ff]aithfully|[Ww]ishes),?\s+[A-Z]"  # below a letter
    r"|(?:作者|编者|[编撰]写|编制|编辑|撰稿|起草|拟稿|整理|执笔)人?\s?[:：]",
)
_names_contact = re.compile(
    r"\b(?:contact|questions|enquiries|inquiries|help ?desk|ask|call|write to|talk to|speak to)\b"
    r"|\b(?:service |support |hot|help)line\b"
    r"|联系人|联系(?:电话|方式)|咨询|请(?:找|联系|询问|咨询)|答疑|客服",
    re.IGNORECASE,
)
_agent = re.compile(
    rf"\b([A-Za-z]{{2,14}}?)(?:e|o)rs?\s?[:：]|([{HAN}]{{1,2}})[人者员师方](?:\s?[:：]|是)"
)  # “Driver: …”, 采访者：…, “主讲人是…”
_verb_zh = re.compile(rf"谁(?:来|去|负责)?([{HAN}])(?=的|[了过]?[《“「])")  # 谁讲的: no search token
_asks_duty = re.compile(r"\bwho (should|must|may|can|has to|needs to|is to|is allowed to)\b", re.IGNORECASE)
_duty = re.compile(  # “A structural engineer should …”
    r"(?:\A|[;:,] )(?:an?|the|your|our|each|every|only|all)((?: [a-z][\w-]*){1,4}?) "
    r"(?:should|must|may|can|ha(?:s|ve) to|needs? to|(?:is|are) (?:allowed )?to)\b(?! (?:not )?be\b)",
    re.IGNORECASE,
)
# Times as likely: of what follows “Driver:” no word is in the question, and nothing else answers "who wrote it".
_ASKED, _AGENT, _AUTHOR, _DUTY = 100.0, 1000.0, 1e6, 20.0


@cache
def _texts() -> frozenset[str]:
    """What is written, whichever it is: "who signed the letter?"."""
    return frozenset(search_tokens("letter email mail message note memo report document text file 信 邮件 报告 文件"))


def asks_author(question: str) -> bool:
    return _asks_author.search(question) is not None


def with_duties(question: str, units: Sequence[SourceUnit], tied: Sequence[bool], shares: Array) -> Array:
    """A sentence on whose duty something is is likelier where that is asked, if something ties it to the question."""
    if not _asks_duty.search(question):
        return shares
    asked = {*question_terms(question)}

    def tells(unit: SourceUnit) -> bool:  # “the ladders should be kept dry” says of nobody that he has to
        duty = _duty.search(unit.text) if unit.kind in ("prose", "item") else None
        return duty is not None and asked.isdisjoint(search_tokens(duty[1]))

    told = map(tells, units)
    return raised(shares, [one and duty for one, duty in zip(tied, told, strict=True)], _DUTY)


def with_roles(question: str, units: Sequence[SourceUnit], hits: Sequence[Hit], shares: Array) -> Array:
    """Such a line is likelier in a document whose name, or title, is a word of the question, or where it stands under
    one; and so is “Driver: Marcus” where it is asked who drives the car that its document speaks of."""
    author, contact = asks_author(question), "contact" in expected_types(question)
    if author or contact:
        asked = frozenset(question_terms(_asks_author.sub(" ", question))) - STOP_WORDS - _texts()
        named = [_names(unit, hits, author, contact, asked) for unit in units]
        return raised(shares, named, _AUTHOR if author else _ASKED)
    if "person" in expected_types(question):
        asked = frozenset((*question_terms(question), *_verb_zh.findall(simplified(question))))
        return raised(shares, [_is_agent(unit, hits, asked) for unit in units], _AGENT)
    return shares


def _names(unit: SourceUnit, hits: Sequence[Hit], author: bool, contact: bool, asked: frozenset[str]) -> bool:
    text = simplified(unit.text)
    told = author and _names_author.search(text) and holds("person", text)
    told = told or (contact and _names_contact.search(text) and holds("contact", text))
    about = f"{' '.join(unit.headings)} {unit.context} {hits[unit.hit - 1].document}"
    return bool(told) and (not asked or not asked.isdisjoint(search_tokens(simplified(about))))


def _is_agent(unit: SourceUnit, hits: Sequence[Hit], asked: frozenset[str]) -> bool:
    """Whether a label names whoever does what a word of the question says, in a document that says another."""
    for match in _agent.finditer(simplified(unit.text)) if unit.kind in ("prose", "item") else ():
        does = {term for term in asked if _does(term, match)}
        hit = hits[unit.hit - 1]
        if does and not (asked - does).isdisjoint(search_tokens(simplified(f"{hit.document} {hit.text}"))):
            return True
    return False


def _does(term: str, label: re.Match[str]) -> bool:
    """Whether a word says what a label is of: “drive” of “Driver:”, 讲 of 主讲人."""
    if label[1]:
        return _is_form(term, label[1].lower())
    return label[2] == term or (len(term) == 1 and label[2] == f"主{term}")


def _is_form(term: str, stem: str) -> bool:
    """Of one verb: “drive” and “driv”, “run” and “runn”."""
    return term.rstrip("e") in (stem, stem[:-1] if stem[-2:-1] == stem[-1:] else stem)
