"""Zip files of given members, in memory."""

from __future__ import annotations

import io
import zipfile


def zipped(*members: tuple[str, str | bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return packed.getvalue()
