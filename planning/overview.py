"""Questions about a file as a whole, about "this file", or about all that the library holds."""

from __future__ import annotations

import re

from question_words import without_function_words
from schema import EVERYWHERE, Scope
from text import STOP_WORDS, search_tokens

_this_file = re.compile(
    r"[这该此本][个份篇]?(?:文件|文档|资料)|(?:刚才|刚刚|上传)的?(?:那个)?(?:文件|文档|资料)"
    r"|\b(?:this|that|the uploaded) (?:file|document)\b|\b(?:file|document) (?:i|that i) (?:just )?uploaded\b",
    re.IGNORECASE,
)
_all_files = re.compile(
    r"知识库|资料库|(?:这些|那些|所有|全部|我的|上传的)的?(?:文件|文档|资料)|(?:文件|文档|资料)[里中]?(?:都|分别|各)"
    r"|\b(?:library|knowledge base)\b|\b(?:these|those|all|my|our|uploaded|the)(?: the| my| our| of the)?"
    r"(?: uploaded| saved)? (?:files|documents|docs)\b",
    re.IGNORECASE,
)
_overview = re.compile(
    r"[这那该此本][个份篇本]|[用以]?[一两二三四五六七八九十几\d]+[句段]话|[一两二三四五六七八九十几\d]+[条点个](?=$|\W|要点|重点|内容)"
    r"|要点|重点|梗概|核心|简要|简单|大致|大概|整体|归纳|梳理|提炼|列出|总结|概括|概述|概要|摘要|简介|介绍|内容|主要|大意|讲|说|写|概览|所有|全部|文件|文档|资料|手册|包含|网页|页面|网站|链接|博客|文章|帖子|看看|[里中面]"
    r"|\b(?:in )?(?:a few |\w+ )?(?:(?:short|key|main) )?(?:sentences?|bullets?|bullet points|paragraphs?)\b"
    r"|\bkey (?:points?|takeaways?|ideas?|facts?)\b|\b(?:brief|quick)ly\b"
    r"|\b(?:summar\w+|overview|gist|contents?|contains?|files?|documents?|docs|all|these|those|library|uploaded|main|points?|tell|give|says?|said|short|brief|page|article|post|website|site|link|read|list|outline)\b",
    re.IGNORECASE,
)


_in_particular = re.compile(r"谁|何时|什么时候|\b(?:who|whom|when|where)\b", re.IGNORECASE)


def means_this_file(question: str) -> bool:
    """Whether it asks about a file that it does not name: the one spoken of last."""
    return _this_file.search(question) is not None


def asks_for_overview(question: str, scope: Scope) -> bool:
    """Whether nothing in particular is asked: "what is in it?", "总结一下". Names of the files do not count."""
    if _in_particular.search(question):
        return False
    names = {term for name in scope.documents for term in search_tokens(name)}
    asked = _overview.sub(" ", without_function_words(question))
    return all(term in names or term in STOP_WORDS for term in search_tokens(asked))


def asks_for_library(question: str) -> bool:
    """Whether it asks what the files say as a whole: "what is in these files?", “这些文件都讲了什么”."""
    return _all_files.search(question) is not None and asks_for_overview(question, EVERYWHERE)
