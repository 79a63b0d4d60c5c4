"""The parts of a question that asks for several things, each as a question that is searched by itself.

Only what says so in words is taken apart: comparisons ("the difference between X and Y", "X 和 Y 有什么区别"), lists
("病假和年假分别怎么申请", "X and Y each", "Are X and Y both ...?"), things of one kind, which end alike, of which
a figure or a way is asked for ("年假和病假有几天", "how many days of annual leave and sick leave"), and two questions
in one message. A question that asks for one thing through another ("who founded the company that makes Z") is not: its
second part has no words of its own to be searched by. The walk over names of the strategy `abstract` is for these
(docs/abstract.md).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from planning.clauses import Clause, asks_how, lead_length
from planning.folding import folded, normal
from planning.follow_up import looks_like_follow_up
from planning.listed_items import items_of, listed_zh
from question_words import question_terms
from schema import QuestionPart
from text import HAN

Split = tuple[list[str], list[str]]  # what the parts are called, and the question of each
_han = re.compile(f"[{HAN}]")
MOST = 6  # parts; who lists more wants a table
_LONGEST = 300  # characters of a question that may have parts
_LONGEST_ITEM = 60
_LONGER = 40  # characters by which a part may be longer than its question

_no_item = re.compile(  # what refers to no thing of its own
    r"(?:其[它他余]|别的|一般|普通|大多|另一|[两二三几][者个种家]|之间|彼此|它们?|他们?|这|那|什么|哪"
    r"|(?:the )?(?:then|others?|most|rest|each|every|any|all|both|either|one|two|three|past|present)(?![a-z])"
    r"|(?:what|which|who|how|why|when|where|it|they|them|that|this|these|those|he|she|his|her|its|their)(?![a-z]))"
)

# --- Chinese -------------------------------------------------------------------------------------------------------

_each_zh = re.compile(
    r"(?:分别|各自|各(?=是|有|为|需|要|多|几|怎|如|可|能|应|会|占|由|属|指|叫|什|在|用|给|放|享|收|花|得|负|做|包|适"
    r"|规定))(?:都|又)?(?=.)"
)
_differ_zh = re.compile(
    r"(?:之间|两者|二者|三者)?(?:[的在上有何啥存]|什么|哪些|怎样|怎么|主要|最大|本质|明显|具体|根本|一些){0,6}"
    r"(?:区别|差别|差异|异同|相同点|不同点|共同点|不同之处|(?<=[何有么些的上])不同(?![的于]))"
)
_which_zh = re.compile(r"(?:相比|比起来|比较)?,?(?:哪一?[个种家款项边]|谁)的?(?=.{0,8}(?:更|比较|较|最|先|早|晚))")
_same_zh = re.compile(r"(?:是否|是不是)?(?:都|同样|均)(?=[是有属需要能可以在])|是否(?:相同|一样|一致)|一样吗")
_compare_zh = re.compile(r"(?:请)?(?:比较|对比|对照|比一比)(?:一下|下)?")
_asked_zh = re.compile(
    r"(?:一共|总共|最多|最少|至少|[都要会能应得须]|需要|可以|应该|必须|什么时候|何时)*"
    r"(?:(?:是|有|为|放|休|交|付|花)?(?:多少|多久|多长|多大|多高|多远|几(?![乎率何]))|怎么|怎样|如何|什么时候|何时)"
)
_together_zh = re.compile("之间|互|一起|共同|合|区分|[转切替变]换|[沟通]通|配|签|连|混|分开|分别|换成|选|搭|取舍|冲突")
_yes_no_zh = re.compile(r"吗|么$|是否|是不是")


def _parts_zh(question: str, plain: str) -> Split | None:
    for mark in (_each_zh, _which_zh, _differ_zh, _same_zh):
        found = mark.search(plain)
        if not found or (mark is _same_zh and not _yes_no_zh.search(plain)):
            continue
        lead, items, of = listed_zh(question[: found.start()].rstrip(" ,，"))
        rest = "" if mark is _differ_zh else question[found.end() :]
        if len(items) > 1 and len(rest) <= _LONGEST_ITEM:
            return items, [f"{lead}{item}{of}{rest}" for item in items]
    if found := _compare_zh.match(plain, lead_length(plain)):
        lead, items, of = listed_zh(question[found.end() :])
        return items, [f"{lead}{item}{of}" for item in items]
    return _of_one_kind_zh(question, plain)


def _of_one_kind_zh(question: str, plain: str) -> Split | None:
    """ "年假和病假有几天": their last character says that they are of one kind. Nothing that is done with both at once
    is taken apart."""
    found = _asked_zh.search(plain)
    if not found or _together_zh.search(plain):
        return None
    lead, items, of = listed_zh(question[: found.start()])
    kind = items[0][-1:] if len(items) > 1 else ""
    alike = _han.match(kind) and all(len(item) > 1 and item.endswith(kind) for item in items)
    return (items, [f"{lead}{item}{of}{question[found.start() :]}" for item in items]) if alike else None


# --- English -------------------------------------------------------------------------------------------------------

_about = r"(?:in terms of|with (?:respect|regard) to|regarding|concerning|when it comes to|in|on|for|about|at)"
_between = re.compile(
    r"(?<![a-z])(?:differences?|distinctions?|similarit(?:y|ies)|comparisons?)(?P<of> (?:in|of) .{1,60})?"
    r" between (?P<list>.+)"
)
_differ = re.compile(r"how (?:do|does|did|are|is|was|were) (?P<list>.+) (?:differ(?:ent)?|compared?)(?P<of> .+)?$")
_compare = re.compile(
    r"(?:please )?(?:compare|contrast) (?P<list>.+?)"
    r"(?:, (?P<of>(?:do|does|did|is|are|which|who|what|how|when|where)(?![a-z]).+))?$"
)
_versus = re.compile(r"(?<![a-z])(?:vs\.?|versus)(?![a-z])")
_common = re.compile(r"what (?:do|did|does) (?P<list>.+) have in common")
_each = re.compile(r",? (?:respectively|each)(?![a-z])(?! other)")
_boundary = re.compile(
    r"(?<![a-z])(?:do|does|did|is|are|was|were|can|could|will|would|should|must|have|has|had|of|in|for|at|to|by|from|about"
    r"|with|on|wrote|when|how|that)(?![a-z])(?: both(?![a-z]))?(?: the(?![a-z]))?"
)
_article, _leading_article = re.compile(r"\bthe $", re.IGNORECASE), re.compile("^the ", re.IGNORECASE)
_both = re.compile(r"(?:are|were|is|was|do|does|did|have|has|can)(?: both)? (?P<list>.+)")
_either = re.compile(
    r"which(?![a-z])|(?:who|what|when|where)(?![a-z]).*(?<![a-z])(?:more|less|most|least|first|last|better|best"
    r"|[a-z]{2,}(?:er|est)(?<!other)(?<!ever)(?<!number)(?<!after)(?<!under)(?<!over)(?<!water))(?![a-z])"
)
_amount = re.compile(r"how (?:many|much|long|often|far|old|tall|large|big|high)(?![a-z])|when(?![a-z])")
_alike = re.compile(
    r"(?<![a-z'-])(?P<a>[a-z'-]+ (?P<kind>[a-z]{3,})) (?:and|or) (?:the |of )?"
    r"(?P<b>(?!the )[a-z'-]+ (?P=kind))(?![a-z])"
)
_capitalised = re.compile(r"(?:[A-Z0-9][\w.'’\-]*|of|the|de|du|von|van|der|la|le|&|\"|“|”)")


def _parts_en(question: str, plain: str) -> Split | None:
    for read in (_compared, _of_each, _yes_or_no, _one_or_other, _of_one_kind):
        if found := read(question, plain):
            return found
    return None


def _compared(question: str, plain: str) -> Split | None:
    for pattern in (_between, _common, _compare, _differ):
        found = pattern.search(plain) if pattern is _between else pattern.match(plain)
        if not found:
            continue
        start, end = found.span("list")
        listed, of = question[start:end], ""
        if "of" in pattern.groupindex and found["of"]:
            of = question[slice(*found.span("of"))].strip()
        sides = re.split(r" (?:with|to|against) ", listed) if pattern is _compare else [listed]
        if pattern is _differ and re.match(r"(?:from|to|with) ", of):
            sides, of = [listed, of.partition(" ")[2]], ""
        last, aside, topic = _split_at(sides[-1], rf" {_about} ")
        sides[-1] = last
        items = [item for side in sides for item in items_of(side)]
        of = of or aside + topic
        return items, [f"{item} {of}".strip() for item in items]
    if found := _versus.search(plain):
        items = items_of(question[: found.start()]) + items_of(question[found.end() :])
        return items, items
    return None


def _split_at(text: str, pattern: str) -> tuple[str, str, str]:
    found = re.search(pattern, text)
    return (text[: found.start()], found[0].strip() + " ", text[found.end() :]) if found else (text, "", "")


def _of_each(question: str, plain: str) -> Split | None:
    found = _each.search(plain)
    if not found:
        return None
    lead, items = _list_at_end(question[: found.start()])
    rest = question[found.end() :]
    return items, [f"{lead}{item}{rest}" for item in items]


def _list_at_end(text: str) -> tuple[str, list[str]]:
    """What stands before a list, and its items: names to their first capital, other things to a word of grammar."""
    items = items_of(text)
    if len(items) < 2:
        return text, items
    first, second = items[0], items[1]
    if second[:1].isupper() or second[:1] in '"“':
        words = first.split(" ")
        named = len(words)
        while named > 1 and words[named - 1] and _capitalised.fullmatch(words[named - 1].rstrip(",")):
            named -= 1
        while named < len(words) and words[named][:1].islower():
            named += 1
        start = len(" ".join(words[:named])) + 1 if named < len(words) else 0
    else:
        ends = [found.end() for found in _boundary.finditer(folded(first))]
        start = ends[-1] + 1 if ends and ends[-1] < len(first) else 0
    lead, rest = first[:start], items[1:]
    if _article.search(lead):
        rest = [_leading_article.sub("", item) for item in rest]
    return lead, [first[start:], *rest]


def _yes_or_no(question: str, plain: str) -> Split | None:
    """ "Are A and B both in Sweden?": two names behind the verb."""
    found = _both.match(plain)
    if not found or not re.search(r"(?<![a-z])and(?![a-z])", plain):
        return None
    words = question[found.start("list") :]
    both = re.match(r"(?P<kind>(?:both |the )?[a-z ,]*)(?P<a>[A-Z\"“].*?) and (?P<b>.+)", words)
    if not both:
        return None
    names = list[str]()
    rest = both["b"].split(" ")
    while rest and (_capitalised.fullmatch(rest[0].rstrip(",")) or not names):
        names.append(rest.pop(0))
        if names[-1].endswith(","):
            break
    while names and names[-1] in ("of", "the", "&"):
        rest.insert(0, names.pop())
    a, b = both["a"].strip(" ,"), " ".join(names).strip(" ,")
    if not rest or not b[:1].isupper() or re.match(r"[a-z]", rest[0]) is None:
        return None
    asked = re.sub(r"\b(?:both|the same|also|too)\b *", "", f"{both['kind']}{' '.join(rest)}".strip())
    return [a, b], [f"{item} {asked}" for item in (a, b)]


def _one_or_other(question: str, plain: str) -> Split | None:
    """ "Which is older, A or B?"."""
    if not _either.match(plain) or plain.count(" or ") != 1:
        return None
    stem, comma, listed = question.rpartition(", ")
    if listed.startswith("or "):
        stem, comma, listed = "", "", question
    if not comma or " or " not in listed:
        stem, items = _list_at_end(question)
        if len(items) != 2 or not all(item.strip()[:1].isupper() for item in items):
            return None
    else:
        items = items_of(listed)
    return items, [f"{stem.strip()}: {item}" for item in items]


def _of_one_kind(question: str, plain: str) -> Split | None:
    """ "How many days of annual leave and sick leave": what two things have in common is said by their last word."""
    found = _alike.search(plain) if _amount.match(plain) else None
    if not found:
        return None
    items = [question[slice(*found.span(side))] for side in ("a", "b")]
    return items, [f"{question[: found.start('a')]}{item}{question[found.end() :]}" for item in items]


# --- both ----------------------------------------------------------------------------------------------------------

_joint = re.compile(
    r"\s*[?]+\s*|(?:\s*[,;]|\s)\s*and (?=(?:what|how|who|when|where|why|which)(?![a-z]))"
    r"|\s*[,;]?\s*(?:以及|还有|另外)|(?<![下后时前中])[,;](?![会将才就都还则而])"
)


def _questions(question: str, plain: str) -> list[str]:
    """The questions of a message that has more than one, each of which stands by itself."""
    found, start = list[str](), 0
    for joint in [*_joint.finditer(plain), None]:
        if joint and not _han.search(plain) and joint[0] in (",", ";"):
            continue
        end, after = joint.span() if joint else (len(plain), len(plain))
        if not _asks(piece := plain[start:end]):
            if found or joint is None or "?" in joint[0]:
                return []
            continue
        found.append(question[start:end])
        if joint and joint[0].strip().endswith("and") and " who " in piece:
            return []  # of somebody "who … and who …"
        start = after
    return found


def _asks(piece: str) -> bool:
    alone = Clause(0, len(piece), piece, "")
    return asks_how(alone) and not looks_like_follow_up(piece) and len(set(question_terms(piece))) >= 2


def question_parts(question: str) -> tuple[QuestionPart, ...]:
    """The parts, in order; none where the question asks for one thing."""
    question = normal(question).strip().rstrip("?？。.!！ ")
    if len(question) > _LONGEST:
        return ()
    plain = folded(question)
    if len(several := _questions(question, plain)) > 1:
        return tuple(QuestionPart(one, one) for one in several[:MOST])
    found = _parts_zh(question, plain) if _han.search(plain) else _parts_en(question, plain)
    if found is None:
        return ()
    items, asked = ([" ".join(text.split()).strip('，, "“”') for text in side] for side in found)
    if not 2 <= len(items) <= MOST or len({folded(item) for item in items}) < len(items):
        return ()
    if any(not item or len(item) > _LONGEST_ITEM or _no_item.match(folded(item)) for item in items):
        return ()
    return tuple(QuestionPart(one, item) for item, one in zip(items, asked, strict=True))


def parts_by_model(filled: Sequence[str], message: str, question: str) -> tuple[QuestionPart, ...]:
    """Those of the rules; where they see one thing asked for, of the parts that a model names those that can be.

    Each has a word of the message that not all have and none before it has, and is hardly longer than the question; one
    that breaks this is lost, the others count. One alone is no part.
    """
    if by_rules := question_parts(question):
        return by_rules
    asked = [" ".join(one.split()) for one in filled if "://" not in one]
    said, most = {*question_terms(message)}, len(question) + _LONGER
    words = {one: said.intersection(question_terms(one)) for one in asked if len(one) <= most}
    shared, before, parts = set.intersection(*words.values()) if words else set(), set[str](), list[QuestionPart]()
    for one, own in words.items():
        if own - shared - before:
            parts.append(QuestionPart(one, one))
            before |= own
    return tuple(parts[:MOST]) if len(parts) > 1 else ()
