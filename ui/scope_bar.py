"""Where questions are looked up: the picker of document sets at the message box, and the scope in force in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from library import Library
from schema import DocSetInfo, Language, Scope
from ui.doc_sets import set_choices
from ui.markup import literal
from ui.texts import text

ALL = "*"  # a set is "=" and its name, so that no name is taken for it
_NAMED = 3  # sets or files that are named; of more the number is told
# What was chosen last decides: everything ends with a set, and a set with everything; nothing chosen is everything.
_ONE_OR_ALL = f"""chosen => [
    !chosen.length || chosen.at(-1) === '{ALL}' ? ['{ALL}'] : chosen.filter(one => one !== '{ALL}')]"""


@dataclass(frozen=True)
class ScopeBar:
    row: gr.Row
    sets: gr.Dropdown
    in_force: gr.Markdown


def build_scope_bar(label: dict[str, Any]) -> ScopeBar:
    """Rendered by whoever has the place for it."""
    with gr.Row(elem_id="scope-bar", equal_height=True, render=False) as row:
        sets = gr.Dropdown(
            [("", ALL)], value=[ALL], multiselect=True, label=label["doc_sets"], show_label=False, container=False,
            min_width=120, elem_id="doc-sets",
        )  # fmt: skip
        in_force = gr.Markdown(elem_id="in-force")
    sets.input(None, sets, sets, js=_ONE_OR_ALL)
    return ScopeBar(row, sets, in_force)


def sets_offered(infos: Sequence[DocSetInfo], language: Language) -> list[tuple[str, str]]:
    """Everything, then each set with its count."""
    return [(text("every", language), ALL), *((name, f"={key}") for name, key in set_choices(infos, language))]


def sets_of(chosen: Sequence[str] | None) -> tuple[str, ...]:
    """The names of those that are chosen; none of them: everything."""
    if not chosen or chosen[-1] == ALL:
        return ()
    return tuple(one[1:] for one in chosen if one.startswith("="))


def still_there(chosen: Sequence[str] | None, infos: Sequence[DocSetInfo]) -> dict[str, Any]:
    """What is chosen, where some of it is gone. Else it is not sent: it may have changed on the page meanwhile."""
    left = [one for one in chosen or () if one == ALL or one[1:] in {info.name for info in infos}]
    return {} if left and left == chosen else {"value": left or [ALL]}


def in_force(library: Library, sets: Sequence[str], files: Sequence[str], language: Language) -> str:
    """“只查文档集 人事：3 个文档”; a message can narrow it further, which its answer says."""
    zh, chosen = language == "zh", Scope(documents=tuple(files), doc_sets=tuple(sets))
    count = len(library.documents(chosen))
    counted = f"{count:,} 个文档" if zh else f"{count:,} document{'s' * (count != 1)}"
    if not chosen:
        return f"{'检索范围：全部' if zh else 'Searching everything:'} {counted}"
    between, parts = "、" if zh else ", ", []
    for names, words in ((sets, ("文档集", "sets")), (files, ("文件", "files"))):
        if names:
            named = between.join(literal(name or text("no_set", language)) for name in names[:_NAMED])
            rest = (f" 等 {len(names)} 个" if zh else f" ({len(names)} in all)") if len(names) > _NAMED else ""
            parts.append(f"{words[0] if zh else words[1] if len(names) > 1 else words[1][:-1]} **{named}**{rest}")
    empty = "⚠ " if not count else ""
    return f"{empty}{'只查' if zh else 'Only in '}{' · '.join(parts)}{'：' if zh else ': '}{counted}"
