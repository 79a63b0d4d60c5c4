"""Questions that count, sum or list over the rows of a table: planned by rules, computed over all rows."""

from __future__ import annotations

import asyncio
import time
import uuid
from typing import Any

from answering.table_answers import how_computed, notices_of, result_sentence, result_table
from errors import CitewiseError
from library import Library
from nodes.context import TurnContext
from nodes.events import Answered, EvidenceFound, Token
from nodes.state import Record
from schema import Answer, Coverage, Evidence, Message, Plan, Scope, Statement, TableInfo, TableQuery

COMPUTED = "table"  # who has answered
_WIDENED = 5  # tables whose columns of very many values are looked through
_MARKER = {"zh": "[1]。", "en": " [1]."}


async def table_query(library: Library, question: str, scope: Scope) -> TableQuery | None:
    """The query that answers a question; None where the library has no table that does."""
    tables = await library.tables(scope)
    if not tables:
        return None
    from planning.tables import plan_table_query

    if (found := await asyncio.to_thread(plan_table_query, question, tables)) is not None:
        return found
    wide = [table for table in tables if _has_open_column(table)][:_WIDENED]
    if not wide:
        return None
    widened = {table.id: table for table in await library.with_values_of(question, wide)}
    return await asyncio.to_thread(plan_table_query, question, [widened.get(table.id, table) for table in tables])


def _has_open_column(table: TableInfo) -> bool:
    return any(column.kind == "text" and column.distinct and not column.values for column in table.columns)


async def compute(context: TurnContext, plan: Plan, query: TableQuery) -> dict[str, Any] | Message:
    """What the turn knows once it is computed; why it could not be, where it could not."""
    started = time.monotonic()
    try:
        with context.timed("compute"):
            result = await context.library.run_table_query(query)
            found = await context.library.rows_of(result)
    except CitewiseError as error:
        return error.in_full
    context.note(Message(zh=query.sql, en=query.sql))
    if found is None:
        return _GONE
    hit, citations = found
    sentence = result_sentence(result, plan.language)
    parts = (
        sentence + _MARKER[plan.language],
        result_table(result, plan.language),
        how_computed(result, plan.language),
    )
    text = "\n\n".join(filter(None, parts))
    evidence, coverage = Evidence(plan.asked, "default", confidence=1.0), Coverage(1.0, 0.0, covered=True)
    context.emit(EvidenceFound(evidence, coverage))
    context.emit(Token(text))
    answer = Answer(
        text, (Statement(sentence, tuple(citations)),), (hit,), 1.0, plan.language, time.monotonic() - started,
        answered_by=COMPUTED, notices=tuple(notices_of(result)), table=result,
    )  # fmt: skip
    context.emit(Answered(answer))
    record = Record(plan=plan, answer=answer, coverage=coverage)
    return {
        "plan": plan, "evidence": evidence, "coverage": coverage, "policy": "never", "answer": answer,
        "messages": [record.message(text, str(uuid.uuid4()))],
    }  # fmt: skip


_GONE = Message(zh="这张表已不在知识库里。", en="The table is not in the library any more.")
