"""Why a provider gave nothing usable, in words for a person, and whether asking again could help."""

from __future__ import annotations

import email.utils
import errno
import math
import socket
import time
from dataclasses import dataclass
from typing import Literal

from errors import ModelError
from providers.catalog import Provider
from schema import Message

Kind = Literal[
    "key",  # 401, 403: not without another key
    "credit",  # 402: not before somebody has paid
    "busy",  # 429
    "missing",  # 404: no such model or address
    "refused",  # 400, 422 ...: this very request
    "too_long",  # the context does not hold it
    "server",  # 5xx, or a reply that is none
    "unreachable",  # nobody listens, no such host
    "dropped",  # the connection ended without an answer
    "timeout",
    "late",  # the time that an answer may take in all is over
    "loop",  # the same words over and over
    "length",  # as many tokens as were allowed
    "cut",  # the answer broke off
    "empty",  # an answer without a word
    "form",  # an answer that is not the form
    "resting",  # not asked: failed too often a moment ago
]
PASSING: frozenset[Kind] = frozenset({"busy", "server", "unreachable", "dropped"})
BLAMELESS: frozenset[Kind] = frozenset(
    {"refused", "too_long", "form", "resting", "loop"}
)  # the provider as such is well
REST: dict[Kind, float] = {"key": 300.0, "credit": 300.0, "missing": 60.0}  # seconds; asking sooner is useless


@dataclass(frozen=True, slots=True)
class Failure:
    kind: Kind
    message: Message
    remedy: Message
    retry_after: float | None = None  # seconds, if the provider told
    detail: str = ""  # what the provider said, for the log and for us; never shown


class ProviderError(ModelError):
    """One provider's failure."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message, failure.remedy)
        self.failure = failure


def failures() -> tuple[type[Exception], ...]:
    """What a call may end with: the clients' errors share no base, and replies that are none raise built-in ones."""
    import httpx2
    from langchain_core.exceptions import LangChainException
    from openai import OpenAIError

    # from LookupError on: a reply of another shape than the client expects, or nested too deeply for it
    return (
        LangChainException, OpenAIError, httpx2.HTTPError, httpx2.StreamError, OSError, LookupError, TypeError,
        ValueError, AttributeError, ArithmeticError, RecursionError,
    )  # fmt: skip


def explain(error: Exception, provider: Provider, *, began: bool = False) -> Failure:
    """The failure that an exception means; `began`: part of the answer was there already."""
    from langchain_core.exceptions import ContextOverflowError
    from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError

    detail = _scrubbed(str(error), provider)
    if isinstance(error, ContextOverflowError) or "maximum context length" in detail:
        return describe("too_long", provider, detail=detail)
    if isinstance(error, APIStatusError):
        kind = _by_status(error)
        return describe(
            kind, provider, status=error.status_code, retry_after=_retry_after(error.response.headers), detail=detail
        )
    if isinstance(error, (TimeoutError, APITimeoutError)):
        return describe("timeout", provider, detail=detail)
    if began:
        return describe("cut", provider, detail=detail)
    if isinstance(error, APIConnectionError):
        return _unconnected(error, provider, detail)
    if isinstance(error, APIError):  # an error event in place of the first piece
        return describe("server", provider, detail=detail)
    return describe("dropped" if isinstance(error, OSError) else "server", provider, detail=detail)


def describe(
    kind: Kind,
    provider: Provider,
    *,
    status: int | None = None,
    retry_after: float | None = None,
    why: Message | None = None,
    detail: str = "",
) -> Failure:
    """The failure of this kind, in words."""
    who = Message(zh=f"{provider.label}（{provider.model}）", en=f"{provider.label} ({provider.model})")
    code = Message(zh=f"（{status}）", en=f" ({status})") if status else Message(zh="", en="")
    reason = why or Message(zh="", en="")
    messages = {
        "key": Message(zh=f"不接受密钥{code.zh}", en=f"does not accept the key{code.en}")
        if status != 403
        else Message(zh="拒绝访问（403）", en="denies access (403)"),
        "credit": Message(zh="账户没有余额或额度", en="has no credit or quota left"),
        "busy": Message(
            zh=f"请求过多{code.zh}{f'，{retry_after:.0f} 秒后可再试' if retry_after else ''}",
            en=f"gets too many requests{code.en}{f', {retry_after:.0f} s until the next' if retry_after else ''}",
        ),
        "missing": Message(
            zh=f"没有这个模型，或地址 {provider.address} 不对{code.zh}",
            en=f"has no such model, or the address {provider.address} is wrong{code.en}",
        ),
        "refused": Message(zh=f"拒绝了这个请求{code.zh}", en=f"refused this request{code.en}"),
        "too_long": Message(zh="装不下这么长的内容", en="cannot take so long a text"),
        "server": Message(zh=f"出错了{code.zh}", en=f"has an error{code.en}"),
        "unreachable": Message(
            zh=f"无法连接 {provider.host}{reason.zh}", en=f"cannot be reached at {provider.host}{reason.en}"
        ),
        "dropped": Message(zh="没有回答就断开了连接", en="closed the connection without an answer"),
        "timeout": Message(
            zh=f"在 {provider.timeout:g} 秒内没有回应", en=f"did not respond within {provider.timeout:g} seconds"
        ),
        "late": Message(zh="没有在限定的时间内答完", en="did not finish in the time that an answer may take"),
        "loop": Message(zh="一再重复同样的话", en="said the same words over and over"),
        "length": Message(zh="写到了长度上限", en="came to the most that it may write"),
        "cut": Message(zh="的回答中断了", en="broke off its answer"),
        "empty": Message(zh="没有给出任何内容", en="said nothing"),
        "form": Message(zh="没有按要求的格式回答", en="did not answer in the form that was asked for"),
        "resting": Message(zh="暂时不用", en="is left alone for a moment"),
    }[kind]
    message = Message(zh=f"{who.zh}{messages.zh}。", en=f"{who.en} {messages.en}.")
    return Failure(kind, message, _remedy(kind, provider), retry_after, detail)


