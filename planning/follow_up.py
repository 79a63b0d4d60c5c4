"""Whether a message leans on what was said before."""

from __future__ import annotations

import re
from collections.abc import Sequence

from planning.folding import folded, normal
from question_words import question_terms
from schema import Plan
from text import CJK, STOP_WORDS

_ordinal_en = r"the (?:first|second|third|fourth|last|other|former|latter|same|next|previous)"
_opening = re.compile(
    r"(?:那(?!些?年|时)|那么|还有|另外|继续|接着|然后呢|再(?:详细|具体|说|讲|给|来|举)|详细|具体(?:一?点|说|讲"
    r"|呢)|举个?例|为什么(?:呢|$)"
    r"|为啥(?:呢|$)|比如|例如|所以|它|他们|她们|这(?!里有|本书|是什么软件)"
    r"|第[一二三四五六七八九十\d]+[个条点种项步](?!月|季度)|前者|后者"
    r"|上[面述]|刚才|刚刚|其中|其他|剩下|还要|还能|呢)"
    r"|(?:and|but|so|or|then|also|what about|how about|why not|go on|continue|more|tell me more|anything else"
    r"|what else|who else"
    rf"|else|elaborate|{_ordinal_en}(?: ones?)?(?=$|\W*$)|which (?:one|of)|another|for example|such as"
    rf"|in that case)(?![a-z])"
)
_back_zh = re.compile(
    r"它|前者|后者|上述|上面[的提说那]|刚才|刚刚[说提]|你(?:说|提到)的|前面[的提说]|这个呢|那个|这些|那些|[这那][种样]"
)
_back_en = re.compile(
    r"(?<![a-z'])(?:it(?! (?:cost|take|possible|true|mean))|its|they|them|their|theirs|those|these|that one|this one"
    rf"|{_ordinal_en} ones?|{_ordinal_en}(?=$|\W*$)|you (?:said|mentioned)|above|earlier|previously|he|she|him|her"
    rf"|his)(?![a-z'])"
)
_name = re.compile(r"(?<=[a-z,] )[A-Z][a-z]|[A-Z]{2}|[a-z][A-Z]|\d")
_EDGES = " ,.:;!\"'"  # marks that say nothing there
_short_han, _short_words = 4, 1
_LOOKED_AT = 400  # characters; what is longer is not short, and leans on nothing by its end
_early = 40  # characters in which a pronoun can have nothing to refer to yet
_long_word = 9  # letters; a longer word alone is a term to look up


def looks_like_follow_up(message: str) -> bool:
    """Whether a message probably needs the turns before it: "那第二个呢", "and part-time staff?", "why?"."""
    text = normal(message[:_LOOKED_AT])
    plain = folded(text).strip(_EDGES)
    if not plain:
        return False
    if _opening.match(plain) or _back_zh.search(plain[:_early]):
        return True
    back = _back_en.search(folded(text)[:_early])
    if back and not _name.search(text[: back.start()]):  # a name before the pronoun is what it refers to
        return True
    if re.search(r"呢\W*$", plain) and len(plain) <= 12:
        return True
    han = len(re.findall(f"[{CJK}]", plain))
    words = [word for word in re.findall(r"[a-z0-9_\-]+", plain) if word not in STOP_WORDS]
    if han:
        return han <= _short_han and not words
    return len(words) <= _short_words and not any(len(word) > _long_word or not word.isalpha() for word in words)


def history_terms(plan: Plan, questions: Sequence[str]) -> tuple[str, ...]:
    """Terms of the last of the questions before, for a follow-up that no model has restated; "it" may be a page that is
    named."""
    if plan.urls or plan.origin == "model" or not questions or not looks_like_follow_up(plan.asked):
        return ()
    return tuple(question_terms(questions[-1]))
