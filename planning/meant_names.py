"""Files that a message calls by what their names mean, where no word of it tells: "confocal operating procedure: …" is
共聚焦显微镜操作规程.pdf, 试玩反馈里 is "playtest feedback.csv".

A sentence encoder (providers/sentence_encoder.py) holds each phrase that stands where a name does (name_phrases.py)
against the names; the nearest must be near, and clearly nearer than any other that is not another version of it. It is
only asked where the rules found none, so what a name has word by word is not judged again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from planning.document_words import FILLERS, KIND_OF, NameWords, latin_words, likely_files, loosely_of_kind
from planning.han_words import NOUNS
from planning.known_files import KnownFiles
from planning.name_marks import contradict, marks, stages_in
from planning.name_phrases import NamePhrase, name_phrases, two_phrases
from planning.name_versions import VERSION_WORDS, are_versions, versions_told
from providers.sentence_encoder import sentence_encoder

_LONGEST = 2_000  # characters in which they are looked for
_MOST = 3  # phrases of a message
_NEAR, _AHEAD = 0.3, 0.1  # least cosine, and lead over the next file, of words for a kind of document
_NEAR_PLAIN, _AHEAD_PLAIN = 0.5, 0.15  # the same, of any other words in front of 里
_NEAR_ASKED = 0.42  # the least, of words that a question about what they name stands behind
_SLACK = 0.03  # by which words may come nearer to a name without one of them
_DONE = frozenset(  # what is done and written down in a document of its own
    "test exam check audit inspection survey stocktake count inventory measurement reading analysis assessment"
    " evaluation interview call visit drill booking reservation order recording transcription recap debrief review"
    " appraisal feedback quote bid tender estimate valuation forecast storyboard roster rota syllabus itinerary"
    " diagnosis scan xray biopsy checkup calibration walkthrough handover census vote election ballot".split()
)
_done_in_han = re.compile(
    "(?:检测|检验|测试|化验|体检|盘点|清点|检查|巡检|巡查|验收|审计|评估|测评|测量|调查|调研|问卷|访谈|采访|录音|回访|走访|演练"
    "|预订|订单|排班|分镜|校准|交接|勘察|勘查|投票|选举|报价|询价|招标|投标|复盘|评审|抽查|抽检)[^,的]{0,2}$"
)
_LONG_NOUNS = tuple(noun for noun in NOUNS if len(noun) > 1)
_any_one = re.compile("(?:an?|any|some|every|each|another) |[一每任哪]")
_sort = re.compile("(?:[表单册书函稿证卡规章信账簿]|(?<=[^日成基根资版])本)$")  # at the end of a word for a document
_counted = re.compile("那[篇份本封张期次回]|^[篇份本封张期次回](?=.$)")
_no_kind = frozenset("figure number data page chapter result order issue excel word table".split())
# Words that tell no file, or are read elsewhere: which version is meant, in planning/name_versions.py.
_idle = frozenset("alone only itself above whole entire latest newest older oldest earlier later newer".split())
_idle_han = re.compile(
    "公司|集团|部门|单位|学校|医院|我们|咱们|一般|有关|相关|里面|[这那该新旧老早晚的一二两三每各某本个份多几篇张封期次回过"
    "了之和与]+"
)
_not_han = re.compile("[^\u3400-\u9fff]+")


class _Word(NamedTuple):
    start: int
    end: int
    text: str  # in its simple form


def files_meant(masked: str, library: Sequence[str], known: KnownFiles) -> Iterator[tuple[int, int, Sequence[str]]]:
    """(start, end, the files) of the first phrase of a masked message that means a file, or versions of one."""
    text = masked[:_LONGEST]
    likely: list[tuple[str, NameWords]] = []
    if both := two_phrases(text):
        likely = likely_files(text, library, known.titles)
        found = [_files_near(phrase, text, likely, known) for phrase in both] if likely else []
        if found and all(len(names) == 1 for names in found) and found[0] != found[1]:
            yield both[0].start, both[1].end, [name for names in found for name in names]
            return
    for phrase in islice(
        (
            one
            for one in name_phrases(text)
            if one.inside or _is_kind(one.text) or _counted.search(one.text) or (one.asked and _is_done(one.text))
        ),
        _MOST,
    ):
        likely = likely or likely_files(text, library, known.titles)
        if likely and (names := _files_near(phrase, text, likely, known)):
            yield phrase.start, phrase.end, names
            return


def _is_kind(words: str) -> bool:
    """Whether a phrase has a word for a kind of document."""
    if words[-1:].isascii():
        said = latin_words(words)  # one word alone, “the summaries”, is for the rules
        return len(said) > 1 and any(word in KIND_OF and word not in _no_kind for *_, word in said)
    return words.endswith(tuple(NOUNS)) or bool(_sort.search(words))


def _is_sort(phrase: str) -> bool:
    """Whether a phrase ends in a character for a document that no rule knows as a word: 疫苗本."""
    return bool(_sort.search(phrase)) and not phrase.endswith(_LONG_NOUNS)


def _is_done(words: str) -> bool:
    """Whether a phrase is of something that is done and written down: "the water test", but not "a water test"."""
    if _any_one.match(words):
        return False
    return bool(_done_in_han.search(words)) or any(word in _DONE for *_, word in latin_words(words))


def _files_near(
    phrase: NamePhrase, text: str, likely: Sequence[tuple[str, NameWords]], known: KnownFiles
) -> Sequence[str]:
    """The file that the phrase means, or the two that it counts; none where that is not clear."""
    kind = _is_kind(phrase.text)
    surely = (kind or _counted.search(phrase.text)) and not (phrase.inside and phrase.asked)
    least, ahead = (_NEAR, _AHEAD) if surely else (_NEAR_PLAIN, _AHEAD_PLAIN)
    if phrase.asked and not phrase.inside and _is_done(phrase.text):
        least = min(least, _NEAR_ASKED)
    words = _words(phrase.text)
    if not kind and len(words) < 2:
        return []  # 花园里 and 治疗中 are places and times, though a name has the word in the other language
    cosines = sentence_encoder().nearness(phrase.text, [_readable(name) for name, _ in likely]).round(3)
    ranked = sorted(zip(cosines.tolist(), likely, strict=True), key=lambda one: -one[0])
    best = ranked[0][0]
    near = [one for cosine, one in ranked if cosine >= max(least, best - ahead)]
    near = [one for one in near if not contradict(phrase.text, one[0])]
    if not near or not _means(phrase.text, words, *near[0], _SLACK):
        return []
    first, rivals = near[0][0], [one for one in near[1:] if _means(phrase.text, words, *one, _SLACK)]
    # Another document that a word is too many for, be it by little, is no rival where that leaves it open.
    strict = [one for one in rivals if are_versions(first, one[0]) or _means(phrase.text, words, *one, 0)]
    for others in (rivals, strict):
        if not others:
            return [first]
        names = [first, *(name for name, _ in others)]
        if told := versions_told(text[: phrase.start], phrase.text, names, known):
            return told
    return []


def _means(phrase: str, words: Sequence[_Word], name: str, its: NameWords, slack: float) -> bool:
    """Whether the name means every word that it has not, and something is left to mean: else it is for the rules."""
    rest = [word for word in words if not _has(its, word.text)]
    if not rest or (len(words) == 1 and (words[0].text in KIND_OF or len(words[0].text) == 1)):
        told = any(len(word.text) > 1 and word.text not in KIND_OF for word in words)
        return bool(marks(phrase) & marks(name)) or (told and _is_sort(phrase))
    last = words[-1].text
    kinds = KIND_OF.get(next((noun for noun in NOUNS if phrase.endswith(noun)), ""), frozenset())  # 租赁合同, not 合同
    fits = _fits_kind(last, its) or not kinds.isdisjoint(its.kinds)
    if last in KIND_OF and last not in _no_kind and not _sort.search(last) and not fits:
        return False  # a literature review is not "reading notes", 工作中的事故 is no insurance policy
    stages = stages_in(phrase, name)
    asked = [word for word in rest if not any(a < word.end and word.start < b for a, b in stages)]
    asked = [word for word in asked if not _fits_kind(word.text, its) and not marks(word.text) & marks(name)]
    without = [f"{phrase[: word.start]}{phrase[word.end :]}".strip() for word in asked]
    cosines = sentence_encoder().nearness(_readable(name), [phrase, *filter(None, without)])
    return bool((cosines[1:] <= cosines[0] + slack).all())


def _has(its: NameWords, word: str) -> bool:
    return word in its.latin or word in its.titled or (not word.isascii() and word in its.han)


def _fits_kind(word: str, its: NameWords) -> bool:
    return word in KIND_OF and word not in _no_kind and bool(KIND_OF[word] & its.kinds or loosely_of_kind(word, its))


def _words(phrase: str) -> list[_Word]:
    """The words of a phrase that tell something: not 公司, not 那份, not "the"."""
    import rjieba

    found = [_Word(*one) for one in latin_words(phrase) if one[2] not in FILLERS and one[2] not in _idle]
    han = _not_han.sub(lambda other: " " * len(other[0]), phrase)
    for idle in (_counted, VERSION_WORDS):  # of 那封信 not 封信
        han = idle.sub(lambda word: " " * len(word[0]), han)
    at = 0
    for word in rjieba.cut(han):
        if word.strip() and not _idle_han.fullmatch(word):
            if len(word) == 1 and found and found[-1].end == at:  # 文字 and 稿 are one
                found[-1] = _Word(found[-1].start, at + 1, found[-1].text + word)
            else:
                found.append(_Word(at, at + len(word), word))
        at += len(word)
    return found


def _readable(name: str) -> str:
    """The name of a file as words: without its folder, extension and marks."""
    base = name.rpartition("/")[2]
    return re.sub(r"[\W_]+", " ", base.rpartition(".")[0] or base).strip()
