"""A hub of models on loopback, as the real client asks it."""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tiny_onnx import write_embedder


class Hub:
    """The hub's side of a download, with the files of one repository."""

    def __init__(self, repository: str, files: dict[str, bytes]) -> None:
        self.repository, self.files, self.asked = repository, files, []
        self.before: Callable[[str], int] = lambda path: 200


@contextmanager
def hub(repository: str, folder: Path) -> Iterator[tuple[str, Hub]]:
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    there = Hub(repository, files)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            there.asked.append(path)
            status = there.before(path)
            if status != 200:
                self._send(b"", status)
            elif path.startswith(f"/api/models/{there.repository}"):
                siblings = [{"rfilename": name, "size": len(data)} for name, data in there.files.items()]
                if "/tree/" in path:
                    tree = [
                        {"type": "file", "path": n, "size": len(d), "oid": "0" * 40} for n, d in there.files.items()
                    ]
                    self._send(json.dumps(tree).encode())
                else:
                    info = {"id": there.repository, "modelId": there.repository, "sha": "1" * 40, "siblings": siblings}
                    self._send(json.dumps(info).encode())
            elif path.startswith(f"/{there.repository}/resolve/"):
                name = path.split("/", 5)[5]
                self._send(there.files[name], name=name)
            else:
                self._send(b"", 404)

        do_HEAD = do_GET

        def _send(self, data: bytes, status: int = 200, name: str = "") -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            if name:
                self.send_header("ETag", f'"{hashlib.sha256(data).hexdigest()}"')
                self.send_header("X-Repo-Commit", "1" * 40)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", there
    finally:
        server.shutdown()
        server.server_close()


def published(folder: Path) -> Path:
    """A repository as they are: several weights, and much that nobody needs."""
    write_embedder(folder)
    (folder / "onnx").mkdir()
    shutil.move(folder / "model.onnx", folder / "onnx" / "model_quantized.onnx")
    (folder / "onnx" / "model.onnx").write_bytes(b"large" * 1000)
    (folder / "pytorch_model.bin").write_bytes(b"larger" * 1000)
    (folder / "README.md").write_text("about")
    return folder
