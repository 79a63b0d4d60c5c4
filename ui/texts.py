"""The page's fixed texts in both languages."""

from __future__ import annotations

import html

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
    "chat": Message(zh="对话", en="Conversation"),
    "auto": Message(zh="自动（按你的话）", en="automatic (as you say)"),
    "usual": Message(zh="自动", en="automatic"),
    "s_default": Message(zh="默认策略", en="default strategy"),
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
    "c_whole": Message(zh="整篇", en="whole"),  # handed in by a program, never cut
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
    "vector_index": Message(zh="向量索引，召回率@10", en="vector index, recall@10"),
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
    "placeholder": Message(
        zh="### 与你的文件对话，看清每个答案的依据\n把文件拖进下面的输入框，然后提问。",
        en="### Chat with your documents, and see why each answer holds\nDrop files into the box below, then ask.",
    ),
    # the library page
    "to_library": Message(zh="打开知识库", en="Open the library"),
    "doc_sets": Message(zh="文档集", en="Document sets"),
    "doc_sets_info": Message(zh="不选就是全部", en="none chosen: all"),
    "into_set": Message(zh="存入文档集", en="Save into set"),
    "into_set_info": Message(zh="可以输入新名字", en="a new name makes a new set"),
    "no_set": Message(zh="（不分集）", en="(no set)"),
    "every": Message(zh="全部", en="All"),
    "upload": Message(zh="上传文件", en="Upload files"),
    "drop": Message(zh="文件或 zip：拖到这里，或点击选择", en="Files or a zip: drop them here, or click to choose"),
    "how_info": Message(
        zh="用于新上传的文件（可以是 zip），以及移动和重新切片",
        en="For new uploads (a zip will do), for moving, and for re-chunking",
    ),
    "set": Message(zh="文档集", en="Set"),
    "find": Message(zh="查找", en="Find"),
    "find_in": Message(zh="名字里的词", en="words of the name"),
    "state": Message(zh="状态", en="State"),
    "kind": Message(zh="类型", en="Kind"),
    "documents": Message(zh="文档", en="Documents"),
    "refresh": Message(zh="刷新状态", en="Refresh"),
    "embed_now": Message(zh="手动触发嵌入", en="Embed now"),
    "retry": Message(zh="重试", en="Retry"),
    "cancel": Message(zh="取消", en="Cancel"),
    "cancel_all": Message(zh="全部取消", en="Cancel all"),
    "move": Message(zh="移到文档集", en="Move to set"),
    "rechunk": Message(zh="重新切片", en="Re-chunk"),
    "delete": Message(zh="删除", en="Delete"),
    "progress": Message(zh="进度", en="Progress"),
    "set_name": Message(zh="新名字", en="New name"),
    "create_set": Message(zh="新建", en="Create"),
    "rename_set": Message(zh="改名", en="Rename"),
    "delete_set": Message(zh="删除文档集", en="Delete the set"),
    "pick_set": Message(zh="选择文档集", en="Choose a set"),
    "close": Message(zh="关闭", en="Close"),
    "before": Message(zh="上一页", en="Previous"),
    "next": Message(zh="下一页", en="Next"),
    "position": Message(zh="第 {}–{} 片，共 {} 片", en="Chunks {}–{} of {}"),
    "compare": Message(zh="试一试别的切片", en="Try another chunking"),
    "compare_info": Message(
        zh="只是预览，什么都不会保存；满意了再用。", en="Only a preview: nothing is stored before you use it."
    ),
    "preview": Message(zh="预览", en="Preview"),
    "use_a": Message(zh="采用 A", en="Use A"),
    "use_b": Message(zh="采用 B", en="Use B"),
    "none_b": Message(zh="不比较", en="no second one"),
    "t_name": Message(zh="文档", en="Document"),
    "t_doc_set": Message(zh="文档集", en="Set"),
    "t_doc_type": Message(zh="类型", en="Kind"),
    "t_chunks": Message(zh="片数", en="Chunks"),
    "t_status": Message(zh="状态", en="State"),
    "t_updated": Message(zh="更新时间", en="Updated"),
    "t_size": Message(zh="大小", en="Size"),
    "st_pending": Message(zh="等待处理", en="Waiting"),
    "st_processing": Message(zh="处理中", en="Processing"),
    "st_completed": Message(zh="已完成", en="Done"),
    "st_failed": Message(zh="处理失败", en="Failed"),
    "st_skipped": Message(zh="已跳过", en="Skipped"),
    "stage_read": Message(zh="读取", en="reading"),
    "stage_chunk": Message(zh="切片", en="chunking"),
    "stage_embed": Message(zh="向量化", en="embedding"),
    "stage_store": Message(zh="写入", en="storing"),
    "k_markdown": Message(zh="Markdown", en="Markdown"),
    "k_text": Message(zh="文本", en="Text"),
    "k_code": Message(zh="代码", en="Code"),
    "k_html": Message(zh="网页", en="HTML"),
    "k_pdf": Message(zh="PDF", en="PDF"),
    "k_docx": Message(zh="Word", en="Word"),
    "k_pptx": Message(zh="幻灯片", en="Slides"),
    "k_xlsx": Message(zh="表格", en="Sheet"),
    "k_csv": Message(zh="CSV", en="CSV"),
    "k_json": Message(zh="JSON", en="JSON"),
    "k_notebook": Message(zh="笔记本", en="Notebook"),
    "k_image": Message(zh="图片", en="Image"),
    "k_audio": Message(zh="音频", en="Audio"),
    "k_video": Message(zh="视频", en="Video"),
    "k_unknown": Message(zh="其他", en="Other"),
    "n_rows": Message(zh="{} 个文件", en="{} files"),
    "no_rows": Message(zh="没有符合条件的文件。", en="No file is like that."),
    "empty_table": Message(zh="知识库还是空的：把文件拖到上面。", en="The library is empty: drop files above."),
    "js_all": Message(zh="选择这一页的全部文件", en="Choose all files of this page"),
    "js_choose": Message(zh="选择", en="Choose"),
    "js_open": Message(zh="打开", en="Open"),
    "js_before": Message(zh="上一页", en="Previous"),
    "js_next": Message(zh="下一页", en="Next"),
    "js_chosen": Message(zh="已选 {} 个", en="{} chosen"),
    "js_delete": Message(zh="要删除这 {} 个文件吗？", en="Delete these {} files?"),
    "js_cancel": Message(zh="要取消还没有处理的文件吗？", en="Cancel the files that are not processed yet?"),
    # websites and repositories
    "sources": Message(zh="网站与仓库", en="Websites and repositories"),
    "address": Message(zh="网址", en="Address"),
    "address_info": Message(
        zh="网站的起始页，或 GitHub 的仓库、文件夹", en="start page of a website, or repository or folder of GitHub"
    ),
    "source_set_info": Message(zh="选一个，或写一个新名字", en="choose one, or name a new one"),
    "source_options": Message(zh="选项", en="Options"),
    "prefix": Message(zh="网站：只读这里以下的网页", en="Website: only pages below"),
    "prefix_info": Message(zh="不填：起始页及其下面的网页", en="empty: the start page and those below it"),
    "patterns": Message(zh="GitHub：文件", en="GitHub: files"),
    "patterns_info": Message(
        zh="如 `*.md docs/** !*.json`；不填：文档和代码", en="as `*.md docs/** !*.json`; empty: documentation and code"
    ),
    "ref": Message(zh="GitHub：分支、标签或提交", en="GitHub: branch, tag or commit"),
    "ref_info": Message(zh="不填：默认分支", en="empty: the default branch"),
    "add_source": Message(zh="添加并读取", en="Add and read"),
    "src_website": Message(zh="网站", en="Website"),
    "src_github": Message(zh="GitHub", en="GitHub"),
    "src_refreshed": Message(zh="上次读取", en="Last read"),
    "src_new": Message(zh="还没有读取", en="Not read yet"),
    "src_running": Message(zh="正在读取", en="Reading"),
    "src_done": Message(zh="已读取", en="Read"),
    "src_partly": Message(zh="没有全部读到", en="Not all was read"),
    "src_failed": Message(zh="没有读到", en="Not read"),
    "src_n_stored": Message(zh="新增或更新", en="new or changed"),
    "src_n_unchanged": Message(zh="未变", en="unchanged"),
    "src_n_gone": Message(zh="已消失", en="gone"),
    "src_n_skipped": Message(zh="略过", en="left out"),
    "src_n_failed": Message(zh="失败", en="failed"),
    "src_refresh": Message(zh="刷新", en="Refresh"),
    "src_stop": Message(zh="停止", en="Stop"),
    "src_remove": Message(zh="移除", en="Remove"),
    "src_ask": Message(zh="要移除 {} 吗？", en="Remove {}?"),
    "src_with": Message(zh="连同 {} 个文档一起移除", en="Remove it with its {} documents"),
    "src_only": Message(zh="只移除来源，保留文档", en="Remove it, keep the documents"),
    "src_keep": Message(zh="取消", en="Cancel"),
    "src_problems": Message(zh="逐个原因（{}）", en="One by one ({})"),
    "fetched": Message(zh="抓取时间", en="Fetched"),
    "committed": Message(zh="提交时间", en="Committed"),
    # the web: in the chat, and beside the models
    "offer_yes": Message(zh="上网搜索", en="Search the web"),
    "offer_no": Message(zh="不用", en="No, thanks"),
    "web_info": Message(zh="知识库没有涵盖问题时", en="where the library does not cover a question"),
    "policy_ask": Message(zh="先问我", en="ask me"),
    "policy_always": Message(zh="总是搜索", en="always search"),
    "policy_never": Message(zh="从不", en="never"),
    "web": Message(zh="联网", en="The web"),
    "web_ask": Message(zh="知识库没有覆盖时，先问你要不要搜索", en="you are asked before it is searched"),
    "web_always": Message(zh="知识库没有覆盖时，自动搜索", en="searched for what the library does not cover"),
    "web_never": Message(zh="不搜索", en="never searched"),
    "web_by": Message(zh="搜索来源", en="Search sources"),
    "web_nobody": Message(zh="没有可用的", en="none can be asked"),
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


def said(message: Message, request: gr.Request) -> str:
    """A word in a corner of the page: Gradio shows it as HTML, and names of files are anybody's words."""
    return html.escape(message.to(page_language(request)), quote=False)
