"""Questions that count, sum or list over the rows of a table: planned by rules, computed over all rows."""

from __future__ import annotations

import asyncio
import time
import uuid
from typing import Any

from answering.inert_markdown import escaped
from answering.table_answers import how_computed, least_sure, misread_notice, notices_of, result_sentence, result_table
from errors import CitewiseError, ModelError
from library import Library
from nodes.context import TurnContext
from nodes.events import Answered, EvidenceFound, Token
from nodes.state import Record
from schema import Answer, Coverage, Evidence, Language, Message, Plan, Scope, Statement, TableInfo, TableQuery

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


async def query_for(context: TurnContext, question: str, scope: Scope, language: Language) -> TableQuery | None:
    """The query of the rules; else what a model proposes, where there is one and the question seems to be of rows."""
    if (query := await table_query(context.library, question, scope)) is not None or context.model is None:
        return query
    if not (tables := await context.library.tables(scope)):
        return None
    from planning.tables.model_query import ProposedQuery, accepted_query, likely_tables, query_messages

    tables = await asyncio.to_thread(likely_tables, question, tables)
    if not tables:
        return None
    try:
        with context.timed("compute"):
            filled = await context.model.fill(query_messages(question, tables, language), ProposedQuery, purpose="plan")
            query = accepted_query(filled, tables)
            result = await context.library.run_table_query(query) if query is not None else None
    except ModelError:
        return None
    except CitewiseError as error:
        context.note(error.in_full)
        return None
    if result is None or all(cell is None for row in result.rows for cell in row):
        context.note(_NONE_PROPOSED)
        return None
    return query


_NONE_PROPOSED = Message(
    zh="规则没有读出查询，模型也没有提出可用的查询：按文本回答",
    en="the rules read no query and the model proposed none that can be used: answered from the text",
)


def _has_open_column(table: TableInfo) -> bool:
    return any(column.kind == "text" and column.distinct and not column.values for column in table.columns)


async def compute(context: TurnContext, plan: Plan, query: TableQuery) -> dict[str, Any] | Message:
    """What the turn knows once it is computed; why it could not be, where it could not."""
    started = time.monotonic()
    try:
        with context.timed("compute"):
            result = await context.library.run_table_query(query)
            found = await context.library.rows_of(result)
            misread = await context.library.misread_cells(result)
    except CitewiseError as error:
        return error.in_full
    context.note(Message(zh=query.sql, en=query.sql))
    if found is None:
        return _GONE
    hit, citations = found
    sentence = result_sentence(result, plan.language)
    parts = (
        escaped(sentence) + _MARKER[plan.language],
        result_table(result, plan.language),
        how_computed(result, plan.language),
    )
    text = "\n\n".join(filter(None, parts))
    evidence, coverage = Evidence(plan.asked, "default", confidence=1.0), Coverage(1.0, 0.0, covered=True)
    context.emit(EvidenceFound(evidence, coverage))
    context.emit(Token(text))
    notices = (*notices_of(result), *filter(None, [misread_notice(misread)]))
    answer = Answer(
        text, (Statement(sentence, tuple(citations)),), (hit,), least_sure(misread), plan.language,
        time.monotonic() - started, answered_by=COMPUTED, notices=notices, table=result,
    )  # fmt: skip
    context.emit(Answered(answer))
    record = Record(plan=plan, answer=answer, coverage=coverage)
    return {
        "plan": plan, "evidence": evidence, "coverage": coverage, "policy": "never", "answer": answer,
        "messages": [record.message(text, str(uuid.uuid4()))],
    }  # fmt: skip


_GONE = Message(zh="这张表已不在知识库里。", en="The table is not in the library any more.")
