"""Words of e-mail as they are written: headers in any encoding, bytes in any charset, moments."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import EmailMessage

from ingestion.encoding import decode
from ingestion.readers.office import cell_text

WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "gb_2312-80": "gb18030", "us-ascii": "utf-8", "iso-8859-1": "cp1252"}


def in_charset(content: bytes, charset: str) -> str:
    """As the message says, if that holds; else as any other text."""
    with suppress(LookupError, UnicodeDecodeError):
        return content.decode(WIDER.get(charset.lower(), charset) or "utf-8")
    found = decode(content)
    return found[0] if found else content.decode("latin-1")


def header_of(message: EmailMessage, name: str) -> str:
    raw = next((str(value) for key, value in message.raw_items() if key.lower() == name), "")
    return cell_text(decoded_words(raw))


def decoded_words(raw: str) -> str:
    """Encoded words decoded, by what they say and else by what they are; bytes that nobody has encoded as well."""
    if any("\udc80" <= mark <= "\udcff" for mark in raw):
        found = decode(raw.encode("utf-8", "surrogateescape"))
        raw = found[0] if found else raw.encode("utf-8", "replace").decode()
    try:
        pieces = decode_header(raw)
    except (HeaderParseError, ValueError):
        return raw
    return "".join(piece if isinstance(piece, str) else in_charset(piece, charset or "") for piece, charset in pieces)


def worded(moment: datetime | None) -> str:
    return moment.isoformat(" ", "minutes") if moment else ""


def in_utc(moment: datetime) -> str:
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    with suppress(OverflowError):
        return aware.astimezone(UTC).isoformat(timespec="seconds")
    return ""
