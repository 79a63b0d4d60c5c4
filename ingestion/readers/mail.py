"""E-mail (eml, mbox, mhtml, msg) as Markdown: subject, who and when, the text, and what is attached."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any

from errors import FileError
from ingestion.readers.base import ReaderResult, clean_name, extension, untrusted
from ingestion.readers.compound import open_compound, stream_of
from ingestion.readers.html import decoded, read_html
from ingestion.readers.html_markdown import parse, to_markdown
from ingestion.readers.mail_words import WIDER, decoded_words, header_of, in_charset, in_utc, worded
from ingestion.readers.office import cell_text
from ingestion.readers.text import read_text
from schema import Message, Place
from tables import pipe_grids, typed_tables
from text import language_of

_MOST_PARTS, _MOST_MESSAGES, _MOST_ATTACHMENTS = 200, 20_000, 100
_MOST_TEXT = 20_000_000  # characters of attachments
_begin = re.compile(rb"(?:\A|\n\r?\n)From [^\r\n]{1,300}\r?\n")
_quoted_from = re.compile(rb"^>(>*From )", re.MULTILINE)
_LABELS = {
    "from": Message(zh="发件人", en="From"),
    "to": Message(zh="收件人", en="To"),
    "cc": Message(zh="抄送", en="Cc"),
    "date": Message(zh="日期", en="Date"),
    "attachment": Message(zh="附件", en="Attachment"),
}


@dataclass(frozen=True, slots=True)
class Mail:
    """One message."""

    subject: str = ""
    headers: dict[str, str] = field(default_factory=dict)  # "from", "to", "cc", "date": in words
    moment: datetime | None = None
    body: str = ""  # Markdown
    attachments: Sequence[tuple[str, Callable[[], bytes]]] = ()  # name, its bytes
    url: str = ""


@untrusted
def read_eml(name: str, data: bytes) -> ReaderResult:
    """`places` is the message, with each attachment's name where its text stands."""
    if not _parsed(name, data).keys():
        return read_text(name, data)
    return _result(name, [_mail(name, data)])


@untrusted
def read_mbox(name: str, data: bytes) -> ReaderResult:
    """`places` are the messages in the order of the file."""
    starts = list(_begin.finditer(data))
    if not starts:
        return read_eml(name, data)
    if len(starts) > _MOST_MESSAGES:
        raise FileError(
            Message(
                zh=f"“{name}”里有 {len(starts)} 封邮件，上限是 {_MOST_MESSAGES} 封。",
                en=f'"{name}" holds {len(starts)} messages; {_MOST_MESSAGES} is the limit.',
            ),
            Message(zh="请拆分成几个文件后上传。", en="Split it into several files."),
        )
    ends = [*(one.start() for one in starts[1:]), len(data)]
    raw = (_quoted_from.sub(rb"\1", data[one.end() : end]) for one, end in zip(starts, ends, strict=True))
    return _result(name, [_mail(name, one) for one in raw])


@untrusted
def read_mhtml(name: str, data: bytes) -> ReaderResult:
    """A web page saved whole: its main part, read as a page."""
    mail = _parsed(name, data)
    pages = [part for part in mail.walk() if part.get_content_type() in ("text/html", "application/xhtml+xml")]
    if not pages:
        raise _no_page(name)
    wanted = mail.get_param("start")
    page = next((one for one in pages if wanted and one["Content-ID"] == wanted), pages[0])
    content = _payload(page)
    if encoding := page.get_content_charset():
        with suppress(LookupError, UnicodeDecodeError):
            content = b"\xef\xbb\xbf" + content.decode(WIDER.get(encoding, encoding)).encode()
    read = read_html(name, content)
    address = str(page["Content-Location"] or mail["Snapshot-Content-Location"] or "")
    url = read.url or (address if address.startswith(("http://", "https://")) else "")
    return ReaderResult(read.text, read.kind, "html", {**read.metadata, "laid_out": True}, url=url)


