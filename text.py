"""Text of two languages: which language, which sentences, which search tokens, how many model tokens."""

from __future__ import annotations

import logging
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate
from typing import Any

from schema import Language

log = logging.getLogger(__name__)

HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
CJK = HAN + r"\u3040-\u30ff\uac00-\ud7af々〇"
_han = re.compile(f"[{HAN}]")
_han_run = re.compile(f"[{HAN}]+")
_latin_word = re.compile(r"[^\W\d_]+", re.UNICODE)
_run = re.compile(rf"([{CJK}]+)|([^\W{CJK}]+(?:[.'’+#&/@-]+[^\W{CJK}]+|[+#]+)*)")
_ascii_word = re.compile(r"\w+(?:[.'+#&/@-]+\w+|[+#]+)*", re.ASCII)  # the same, read in half the time
_cjk = re.compile(f"[{CJK}]")
_cjk_run = re.compile(f"[{CJK}]+")
_one_word = re.compile(rf"[{CJK}]|[^\W{CJK}]+(?:[.'’&/@-][^\W{CJK}]+)*")
_piece = re.compile(r"\d+(?:[.,]\d+)+|[^\W_]+")
_letters = re.compile(r"[^\W\d_]+|\d+")
_acronym = re.compile(r"(?:[a-z]\.)+[a-z]")
_hump = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_thousands = re.compile(r"\d(?<![\d,.]\d)\d{0,2}(?:,\d{3})+(?!\d)")
_contraction = re.compile(r"(?:(?<=[a-z])n't|'(?:s|re|ve|ll|d|m))\Z", re.IGNORECASE)
_CUT_SHORT = {"ca": "can", "wo": "will", "sha": "shall"}  # what n't leaves of can't, won't and shan't
_version = re.compile(r"v\d+(?:\.\d+)+")
_combining = re.compile(r"[\u0300-\u036f]")

# Function words that carry no topic. Question words are among them: they are in every question, in few answers.
STOP_WORDS = frozenset(
    """a about after all also am an and any are as at be because been before being between both but by can could did
    do does doing during each for from further had has have having he her here hers him his how i if in into is it
    its itself just me more most my no nor not of off on once only or other our ours out over own same she should so
    some such than that the their theirs them then there these they this those through to too under until up very was
    we were what when where which while who whom why will with would you your yours""".split()
)

# The same for Chinese, as jieba cuts them. Only questions leave them out: in a document they are part of phrases.
FUNCTION_WORDS_ZH = frozenset(
    """的 了 是 在 和 与 及 或 也 都 就 而 着 过 吗 呢 吧 啊 呀 么 之 其 它 他 她 我 你 您 们 我们 你们 他们
    她们 它们 这 那 这个 那个 这些 那些 这里 那里 这样 那样 什么 啥 哪 哪个 哪些 哪里 哪儿 哪一 哪位 哪种
    哪年 谁 谁的 怎么 怎样 怎么样 怎么办 如何 为什么 为何 为啥 何 何时 何地 几 多少 多大 多长 多久 多高
    多远 是否 能否 可否 有没有 是不是 能不能 可不可以 请 请问 请教 一下 告诉 告诉我 知道 想 想知道 想问 问
    帮 帮我 给我 介绍 说 说说 讲 讲讲 关于 有关 对于 根据 其中 有 没有 会 能 可以 要 应该 需要 被 把 将 让
    使 从 到 向 对 给 为 以 因 因为 所以 但 但是 如果 那么 时候 什么时候 叫 叫做 称为 属于 一个 个 之内 以内""".split()
)


_LOOKED_AT, _PIECES = 50_000, 20  # characters of a piece, pieces of a text


