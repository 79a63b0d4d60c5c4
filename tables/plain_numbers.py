"""Numbers that are written without separators: years, and what tells things apart, as rooms and telephones."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tables.columns import bare_name, tells_apart

_FIRST_YEAR, _LAST_YEAR = 1000, 2200
_year = re.compile(r"^year\b(?!s)|(?<!per)[\s_]year$|年份|年度|^年$|[版生]年$", re.IGNORECASE)
_event = re.compile(
    r"\b(?:since|joined|born|died|founded|established|built|opened|closed|started|ended|hired|elected|graduated"
    r"|published|released|launched|aired|premiered|manufactured|made|acquired|bought|purchased|planted|installed"
    r"|renovated|restored|rebuilt|modernised|modernized|discovered|invented|painted|composed|written|completed"
    r"|introduced|retired|left|member since|from|until|till|season|vintage|edition|class of|debut|first|last|term)\b"
    r"|年$|届|入会|入职|入学|加入|成立|创立|创办|始建|建成|建造|落成|竣工|出生|生于|出版|上映|发行|毕业|购置|购买|购入"
    r"|投产|启用|安装|当选|首演|获奖|改建|翻新|退休",
    re.IGNORECASE,
)
_place_or_number = re.compile(  # what else tells things apart, if its cells are figures alone
    r"(?:^|[\s_])(?:mobile|hotline|extension|ext\.?|room|locker|badge|gate|platform|plz|pin|account|card|index)$"
    r"|号码|序号|分机|座机|热线|联系方式|证号|号$",
    re.IGNORECASE,
)


def is_written_plainly(name: str, numbers: Iterable[int | float | None]) -> bool:
    """Whether a column's numbers are read figure by figure: 2016 of "Joined", 1204 of "Room", and not 1,204 "Rooms"."""
    bare = bare_name(name)
    if _year.search(bare) or tells_apart(name) or _place_or_number.search(bare):
        return True
    told = [one for one in numbers if one is not None]
    event = bare == name and _event.search(name) is not None  # "Opened", and not "Opened (letters)"
    return event and bool(told) and all(_FIRST_YEAR <= one <= _LAST_YEAR for one in told)
