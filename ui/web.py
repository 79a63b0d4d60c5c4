"""The web in the chat: the offer to search it, and pages on their way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from answering.document_titles import readable_url
from nodes.events import Offer
from schema import Language, Message
from ui.markup import literal
from ui.steps import ChatMessage, step
from ui.texts import text
from web.gathering import Gathered
from web.problems import shown

AGREE, DECLINE = "offer:agree", "offer:decline"  # what the buttons of an offer tell the program
_BAR = 20  # characters
_STAGES = {
    "search": Message(zh="等待", en="waiting"),
    "fetch": Message(zh="抓取", en="fetching"),
    "clean": Message(zh="清洗", en="cleaning"),
    "chunk": Message(zh="切片", en="chunking"),
    "embed": Message(zh="向量化", en="embedding"),
    "store": Message(zh="写入", en="storing"),
    "done": Message(zh="完成", en="done"),
    "skipped": Message(zh="同一网页，已略过", en="the same page, left out"),
    "failed": Message(zh="失败", en="failed"),
}
_SIGNS = {"done": "✅", "skipped": "➖", "failed": "❌"}


def offer_message(offer: Offer, language: Language) -> ChatMessage:
    """With a button for yes and one for no: Gradio shows them as long as it is the last message."""
    labels = {AGREE: text("offer_yes", language), DECLINE: text("offer_no", language)}
    options = [{"value": value, "label": label} for value, label in labels.items()]
    return {"role": "assistant", "content": literal(offer.text.to(language)), "options": options}


def merge_web_event(run: dict[str, Gathered], event: Gathered) -> None:
    """Take over the news of a page, or of the whole run ("" in place of an address)."""
    known = run.get(event.url)
    run[event.url] = replace(event, title=event.title or (known.title if known else ""))


def web_step(run: Mapping[str, Gathered], language: Language, waited_for: bool = True) -> ChatMessage:
    """A line for each page, in the order in which they were found."""
    pages = [page for url, page in run.items() if url]
    whole = run.get("", Gathered("search"))
    waited_for = waited_for and whole.stage not in ("done", "failed")
    name, state = text("web", language), _state(pages, whole, waited_for).to(language)
    lines = [_page(page, language) for page in pages]
    if waited_for and pages:
        lines[:0] = [_bar(_way(pages)), ""]
    elif whole.problem is not None and not pages:  # else each page tells its own
        lines.append(literal(whole.problem.to(language)))
    return step(f"{name} · {state}", "\n".join(lines), pending=waited_for)


def _state(pages: list[Gathered], whole: Gathered, waited_for: bool) -> Message:
    done, failed = (sum(page.stage == stage for page in pages) for stage in ("done", "failed"))
    if waited_for and not pages:
        return Message(zh="正在搜索", en="searching")
    if waited_for:
        count = f"{done}/{len(_coming(pages))}"
        return Message(zh=f"{count} 个网页 · {_way(pages):.0%}", en=f"{count} pages · {_way(pages):.0%}")
    if not done:
        mark = " ❌" if whole.stage == "failed" else ""
        return Message(zh=f"没有网页{mark}", en=f"no page{mark}")
    lost = Message(zh=f"，{failed} 个失败", en=f", {failed} failed") if failed else Message(zh="", en="")
    return Message(zh=f"{done} 个网页{lost.zh}", en=f"{done} page{'s' * (done != 1)}{lost.en}")


def _coming(pages: list[Gathered]) -> list[Gathered]:
    return [page for page in pages if page.stage not in ("failed", "skipped")]


def _way(pages: list[Gathered]) -> float:
    ways = [page.fraction for page in _coming(pages)]
    return sum(ways) / len(ways) if ways else 0.0


def _bar(fraction: float) -> str:
    full = round(_BAR * fraction)
    return f"`{'█' * full}{'░' * (_BAR - full)}`"


def _page(page: Gathered, language: Language) -> str:
    named = literal(" · ".join(filter(None, [page.title, readable_url(page.url)])))
    if page.stage == "failed" and page.problem is not None:
        why = literal(page.problem.to(language))
        return f"- ❌ {why}" if shown(page.url) in page.problem.en else f"- ❌ {named} · {why}"
    state = _STAGES[page.stage].to(language)
    way = f" {page.fraction:.0%}" if 0 < page.fraction < 1 else ""
    return f"- {_SIGNS.get(page.stage, '⏳')} {named} · {state}{way}"
