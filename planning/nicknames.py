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
from planning.document_words import VAGUE, likely_files, simple
from planning.known_files import NOTHING_KNOWN, KnownFiles
from planning.name_calls import NameCall, name_calls
from planning.name_pairs import BEGINS, is_beside
from planning.near_calls import near_calls
from planning.nicknames_zh import calls_in_han, placed_before_in_han, placed_in_han
from planning.terms import URL

_LONGEST = 2_000  # characters in which such names are looked for
_REACH = 60  # characters around a name in which it is judged
_of_then = (
    r"(?:(?:last|this|next) (?:week|month|quarter|time)|yesterday|today|(?:this|yesterday) (?:morning|afternoon)"
    r"|(?:last )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|the other day)'?s"
)
_det = rf"(?:(?:the|my|our|your|that|those|these|both|existing|whole|entire|only|just|alone|{_of_then})\s){{0,3}}"
_owner = re.compile(rf"(?:the|my|our|your|that|this|those|these|(?<![a-z]){_of_then}) $")
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
    r"|have a look (?:in|at)|take a look (?:in|at)|trust|rely(?:ing)? on|believe|go(?:ing)? with|focus(?:ing)? on"
    r"|concentrat(?:e|ing) on|draw(?:ing)? on|refer(?:ring)? to|dig(?:ging)? (?:into|through)|turn to|browse|review"
    r"|examine|study|answer (?:it )?(?:from|with|by|using)|query|pull up|bring up|rather than|instead of"
    r"|forget(?: about)?|never mind|drop|bar|barring|minus|save for"
    r"|with the exception of|besides|exclude|(?:question|query) (?:is|goes) (?:about|on|to|concerning)"
    r"|(?:asking|talking|speaking|thinking) (?:about|of)|interested in|care about|beyond|look it up in|look this up in"
    r"|summari[sz](?:e|ing)|(?:points?|gist|section|chapter|part|page|clause|paragraph|contents?|essence"
    r"|outline|overview|summary|digest|tl;?dr) of|out of|quot(?:e|ing)|cit(?:e|ing)"
)
_explicit = re.compile(rf"(?<![a-z])(?:{_place})\s{_det}(?:in\s|from\s)?{_det}$")
_loose = re.compile(
    rf"(?<![a-z])(?:in|from|see|use|using|only|just|with|against|to|and|or|by|cut|chunk|split|save|update"
    rf"|via|about|regarding|concerning|as for)\s{_det}$"
)
_in_it = re.compile(r"(?<![a-z])in (?:the|our|my) $")
_on_it = re.compile(r"(?<![a-z])on (?:the|my|our|that|this) $")  # “on the March invoice”
_asks_how_to_keep = re.compile(
    r"(?<![a-z])how (?:do|to|can|could|should|would) [a-z ]{0,24}(?:save|update|cut|chunk|split)\s(?:the |my |our )?$"
)
_asks_of_it = re.compile(
    r"(?:does|do|did|has|have|what|what'?s|which|is|are|where|how|whether|if|and)\s(?:(?:the|my|our|your|that)\s)?$"
)
_made = re.compile(
    r"(?<![a-z])(?:who [a-z]+s|this is|here is|here's|attached is|these are|writ(?:e|ing)|draft|publish|prepare|submit"
    r"|create|make|renew|a|an|any|every|each|good)\s(?:(?!in |on |about |from )[a-z]+\s)?(?:the |my |our )?$"
)
_any_one = re.compile(r"(?<![a-z])(?:an?|any|every|each)\s$")
_verb_before = re.compile(
    r" (?:the|my|our|your|that|those|these|all|every|both) (?:[a-z0-9]|[\ue000-\ue005])"
)  # “leave the faq”
_says = re.compile(
    r"\s(?:should |must |might |may |will |would )?(?:also |already |really |even |actually )?(?:say"
    r"|mention|cover|state|contain|include|specif|require"
    r"|recommend|tell|list|define|explain|talk|allow"
    r"|forbid|describe|conclude|suggest|give|show|claim|argue|report|discuss|note|ask|permit|prohibit|set out"
    r"|agree|name|have|has|know|address)"
    r"|'s (?:position|stance|view|take|answer|wording|definition|rules?|terms?|text|conclusions?|advice)(?![a-z])"
)
_alone = re.compile(r" (?:only|alone|exclusively)(?![a-z])")
_ends_clause = re.compile(
    r"(?: please| pls| plz| thanks| thx| aside| apart| excluded| excepted| left out)? ?(?:$|[,.!?)])"
)
_file_about = re.compile(  # “the doc about leave”, “the file on onboarding”
    r"(?<![a-z])(?:the|that|my|our|your)\s(?:docs?|document|file|one|pdf|page|spreadsheet|sheet|deck|slides)\s"
    r"(?:that is |that's |which is )?(?:about|on|for|with|from|of|regarding|concerning|covering"
    r"|that covers|dealing with)\s(?:the |our |my )?$"
)
_last_stored = re.compile(
    r"(?<![a-z])(?P<file>(?:the |my )?(?:file|document|one|thing) (?:that |which )?i(?:'ve| have)? (?:just|last) "
    r"(?:uploaded|added|saved|stored)|(?:the|my) (?:latest|newest|last|most recent) (?:upload|file|document))(?![a-z])"
    r"|(?P<zh>刚刚?才?(?:上传|存|导入|加|传|放)(?:上去|进去|进来|好)?的(?:那|这)?[份个篇]?(?:文件|文档|资料"
    r"|材料|东西)?)"
)
_a_file = re.compile(r"\s(?:files?|documents?|documentation|docs?|ones?|paperwork)(?![a-z])")
_on_a_matter = re.compile(r" (?:about|on|regarding|concerning)(?![a-z])")
_cut_after = re.compile(
    r"(?: (?:needs?|should|must|has|have|ought|is|are|was|were))?(?: to)?(?: be(?:en)?)?"
    r" (?:re-?)?(?:cut|split|chunk|slic|divid|chop|segment)"
)
_ends = re.compile(
    r"(?: please| pls| plz| thanks| thx| somewhere| anywhere| instead| now| for now| here| today| tomorrow"
    r"| (?:this|last|next) (?:week|month|year|time))?\s?(?:$|[,.?!:;()\-–—\"'])"
)
_all_of_it = re.compile(  # “the lease is all I care about”
    r",? (?:is|are|'s) (?:all|the only (?:one|thing|file|document|source|place)|what|where"
    r"|the (?:one|file|document|source|place)) (?:that )?(?:i|we|you)(?:'m| am| are|'ll|'re)? (?:care"
    r"|need|want|mean|trust"
    r"|interested|asking|have|find|look|go|should|read|use)"
)
_points = re.compile(
    r"(?: (?:file|document|doc))?(?: please)?(?:(?: (?:of|for|from|on|with)(?: [a-z0-9'\-]+){1,4})?(?=:))?"
    r"\s?(?:[:)]|[–—]|\s-\s)|,? (?:says?|states?)(?![a-z])"
)
_follows = re.compile(
    r"\s?(?:$|[,.?!:;()–—\-\"'\n\ue000-\ue005\u3400-\u9fff])|'s | (?:and|or|with|for|in|on|about|to|is|are|was"
    r"|were|needs?|must|should|got|gets|do|does|did|has|have|had"
    r"|somewhere|today|tomorrow|(?:this|last|next) (?:week|month|year|time)|docs|documents|documentation|files"
    r"|that|again|anew|into|by|using|already|also|only|alone|file|document|doc|ones?|paperwork|please|pls|plz|thanks|thx|so|but|than|versus|vs"
    r"|against|when|where|what"
    r"|how|which|who|can|could|should|must|will|would|anywhere|at|as|from|if|under|here|there|tonight|now|then|we|i"
    r"|you|people|it|when|because|regarding|concerning|aside|out|first|chapter|section|page|clause|of|over|talk"
    r"|agree|over|back|valid|due|signed|dated|silent|higher|lower|longer|shorter|missing|up to date|outdated"
    r"|smaller|bigger)(?![a-z])"
)
_another = re.compile(
    r" (?:team|template|committee|process|owner|author|group|officer|training|meeting|review|draft)s?(?![a-z])"
)
_happens = re.compile(r" (?:last|take|happen|occur|begin|start|end|cost)(?![a-z])")  # of a thing, and not of its file
_asks_of_thing = re.compile(r"(?<![a-z])(?:when|where|who) (?:is|was|are|were) (?:the|my|our) $")
_what_are, _of = re.compile(r"(?<![a-z])what(?:'s| is| are| were) the $"), re.compile("^[a-z]+ of ")
_are, _is_done = re.compile(r"(?<![a-z])(?:is|are|was|were) (?:the |my |our )?$"), re.compile(" [a-z]+ed(?![a-z])")
_goes_in = re.compile(r"(?<![a-z])(?:belongs?|goes|go|put|be|included?|written|write) in(?:to)? $")  # what any has
_TIMES = frozenset("day week month quarter year days weeks months quarters years".split())
_SPECIAL = frozenset(
    "spreadsheet workbook pdf csv excel xlsx deck slide powerpoint postmortem runbook playbook".split()
)


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
    calls = [*name_calls(text, likely, known)]
    judged = {call: _is_called(text, call, upload) for call in calls}
    for call in calls:
        if _is_all(text, call):
            continue
        if call.words == 1 and _verb_before.match(text, call.end):
            continue
        object_of_cut = (
            cut
            and text[call.start : call.end] != "word"
            and not _any_one.search(text[max(0, call.start - 8) : call.start])
        )
        if judged[call] or object_of_cut or is_beside(text, call, judged, found, calls):
            owner = _owner.search(text[max(0, call.start - 24) : call.start])
            found.setdefault((call.start - len(owner[0]) if owner else call.start, call.end), call.file)
        elif call.own and not upload and (of := _file_about.search(text[max(0, call.start - 48) : call.start])):
            found.setdefault((call.start - len(of[0]), call.end), call.file)
    if not upload:
        taken = [*found, *((call.start, call.end) for call in calls if call.whole)]
        near = [call for call in near_calls(text, likely, known, taken) if not _is_all(text, call)]
        for call in near:
            if _is_called(text, call, upload) or is_beside(text, call, judged, found, near):
                found.setdefault((call.start, call.end), call.file)
    yield from _first_of_each(found)


