"""The list of conversations."""

from __future__ import annotations

from schema import Message

TEXTS: dict[str, Message] = {
    "conv_list": Message(zh="对话列表", en="Conversations"),
    "conv_new": Message(zh="新对话", en="New chat"),
    "conv_find": Message(zh="搜索对话", en="Search conversations"),
    "conv_none": Message(zh="还没有对话。", en="No conversations yet."),
    "conv_none_found": Message(zh="没有找到。", en="Nothing found."),
    "conv_rename": Message(zh="重命名", en="Rename"),
    "conv_title": Message(zh="标题（留空则用第一个问题）", en="Title (empty: the first question)"),
    "conv_remove": Message(zh="删除", en="Delete"),
    "conv_ask_remove": Message(zh="删除“{}”？", en="Delete “{}”?"),
    "conv_keep": Message(zh="保留", en="Keep"),
    "conv_export": Message(zh="导出 Markdown", en="Export as Markdown"),
    "conv_more": Message(zh="还有 {} 个，请搜索。", en="{} more: search for them."),
}
