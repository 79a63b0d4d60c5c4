"""The page's fixed texts in both languages."""

from __future__ import annotations

import gradio as gr

from schema import Language, Message

TEXTS = {
    "library": Message(zh="知识库", en="Library"),
    "file": Message(zh="文件", en="File"),
    "chunks": Message(zh="片数", en="Chunks"),
    "how": Message(zh="切片方式", en="Chunking"),
    "empty_library": Message(
        zh="还没有文件。把文件拖进右侧的输入框。", en="No files yet. Drop some into the message box."
    ),
    "strategy": Message(zh="检索策略", en="Strategy"),
    "scope": Message(zh="只在这些文件里查", en="Only in these files"),
    "scope_info": Message(zh="不选就是全部", en="none chosen: everywhere"),
    "saving": Message(zh="保存", en="Saving"),
    "chunker": Message(zh="切片策略", en="Chunking"),
    "size": Message(zh="每片字符数", en="Characters a chunk"),
    "overlap": Message(zh="重叠字符数", en="Overlap"),
    "zero_auto": Message(zh="0 为自动", en="0: automatic"),
    "remove": Message(zh="删除", en="Delete"),
    "remove_which": Message(zh="要删除的文件", en="Files to delete"),
    "remove_button": Message(zh="删除所选文件", en="Delete the chosen files"),
    "chat": Message(zh="对话", en="Conversation"),
    "auto": Message(zh="自动（按你的话）", en="automatic (as you say)"),
    "s_default": Message(zh="默认策略", en="default policy"),
    "s_keyword": Message(zh="关键词检索（BM25）", en="keyword (BM25)"),
    "s_vector": Message(zh="向量检索", en="vector"),
    "s_hybrid": Message(zh="混合检索", en="hybrid"),
    "s_hyde": Message(zh="假设文档（HyDE）", en="hypothetical document (HyDE)"),
    "s_rm3": Message(zh="伪相关反馈（RM3）", en="pseudo-relevance feedback (RM3)"),
    "s_abstract": Message(zh="摘要检索", en="abstract"),
    "c_semantic": Message(zh="语义", en="semantic"),
    "c_fixed": Message(zh="固定", en="fixed"),
    "c_recursive": Message(zh="递归", en="recursive"),
    "c_markdown": Message(zh="Markdown", en="Markdown"),
    "c_code": Message(zh="代码", en="code"),
    "box": Message(
        zh="提问，或把文件拖进来写“用递归切片保存，每片300字”……",
        en="Ask, or drop files here and write “save with markdown chunks” …",
    ),
    "again": Message(zh="重新回答", en="Answer again"),
    "models": Message(zh="模型", en="Models"),
    "no_model": Message(zh="没有可用的模型：回答摘自原文。", en="No model: answers are taken from the sources."),
    "h_ok": Message(zh="正常", en="ok"),
    "h_failing": Message(zh="出错", en="failing"),
    "h_open": Message(zh="暂停使用", en="paused"),
    "h_unknown": Message(zh="尚未调用", en="not asked yet"),
    "embeddings": Message(zh="向量", en="Embeddings"),
    "no_space": Message(zh="还没有向量。", en="No vectors yet."),
    "dimensions": Message(zh="维", en="dimensions"),
    "coming_space": Message(zh="即将启用", en="To come"),
    "missing_vectors": Message(
        zh="{} 个切片还没有向量，先按关键词检索", en="{} chunks have no vector yet: found by keywords"
    ),
    "fetch_model": Message(zh="下载本地模型", en="Download the local model"),
    "fetching": Message(zh="正在下载", en="Downloading"),
    "e_language": Message(zh="语言", en="Language"),
    "e_weight": Message(zh="向量权重", en="Weight"),
    "e_unknown": Message(zh="读不懂的词", en="Unknown words"),
    "e_cut": Message(zh="未读完的片", en="Chunks cut"),
    "confirm": Message(zh="确定要删除所选文件吗？", en="Delete the chosen files?"),
    "placeholder": Message(
        zh="### 与你的文件对话，看清每个答案的依据\n把 Markdown 或文本文件拖进下面的输入框，然后提问。",
        en="### Chat with your documents, and see why each answer holds\n"
        "Drop Markdown or text files into the box below, then ask.",
    ),
}


def text(key: str, language: Language) -> str:
    return TEXTS[key].to(language)


def translations() -> gr.I18n:
    """All fixed texts for Gradio, which picks the browser's language."""
    zh, en = ({key: message.to(language) for key, message in TEXTS.items()} for language in ("zh", "en"))
    return gr.I18n(**{"en": en, "zh": zh, "zh-CN": zh, "zh-TW": zh, "zh-HK": zh})


def page_language(request: gr.Request | None) -> Language:
    """The language the browser asks for first; English where it asks for neither."""
    header = (request.headers.get("accept-language") or "") if request is not None else ""
    return "zh" if header.lower().startswith("zh") else "en"