def _first_of_each(found: dict[tuple[int, int], str]) -> Iterator[tuple[int, int, str]]:
    """The stretches that do not overlap: of two the one that begins first, or is longer."""
    last = 0
    for (start, end), name in sorted(found.items(), key=lambda one: (one[0][0], -one[0][1])):
        if start >= last:
            last = end
            yield start, end, name


def _is_all(text: str, call: NameCall) -> bool:
    """Whether the message has no other words: it asks nothing of the file."""
    return call.start == 0 and not text[call.end :].strip(" .!?")


class _Surroundings(NamedTuple):
    """What stands around the words of a call."""

    before: str
    after: str
    owned: bool  # "the", "my" right before them
    begins: bool  # a clause
    explicit: bool  # behind words that name a place to look
    loose: bool  # behind words that may
    says: bool  # before what a document does: "the contract requires"
    points: bool  # before a colon, a dash
    a_file: bool  # before the word "file"


def _is_called(text: str, call: NameCall, upload: bool) -> bool:
    """Whether the words stand as a document's name does."""
    before = text[max(0, call.start - _REACH) : call.start]
    after = text[call.end : call.end + _REACH]
    if text[call.start : call.end] == "words" or _made.search(before):  # not the file of Word
        return False
    if URL in text and before.endswith("this "):  # “put this article into the library: https://…”
        return False
    written = text[call.start : call.end]
    if _what_are.search(before) and not call.whole and (_of.search(written) or after.startswith(" of ")):
        return False  # “what are the rules of sailing”
    if _asks_of_thing.search(before) or _goes_in.search(before) or written in _TIMES:
        return False
    if call.words == 1 and not (call.literal or call.kind or call.meant):
        return False
    named = call.words > 1 and call.literal and (call.whole or (call.own and call.kind))
    if named and _asks_of_it.search(before) and _owner.search(before):
        return not (_another.match(after) or _happens.match(after))
    around = _surroundings(before, after, call, upload)
    if not upload and around.owned and _cut_after.match(after):
        return True
    special = around.owned and around.loose and text[call.start : call.end] in _SPECIAL  # “in the csv cost less”
    if not (special or _follows.match(after) or _says.match(after)):
        return False
    if call.own:
        return _calls_by_own_words(call, around)
    return not upload and _calls_by_kind(call, text[call.start : call.end], around)


