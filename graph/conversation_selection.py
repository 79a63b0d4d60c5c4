"""Where the settings keep conversations: in the data folder, or in PostgreSQL."""

from __future__ import annotations

from errors import missing_extra
from graph.conversations import Conversations
from graph.monitoring import Spans
from settings import Settings
from stores.selection import database_url


async def open_conversations(settings: Settings, spans: Spans | None) -> Conversations:
    """Raises CitewiseError when they cannot be opened."""
    url = database_url(settings)
    if not url:
        return await Conversations.open(settings.data_dir / "conversations.sqlite", spans)
    try:
        from graph.postgres import open_in_database
    except ImportError as error:
        raise missing_extra("postgres") from error
    return await open_in_database(url, spans)