def rested(last: Failure | None, provider: Provider, seconds: float) -> Failure:
    """The failure of one that is not asked for so long: what it failed with last, and what is to be done about that."""
    if last is None:
        return describe("resting", provider)
    message = Message(
        zh=f"{last.message.zh.rstrip('。')}，{seconds:.0f} 秒后再问。",
        en=f"{last.message.en.rstrip('.')}; it is asked again in {seconds:.0f} s.",
    )
    return Failure("resting", message, last.remedy, detail=last.detail)


def _remedy(kind: Kind, provider: Provider) -> Message:
    if kind in ("key", "credit"):
        return Message(
            zh=f"请检查 .env 或 config.yaml 中的 {provider.key_variable}。",
            en=f"Check {provider.key_variable} in .env or config.yaml.",
        )
    if kind == "missing" and provider.name == "ollama":
        return Message(zh=f"运行：ollama pull {provider.model}", en=f"Run: ollama pull {provider.model}")
    if kind in ("missing", "unreachable", "refused"):
        return Message(
            zh="请检查 .env 或 config.yaml 中的模型名称和地址，以及网络。",
            en="Check the model's name and address in .env or config.yaml, and the network.",
        )
    if kind == "too_long":
        return Message(
            zh="请在 .env 中减小 CITEWISE_MAX_CONTEXT_LENGTH，或换用上下文更长的模型。",
            en="Lower CITEWISE_MAX_CONTEXT_LENGTH in .env, or use a model with a longer context.",
        )
    if kind == "late":
        return Message(
            zh="请在 .env 中调大 CITEWISE_ANSWER_TIMEOUT，或换一个更快的模型。",
            en="Raise CITEWISE_ANSWER_TIMEOUT in .env, or use a faster model.",
        )
    if kind in ("loop", "length"):
        return Message(zh="请换一种问法，或换一个模型。", en="Ask in other words, or use another model.")
    return Message(
        zh="请稍后再试，或在 .env 中再配置一个模型，由它接替。",
        en="Try again later, or configure another model in .env that steps in.",
    )


def _by_status(error: object) -> Kind:
    status = getattr(error, "status_code", 500)
    if getattr(error, "code", None) in ("insufficient_quota", "Arrearage"):  # OpenAI's and DashScope's words
        return "credit"
    known: dict[int, Kind] = {
        401: "key", 402: "credit", 403: "key", 404: "missing", 408: "timeout", 413: "too_long", 429: "busy",
    }  # fmt: skip
    return known.get(status) or ("server" if status >= 500 or status in (409, 425) else "refused")


def _unconnected(error: Exception, provider: Provider, detail: str) -> Failure:
    """What lies under the client's "connection error"."""
    cause: BaseException | None = error
    refused = Message(zh="（连接被拒绝）", en=" (connection refused)")
    unknown = Message(zh="（找不到主机）", en=" (no such host)")
    names: list[str] = []
    while cause is not None:
        names.append(type(cause).__name__)
        if isinstance(cause, OSError) and cause.errno == errno.ECONNREFUSED:
            return describe("unreachable", provider, why=refused, detail=detail)
        if isinstance(cause, socket.gaierror):
            return describe("unreachable", provider, why=unknown, detail=detail)
        cause = cause.__cause__ or cause.__context__
    kind: Kind = "unreachable" if any(name.startswith(("Connect", "Unsupported")) for name in names) else "dropped"
    return describe(kind, provider, detail=detail)


def _retry_after(headers: object) -> float | None:
    """Seconds from the header: a number, or a date (RFC 9110); None for anything else."""
    value = str(getattr(headers, "get", lambda _: None)("retry-after") or "").strip()
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _scrubbed(text: str, provider: Provider) -> str:
    key = provider.api_key.get_secret_value() if provider.api_key else ""
    return (text.replace(key, "***") if key else text)[:500]
