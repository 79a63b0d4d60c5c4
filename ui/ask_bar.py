"""Above the message box: what the next message searches, how, and how it saves, a chip each; a click opens its choices.

What is chosen here wins over the words of a message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import gradio as gr

from answering.document_titles import list_labels
from library import Library
from nodes.overrides import Overrides
from nodes.state import Controls
from planning.chunking_words import describe_chunking
from schema import AS_USUAL, DocSetInfo, Language, Message, Origin, Scope, WebPolicy
from settings import Settings
from ui.doc_sets import into_choices, set_choices
from ui.markup import literal
from ui.options import chunkers, policies, read_chunking, strategies, unit_choice
from ui.page_notes import connect_clock, digest, note_box
from ui.scripted_html import scripted_html
from ui.texts import page_language, text

ALL = "*"  # a set is "=" and its name, so that no name is taken for it
OFFERED = 500  # names that the scope offers; any other one can be typed
_NAMED = 2  # sets or files that are named in a chip; of more the number is told
_LONGEST = 60  # characters of a name in the narrow list
# What was chosen last decides: everything ends with a set, and a set with everything; nothing chosen is everything.
_ONE_OR_ALL = f"""chosen => [
    !chosen.length || chosen.at(-1) === '{ALL}' ? ['{ALL}'] : chosen.filter(one => one !== '{ALL}')]"""


@dataclass(frozen=True)
class AskBar:
    """Its components. Events take `controls`; `listing` is what changes with the library."""

    row: gr.Row
    sets: gr.Dropdown
    scope: gr.Dropdown
    strategy: gr.Dropdown
    answers_in: gr.Dropdown
    web: gr.Dropdown
    into: gr.Dropdown
    chunker: gr.Dropdown
    size: gr.Number
    overlap: gr.Number
    unit: gr.Dropdown
    chips: gr.HTML
    notices: gr.Markdown
    seen: gr.Textbox  # of the library, what is shown

    @property
    def controls(self) -> list[gr.components.Component]:
        """In the order in which `read_controls` takes their values."""
        return [
            self.strategy, self.web, self.chunker, self.size, self.overlap, self.scope, self.sets, self.into,
            self.answers_in, self.unit,
        ]  # fmt: skip

    @property
    def listing(self) -> list[gr.components.Component]:
        """In the order in which `AskBarHandlers.listing` gives their values."""
        return [self.notices, self.scope, self.sets, self.into, self.seen]

    @property
    def followed(self) -> list[gr.components.Component]:
        """In the order in which `AskBarHandlers.follow` and `news` take their values."""
        return [self.seen, self.scope, self.sets]


def build_ask_bar(label: dict[str, Any], settings: Settings) -> AskBar:
    """Rendered by whoever has the place for it."""
    seen = note_box()
    with gr.Row(elem_id="ask-bar", render=False) as row:
        notices = gr.Markdown(elem_id="notices")
        chips = scripted_html("chips", elem_id="chips")
        with gr.Column(elem_id="scope-choices", elem_classes="choices", min_width=0):
            sets = gr.Dropdown([("", ALL)], value=[ALL], multiselect=True, label=label["doc_sets"], elem_id="doc-sets")
            scope = gr.Dropdown(
                [], multiselect=True, allow_custom_value=True, label=label["scope"], info=label["scope_info"],
                elem_id="scope",
            )  # fmt: skip
        with gr.Column(elem_id="strategy-choices", elem_classes="choices", min_width=0):
            strategy = gr.Dropdown(strategies("en"), value="", label=label["strategy"], elem_id="strategy")
            answers_in = gr.Dropdown(
                [(label["auto"], ""), ("中文", "zh"), ("English", "en")], value="", filterable=False,
                label=label["answers_in"], info=label["answers_in_info"], elem_id="answers-in",
            )  # fmt: skip
            web = gr.Dropdown(
                policies("en"), value=settings.web, label=label["web"], info=label["web_info"], filterable=False,
                interactive=settings.web != "never", elem_id="web",
            )  # fmt: skip
        with gr.Column(elem_id="saving-choices", elem_classes="choices", min_width=0):
            into = gr.Dropdown(
                [], value="", allow_custom_value=True, label=label["into_set"], info=label["into_set_info"],
                elem_id="save-into",
            )  # fmt: skip
            chunker = gr.Dropdown(chunkers("en"), value="", label=label["chunker"], elem_id="chunker")
            with gr.Row():
                size = gr.Number(
                    0, precision=0, minimum=0, label=label["size"], info=label["zero_auto"], elem_id="size",
                    min_width=80,
                )  # fmt: skip
                overlap = gr.Number(
                    0, precision=0, minimum=0, label=label["overlap"], info=label["zero_auto"], elem_id="overlap",
                    min_width=80,
                )  # fmt: skip
            unit = unit_choice(label, "unit", "auto", info=label["unit_info"])
    return AskBar(row, sets, scope, strategy, answers_in, web, into, chunker, size, overlap, unit, chips, notices, seen)


def connect_ask_bar(bar: AskBar, handlers: AskBarHandlers) -> None:
    """Its own events: following the library, and telling in the chips what is chosen."""
    # the only clock that runs all the time: each request costs an open page processor
    connect_clock(gr.Timer(2), handlers.news, handlers.follow, bar.followed, bar.listing)
    bar.sets.input(None, bar.sets, bar.sets, js=_ONE_OR_ALL)
    # One event for all: of two, the answer to the older could arrive last and stay.
    parts: list[Any] = [*bar.controls, bar.seen]
    gr.on(
        [part.change for part in parts], handlers.chips, bar.controls, bar.chips,
        trigger_mode="always_last", show_progress="hidden", api_visibility="private",
    )  # fmt: skip


class AskBarHandlers:
    """What its events do."""

    def __init__(self, library: Library, settings: Settings) -> None:
        self._library, self._settings = library, settings

    async def news(self, seen: str, scope: list[str] | None, sets: list[str] | None) -> bool:
        """Whether `follow` has anything to show."""
        return seen != self._now()

    async def follow(
        self, seen: str, scope: list[str] | None, sets: list[str] | None, request: gr.Request
    ) -> list[Any]:
        """What has changed since it was shown."""
        if seen == self._now():
            return [gr.skip()] * 5
        return await asyncio.to_thread(self.listing, page_language(request), scope or [], sets)

    def listing(self, language: Language, scope: Sequence[str] = (), sets: Sequence[str] | None = None) -> list[Any]:
        """What a person has to know of the library, and the choices that name documents and sets."""
        library, now = self._library, self._now()
        documents, infos = library.documents(), library.doc_set_infos()
        in_sets = {name for name in sets_of(sets) if any(info.name == name for info in infos)}
        names = {one.name: one.origin for one in documents if not in_sets or one.doc_set in in_sets}
        offered = [(_choice(name, names[name]), name) for name in islice(names, OFFERED)]
        return [
            notices_markdown(library.notices, language),
            gr.update(choices=offered, **_without(scope, names)),
            gr.update(choices=sets_offered(infos, language), **still_there(sets, infos)),
            gr.update(choices=into_choices(infos)),
            now,
        ]

    def chips(self, request: gr.Request, *controls: Any) -> dict[str, Any]:
        """What chips.js draws."""
        language = page_language(request)
        return chips_value(read_controls(language, *controls), self._library, self._settings, language)

    def _now(self) -> str:
        library = self._library
        # a change is counted before or after it can be read: what was read in between is not the last that is shown
        return digest((library.version, library.generation(), library.progress(), library.notices))


# --- the chips ---------------------------------------------------------------------------------------------------


def chips_value(controls: Controls, library: Library, settings: Settings, language: Language) -> dict[str, Any]:
    """A chip each: which choices it opens, its words, whether they differ from what goes without saying."""
    searched, saved = controls.scope, controls.chunking
    how = [text(f"s_{controls.strategy}", language)] if controls.strategy else []
    if answers_in := controls.overrides.language:
        how.append({"zh": "中文", "en": "English"}[answers_in])
    if controls.web and controls.web != settings.web:
        how.append(f"{text('web', language)} {text(f'policy_{controls.web}', language)}")
    saving = [describe_chunking(saved).to(language)] if saved != AS_USUAL else []
    if controls.doc_set:
        saving.append(f"→ {controls.doc_set}")
    return {
        "chips": [
            ["scope", in_force(library, searched.doc_sets, searched.documents, language), bool(searched)],
            ["strategy", f"{text('strategy', language)} · {' · '.join(how) or text('usual', language)}", bool(how)],
            ["saving", f"{text('saving', language)} · {' '.join(saving) or text('usual', language)}", bool(saving)],
        ]
    }


def in_force(library: Library, sets: Sequence[str], files: Sequence[str], language: Language) -> str:
    """ "人事 · 3 个文档"; a message can narrow it further, which its answer says."""
    zh, chosen = language == "zh", Scope(documents=tuple(files), doc_sets=tuple(sets))
    count, (done, total) = len(library.documents(chosen)), library.progress()
    counted = f"{count:,} 个文档" if zh else f"{count:,} document{'s' * (count != 1)}"
    if not chosen:
        words = f"全部 {counted}" if zh else f"All {counted}" if count != 1 else counted
    else:
        named = [name or text("no_set", language) for name in sets]
        words = " · ".join([*filter(None, [_few(named, language), _few(files, language)]), counted])
    coming = f" · ⏳ {done:,}/{total:,}" if done < total else ""
    return f"{'⚠ ' if chosen and not count else ''}{words}{coming}"


def _few(names: Sequence[str], language: Language) -> str:
    if len(names) <= _NAMED:
        return ("、" if language == "zh" else ", ").join(names)
    return f"{names[0]} 等 {len(names)} 个" if language == "zh" else f"{names[0]} + {len(names) - 1} more"


def notices_markdown(notices: Sequence[Message], language: Language) -> str:
    """What a person has to know of the library, a paragraph each."""
    return "\n\n".join(f"⚠ {literal(notice.to(language))}" for notice in notices)


# --- the choices -------------------------------------------------------------------------------------------------


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


def _choice(name: str, origin: Origin) -> str:
    """A page's title and its address, neither longer than is seen; of anything else the name, whole."""
    if origin.source_type != "website":
        return name
    parts = [
        part if len(part) <= _LONGEST else f"{part[: _LONGEST - 1]}…" for part in list_labels(name, origin) if part
    ]
    return " · ".join(parts)


def _without(chosen: Sequence[str], there: Collection[str]) -> dict[str, Any]:
    """What is chosen, where some of it is gone. Else it is not sent: it may have changed on the page meanwhile."""
    left = [name for name in chosen if name in there]
    return {"value": left} if left != list(chosen) else {}


def read_controls(
    language: Language,
    strategy: str,
    web: WebPolicy | None,
    chunker: str,
    size: float | None,
    overlap: float | None,
    scope: list[str] | None,
    sets: list[str] | None,
    into: str | None,
    answers_in: str | None = None,
    unit: str | None = None,
) -> Controls:
    return Controls(
        strategy=strategy or None,
        chunking=read_chunking(chunker, size, overlap, unit),
        scope=Scope(documents=tuple(scope or ()), doc_sets=sets_of(sets)),
        doc_set=(into or "").strip() or None,
        language=language,
        web=web or None,
        overrides=Overrides.model_validate({"language": answers_in}),
    )
