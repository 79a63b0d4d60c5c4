"""unknown: a hint for a message that is neither a file to save nor a question."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from langgraph.runtime import Runtime

from answering.inert_markdown import escaped
from library import Library
from nodes.context import TurnContext
from nodes.state import State, last_message
from planning.commands import asks_for_files
from schema import DocumentInfo, Message


async def unknown(state: State, runtime: Runtime[TurnContext]) -> dict[str, Any]:
    plan = state["plan"]
    names = runtime.context.library.names()
    if plan.unclear == "library":
        listed = names and asks_for_files(last_message(state))
        hint = await _files(runtime.context.library) if listed else MANAGE
    elif names and _farewell.search(last_message(state)):
        hint = WELCOME
    else:
        hint = _full(names) if names else EMPTY
    return {"messages": runtime.context.reply(plan, hint.to(plan.language))}


_farewell = re.compile(r"谢|辛苦|再见|拜拜|thank|thx|cheers|bye", re.IGNORECASE)
_LISTED = 20  # files


async def _files(library: Library) -> Message:
    """Which files there are, with their sets and titles, and where they are managed."""
    documents, titles = await asyncio.to_thread(library.documents), await library.titles()
    count, more = len(documents), len(documents) - _LISTED
    listed = [_line(one, titles.get(one.name, "")) for one in documents[:_LISTED]]
    zh, en = [one.zh for one in listed], [one.en for one in listed]
    if more > 0:
        zh.append(f"- ……另有 {more} 个")
        en.append(f"- … and {more} more")
    return Message(
        zh="\n".join([f"知识库里有 {count} 个文件：\n", *zh, f"\n{MANAGE.zh}"]),
        en="\n".join([f"The library holds {count} file{'s' * (count != 1)}:\n", *en, f"\n{MANAGE.en}"]),
    )


def _line(file: DocumentInfo, title: str) -> Message:
    """Of one file: names and titles are no markup."""
    name, doc_set = escaped(file.name), escaped(file.doc_set)
    about = escaped(" ".join(title.split())) if title.lower() not in file.name.lower() else ""
    return Message(
        zh=f"- {name}{f'（{doc_set}）' * bool(doc_set)}{f'：{about}' * bool(about)}",
        en=f"- {name}{f' ({doc_set})' * bool(doc_set)}{f': {about}' * bool(about)}",
    )


WELCOME = Message(
    zh="不客气！还有问题可以接着问，文件和对话都会保留。",
    en="You are welcome! Ask on whenever you like: your files and this conversation are kept.",
)
MANAGE = Message(
    zh="文件和文档集在“知识库”页管理：那里可以查看、重新切片、移动、删除文件，新建、重命名和删除文档集。",
    en="Files and document sets are managed on the Library page: view, re-chunk, move and delete files there; "
    "create, rename and delete sets.",
)
EMPTY = Message(
    zh="""你好！我根据你的文件回答问题，并标出每句话的出处。知识库还是空的，可以这样开始：

- 把文件拖进输入框，写“用递归切片保存，每片300字”，或者什么都不写直接发送
- 上传的同时提问，例如“保存这个文件，然后告诉我年假有几天”""",
    en="""Hello! I answer from your files and show where each sentence comes from. The library is
still empty; begin like this:

- drop a file into the message box and write “save it with recursive chunks of 300”, or just send it
- ask in the same message, for example “save this and tell me how many days of leave there are”""",
)


def _full(names: list[str]) -> Message:
    name = escaped(names[0])
    return Message(
        zh=f"""你好！我可以根据你的文件回答问题，并标出每句话的出处。例如：

- 直接提问，或写“只在 {name} 里查：……”
- 指定检索方式：“用混合检索：……”“用关键词检索：……”
- 保存文件：拖进输入框，写“用 Markdown 切片保存”
- 换一种切片方式：“把 {name} 改用语义切片”
- 按文档集：“保存到 HR 文档集”“只在 HR 文档集里查：……”

移动、删除文件请到“知识库”页。""",
        en=f"""Hello! I answer from your files and show where each sentence comes from. For example:

- just ask, or write “only in {name}: …”
- name a search strategy: “using hybrid search: …”, “keyword search: …”
- save files: drop them into the message box and write “save with markdown chunks”
- chunk a saved file anew: “re-index {name} with semantic chunks”
- by document set: “save to the HR collection”, “in the HR collection: …”

To move or delete files, go to the Library page.""",
    )
