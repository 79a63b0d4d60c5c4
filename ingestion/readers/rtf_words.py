"""Words of Rich Text Format that stand for characters, for encodings, or for what is no text of the document."""

from __future__ import annotations

SKIPPED = frozenset(
    "colortbl pict object objdata header headerl headerr headerf footer footerl footerr footerf xe tc rxe bkmkstart "
    "bkmkend fldinst themedata colorschememapping datastore latentstyles listtable listoverridetable revtbl rsidtbl "
    "generator annotation atnid atnauthor atndate atnref atrfstart atrfend template filetbl pgptbl nonshppict "
    "private xmlnstbl wgrffmtfilter mmathPr pntxta pntxtb ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn".split()
)
SYMBOLS = {
    "tab": " ", "line": "\n", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“",
    "rdblquote": "”", "bullet": "•", "emspace": " ", "enspace": " ", "qmspace": " ", "nestcell": " ", "softline": "\n",
}  # fmt: skip
CHARSETS = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "cp950",
    161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251",
    222: "cp874", 238: "cp1250",
}  # fmt: skip
PAGES = {936: "gb18030", 10000: "mac_roman", 65001: "utf-8"}  # code pages that Python calls by another name
