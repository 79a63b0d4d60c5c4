"""Files that a message calls by some words of their name: "the postmortem", 报销制度里, "in the Q3 report", 那份合同.

The words must fit one stored file better than all others (planning/document_words.py), and stand as the name of a
document does: where a place to look is named ("in the …", "according to", 里), where a document says something, behind
"the", beside another file. What is only a subject ("a good security policy", 怎么写财务报告) calls no file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from planning.cutting_again import orders_of_cutting
from planning.document_words import (
    FILLERS,
    KIND_OF,
    SUBJECT_OF,
    VAGUE,
    NameWords,
    latin_words,
    likely_files,
    merged_words,
    simple,
)
from planning.known_files import NOTHING_KNOWN, KnownFiles
from planning.nicknames_zh import calls_in_han, placed_in_han
from planning.terms import LIBRARY, STEM, UPLOAD

_LONGEST = 2_000  # characters in which such names are looked for
_WORDS = 6  # of a name
_REACH = 60  # characters around a name in which it is judged
_det = r"(?:(?:the|my|our|your|that|those|both|existing|whole|entire|only|just|alone)\s){0,3}"
_owner = re.compile(r"(?:the|my|our|your|that|this) $")
_NONE: frozenset[int] = frozenset()
_place = (
    r"under|according to|as per|per|going by|judging by|judging from|based on|on the basis of|consult|consulting"
    r"|(?:re-?)?read(?:ing)?(?: through| up in)?|look(?:ing|ed)?(?: up)? (?:at|in|into|through|inside|over)"
    r"|search(?:ing)?(?: in| through| within)?|go(?:ing)? (?:through|over|by|to|into)|skim|scan|check(?:ing)?(?: in)?"
    r"|limit(?:ed)? (?:it |this |yourself |the search )?to|restrict(?:ed)? (?:it |this |yourself |the search )?to"
    r"|stick(?:ing)? to|within|inside|compar(?:e|ing)|contrast|between|versus|vs\.?|except(?: for| in)?|excluding|skip"
    r"|ignor(?:e|ing)|leav(?:e|ing)(?: out| aside)?|setting aside|give|nothing from|other than|apart from"
    r"|aside from|not|without|omit|disregard"
    r"|but(?: not)?(?: in| from)?|outside(?: of)?|switch|convert|change|move|(?:pieces|chunks|parts|slices"
    r"|overlap|splitting|chunking) (?:of|for)|re-?cut|re-?chunk|re-?split|re-?index|redo|open(?: up)?|quote"
    r"|have a look (?:in|at)|take a look (?:in|at)"
)
_explicit = re.compile(rf"(?<![a-z])(?:{_place})\s{_det}(?:in\s|from\s)?{_det}$")
_loose = re.compile(
    rf"(?<![a-z])(?:in|from|see|use|using|only|just|with|against|to|and|or|by|cut|chunk|split|save|update"
    rf"|via)\s{_det}$"
)
_asks_how_to_keep = re.compile(
    r"(?<![a-z])how (?:do|to|can|could|should|would) [a-z ]{0,24}(?:save|update|cut|chunk|split)\s(?:the |my |our )?$"
)
_asks_of_it = re.compile(
    r"(?:does|do|did|has|have|what|which|is|are|where|how|whether|if|and)\s(?:(?:the|my|our|your|that)\s)?$"
)
_made = re.compile(
    r"(?<![a-z])(?:who [a-z]+s|this is|here is|here's|attached is|these are|writ(?:e|ing)|draft|publish|prepare|submit"
    r"|create|make|renew|a|an|any|every|each|good)\s(?:[a-z]+\s)?(?:the |my |our )?$"
)
_any_one = re.compile(r"(?<![a-z])(?:an?|any|every|each)\s$")
_says = re.compile(
    r"\s(?:also |already |really |even |actually )?(?:say|mention|cover|state|contain|include|specif|require"
    r"|recommend|tell|list|define|explain|talk|allow"
    r"|forbid|describe|conclude|suggest|give|show|claim|argue|report|discuss|note|ask|permit|prohibit|set out"
    r"|agree|name|have|address)"
)
_alone = re.compile(r" (?:only|alone|exclusively)(?![a-z])")
_latest = re.compile(r"(?<![a-z])(?:latest|newest|most recent|last|current|new)(?: version of (?:the |our )?)?\s$")
_last_stored = re.compile(
    r"(?<![a-z])(?P<file>(?:the |my )?(?:file|document|one|thing) (?:that |which )?i(?:'ve| have)? (?:just|last) "
    r"(?:uploaded|added|saved|stored)|(?:the|my) (?:latest|newest|last|most recent) (?:upload|file|document))(?![a-z])"
    r"|(?P<zh>刚刚?才?(?:上传|存|导入|加|传|放)(?:上去|进去|进来|好)?的(?:那|这)?[份个篇]?(?:文件|文档|资料"
    r"|材料|东西)?)"
)
_a_file = re.compile(r"\s(?:file|document|doc|one)(?![a-z])")
_cut_after = re.compile(
    r"(?: (?:needs?|should|must|has|have|ought|is|are|was|were))?(?: to)?(?: be(?:en)?)?"
    r" (?:re-?)?(?:cut|split|chunk|slic|divid|chop|segment)"
)
_ends = re.compile(r"(?: please)?\s?(?:$|[,.?!:;()\-–—\"'])")
_points = re.compile(r"(?: please)?\s?(?:[:)]|[–—]|\s-\s)|,? (?:says?|states?)(?![a-z])")
_begins = re.compile(r"(?:^|[,.:;?!(–—\n]|\s-)\s*$")
_follows = re.compile(
    r"\s?(?:$|[,.?!:;()–—\-\"'\n\ue000-\ue005\u3400-\u9fff])|'s | (?:and|or|with|for|in|on|about|to|is|are|was"
    r"|were|needs?|must|should|got|gets|do|does|did|has|have|had"
    r"|that|again|anew|into|by|using|already|also|only|alone|file|document|doc|one|please|so|but|than|versus|vs"
    r"|against|when|where|what"
    r"|how|which|who|can|could|should|must|will|would|anywhere|at|as|from|if|under|here|there|tonight|now|then|we|i"
    r"|you|people|it|when|because|regarding|concerning|aside|out|first|chapter|section|page|clause|of|over|talk"
    r"|agree|over|back|valid|due|signed|dated|silent|higher|lower|longer|shorter|missing|up to date|outdated"
    r"|smaller|bigger)(?![a-z])"
)
_another = re.compile(
    r" (?:team|template|committee|process|owner|author|group|officer|training|meeting|review|draft)s?(?![a-z])"
)
_beside = re.compile(
    r"\s*(?:,|/|&|\+|、|和|与|跟|及|以及|或|还是|(?:, )?(?:and|or|with|to|versus|vs\.?|against|nor))?\s*(?:in "
    r"|from )?(?:the |my |our )?"
)
_versus = re.compile(r"(?<![a-z])(?:vs|versus|against)(?![a-z])")
_comparing = re.compile(r"(?<![a-z])(?:compar(?:e|ing)|contrast(?:ing)?|between)\s(?:the |my |our )?$")
_SPECIAL = frozenset(
    "spreadsheet workbook pdf csv excel xlsx deck slide powerpoint postmortem runbook playbook".split()
)


_ANY = frozenset(
    "guide guideline manual report page policy note list instruction paper docs document file sheet".split()
)


class _Call(NamedTuple):
    """Words of a message that fit one file: whether of its own, of a kind of document, all that its name has."""

    start: int
    end: int
    file: str
    own: bool
    kind: bool
    whole: bool
    literal: bool  # not only by what the words mean
    meant: bool  # the name says the same in other words
    words: int


def nicknames(
    masked: str, library: Sequence[str], upload: bool = False, known: KnownFiles = NOTHING_KNOWN
) -> Iterator[tuple[int, int, str]]:
    """Where a masked message calls a stored file by words that only its name has: (start, end, the file).

    With an `upload`, "the report" alone is the upload.
    """
    text = masked[:_LONGEST]
    likely = likely_files(text, library, known.titles)
    cut = not upload and bool(orders_of_cutting(text))
    found = {(start, end): name for start, end, name in calls_in_han(text, likely, upload, cut, known)}
    if not upload and known.newest and (last_one := _last_stored.search(text)):
        found.setdefault(last_one.span(), known.newest[0])
    calls = [*_calls(text, likely, known)]
    judged = {call: _is_called(text, call, upload) for call in calls}
    for call in calls:
        if call.start == 0 and not text[call.end :].strip(" .!?"):
            continue  # asks nothing of a file
        object_of_cut = (
            cut
            and text[call.start : call.end] != "word"
            and not _any_one.search(text[max(0, call.start - 8) : call.start])
        )
        if judged[call] or object_of_cut or _stands_beside(text, call, judged, found) or _compared(text, call, calls):
            owner = _owner.search(text[max(0, call.start - 6) : call.start])
            found.setdefault((call.start - len(owner[0]) if owner else call.start, call.end), call.file)
    last = 0
    for (start, end), name in sorted(found.items(), key=lambda one: (one[0][0], -one[0][1])):
        if start >= last:
            last = end
            yield start, end, name


def _calls(text: str, likely: Sequence[tuple[str, NameWords]], known: KnownFiles) -> Iterator[_Call]:
    """The stretches of words that fit one file, the longest at each place."""
    words = merged_words(latin_words(text), text, frozenset().union(*(its.latin for _, its in likely)))
    at = 0
    while likely and at < len(words):
        call, at = _call(text, words, at, likely, known)
        if call:
            yield call


def _call(
    text: str,
    words: Sequence[tuple[int, int, str]],
    at: int,
    likely: Sequence[tuple[str, NameWords]],
    known: KnownFiles,
) -> tuple[_Call | None, int]:
    """The longest run of words from here on that fits a file, and where to go on."""
    fitting: Sequence[tuple[str, NameWords, int]] = [(name, its, 0) for name, its in likely]
    best: tuple[int, Sequence[tuple[str, NameWords, int]]] | None = None
    skipped = False
    for place in range(at, min(len(words), at + _WORDS)):
        start, _, word = words[place]
        if place > at and not re.fullmatch(r"[ \-_.'/]{1,3}|'s ", text[words[place - 1][1] : start]):
            break
        if word in FILLERS:
            if place == at or word not in ("of", "the", "for", "on"):
                break
            continue
        now = [(name, its, score + fit) for name, its, score in fitting if (fit := _fits(word, its))]
        if not now and best and not skipped and place - 1 == best[0]:  # “the Q3 numbers report”
            skipped = True
            continue
        if not now:
            break
        fitting, best = now, (place, now)
    if not best:
        return None, at + 1
    last, fitting = best
    said = [word for *_, word in words[at : last + 1] if word not in FILLERS]
    latest = _latest.search(text[max(0, words[at][0] - 24) : words[at][0]])
    if latest and (newest := known.newest_of([name for name, *_ in fitting])):  # “the latest report”
        fitting = [one for one in fitting if one[0] == newest]
    ranked = sorted(((score, -len(its.telling - {*said}), name, its) for name, its, score in fitting), reverse=True)
    if (len(ranked) > 1 and ranked[0][:2] == ranked[1][:2]) or all(word.isdigit() for word in said):
        return None, last + 1
    _, _, name, its = ranked[0]
    own = any(not word.isdigit() and (word not in KIND_OF or not its.kinds & KIND_OF[word]) for word in said)
    kind = any(KIND_OF.get(word, _NONE) & its.kinds for word in said)
    if not own and len(ranked) > 1 and not its.latin <= {*said}:  # of several manuals none is “the manual”
        return None, last + 1
    whole = its.telling <= {*said} and bool(its.telling)
    if (
        whole
        and len(words) > last + 1
        and words[last + 1][2] in _ANY
        and text[words[last][1] : words[last + 1][0]] == " "
    ):
        last += 1  # CONTRIBUTING.md is “the contributing guide”
    call = _Call(
        words[at][0] - (len(latest[0]) if latest else 0),
        words[last][1],
        name,
        own,
        kind,
        whole,
        not its.latin.isdisjoint({*said} - {*KIND_OF}),
        its.titled.isdisjoint(said),
        len(said),
    )
    return call, last + 1


def _fits(word: str, its: NameWords) -> int:
    """3 where the name has the word, 2 where it means one of its words."""
    if (
        word in its.latin
        or (len(word) > 2 and word == its.initials)
        or f"{word[0]}{len(word) - 2}{word[-1]}" in its.latin
    ):  # k8s is kubernetes
        return 3
    same = word in its.titled or KIND_OF.get(word, _NONE) & its.kinds or SUBJECT_OF.get(word, _NONE) & its.subjects
    return 2 if same else 0


def _is_called(text: str, call: _Call, upload: bool) -> bool:
    """Whether the words stand as a document's name does."""
    before = text[max(0, call.start - _REACH) : call.start]
    after = text[call.end : call.end + _REACH]
    if _made.search(before) or (call.words == 1 and not (call.literal or call.kind or call.meant)):
        return False
    if (
        call.words > 1
        and call.literal
        and (call.whole or (call.own and call.kind))
        and _asks_of_it.search(before)
        and _owner.search(before)
    ):
        return not _another.match(after)
    owned = bool(_owner.search(before)) and not (upload and before.endswith("this "))
    if not upload and owned and _cut_after.match(after):
        return True
    if not (_follows.match(after) or _says.match(after)):
        return False
    begins = bool(_begins.search(_owner.sub("", before)))
    explicit = bool(_explicit.search(before) or placed_in_han(after))
    loose = bool(_loose.search(before) and not _asks_how_to_keep.search(before))
    says = bool(
        _says.match(after) and (_asks_of_it.search(before) or (_begins.search(before) and (call.kind or call.whole)))
    )
    points = bool(
        begins and (_points.match(after) or (call.kind and re.match(",? [a-z]", after[:3]) and after[0] == ","))
    )
    if call.own and (call.kind or call.whole) and call.words > 1:
        alone = begins and bool(_alone.match(after) or not after.strip(" .!?"))
        return (owned and call.literal) or explicit or loose or says or points or alone
    if call.own and call.whole and not call.kind:
        return says or explicit or (owned and loose) or (owned and bool(_a_file.match(after)))
    if call.own:
        ends = bool(_ends.match(after) or _a_file.match(after))
        several = call.words > 1 and (explicit or points)
        a_file = begins and bool(_a_file.match(after))
        if not call.literal:
            return says or several or a_file or (explicit and ends)
        return (
            says
            or several
            or a_file
            or (explicit and ends)
            or (owned and ends and (loose or bool(_a_file.match(after))))
        )
    if upload:
        return False
    if _begins.search(before) and _alone.match(after):
        return True
    if simple(text[call.start : call.end]) in VAGUE and text[call.start : call.end] != "minutes":
        return owned and (explicit or bool(_a_file.match(after)) or (loose and before.endswith("my ")))
    special = text[call.start : call.end] in _SPECIAL or call.whole
    if owned and _asks_of_it.search(before) and not before.endswith(("my ", "our ")):
        return True
    return (
        (says and (owned or special))
        or (owned and (explicit or loose or special or bool(_a_file.match(after))))
        or points
        or (special and explicit)
    )


