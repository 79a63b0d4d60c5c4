"""Which stores the settings ask for: the embedded ones, or those in PostgreSQL."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from errors import CitewiseError, missing_extra
from schema import Message
from settings import Settings
from stores.base import Store
from stores.embedded import EmbeddedStore
from stores.shared import SharedStores, stores_in_folder
from stores.user_libraries import note_owner, require_own

if TYPE_CHECKING:
    from stores.postgres.milvus import MilvusAddress

_WITHOUT = Message(
    zh="或者去掉 CITEWISE_DATABASE_URL，使用内置的知识库。",
    en="Or leave CITEWISE_DATABASE_URL out, and use the embedded library.",
)
_WITHOUT_MILVUS = Message(
    zh="或者去掉 CITEWISE_MILVUS_URL，在 PostgreSQL 里检索向量。",
    en="Or leave CITEWISE_MILVUS_URL out, and search vectors in PostgreSQL.",
)
_SCHEMES = ("postgresql://", "postgres://")


def open_store(settings: Settings, *, for_copy: bool = False) -> Store:
    """Raises StoreError when it cannot be opened, CitewiseError when the settings do not fit or an extra is missing.
    `for_copy`: a database gets its tables first, and is opened without the data folder, which the source may hold."""
    require_own(settings)
    url = database_url(settings)
    if not url:
        store = EmbeddedStore(settings.data_dir, vector_index=settings.vector_index)
        if settings.libraries == "private" and settings.as_user:
            note_owner(settings.data_dir, settings.as_user)
        return store
    require_postgres()
    from stores.postgres.migrations import migrate
    from stores.postgres.store import PostgresStore

    if for_copy:
        migrate(url)
        return PostgresStore(url, vector_index=settings.vector_index)
    return PostgresStore(url, settings.data_dir, vector_index=settings.vector_index, milvus=_milvus(settings))


def _milvus(settings: Settings) -> MilvusAddress | None:
    """None where Milvus is not asked for. Raises CitewiseError where the extra is not installed."""
    if not settings.milvus_url:
        return None
    if find_spec("pymilvus") is None:  # it takes seconds to be imported
        raise missing_extra("milvus", _WITHOUT_MILVUS)
    from stores.postgres.milvus import MilvusAddress

    token = settings.milvus_token.get_secret_value() if settings.milvus_token else ""
    return MilvusAddress(settings.milvus_url, token)


def open_shared(settings: Settings) -> SharedStores:
    """What is beside the library that `open_store` opens; nothing is opened before it is used. Raises CitewiseError as
    `open_store` does."""
    require_own(settings)
    url = database_url(settings)
    if not url:
        return stores_in_folder(settings.data_dir, settings.web_cache_mb)
    require_postgres()
    from stores.postgres.shared import stores_in_database

    return stores_in_database(url, settings.web_cache_mb)


def database_url(settings: Settings) -> str:
    """Of PostgreSQL; "" where the library is in the data folder. Raises CitewiseError for any other address."""
    url = settings.database_url.get_secret_value().strip() if settings.database_url else ""
    if url and not url.startswith(_SCHEMES):
        raise CitewiseError(
            "settings",
            Message(
                zh="CITEWISE_DATABASE_URL 不是 PostgreSQL 的地址。",
                en="CITEWISE_DATABASE_URL is no address of PostgreSQL.",
            ),
            Message(
                zh="请写成 postgresql://用户:密码@主机:5432/数据库。",
                en="Write postgresql://user:password@host:5432/database.",
            ),
        )
    return url


def require_postgres() -> None:
    """Raises CitewiseError where the extra is not installed."""
    try:
        import psycopg
        import psycopg_pool
    except ImportError as error:
        raise missing_extra("postgres", _WITHOUT) from error
    del psycopg, psycopg_pool
