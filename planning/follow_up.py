"""Whether a message leans on what was said before."""

from __future__ import annotations

import re

from planning.folding import folded, normal
from text import CJK, STOP_WORDS

_opening = re.compile(
    r"(?:那(?!些?年|时)|那么|还有|另外|继续|接着|然后呢|再(?:详细|具体|说|讲|给|来|举)|详细|具体(?:一?点|说|讲|呢)|举个?例|为什么(?:呢|$)|为啥(?:呢|$)|比如|例如|所以"
    r"|它|他们|她们|这(?!里有|本书|是什么软件)|第[一二三四五六七八九十\d]+[个条点种项步](?!月|季度)|前者|后者|上[面述]|刚才|刚刚|其中|其他|剩下|还要|还能|呢)"
    r"|(?:and|but|so|or|then|also|what about|how about|why not|go on|continue|more|tell me more|anything else"
    r"|what else|who else|else|elaborate"
    r"|the (?:first|second|third|last|next|other|former|latter|same)(?: one)?|which (?:one|of)|another|same"
    r"|for example|such as|in that case)(?![a-z])"
)
_back = re.compile(
    r"它|前者|后者|上述|上面(?:的|提|说|那)|刚才|刚刚(?:说|提)|你(?:说|提到)的|前面(?:的|提|说)|这个呢|那个|这些|那些|这种|那种|这样|那样"
    r"|(?<![a-z'])(?:it|its|they|them|their|theirs|those|these|that one|this one|the (?:first|second|third|last"
    r"|other|former|latter|same)(?: ones?)?"
    r"|you (?:said|mentioned)|above|earlier|previous(?:ly)?|he|she|him|her|his)(?![a-z'])"
)
_short_han, _short_words = 4, 1
_early = 40  # characters in which a pronoun can have nothing to refer to yet


def looks_like_follow_up(message: str) -> bool:
    """Whether a message probably needs the turns before it: "那第二个呢", "and part-time staff?", "why?"."""
    plain = folded(normal(message)).strip(" ,.:;!\"'")
    if not plain:
        return False
    if _opening.match(plain) or _back.search(plain[:_early]):
        return True
    if re.search(r"呢\W*$", plain) and len(plain) <= 12:
        return True
    han = len(re.findall(f"[{CJK}]", plain))
    words = [word for word in re.findall(r"[a-z0-9_\-]+", plain) if word not in STOP_WORDS]
    if han:
        return han <= _short_han and not words
    self_contained = any(not word.isalpha() or len(word) > 9 for word in words)
    return len(words) <= _short_words and not self_contained
