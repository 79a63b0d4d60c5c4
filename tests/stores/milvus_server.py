"""milvus-lite as a server of this process: it answers as Milvus does, and can be stopped and started again.

`CITEWISE_TEST_MILVUS_URL` has the tests ask a server of one's own instead, but for the one that stops it.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

from stores.postgres.milvus import MilvusAddress


class LiteServer:
    def __init__(self, folder: Path) -> None:
        self._folder, self._port = folder, 0
        self._running: tuple[Any, Any] | None = None
        self.other = os.environ.get("CITEWISE_TEST_MILVUS_URL", "")
        if not self.other:
            self.start()

    @property
    def address(self) -> MilvusAddress:
        return MilvusAddress(self.other or f"http://127.0.0.1:{self._port}")

    def start(self) -> None:
        """At the port that it had before."""
        from milvus_lite.adapter.grpc.server import start_server_in_thread

        server, database, self._port = start_server_in_thread(str(self._folder), port=self._port)
        self._running = server, database

    def stop(self) -> None:
        if self._running:
            server, database = self._running
            server.stop(grace=0).wait()
            with contextlib.suppress(Exception):
                database.close()
            self._running = None
