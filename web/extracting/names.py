"""Names in a text of either language: people, places, organisations, works, products."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from text import CJK, HAN, STOP_WORDS, fold, sentences

_LONGEST = 60  # characters of a name
_COMPARED = 150  # names with which each is compared: it may be a part of one
_work = re.compile(r"《([^《》\n]{1,40})》")
_foreign = re.compile(rf"(?<![{HAN}])[{HAN}]++(?:·[{HAN}]++)++")
_latin = r"[^\W\d_{CJK}]".replace("{CJK}", CJK)
_word = rf"[A-ZÀ-ÖØ-Þ](?:[’'.&-]?(?:{_latin}|\d))*"
_capitalised = re.compile(rf"{_word}(?:[ \u00a0–-](?:(?:of(?: the)?|for|de(?: la)?|van(?: der)?|von|du|di) )?{_word})*")
_product = re.compile(  # GPT-4, H100; RTX 4090, iPhone 15 Pro; 麒麟9000S
    r"(?<![A-Za-z0-9_.-])(?:[A-Za-z]{1,10}-?\d(?:\.?[A-Za-z0-9])*(?:-[A-Za-z0-9]+)*"
    r"|(?:[A-Z]{2,6}|(?=[A-Z]*[a-z]+[A-Z])[A-Za-z]{2,15}) \d{1,4}[A-Za-z]?)"
    rf"(?: (?:Pro|Max|Ultra|Plus|Mini|Ti|SE))*(?![A-Za-z0-9_-])|[{HAN}]{{2}}\d+[A-Za-z][A-Za-z0-9]*"
)
_unit = re.compile(
    r"\d?(?:[KMGT]i?B|[kM]?W|[kMG]?Hz|[kMGT]?bps|[mkcnμ]m|[mk]g|mAh|dB|min|[0-9](?:B|W|V|A|K|s|m|g|h|p|x|th|st|nd|rd|px|pt))$"
)
_calendar = frozenset(
    """january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat
    sun""".split()
)
_SURNAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许邓韩冯曹彭曾肖田董潘袁蔡蒋余于杜叶程魏苏吕丁任卢姚沈钟姜崔谭陆范汪"
    "廖石金韦贾夏付方邹熊白孟秦邱侯江尹薛阎段雷龙黎史陶贺毛郝顾龚邵万覃武钱戴严莫孔向常汤康易乔赖文"
)
_ORGANISATIONS = (
    "公司 大学 学院 研究院 研究所 集团 银行 医院 委员会 协会 学会 基金会 出版社 法院 博物馆 图书馆 实验室 工作室 联盟"
).split()
_PLACES = tuple("省市县区镇乡村州盟旗江河湖山岛海峡湾洲")
_NO_PLACES = frozenset(  # though jieba's dictionary has them as places
    """东南 东北 西南 西北 东部 南部 西部 北部 中部 东方 西方 南方 北方 深度 中度 外国 城市 午休 新鲜 内地 当地
    全国 各地""".split()
)
_MODIFIERS = ("n", "j", "b", "eng", "vn", "f", "zg")  # what may stand before "公司" in its name


def names(text: str) -> list[str]:
    """Each once, the most frequent first; plain text."""
    found: Counter[str] = Counter()
    for one in (*_works(text), *_chinese(text), *_english(text), *_products(text)):
        name = " ".join(one.split())
        if 1 < len(name) <= _LONGEST and not _unit.match(name):
            found[name] += 1
    best = [name for name, _ in found.most_common(_COMPARED)]
    return [
        name for name in best if not any(name in other and found[name] <= found[other] for other in {*best} - {name})
    ]


@lru_cache(maxsize=20_000)
def folded_word(word: str) -> str:
    """In the simplified script; the same words come again and again."""
    return fold(word)


def tag_words(run: str) -> list[tuple[str, str]]:
    """The words of a run of Chinese with jieba's tags: n.. a noun, nr a person, ns a place, nt an organisation."""
    import rjieba

    return [(str(word), str(tag)) for word, tag in rjieba.tag(run)]


def _works(text: str) -> Iterator[str]:
    yield from (f"《{name.strip()}》" for name in _work.findall(text))


def _products(text: str) -> Iterator[str]:
    yield from (one[0] for one in _product.finditer(text) if not _unit.search(one[0]))


def _chinese(text: str) -> Iterator[str]:
    yield from (_foreign_name(one.split("·")) for one in _foreign.findall(text))
    text = _work.sub(" ", text)
    for run in re.findall(rf"[{HAN}A-Za-z0-9]+", text):
        words = tag_words(run) if re.search(f"[{HAN}]", run) else []
        for place, (word, tag) in enumerate(words):
            if len(word) > 1 and _is_name(folded_word(word), tag):
                yield word
            if folded_word(word).endswith(tuple(_ORGANISATIONS)):
                yield from _organisation(words, place)
            elif word in _PLACES and place and words[place - 1][1].startswith(("nr", "ns")):
                yield words[place - 1][0] + word


def _foreign_name(parts: list[str]) -> str:
    """阿尔伯特·爱因斯坦, without what stands before and after it."""
    return "·".join([tag_words(parts[0])[-1][0], *parts[1:-1], tag_words(parts[-1])[0][0]])


def _is_name(word: str, tag: str) -> bool:
    if tag.startswith("nr"):
        return tag == "nrt" or (2 <= len(word) <= 3 and word[0] in _SURNAMES)
    return tag.startswith(("ns", "nt")) and word not in _NO_PLACES


def _organisation(words: list[tuple[str, str]], place: int) -> Iterator[str]:
    """What ends in 公司 or 大学, with the nouns before it: at most four words, one of them more than the ending."""
    first = place
    while first > 0 and place - first < 3 and words[first - 1][1].startswith(_MODIFIERS):
        first -= 1
    name = "".join(word for word, _ in words[first : place + 1])
    if first < place or words[place][1] == "nt":
        yield name


def _english(text: str) -> Iterator[str]:
    """Words with capitals, together: at the beginning of a sentence only where more than that speaks for a name."""
    begins = {start for start, _ in sentences(text)}
    found = [(one[0], one.start()) for one in _capitalised.finditer(text)]
    small = set(re.findall(rf"(?<!\w){_latin}+", text))
    inside = {name for name, start in found if start not in begins}
    for name, start in found:
        words = name.split()
        while (
            words
            and not _acronym(words[0])
            and (words[0].lower() in STOP_WORDS or (start in begins and words[0].lower() in small))
        ):
            words = words[1:]
        later = len(words) < len(name.split())
        name = " ".join(words)
        if all(word.lower() in _calendar for word in words):
            continue
        if len(words) > 1 or _acronym(name) or later or name in inside:
            yield name


def _acronym(word: str) -> bool:
    return len(word) > 1 and word.isupper()
