"""The chat."""

from __future__ import annotations

from schema import Message

TEXTS: dict[str, Message] = {
    "options": Message(zh="检索选项", en="Search options"),
    "edit": Message(zh="编辑", en="Edit"),
    "editing": Message(
        zh="正在编辑先前的问题：发送后，它和之后的内容会被替换。",
        en="Editing an earlier question: sending it replaces the question and everything after it.",
    ),
    "edit_cancel": Message(zh="取消编辑", en="Cancel"),
    "ask_again": Message(zh="重新回答", en="Answer again"),
    "again_how": Message(zh="用哪种检索策略重新回答？", en="Answer again with which strategy?"),
    "copy_answer": Message(zh="复制", en="Copy"),
    "copied": Message(zh="已复制", en="Copied"),
}
