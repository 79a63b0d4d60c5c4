"""What a person is told when a turn cannot be run."""

from __future__ import annotations

from collections.abc import Iterable

from errors import CitewiseError, StoreError
from schema import Message

LONGEST_MESSAGE = 20_000  # characters: a longer text is a document, and planning it would hold up every other turn
STOPPED = Message(zh="（已停止）", en="(stopped)")
STOPPED_STORING = Message(
    zh="（已停止；文件仍在后台保存，可在“知识库”页查看或取消）",
    en="(stopped; the files go on being saved in the background: the Library page shows and cancels them)",
)


def too_long(length: int) -> CitewiseError:
    return CitewiseError(
        "settings",
        Message(
            zh=f"消息有 {length} 个字符，超过了 {LONGEST_MESSAGE} 的上限。",
            en=f"The message has {length} characters, more than the limit of {LONGEST_MESSAGE}.",
        ),
        Message(
            zh="请把长文本存成 .txt 或 .md 文件上传，再简短地提问。",
            en="Upload a long text as a .txt or .md file, and ask briefly.",
        ),
        still_works=Message(zh="知识库和对话都没有受影响。", en="The library and the conversation are unharmed."),
    )


def no_original(name: str) -> CitewiseError:
    return CitewiseError(
        "not_found",
        Message(
            zh=f"没有保留“{name}”的原件，无法重新读取。",
            en=f'The original of "{name}" is not kept, so it cannot be read again.',
        ),
        Message(
            zh="请重新上传这个文件；原件的大小上限是设置 CITEWISE_MAX_ORIGINAL_MB。",
            en="Upload the file again; CITEWISE_MAX_ORIGINAL_MB says how large an original may be to be kept.",
        ),
    )


def offer_lapsed() -> CitewiseError:
    return CitewiseError(
        "not_found",
        Message(zh="这个提议已经过期。", en="This offer has lapsed."),
        Message(zh="请再问一次，或直接写“上网搜索：……”。", en="Ask again, or write “search the web for …”."),
    )


def answer_replaced() -> CitewiseError:
    return CitewiseError(
        "not_found",
        Message(zh="这个问题已经不在对话里了。", en="This question is no longer in the conversation."),
        Message(zh="请刷新页面，或直接再问一次。", en="Reload the page, or just ask again."),
    )


def turn_elsewhere() -> StoreError:
    return StoreError(
        Message(zh="这段对话里还有另一个问题正在回答。", en="Another turn of this conversation is running."),
        Message(
            zh="请等它结束后再发送，或另开一段新对话。",
            en="Send the message again when it has ended, or begin a new conversation.",
        ),
        still_works=Message(zh="知识库和其他对话照常可用。", en="The library and other conversations can be used."),
    )


def draining() -> StoreError:
    return StoreError(
        Message(
            zh="这个实例正在重启，不再接受新问题。",
            en="This instance is being restarted and takes no new questions.",
        ),
        Message(zh="请几秒后重新加载页面，再问一次。", en="Reload the page in a few seconds, and ask again."),
        still_works=Message(zh="对话和知识库都已保存。", en="Conversations and the library are saved."),
    )


def internal_error(error_id: str, defect: Exception) -> CitewiseError:
    """What is said of a defect: the log holds the rest under its id."""
    return CitewiseError(
        "internal",
        Message(
            zh=f"出现了内部错误（编号 {error_id}，{type(defect).__name__}）。",
            en=f"Something went wrong inside (id {error_id}, {type(defect).__name__}).",
        ),
        Message(
            zh="请重试；如果仍然出错，请附上编号和日志反馈问题。",
            en="Try again; if it happens again, report it with this id and the log.",
        ),
        still_works=Message(zh="知识库和对话都没有受影响。", en="The library and the conversation are unharmed."),
    )


def no_doc_set(names: Iterable[str]) -> CitewiseError:
    return _not_there(Message(zh="文档集", en="document set"), names)


def no_document(names: Iterable[str]) -> CitewiseError:
    return _not_there(Message(zh="文件", en="document"), names)


def _not_there(what: Message, names: Iterable[str]) -> CitewiseError:
    listed = sorted(names)
    return CitewiseError(
        "not_found",
        Message(zh=f"知识库里没有{what.zh}“{'、'.join(listed)}”。", en=f"There is no {what.en} {', '.join(listed)}."),
        Message(
            zh="请查看文件列表（终端：cli.py list）。",
            en="Look at the list of documents (in a terminal: cli.py list).",
        ),
    )
