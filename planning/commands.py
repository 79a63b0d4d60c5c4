"""What a clause orders: to save, or to manage the library; and messages that are no request at all."""

from __future__ import annotations

import itertools
import re
from typing import Literal

from planning.chunk_sizes import REST
from planning.chunking_facts import blank_chunking_facts, find_chunking_facts
from planning.clauses import Clause, asks_how, clauses, is_question, lead_length, residue, words
from planning.sets import manages_sets
from planning.small_talk import SMALL_TALK, SMALL_TALK_FILL
from planning.terms import DOC_SET, EXCEPT_ZH, FILE, FILES, ONE_URL, TARGET, BilingualTerms, union
from planning.vocabulary import (
    ASKING,
    CHANGE,
    CONTENT_VERB,
    CUT,
    DELETE,
    EVERY_FILE,
    LIST,
    OVERLAP,
    SAVE,
    SET,
    SIZE,
    STORE,
    THING,
    THIS,
)

_save_word = re.compile(union(SAVE, CUT))
_saving_word = re.compile(union(SAVE, CUT, SIZE, OVERLAP))
_other_verb = union(CONTENT_VERB, DELETE, ASKING)
_definite = rf"(?:{FILES}|{ONE_URL}|{THIS.either}(?:[\s的]*{THING.either})?)"
_target = (
    rf"(?:到|进|入|至|在|(?<![a-z])(?:to|in|into|on|onto) (?:the |my |our |your )?)\s*(?:[^\W\d_]+ )?{STORE.either}"
)
_tail = (
    r"(?=\s*(?:$|,|[吧了哦啊呀吗嘛好]|用|按|以|到|进|入|至|换|改|重|,|(?<![a-z])(?:with|using|as|into|in|to|by"
    r"|for|please|pls|again"
    r"|now|at|and|so|via|too)(?![a-z])))"
)
_LONGEST_ORDER = 120  # characters; a longer clause tells something
_short = r"(?:一下|一遍|下|\s|一份|好|了)*"
_verb_first = re.compile(rf"{union(SAVE, CUT, CHANGE)}{_short}(?:{_definite}{_tail}|(?:{THING.either})?\s*{_target})")
_object_first = re.compile(rf"(?:把|将)[^,]{{1,60}}?(?:{union(SAVE, CUT, CHANGE)})")
_into_store = re.compile(  # whatever the verb: "pop this in the library", "把它丢进知识库"
    rf"(?!{_other_verb})[a-z]+(?: on)? {_definite}(?: [a-z-]+){{0,2}}\s*{_target}"
    rf"|(?:把|将)\s*{_definite}[^,]{{0,4}}[到进入]\s*{STORE.either}"
)
_past = re.compile(
    r"(?:已经?|刚刚?|刚才|之前|昨天|上次|以前|曾)[^,]{0,8}(?:保存|上传|导入|入库|更新|存)|(?:保存|上传|导入"
    r"|入库|更新)(?:过|了(?=.))|^(?:如果|假如|若|当|要是"
    r"|万一)|[时候]$"
)
_condition = re.compile(r"(?:if|when|after|before|once|while|since|because|unless|until|as soon as)(?![a-z])")
_asks_whether = re.compile(
    r"(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have)(?! (?:you|i|we"
    r"|it be possible)(?![a-z]))(?![a-z])"
)
_asks_of_later = re.compile(  # “can I change the chunk size later?” orders nothing
    r"还(?:能|可以|会|用|要|需要)[^,]*[吗么]$|^(?:can|could|may|do|will) (?:i|we) [^,]*(?:later(?: on)?|afterwards"
    r"|any ?time|at some point)$"
)
_asks_of_things = re.compile(  # “can I put it in the dishwasher?”, “可以把它放进微波炉吗？”
    r"^(?:(?:can|could|may|must|should|do|will) (?:i|we)|(?:am i|are we) allowed to"
    r"|is it (?:ok|okay|fine|safe) to)(?![a-z])"
    r"|[到进入在][^,]{1,12}[吗么嘛]$"
)
_of_the_library = re.compile(
    rf"{FILES}|{ONE_URL}|[{TARGET}{DOC_SET}]|{THING.either}|{_target}|(?<![a-z])(?:set|collection)(?![a-z])|文档集"
)
_nominal = re.compile(r"的(?:方法|流程|步骤|方式是|规定|要求|原因|期限|限制|时间|区别|问题|注意事项|优缺点|原理)")


