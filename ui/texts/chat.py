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
    "again_how": Message(zh="用哪种检索策略重新回答？", en="Answer again with which strategy?"),
    "copy": Message(zh="复制", en="Copy"),
    "load_sample": Message(zh="载入示例资料库", en="Load a sample library"),
    "closest": Message(zh="最接近的片段：", en="Closest passages:"),
    "sentences_checked": Message(zh="{1} 句中 {0} 句已核对", en="{} of {} sentences checked"),
    "sentence_checked": Message(zh="{1} 句中 {0} 句已核对", en="{} of {} sentence checked"),
    "confidence": Message(zh="置信度 {}", en="confidence {}"),
    "copied": Message(zh="已复制", en="Copied"),
}
