"""Short Chinese names that one cell alone has: “菠菜” for “有机菠菜”, “A区” for “A区冷藏”."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from planning.tables.operators import concepts_of, operator_phrases

_thing = re.compile(r"[\u4e00-\u9fff]{3,8}")
_place = re.compile(
    r"(?:[A-Za-z\d]{1,3}|[一二三四五六七八九十甲乙丙丁东南西北]{1,2})(?:[区栋楼库层室期]|号[楼库])(?=[\u4e00-\u9fff])"
)
_of_places = re.compile(r"(?<![岗职单])位|[区库楼栋室层地处房]|车间")  # in a column of posts “1班班长” is no place
_other = re.compile(r"[未不没无非待尚免零半副准伪假反除代]")  # before a word: it is something else
_of_kind = re.compile(r"[鲜土大小红白黑绿黄青紫蓝新老旧生熟冷热冻干甜酸辣咸长短厚薄硬软粗细男女]|..+")
_form = re.compile(
    r"(?:(?:缓释|控释|肠溶|分散|软|硬|咀嚼|泡腾|含)?(?:胶囊|片)|颗粒|冲剂|口服液|滴眼液|糖浆|软膏|乳膏|喷雾剂?|混悬液|滴丸|丸|栓|贴)$"
)


def short_names(values: Sequence[str], title: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """The end of a name says what it is; its beginning, of which a medicine's form may be left out, often something
    else: a tea egg is no tea."""
    together = "\n".join(values)
    known = operator_phrases().keys() | concepts_of().keys()
    for value in values:
        place = _place.match(value) if _of_places.search(title) else None
        if place and together.count(place[0]) == 1 and (phrase := tuple(place[0].lower())) not in known:
            yield phrase, value
        if not _thing.fullmatch(value):
            continue
        for part in _parts(value):
            if together.count(part) == 1 and part not in title and (phrase := tuple(part)) not in known:
                yield phrase, value


def _parts(value: str) -> Iterator[str]:
    for at in range(1, len(value) - 1):
        if _of_kind.fullmatch(value[:at]) and not _other.search(value[:at]):
            yield value[at:]
    if (bare := _form.sub("", value)) != value and len(bare) > 1:
        yield bare