def _asks_of_a_thing(clause: Clause) -> bool:
    """Whether it is a question where something else than a file may be put."""
    asks = "?" in clause.stop and _asks_of_things.search(clause.text)
    return bool(asks) and not _of_the_library.search(clause.text)


def is_save(clause: Clause, *, upload: bool) -> bool:
    """Whether a clause orders to save, or says how to cut what is saved.

    With an upload, save words or facts about chunking are enough in a clause that asks nothing; without one it
    must be all that the clause says, or the object must be a definite one ("this file", a stored file, "把…").
    """
    if asks_how(clause) or _nominal.search(clause.text):
        return False
    if "?" in clause.stop and _asks_of_later.search(clause.text):
        return False
    if not upload and _asks_of_a_thing(clause):
        return False
    if not upload and (_past.search(clause.text) or _condition.match(clause.body)):
        return False
    asks = _asks_whether.match(clause.text) or ("?" in clause.stop and not lead_length(clause.text))
    if not upload and asks and not re.search(FILE, clause.text):
        return False
    body = clause.body
    framed = _verb_first.match(body) or (_object_first.match(body) and _definite_object(body))
    if framed or (upload and _into_store.match(body)):
        return True
    says = bool((_saving_word if upload else _save_word).search(clause.text))
    atoms = find_chunking_facts(clause.text)
    changes = bool(re.search(CHANGE.either, clause.text) or re.match(r"用|按|以|use|using|with", body))
    if not upload and not says and not (atoms and (changes or any(atom.kind != "strategy" for atom in atoms))):
        return bool(re.search(FILE, clause.text)) and bool(atoms) and not _rest(clause)
    if not says and not atoms:
        return False
    return not _rest(clause)


_except = BilingualTerms(f"{EXCEPT_ZH}|以外|之外|外$", "except(?: for)?|apart from|other than|else")
_such = BilingualTerms("比如|比方说|例如", "say|something like|give")
_excepted = re.compile(rf"(?:{EXCEPT_ZH}|except(?: for)? |apart from )\s*(?:the )?{FILES}\s*(?:以外|之外|外)?")


def excepts(clause: Clause) -> bool:
    """Whether a clause only names files that the order behind it is not for."""
    return bool(_excepted.fullmatch(clause.text))


def adds_nothing(clause: Clause) -> bool:
    """Whether a clause has no words but those of saving and chunking: behind an order to save it belongs to it."""
    return not is_question(clause) and not _rest(clause)


def _rest(clause: Clause) -> str:
    text = EVERY_FILE.sub(" ", blank_chunking_facts(clause.text))
    return residue(text, SAVE, CUT, CHANGE, THING, THIS, STORE, REST, _except, _such)


def _definite_object(body: str) -> bool:
    """Of 把 X …: whether X is a file, a definite thing, or goes into the library."""
    return bool(
        re.match(rf"(?:把|将)\s*(?:{FILES}|[^,]{{0,12}}?{THING.either}|{THIS.either})", body)
        or re.search(_target, body)
    )


def mentions_saving(clause: Clause) -> bool:
    """Whether a clause has a word of saving or a fact about chunking at all; beside an upload that is a wish."""
    if len(clause.text) > _LONGEST_ORDER:
        return False
    if TARGET in clause.text:
        return True
    says = re.search(SAVE.zh, clause.text) or re.search(CUT.zh, clause.text) or _save_word.match(clause.body)
    return bool(says or find_chunking_facts(clause.text))


# --- the library --------------------------------------------------------------------------------------------------


def asks_for_files(message: str) -> bool:
    """Of a message that manages the library: whether it asks which files or sets there are, and orders nothing."""
    text = message.lower()
    return bool(_list.search(text) and not _delete.search(text) and not manages_sets(text.strip(" .!。！?？")))


