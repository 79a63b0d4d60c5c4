"""What the key words of an answer mean, where it stands in another language than its question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from schema import Evidence, Hit, Plan, Statement
from text import detect_language, language_of
from translation.gloss import gloss
from translation.glossary import Glossary


def with_glosses(statements: Sequence[Statement], plan: Plan, glossary: Glossary) -> tuple[Statement, ...]:
    """Those that stand in another language than the question with what their key words mean."""
    asked = language_of(plan.asked, plan.language)
    languages = [detect_language(one.text) if one.checkable else None for one in statements]
    return tuple(
        replace(one, gloss=gloss(one.text, language, plan.asked, glossary)) if language and language != asked else one
        for one, language in zip(statements, languages, strict=True)
    )


def rests_on_own(statements: Sequence[Statement], sources: Sequence[Hit], evidence: Evidence, plan: Plan) -> bool:
    """Whether the best source is in another language than the question, and none of what is cited is."""
    own = (language_of(plan.asked, plan.language), None)
    cited = {citation.source for one in statements for citation in one.citations}
    best = any(detect_language(hit.text) not in own for hit in evidence.hits[:1])
    return best and all(detect_language(sources[i].text) in own for i in cited)
