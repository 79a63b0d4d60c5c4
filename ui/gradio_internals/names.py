"""Names in Chinese for what Gradio's own parts call themselves in English only; names.js gives them."""

from __future__ import annotations

import gradio as gr

from ui.scripted_html import scripted_html

NAMES = {  # the English that Gradio writes into the page -> the same in Chinese
    "Toggle Sidebar": "展开或收起侧栏",
    "chatbot conversation": "对话",
    "Liked": "已赞",
    "Disliked": "已踩",
    "Scroll down": "到最后",
    "Click to upload or drop files": "点击或拖入文件来上传",
    "Multimedia input field": "输入消息",
    "Upload a file": "添加文件",
    "Uploaded files": "已添加的文件",
    "File thumbnail": "文件",
    "Remove file": "移除文件",
    "Remove this file": "移除文件",
    "Submit": "发送",
    "Stop": "停止",
    "Loading response": "正在回答",
    "Close": "关闭",
    "More tabs": "更多",
    "Error": "出错",
    "Warning": "注意",
    "Info": "提示",
    "Connection to the server was lost. Attempting reconnection...": (
        "与程序的连接断开了，正在重新连接。如果程序已经关闭，请重新启动，页面会自己恢复。"
    ),
    "Connection errored out.": "与程序的连接中断，请重试。",
}


def build_names() -> gr.HTML:
    value = {"zh": NAMES, "message": {"zh": "消息", "en": "Message"}}
    return scripted_html("gradio_internals/names", value=value, elem_id="names", visible="hidden")