def detect_language(text: str) -> Language | None:
    """Chinese or English by script: a Han character weighs as much as a Latin word; None when there is neither.

    Of a long text pieces are looked at, evenly spread: lists of all its words would take ten times its size.
    """
    if text.isascii() or not _han.search(text):
        return "en" if _latin_word.search(text) else None
    han = words = 0
    for place in range(0, len(text), max(_LOOKED_AT, len(text) // _PIECES)):
        piece = text[place : place + _LOOKED_AT]
        rest, runs = _han_run.subn(" ", piece)
        han += len(piece) - len(rest) + runs
        words += len(_latin_word.findall(rest))
    if not han and not words:  # Han characters only where nobody looked
        return None
    return "zh" if han >= words else "en"


def language_of(text: str, fallback: Language = "zh") -> Language:
    """`detect_language`, with the fallback where detection fails; the case is logged."""
    found = detect_language(text)
    if found is None:
        log.info("language not detected, treated as %s: %r", fallback, text[:80])
    return found or fallback


# --- sentences ---------------------------------------------------------------------------------------------------

# A line that starts a block of its own (list item, table row, quotation, fence, heading, label), and a heading's end.
_marker = r"(?:(?:[-*+•]|\d+[.)]|#{1,6})(?=[ \t])|\d+、|>|\||```|~~~)"
# "Present: Ann and Bo", **Owner**: Li, 联系人：王芳
_label = (
    rf"(?:\*\*)?(?:[A-Z][\w'’-]{{1,19}}(?: [\w'’-]{{1,19}}){{0,2}}|[{HAN}]{{2,8}})(?:\*\*)?"
    r"(?::(?=[ \t*])|：)(?=[ \t*]*\S)"
)
_block_break = re.compile(
    rf"\n\s*\n\s*|\n(?=[ \t]*{_marker})|\n(?={_label})|(?<=\n)#{{1,6}}[ \t][^\n]*\n|\A#{{1,6}}[ \t][^\n]*\n"
)
_heading = re.compile(r"#{1,6}[ \t][^\n]*+\s*+\Z")
_list_marker = re.compile(rf"(?:[ \t]*{_marker})*")
_cjk_end = re.compile(r"[。！？][”’」』）】》]*(?=\s*[A-Za-z0-9])")  # sentencex takes a Latin letter for a continuation
_wide_space = re.compile(r"[^\S\0-\x7f](?=\.)")  # sentencex breaks down at one that parts an initial from its stop
_end_mark = re.compile(r"\*{1,3}|_{1,3}")
_window = 2000  # characters; a sentence has at most twice as many
# Signs that end no sentence: a block with no other ones is one sentence.
INNER_SIGNS = ",;:'\"([]{}<>|*_`~#$%&@^+=/\\-，、；：“”‘’„«»‹›「」『』（）《》〈〉【】〔〕—–·°℃"
_may_end = re.compile(rf"[^\w\s{re.escape(INNER_SIGNS)}]")


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Spans (start, end) of the sentences of plain or Markdown text, without surrounding white space, in order.

    A blank line, list item, heading, table row or quotation starts a new sentence, and a heading is one; within another
    block the boundaries are sentencex's, by the rules of the block's language, and those of 。！？ in any block.
    """
    block_start = 0
    breaks = _block_break.finditer(text) if "\n" in text else ()  # a look at every place for it takes long
    for block_end in [*(m.end() for m in breaks), len(text)]:
        block = text[block_start:block_end]
        if said := block.lstrip():
            lead = len(_list_marker.match(block)[0])  # type: ignore[index]  # matches "" too
            if len(block) <= _window and (_ends_at_most_once(block, lead) or _heading.match(said)):
                start = block_end - len(said)
                yield start, start + len(said.rstrip())
            else:
                yield from _sentences_of_block(text, block_start, block_start + lead, block_end)
        block_start = block_end


def _ends_at_most_once(block: str, lead: int) -> bool:
    """Whether only its very last sign could end a sentence, so that it is one: most lines and paragraphs are."""
    end = _may_end.search(block, lead)
    return end is None or end.end() == len(block.rstrip())


def _sentences_of_block(text: str, first: int, lead: int, stop: int) -> Iterator[tuple[int, int]]:
    """Its list marker, before `lead`, belongs to the first one."""
    for end in (*_sentence_ends(text[lead:stop]), stop - lead):  # a list marker may have no text
        piece = text[first : lead + end]
        if said := piece.strip():
            start = first + len(piece) - len(piece.lstrip())
            yield start, start + len(said)
        first = lead + end


def _sentence_ends(block: str) -> Iterator[int]:
    """Where the sentences of one block end, the last one included. A window at a time: sentencex is quadratic."""
    from sentencex import segment

    language = detect_language(block) or "en"
    start, width = 0, _window
    while start < len(block):
        window = block[start : start + width]
        found = segment(language, _wide_space.sub(" ", window)) if _may_end.search(window) else []
        ends = {*accumulate(map(len, found)), *(end.end() for end in _cjk_end.finditer(window))}
        settled = sorted(ends - {len(window)})[:-1]  # the last ones may depend on what follows the window
        if start + width >= len(block) or (not settled and width >= 2 * _window):  # the latter: no sentence at all
            settled = sorted(ends | {len(window)})
        yield from (_past_mark(block, start + end) for end in settled)
        start, width = (start + settled[-1], _window) if settled else (start, 2 * width)


def _past_mark(block: str, end: int) -> int:
    """The end of a sentence behind Markdown's mark that ends with it: of “**问：能退吗？**” the last two signs."""
    mark = _end_mark.match(block, end)
    opened = mark and block.count(mark[0], max(0, end - _window), end) % 2
    return mark.end() if mark and opened and not block.startswith(mark[0][0], mark.end()) else end


# --- search tokens -----------------------------------------------------------------------------------------------


@cache
def _simplifier() -> Any:
    import opencc

    return opencc.OpenCC("t2s")


@cache
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english")


def fold(text: str) -> str:
    """One form for what means the same: full width, accents, traditional script. Case stays: it splits names."""
    if text.isascii():
        return text
    text = _combining.sub("", unicodedata.normalize("NFKD", text))
    text = unicodedata.normalize("NFKC", text)
    return _simplifier().convert(text) if _han.search(text) else text


@lru_cache(maxsize=4_096)
def simplified(text: str) -> str:
    """In simplified script where that keeps every character at its place; else as it is."""
    found = str(_simplifier().convert(text)) if not text.isascii() and _han.search(text) else text
    return found if len(found) == len(text) else text


def search_tokens(text: str) -> list[str]:
    """The terms under which text is indexed and by which it is found: one function for both sides.

    Chinese: words of jieba's search mode and character bigrams. English: Snowball stems without function words.
    Identifiers: whole and in parts. A text of function words alone keeps them: "to be or not to be" is findable.
    """
    text = fold(text)
    if text.isascii():
        terms = [_word_terms(word) for word in _ascii_word.findall(text)]
    else:
        terms = [_word_terms(word) if word else _cjk_terms(cjk) for cjk, word in _run.findall(text)]
    tokens = [token for kept, _ in terms for token in kept]
    tokens += [number.replace(",", "") for number in _thousands.findall(text)]  # 1,000 is 1000 too
    return tokens or [token for _, stopped in terms for token in stopped]


def stems(words: Sequence[str]) -> list[str]:
    """The search tokens of plain English words in lower case, each of which is one."""
    return list(_stemmer().stemWords(words))


@lru_cache(maxsize=200)  # headings, and what two chunks share, come again at once
def _cjk_terms(run: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    # A two-character word counts twice, as word and as bigram: measured better than either alone, or each once.
    import rjieba

    return (*rjieba.cut_for_search(run), *(run[i : i + 2] for i in range(len(run) - 1))), ()


@lru_cache(maxsize=50_000)  # words come again and again: it takes most of the time of English text
def _word_terms(word: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The stems of the word's tokens that tell something, and those of function words."""
    stem = _stemmer().stemWord
    kept: list[str] = []
    stopped: list[str] = []
    for token in _word_tokens(word):
        (stopped if token in STOP_WORDS else kept).append(stem(token) if token.isascii() else token)
    return tuple(kept), tuple(stopped)


def _word_tokens(word: str) -> tuple[str, ...]:
    """The word in lower case; of a compound (snake_case, CamelCase, k8s-networking.md, v1.2) its parts as well."""
    word = _contraction.sub("", word.replace("’", "'").strip(".'/-&@_"))
    word = _CUT_SHORT.get(word.lower(), word)
    whole = word.lower()
    if _acronym.fullmatch(whole):
        return (whole.replace(".", ""),)
    parts = [
        part.lower() for piece in _piece.findall(word) for part in [piece, *_letters.findall(_hump.sub(" ", piece))]
    ]
    parts += [whole[1:]] if _version.fullmatch(whole) else []
    return tuple(dict.fromkeys([whole, *(part for part in parts if len(part) > 1)])) if whole else ()


# --- model tokens ------------------------------------------------------------------------------------------------


def count_tokens(text: str) -> int:
    """How many tokens a model would read, estimated from above: one a CJK character, one per 3.5 other characters."""
    cjk = 0 if text.isascii() else sum(map(len, _cjk_run.findall(text)))
    return tokens_of(cjk, len(text) - cjk)


def tokens_of(cjk: int, others: int) -> int:
    """The tokens of so many CJK characters and so many other ones."""
    return cjk + round(others / 3.5 + 0.49)


def cjk_places(text: str) -> Iterator[int]:
    """Where the CJK characters stand."""
    return (found.start() for found in _cjk.finditer(text))


def word_places(text: str) -> Iterator[tuple[int, int]]:
    """Where words stand, as word processors count them: a run of letters or digits, and each CJK character, is one."""
    return (found.span() for found in _one_word.finditer(text))


def words_in(text: str) -> list[str]:
    """The words at these places."""
    found: list[str] = _one_word.findall(text)
    return found


def clip_tokens(text: str, budget: int) -> str:
    """The longest beginning of text that `count_tokens` admits to the budget."""
    if count_tokens(text) <= budget:
        return text
    ends = range(len(text) + 1)
    return text[: max(bisect_right(ends, budget, key=lambda end: count_tokens(text[:end])) - 1, 0)]
