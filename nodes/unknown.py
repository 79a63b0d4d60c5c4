"""unknown: a hint for a message that is neither a file to save nor a question."""

from __future__ import annotations

import re
from typing import Any

from langgraph.runtime import Runtime

from nodes.context import Context
from nodes.events import Replied, Traced
from nodes.state import Record, State, last_message
from schema import Message


async def unknown(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    plan = state["plan"]
    names = runtime.context.library.names()
    if plan.unclear == "library":
        hint = MANAGE
    elif names and _farewell.search(last_message(state)):
        hint = WELCOME
    else:
        hint = _full(names) if names else EMPTY
    reply = hint.to(plan.language)
    runtime.context.emit(Replied(reply))
    runtime.context.emit(Traced(runtime.context.trace))
    return {"messages": [Record(plan=plan, trace=runtime.context.trace).message(reply)]}


_farewell = re.compile(r"谢|辛苦|再见|拜拜|thank|thx|cheers|bye", re.IGNORECASE)
WELCOME = Message(
    zh="不客气！还有问题可以接着问，文件和对话都会保留。",
    en="You are welcome! Ask on whenever you like: your files and this conversation are kept.",
)
MANAGE = Message(
    zh="文件列表在页面左侧：“知识库”列出已保存的文件，“删除”可以删除其中的文件。",
    en="The files are on the left of the page: “Library” lists what is saved, “Delete” removes files.",
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
    name = names[0]
    return Message(
        zh=f"""你好！我可以根据你的文件回答问题，并标出每句话的出处。例如：

- 直接提问，或写“只在 {name} 里查：……”
- 指定检索方式：“用混合检索：……”“用关键词检索：……”
- 保存文件：拖进输入框，写“用 Markdown 切片保存”
- 换一种切片方式：“把 {name} 改用语义切片”

删除文件请用左侧的文件列表。""",
        en=f"""Hello! I answer from your files and show where each sentence comes from. For example:

- just ask, or write “only in {name}: …”
- name a search strategy: “using hybrid search: …”, “keyword search: …”
- save files: drop them into the message box and write “save with markdown chunks”
- chunk a saved file anew: “re-index {name} with semantic chunks”

To delete a file, use the list of files on the left.""",
    )
