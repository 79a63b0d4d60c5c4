"""Stretches of a message that end in a word for a kind of document and come near one stored file (near_names.py):
"the tax settlement guide", 跌倒那次的事件报告. Whether they call it is judged where the rules judge theirs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from planning.document_words import FILLERS, KIND_OF, MONTHS, SUBJECT_OF, NameWords, latin_words
from planning.known_files import KnownFiles
from planning.name_calls import NameCall
from planning.name_versions import VERSION_WORDS, version_called
from planning.near_names import Nearest, nearest_in_han, nearest_in_latin

_MOST = 4  # kinds of documents in a message whose words are looked at
_WORDS = 5  # in front of one
_IDLE = frozenset(  # words that tell no file
    "management official general full complete main overall relevant own document doc file".split()
)
_BACK = 14  # characters in front of a Chinese one
_Word = tuple[int, int, str]  # where it stands, and the word
_joint = re.compile(rf"(?:[ \-_.'/]{{0,3}}|'s )(?:(?:{'|'.join(_IDLE)})s? ){{0,2}}")
_no_kind = FILLERS | frozenset("word excel number figure table page chapter post result order issue".split())
_run = re.compile(r"[\u3400-\u9fffa-z0-9_\-]*$")
_leads = re.compile(  # what a name stands behind: at the beginning of what is said, or after one of these words
    r"(?:根据|按照|依据|依照|参照|参考|对照|查阅|查看|翻阅|打开|关于|帮我|[在从按照看查翻读问把将和与跟比只])(?:一?[下看查])?"
    r"(?:我们?的?|咱们的?|公司的?|[那这]一?[个份本篇张])?"
)
_STARTS = 3  # places where such words may begin
_BEFORE = 24  # characters before a name, that may tell its version
_left_out = re.compile("(?:以|之)外")
_filler = re.compile(r"管理|使用|工作|实施|情况|[的了与和之及那这次回场个份_\-\s]|[那这]一?[次回场个份]|有关|相关|关于")


def near_calls(
    text: str, likely: Sequence[tuple[str, NameWords]], known: KnownFiles, taken: Sequence[tuple[int, int]]
) -> Iterator[NameCall]:
    """The Latin ones that are not `taken`: with all words in front of the kind, and without those that no name says."""
    words = [one for one in latin_words(text) if one[2] not in _IDLE]
    ends = [place for place, one in enumerate(words) if place and _ends_one(words, place, text, taken)]
    for last in islice(ends, _MOST):
        first = last
        while first and last - first < _WORDS and _goes_on(words, first, text):
            first -= 1
        said = [word for *_, word in [*words[first:last], *_times_behind(words, last, text)]]
        before = text[max(0, words[first][0] - _BEFORE) : words[first][0]]
        if (nearest := nearest_in_latin(said, words[last][2], likely)) and (found := _one_of(nearest, before, known)):
            told = min(last, first + next(place for place, sure in enumerate(nearest.surely) if sure))
            for begin in dict.fromkeys((first, told)):
                yield _call(words[begin : last + 1], found, likely)


def _times_behind(words: Sequence[_Word], last: int, text: str) -> Iterator[_Word]:
    """The days, months, quarters and numbers right behind a name: "the handover record of June 19"."""
    for place in range(last + 1, min(len(words), last + 4)):
        start, _, word = words[place]
        if not re.fullmatch(r"[ \-_.'/(]{0,3}", text[words[place - 1][1] : start]):
            return
        if "/" in word or word.isdigit() or SUBJECT_OF.get(word, frozenset()) & MONTHS:
            yield words[place]
        elif word not in FILLERS:
            return


def _one_of(nearest: Nearest, before: str, known: KnownFiles) -> str | None:
    """The file that is meant, of several the version that the words before tell."""
    if len(nearest.files) == 1:
        return nearest.files[0]
    version = version_called(before, nearest.files, nearest.files, known)
    return version[1] if version else None


def _ends_one(words: Sequence[_Word], place: int, text: str, taken: Sequence[tuple[int, int]]) -> bool:
    """Whether a word is for a kind of document, with another word in front of it, and is not taken."""
    start, end, word = words[place]
    free = word in KIND_OF and word not in _no_kind and not any(a < end and start < b for a, b in taken)
    following = words[place + 1 : place + 2]
    if free and following and following[0][2] in KIND_OF and text[end : following[0][0]] == " ":
        return False  # “report template” is no report
    return free and _goes_on(words, place, text)


def _goes_on(words: Sequence[_Word], place: int, text: str) -> bool:
    """Whether the word in front of this one may belong to the same name."""
    _, end, word = words[place - 1]
    return word not in FILLERS and bool(_joint.fullmatch(text[end : words[place][0]]))


def _call(words: Sequence[_Word], file: str, likely: Sequence[tuple[str, NameWords]]) -> NameCall:
    its = next(its for name, its in likely if name == file)
    said = [word for *_, word in words]
    return NameCall(
        start=words[0][0],
        end=words[-1][1],
        file=file,
        own=True,
        kind=True,
        whole=False,
        literal=False,
        meant=True,
        numbered=any(word.isdigit() and word in its.latin for word in said),
        words=len(said),
    )


def near_call_in_han(
    text: str, end: int, noun: str, likely: Sequence[tuple[str, NameWords]], known: KnownFiles
) -> tuple[int, str] | None:
    """(start, file) of the Chinese words that end with `noun`, the word for the kind, in front of `end`."""
    run = _run.search(text[max(0, end - _BACK) : end])
    if not run or _left_out.search(run[0]):
        return None
    first = end - len(run[0])
    starts = [first] if len(run[0]) < _BACK else []
    starts += [first + found.end() for found in _leads.finditer(run[0])]
    for start in starts[:_STARTS]:
        version = VERSION_WORDS.match(text, start, end)
        words = _cut(text[version.end() if version else start : end - len(noun)])
        nearest = nearest_in_han(words, noun, likely)
        if nearest and (file := _one_of(nearest, version[0] if version else "", known)):
            return start, file
    return None


def _cut(words: str) -> list[str]:
    """Chinese and Latin words, without those that only join them."""
    import rjieba

    return [word for word in rjieba.cut(words) if not _filler.fullmatch(word)]
