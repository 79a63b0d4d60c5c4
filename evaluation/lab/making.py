"""Questions made of the library itself, without a model: with exact evidence, tagged, never to be mixed with people's.

Headings that are questions are real ones. What is made of one sentence says its words: such questions show what is
broken, an index gone bad or a file that was lost, and are far too easy to tell one strategy from another.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from evaluation.lab.cases import SELF_MADE, SENTENCE_MADE, GoldPassage, LabCase, case_id
from evaluation.lab.numerals import quantities
from question_words import without_function_words
from schema import Document
from text import FUNCTION_WORDS_ZH, STOP_WORDS, detect_language, search_tokens, sentences

MOST_DOCUMENTS = 400  # that questions are made of, drawn at random
_LENGTHS = {"zh": (12, 120), "en": (40, 300)}  # characters of a sentence
_WORDS = 8  # content words that a sentence has at least
_OWN = 0.5  # of the words of a question that nothing else may say, so that nothing else answers it
_heading = re.compile(r"^#{1,6}[ \t]+(\S[^\n]*)$", re.MULTILINE)
_definition_en = re.compile(r"\A(?:(?:An?|The) )?((?:[A-Za-z][\w-]+ ){0,2}[A-Za-z][\w-]+) (is|are) (?:an?|the|any)\b")
_definition_zh = re.compile(r"\A([\u4e00-\u9fffA-Za-z0-9]{2,10}?)(?:是指|指的是|是一种|是一个|是一项|是一套)")
_number = re.compile(r"(?<![\w.,:/“\"'-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w:/”\"'-]|[.,]\d|[.、)])")
_NO_NAMES = STOP_WORDS | {"following", "next", "example", "result", "reason", "first", "last", "same", "only", "best"}
_markup = re.compile(r"[|`<>{}\[\]*_#=\\]|https?:")
_word_en = re.compile(r"[A-Za-z][A-Za-z'-]+")


class SourceSentence(NamedTuple):
    document: Document
    text: str


def make_cases(documents: Sequence[Document], count: int, *, seed: int = 0, refusals: float = 0.15) -> list[LabCase]:
    """As many as there are to be had, no more than `count`; of them a share that asks without its document.

    Headings that ask come first, the rest is evenly of each kind. The same for the same seed.
    """
    chance = random.Random(seed)
    drawn = list(documents)
    chance.shuffle(drawn)
    drawn = drawn[:MOST_DOCUMENTS]
    common = frequencies(drawn)
    kinds: list[list[LabCase]] = [[], [], [], []]
    for document in drawn:
        kinds[0] += _of_headings(document)
        for sentence in _sentences(document):
            made_of = (_of_definition(sentence), _of_number(sentence), _of_words(sentence, common))
            for made, case in zip(kinds[1:], made_of, strict=True):
                made += [case] if case else []
    for made in kinds:
        chance.shuffle(made)
    wanted = _distinct([*kinds[0], *_in_turn(kinds[1:])])
    unanswerable = list(_without_document(wanted, drawn, common, round(min(count, len(wanted)) * refusals)))
    taken = {case.question for case in unanswerable}
    answerable = [case for case in wanted if case.question not in taken]
    return [*answerable[: count - len(unanswerable)], *unanswerable]


def _case(question: str, document: Document, quote: str, tags: Sequence[str], **more: Any) -> LabCase:
    evidence = GoldPassage(document=document.name, quote=quote)
    language = detect_language(question) or document.language
    return LabCase(
        id=case_id(question, document.name), question=question, evidence=(evidence,),
        tags=(SELF_MADE, *tags, language),**more
    )  # fmt: skip


def _of_headings(document: Document) -> Iterator[LabCase]:
    """A heading that asks, with the first sentence of its section."""
    for found in _heading.finditer(document.text):
        title = found[1].rstrip("# \t").strip("*_ ")
        if not title.endswith(("?", "？")) or len(title) < 6:
            continue
        following = _heading.search(document.text, found.end())
        section = document.text[found.end() : following.start() if following else len(document.text)]
        first = next((section[a:b] for a, b in sentences(section)), "")
        if len(first) >= 8:
            yield _case(title, document, first, ["faq"])


def _sentences(document: Document) -> Iterator[SourceSentence]:
    """Those that say something by themselves."""
    if document.kind == "code":
        return
    for start, end in sentences(document.text):
        text = document.text[start:end]
        language = detect_language(text) or "en"
        low, high = _LENGTHS[language]
        if low <= len(text) <= high and text[-1] in ".。" and not _markup.search(text) and "\n" not in text:
            yield SourceSentence(document, text)


def _of_definition(sentence: SourceSentence) -> LabCase | None:
    """Of a sentence that says what something is, by a name that has no function words in it."""
    text = sentence.text
    chinese, english = _definition_zh.match(text), _definition_en.match(text)
    if chinese and _is_name(chinese[1]):
        question = f"什么是{chinese[1]}？"
    elif english and not {word.lower() for word in english[1].split()} & _NO_NAMES:
        question = f"What {english[2]} {english[1]}?"
    else:
        return None
    return _case(question, sentence.document, text, [SENTENCE_MADE, "definition"], answer=text)


def _is_name(subject: str) -> bool:
    """Whether nothing but a name stands there: 主动健康检查, and not 现在正 or 其中的它."""
    import rjieba

    words = rjieba.cut(subject)
    return len(words) <= 4 and all(len(word) > 1 and word not in FUNCTION_WORDS_ZH for word in words)


def _of_number(sentence: SourceSentence) -> LabCase | None:
    """The sentence with a gap where its only number stands."""
    text = sentence.text
    numbers = _number.findall(text)
    if len(numbers) != 1 or len(list(quantities(text))) != 1:
        return None
    gap, end = ("多少", "？") if detect_language(text) == "zh" else ("how many", "?")
    question = _number.sub(gap, text).rstrip(".。") + end
    tags = [SENTENCE_MADE, "number"]
    return _case(question, sentence.document, text, tags, answer=numbers[0].replace(",", ""), kind="number")


def _of_words(sentence: SourceSentence, common: Callable[[str], int]) -> LabCase | None:
    """The commoner half of its words, in their order: of all cheap kinds the nearest to what people ask."""
    words = content_words(sentence.text)
    if len(words) < _WORDS:
        return None
    kept = set(sorted(range(len(words)), key=lambda place: -common(words[place]))[: len(words) // 2])
    question = " ".join(word for place, word in enumerate(words) if place in kept)
    return _case(question, sentence.document, sentence.text, [SENTENCE_MADE, "words"])


def content_words(text: str) -> list[str]:
    if detect_language(text) == "zh":
        import rjieba

        return [word for word in rjieba.cut(without_function_words(text)) if len(word.strip()) > 1]
    return [word for word in _word_en.findall(text) if word.lower() not in STOP_WORDS]


def frequencies(documents: Sequence[Document]) -> Callable[[str], int]:
    """In how many of the documents a word stands."""
    counts = Counter(token for document in documents for token in set(search_tokens(document.text[:200_000])))

    def of(word: str) -> int:
        return max((counts[token] for token in search_tokens(word)), default=0)

    return of


def _in_turn(kinds: Sequence[Sequence[LabCase]]) -> Iterator[LabCase]:
    for place in range(max(map(len, kinds), default=0)):
        yield from (made[place] for made in kinds if place < len(made))


def _distinct(cases: Sequence[LabCase]) -> list[LabCase]:
    return list({case.question: case for case in reversed(cases)}.values())[::-1]


def _without_document(
    cases: Sequence[LabCase], documents: Sequence[Document], common: Callable[[str], int], count: int
) -> Iterator[LabCase]:
    """Questions whose words hardly stand anywhere else, to be asked without their document: they are to be refused."""
    if len(documents) < 3:
        return
    for case in cases:
        if count <= 0:
            return
        words = content_words(case.question)
        if "number" in case.tags or len(words) < 2 or sum(common(word) <= 1 for word in words) < _OWN * len(words):
            continue
        count -= 1
        yield case.model_copy(
            update={
                "id": f"{case.id}-refuse", "kind": "refuse", "answer": "", "evidence": (),
                "exclude": (case.evidence[0].document,), "tags": (*case.tags, "refuse"),
            }
        )  # fmt: skip
