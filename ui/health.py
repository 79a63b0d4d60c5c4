"""How the models and the library are doing, as the sidebar shows it."""

from __future__ import annotations

from collections.abc import Sequence

from providers.llm import Health
from schema import Language, Message, WebPolicy
from ui.markup import literal
from ui.texts import text

_SIGNS = {"ok": "🟢", "failing": "🟠", "open": "🔴", "unknown": "⚪"}


def models_markdown(health: Sequence[Health], language: Language) -> str:
    """Who would be asked, in order: state, latency, the last error."""
    if not health:
        return text("no_model", language)
    lines = []
    for one in health:
        latency = f" · {one.latency:.2f} s" if one.latency is not None else ""
        state = f"{_SIGNS[one.state]} {text(f'h_{one.state}', language)}"
        about = [f"- **{literal(one.provider)}** · {literal(one.model)}", f"{state}{latency}"]
        if one.error is not None and one.state != "ok":
            about.append(literal(one.error.to(language)))
        lines.append("  \n  ".join(about))
    return "\n".join(lines)


def notices_markdown(notices: Sequence[Message], language: Language) -> str:
    """What a person has to know of the library, a paragraph each."""
    return "\n\n".join(f"⚠ {literal(notice.to(language))}" for notice in notices)


def web_markdown(policy: WebPolicy, sources: Sequence[str], language: Language) -> str:
    """Whether the web is searched for what the library lacks, and by whom."""
    said = [f"**{text('web', language)}** · {text(f'web_{policy}', language)}"]
    if policy != "never":
        who = literal(", ".join(sources)) if sources else text("web_nobody", language)
        said.append(f"{text('web_by', language)}{'：' if language == 'zh' else ': '}{who}")
    return "  \n".join([*said, f"`CITEWISE_WEB={policy}`"])