_delete = re.compile(DELETE.either)
_list = re.compile(LIST.either)
_own = re.compile(
    rf"{union(STORE, SET)}|(?:我的?|保存|上传|存|已有|现有|全部|所有|当前|哪些|列出)[^,]{{0,6}}(?:文件|文档|资料)"
    r"|(?:文件|文档)(?:列表|清单)"
    r"|(?<![a-z])(?:my|our|all(?: the)?|uploaded|saved|stored|indexed|the|list|current)(?: (?:uploaded|saved"
    r"|stored|indexed))? (?:files?|documents?|docs|uploads)(?![a-z])"
    r"|(?<![a-z])(?:files?|documents?|docs) (?:do (?:i|we|you) have|have (?:i|you)|did i|are (?:there|saved|stored|in))"
)
_stored_words = BilingualTerms(
    "已经?|现在|目前|当前|现有|清单|列表|了|过|存|保存|上传",
    "uploaded|saved|stored|indexed|currently|so far|already|far|upload|save|store|names?",
)


def manages_library(clause: Clause) -> bool:
    """Whether a clause orders to delete, list or move what is stored, and says nothing else."""
    if re.search(r"怎么|怎样|如何|为什么", clause.text) or re.match(r"(?:how (?!many)|why)", clause.body):
        return False
    if manages_sets(clause.body):
        return True
    if residue(clause.text, DELETE, LIST, SET, THING, THIS, STORE, _stored_words):
        return False
    removes = _delete.match(clause.body) or re.match(
        rf"(?:把|将)[^,]{{0,60}}{DELETE.either}|{FILES}[^,]{{0,6}}{DELETE.either}", clause.body
    )
    if removes:
        return bool(re.search(rf"{FILE}|{DOC_SET}|{union(THING, STORE, THIS, SET)}", clause.text))
    return bool(
        _list.search(clause.text)
        and _own.search(clause.text)
        and FILE not in clause.text
        and not re.search(FILE, clause.text)
    )


# --- no request at all ---------------------------------------------------------------------------------------------

_talk = re.compile(union(SMALL_TALK))
_short_greeting = re.compile("拜拜|[好早]")  # one character alone, or twice, is noise otherwise
_rows = ["qwertyuiop", "asdfghjkl", "zxcvbnm"]
_place = {c: (row, i) for row, keys in enumerate(_rows) for i, c in enumerate(keys)}


def unclear_kind(masked: str) -> Literal["small_talk", "noise", "library"] | None:
    """What a whole message is that asks and saves nothing; None for a request."""
    if is_noise(masked) and not _short_greeting.fullmatch(masked.strip(" .,!。")):
        return "noise"
    if is_small_talk(masked):
        return "small_talk"
    if manages_sets(whole := masked.strip(" .!。！")) or manages_sets(whole[lead_length(whole) :]):
        return "library"
    rest = [clause for clause in clauses(masked) if not is_small_talk(clause.text)]
    return "library" if rest and all(manages_library(clause) for clause in rest) else None


def is_small_talk(masked: str) -> bool:
    """Greetings, thanks, assent and the like, and nothing else."""
    if re.search("[\ue000-\ue005]", masked) or not _talk.search(masked):
        return False
    rest = words(SMALL_TALK, SMALL_TALK_FILL).sub(" ", masked)
    return not re.sub(r"[\W_]+", "", rest)


def is_noise(masked: str) -> bool:
    """No words at all, digits alone, one character over and over, or keys hit at random."""
    words = re.findall(r"[^\W_]+", masked)
    if re.search("[\ue000-\ue005]", masked):
        return False
    return all(
        word.isdecimal() or (len(set(word)) == 1 and (len(word) > 2 or not word.isascii())) or _is_mashed(word)
        for word in words
    )


def _is_mashed(word: str) -> bool:
    """A Latin word that walks over a keyboard's row, or has no vowel and keeps to neighbours or the home row."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return len(word) == 1 and word.isascii()
    steps = []
    for a, b in itertools.pairwise(word):
        (row_a, i), (row_b, j) = _place[a], _place[b]
        steps.append(j - i if row_a == row_b else 0)
    walk = any(s and abs(s) == 1 and steps[i : i + 3] == [s] * 3 for i, s in enumerate(steps))
    if walk:
        return True
    near = sum(abs(step) == 1 for step in steps) / len(steps)
    home = sum(c in _rows[1] for c in word) / len(word)
    return (not set(word) & set("aeiouy") and (near >= 0.5 or home >= 0.75)) or (len(set(word)) <= 3 and len(word) >= 6)