@untrusted
def read_msg(name: str, data: bytes) -> ReaderResult:
    """A message of Outlook, as `read_eml` reads one."""
    with open_compound(data) as compound:
        return _result(name, [_outlook(compound)])


# --- a message --------------------------------------------------------------------------------------------------


def _parsed(name: str, data: bytes) -> EmailMessage:
    if len(re.findall(rb"multipart/", data, re.IGNORECASE)) > _MOST_PARTS:
        raise FileError(
            Message(
                zh=f"“{name}”里的邮件嵌套了太多层，没有读取。",
                en=f'The message "{name}" is nested too deeply and was not read.',
            ),
            Message(zh="请单独保存需要的部分后上传。", en="Save the part that you need and upload that."),
        )
    parsed = message_from_bytes(data, policy=policy.default)
    assert isinstance(parsed, EmailMessage)
    return parsed


def _mail(name: str, data: bytes) -> Mail:
    message = _parsed(name, data)
    date = header_of(message, "date")
    moment = None
    with suppress(ValueError, TypeError, IndexError, OverflowError):
        moment = parsedate_to_datetime(date)
    headers = {key: header_of(message, key) for key in ("from", "to", "cc")} | {"date": worded(moment) or date}
    body = message.get_body(("plain", "html"))
    html = (
        message.get_body(("html",))
        if isinstance(body, EmailMessage) and body.get_content_subtype() == "plain"
        else None
    )
    if isinstance(html, EmailMessage) and _counts(_body(html)):
        body = html
    texts = [_body(body)] if isinstance(body, EmailMessage) else []
    attachments: list[tuple[str, Callable[[], bytes]]] = []
    for part in _attached(message, body):
        file = cell_text(decoded_words(part.get_filename() or ""))
        if not file and part.get_content_maintype() == "text":
            texts.append(_body(part))  # the foot of a mailing list
        elif part.get_content_type() == "message/rfc822":
            attachments.append((file or "message.eml", partial(_inner, part)))
        elif file:
            attachments.append((file, partial(_payload, part)))
    text = "\n\n".join(filter(None, (text.strip() for text in texts)))
    return Mail(header_of(message, "subject"), headers, moment, text, attachments)


def _attached(message: EmailMessage, body: Any) -> Iterator[EmailMessage]:
    """Every part but the body, what only groups them, and other forms of the body."""
    if message.get_content_maintype() != "multipart":
        return
    for part in message.iter_parts():
        if part is body or not isinstance(part, EmailMessage):
            continue
        if part.get_content_type() == "multipart/alternative" or (
            message.get_content_type() == "multipart/alternative" and part.get_content_maintype() == "text"
        ):
            continue
        if part.get_content_maintype() == "multipart":
            yield from _attached(part, body)
        else:
            yield part


def _inner(part: EmailMessage) -> bytes:
    content = part.get_payload()
    return content[0].as_bytes(policy=policy.compat32) if isinstance(content, list) and content else b""  # type: ignore[union-attr]


def _payload(part: EmailMessage) -> bytes:
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _body(part: EmailMessage) -> str:
    content = _payload(part)
    charset = part.get_content_charset() or ""
    if part.get_content_subtype() == "html":
        text = in_charset(content, charset) if charset else decoded("mail", content)[0]
        return to_markdown(parse(text))
    return _plain(in_charset(content, charset))


def _counts(text: str) -> bool:
    """Whether it has a table with numbers or dates: plain text, which is simpler otherwise, shows no tables."""
    found = typed_tables(pipe_grids(text))
    return any(column.kind != "text" for table in found for column in table.columns)


