"""What Gradio's own parts are called: not in `TEXTS` of the page, since Gradio asks for these words by no key."""

from __future__ import annotations

from schema import Message

TEXTS: dict[str, Message] = {
    "message": Message(zh="消息", en="Message"),
    "files": Message(zh="最近的文件", en="Latest files"),
}
NAMES: dict[str, str] = {  # its English word for it -> in Chinese
    "Toggle Sidebar": "展开或收起侧栏",
    "chatbot conversation": "对话",
    "Copy message": "复制这条消息",
    "Copied Message": "已复制",
    "Copied message": "已复制",
    "Copy code": "复制代码",
    "Copy": "复制",
    "Scroll down": "到最后",
    "Click to upload or drop files": "点击或拖入文件来上传",
    "Multimedia input field": "输入消息",
    "Upload a file": "添加文件",
    "Upload file": "添加文件",
    "Uploaded files": "已添加的文件",
    "File thumbnail": "文件",
    "Remove file": "移除文件",
    "Remove this file": "移除文件",
    "Submit": "发送",
    "Stop": "停止",
    "Loading response": "正在回答",
    "Close": "关闭",
    "Dismiss": "关闭",
    "Clear": "清空",
    "Clear all": "清空",
    "Remove": "移除",
    "Remove label": "移除",
    "More tabs": "更多",
    "Reset to default value": "恢复默认值",
    "Open cell menu": "列的菜单",
    "Expand": "展开",
    "Error": "出错",
    "Warning": "注意",
    "Info": "提示",
    "Success": "完成",
    "Connection to the server was lost. Attempting reconnection...": (
        "与程序的连接断开了，正在重新连接。如果程序已经关闭，请重新启动，页面会自己恢复。"
    ),
    "Connection errored out.": "与程序的连接中断，请重试。",
}
