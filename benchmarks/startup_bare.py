"""The least Gradio chat that takes files: what the start of the program is compared with."""

from __future__ import annotations

import argparse
from typing import Any

import gradio as gr


def echo(message: dict[str, Any], history: list[dict[str, Any]]) -> str:
    return str(message["text"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    chat = gr.Chatbot(elem_id="chat")
    box = gr.MultimodalTextbox(elem_id="box", autofocus=True)
    with gr.Blocks(title="chat") as page:
        gr.ChatInterface(echo, multimodal=True, chatbot=chat, textbox=box)
    page.launch(server_name="127.0.0.1", server_port=parser.parse_args().port, inbrowser=False, quiet=True)


if __name__ == "__main__":
    main()