def _plain(text: str) -> str:
    """Plain text where Markdown is expected: no line of it is a heading."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").split("\n")
    return "\n".join("\\" + line if line.startswith("#") else line.rstrip() for line in lines)


# --- of Outlook ---------------------------------------------------------------------------------------------------


def _outlook(compound: Any) -> Mail:
    """By the numbers of [MS-OXPROPS]; 001F is UTF-16, 001E in the code page of the machine that wrote it."""

    def said(number: str, folder: str = "") -> str:
        wide = stream_of(compound, f"{folder}__substg1.0_{number}001F")
        narrow = b"" if wide else stream_of(compound, f"{folder}__substg1.0_{number}001E")
        return (wide.decode("utf-16-le", "replace") if wide else in_charset(narrow, "")).rstrip("\0")

    sender = " ".join(filter(None, (said("0C1A"), f"<{address}>" if (address := said("5D01") or said("0C1F")) else "")))
    date = header_of(_parsed("", said("007D").encode()), "date")
    moment = None
    with suppress(ValueError, TypeError, IndexError, OverflowError):
        moment = parsedate_to_datetime(date)
    html = stream_of(compound, "__substg1.0_10130102") or said("1013").encode()
    body = _plain(said("1000")).strip()
    laid_out = to_markdown(parse(decoded("mail", html)[0])) if html else ""
    if not body or _counts(laid_out):
        body = laid_out
    headers = {"from": sender, "to": said("0E04"), "cc": said("0E03"), "date": worded(moment) or date}
    folders = sorted({path[0] for path in compound.listdir() if path[0].startswith("__attach_version1.0_")})
    attachments = [
        (cell_text(file), partial(stream_of, compound, f"{folder}/__substg1.0_37010102"))
        for folder in folders
        if (file := said("3707", f"{folder}/") or said("3704", f"{folder}/"))
    ]
    return Mail(cell_text(said("0037")), headers, moment, body, attachments)


# --- what becomes of them -----------------------------------------------------------------------------------------


def _result(name: str, mails: Sequence[Mail]) -> ReaderResult:
    parts: list[str] = []
    places: list[Place] = []
    length = 0
    budget = _MOST_TEXT
    for number, mail in enumerate(mails, start=1):
        for attachment, text in _texts(name, mail, budget):
            places.append(Place(length, "message", number, attachment))
            parts.append(text)
            length += len(text) + 2
            budget -= len(text) if attachment else 0
    first = mails[0]
    metadata: dict[str, Any] = {"messages": len(mails)}
    if len(mails) == 1:
        metadata = {"title": first.subject, "author": first.headers.get("from", "")}
    moment = max((in_utc(one.moment) for one in mails if one.moment), default="")
    metadata = {key: value for key, value in metadata.items() if value}
    return ReaderResult("\n\n".join(parts), "markdown", "email", metadata, places=places, timestamp=moment)


def _texts(name: str, mail: Mail, budget: int) -> Iterator[tuple[str, str]]:
    """("", the message), then (name, text) of each attachment that is read."""
    language = language_of(f"{mail.subject} {mail.body[:2_000]}")
    colon = "：" if language == "zh" else ": "
    head = [f"- {_LABELS[key].to(language)}{colon}{value}" for key, value in mail.headers.items() if value]
    attached = list(mail.attachments[:_MOST_ATTACHMENTS])
    head += [f"- {_LABELS['attachment'].to(language)}{colon}{file}" for file, _ in attached]
    title = mail.subject or next((line for line in mail.body.split("\n") if line.strip()), name)[:100]
    yield "", "\n\n".join(filter(None, [f"# {cell_text(title)}", "\n".join(head), mail.body]))
    for file, content in attached:
        text = _attachment(file, content, budget)
        if text:
            budget -= len(text)
            yield file, f"## {_LABELS['attachment'].to(language)}{colon}{file}\n\n{text}"


def _attachment(file: str, content: Callable[[], bytes], budget: int) -> str:
    """Its text; "" of what is no document, or more than fits."""
    from ingestion.readers import read_document

    if budget <= 0 or extension(file) in ("zip", "mbox"):
        return ""
    try:
        return read_document(clean_name(file), content(), max_bytes=budget).text.strip()
    except (FileError, ValueError, LookupError, OSError):  # the message itself is read all the same
        return ""


def _no_page(name: str) -> FileError:
    return FileError(
        Message(zh=f"“{name}”里没有网页正文。", en=f'There is no page in "{name}".'),
        Message(zh="请在浏览器中重新保存这个网页。", en="Save the page again in a browser."),
    )