def _compared(text: str, call: _Call, calls: Sequence[_Call]) -> bool:
    """Whether the words name one of two files that are compared: "thesis draft vs literature review"."""
    for other in calls:
        first, second = sorted((call, other), key=lambda one: one.start)
        if other.file != call.file and len(joint := text[first.end : second.start]) < 20 and _beside.fullmatch(joint):
            return bool(_versus.search(joint) or _comparing.search(text[max(0, first.start - 16) : first.start]))
    return False


def _stands_beside(text: str, call: _Call, judged: dict[_Call, bool], found: dict[tuple[int, int], str]) -> bool:
    """Whether the words stand beside another file, joined to it: "the runbook and the release notes"."""
    if not (call.own or call.kind):
        return False
    edges = [(one.start, one.end) for one, right in judged.items() if right] + [*found]
    for start, end in edges:
        between = text[end : call.start] if end <= call.start else text[call.end : start] if call.end <= start else "-"
        if between.strip() and len(between) < 20 and _beside.fullmatch(between):
            return True
    around = text[max(0, call.start - 12) : call.start], text[call.end : call.end + 12]
    marks = f"[{LIBRARY}{UPLOAD}{STEM}]"
    return bool(
        re.search(rf"{marks}{_beside.pattern}$", around[0]) and around[0].strip()[-1:] not in (LIBRARY, "")
    ) or bool(re.match(rf"{_beside.pattern}{marks}", around[1]))