def _surroundings(before: str, after: str, call: NameCall, upload: bool) -> _Surroundings:
    begins = bool(BEGINS.search(_owner.sub("", before)))
    told = call.kind or (call.numbered and call.words > 2)
    clause = told and bool(re.match(", [a-z]", after))
    people = before.endswith((" do ", " did ")) and not (call.kind or call.whole)  # "what do employees have"
    asked = (_asks_of_it.search(before) and not people) or (begins and (call.kind or call.whole))
    return _Surroundings(
        before,
        after,
        owned=bool(_owner.search(before)) and not (upload and before.endswith("this ")),
        begins=begins,
        explicit=bool(
            _explicit.search(before)
            or placed_in_han(after)
            or (call.kind and placed_before_in_han(before))
            or (begins and _all_of_it.match(after))
        ),
        loose=bool(_loose.search(before) and not _asks_how_to_keep.search(before))
        or bool(call.own and call.kind and _on_it.search(before)),
        says=bool(_says.match(after) and asked and not (_is_done.match(after) and _are.search(before))),
        points=begins and (clause or bool(_points.match(after))),
        a_file=bool(_a_file.match(after)),
    )


def _calls_by_own_words(call: NameCall, around: _Surroundings) -> bool:
    """Whether words that only this file's name has call it."""
    owned, explicit, loose, says = around.owned, around.explicit, around.loose, around.says
    if (call.kind or call.whole) and call.words > 1:
        alone = around.begins and bool(_alone.match(around.after) or _ends_clause.match(around.after))
        return (owned and call.literal) or explicit or loose or says or around.points or alone
    if call.whole and not call.kind:
        return says or explicit or (around.a_file and (owned or around.begins)) or (owned and loose)
    ends = (
        bool(_ends.match(around.after) or _all_of_it.match(around.after) or _on_a_matter.match(around.after))
        or around.a_file
    )
    several = call.words > 1 and (explicit or around.points)
    if says or several or (around.begins and around.a_file) or (explicit and ends):
        return True
    if call.numbered and call.words > 1 and call.literal and (loose or owned):
        return True
    # "In the audit", but "from the car" may speak of any car.
    place = loose and (call.words > 1 or call.numbered or _in_it.search(around.before))
    return call.literal and owned and ends and bool(place or around.a_file)


def _calls_by_kind(call: NameCall, written: str, around: _Surroundings) -> bool:
    """Whether words for a kind of document, of which there is one, call it."""
    owned, explicit, loose = around.owned, around.explicit, around.loose
    if around.begins and (_alone.match(around.after) or (owned and _ends_clause.match(around.after))):
        return True
    if simple(written) in VAGUE and written != "minutes":
        return owned and (explicit or around.a_file or (loose and around.before.endswith("my ")))
    special = written in _SPECIAL or call.whole
    if owned and _asks_of_it.search(around.before) and not around.before.endswith(("my ", "our ")):
        return True
    return (
        (around.says and (owned or special))
        or (owned and (explicit or loose or special or around.a_file))
        or around.points
        or (special and (explicit or (loose and call.numbered)))
        or placed_in_han(around.after)
    )
