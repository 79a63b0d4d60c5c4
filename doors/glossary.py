"""The glossary over HTTP. What the terminal works with while the page's program has the library open."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field

from doors.characters import decode_base64
from doors.forms import MOST_NAMES, Form, Name, either
from doors.management_forms import NoParameters
from library import Library

Pair = tuple[Name, Name]
Pairs = Annotated[list[Pair], Field(max_length=MOST_NAMES)]


class ChangeGlossary(Form):
    add: Pairs = either("新增的词对（中文、英文）", "pairs to add, of a Chinese and an English term", default=[])
    remove: Pairs = either("移除的词对", "pairs to remove", default=[])


class ImportGlossary(Form):
    name: Name = either("文件名，扩展名决定类型（如 terms.csv）", "its name; the ending tells its kind (terms.csv)")
    base64: str = either("文件的字节（base64）", "its bytes in base64")


class PairInfo(BaseModel):
    chinese: str
    english: str
    document: str = ""  # that says it; "": given by hand


class GlossaryList(BaseModel):
    pairs: list[PairInfo]


class GlossaryChange(BaseModel):
    changed: int  # pairs that are new, or gone
    pairs: int = 0  # of the file


async def _list(library: Library, _: NoParameters) -> GlossaryList:
    return GlossaryList(pairs=[PairInfo(**one._asdict()) for one in await library.glossary()])


async def _changed(library: Library, wish: ChangeGlossary) -> GlossaryChange:
    return GlossaryChange(changed=await library.change_glossary(wish.add, wish.remove))


async def _imported(library: Library, wish: ImportGlossary) -> GlossaryChange:
    pairs, changed = await library.import_glossary(wish.name, decode_base64(wish.base64))
    return GlossaryChange(changed=changed, pairs=pairs)


GLOSSARY_SERVICES: dict[str, Any] = {
    "list_glossary": (NoParameters, GlossaryList, _list),
    "change_glossary": (ChangeGlossary, GlossaryChange, _changed),
    "import_glossary": (ImportGlossary, GlossaryChange, _imported),
}
