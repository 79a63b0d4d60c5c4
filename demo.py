"""The web agent in its three usages: as needed, with pages fetched again, from the library alone.

    uv run demo.py ["a question"] [--library FOLDER]

It needs no key, and without a network it shows what the library holds: a model only writes the answer, which is left
out where there is none.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import citewise
from commands.terminal import language, print_message
from schema import Message

QUESTION = Message(zh="最近 AI 芯片的新闻", en="What is the latest news on AI chips?")
USAGES: tuple[tuple[Message, dict[str, bool]], ...] = (
    (Message(zh="1. 基本用法：知识库不够时才联网", en="1. Basic: the web where the library does not suffice"), {}),
    (
        Message(zh="2. 强制刷新：重新抓取网页", en="2. Forced refresh: pages are fetched again"),
        {"force_refresh": True},
    ),
    (
        Message(zh="3. 只用知识库：不联网", en="3. The library alone: nothing is fetched"),
        {"use_web_if_needed": False},
    ),
)
_PROMPT = 400  # characters of it that are shown


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("question", nargs="?", default=QUESTION.to(language()))
    parser.add_argument("--library", type=Path, help="folder of the library; by default that of the settings")
    options = parser.parse_args(arguments)
    try:
        with citewise.open(options.library) as library:
            print(f"{print_message(_ASKED)}{options.question}")
            for title, how in USAGES:
                print(f"\n=== {print_message(title)} ===")
                show(library.handle_query(options.question, **how), how.get("use_web_if_needed", True))  # type: ignore[arg-type]
    except citewise.CitewiseError as error:
        print(print_message(error.in_full), file=sys.stderr)
        return 1
    return 0


def show(result: dict[str, Any], web: bool) -> None:
    """What one call has brought; `web`: whether it was allowed to look there."""
    coverage, agent = result["coverage"], result["agent_result"]
    print(f"used_web: {result['used_web']}  {coverage['score']:.2f} / {coverage['threshold']:.2f}")
    print("retrieved_documents:")
    for document in result["retrieved_documents"]:
        keywords = ", ".join(document["structured_data"].get("keywords", [])[:5])
        print(f"  {document['score']:.2f}  {document['source']}  {keywords}")
    if not result["retrieved_documents"]:
        print(f"  {print_message(_NOTHING)}")
    prompt = result["enhanced_prompt"]
    print(f"enhanced_prompt ({len(prompt)}):\n  " + prompt[:_PROMPT].replace("\n", "\n  ") + " …")
    print(f"answer: {agent['parsed'] if agent['success'] else agent['error']}")
    for notice in result["notices"]:
        print(f"⚠ {notice}")
    if web and not result["used_web"] and not coverage["covered"]:
        print(f"⚠ {print_message(_NO_WEB)}")
    for name in ("record", "answer_file"):
        if result[name]:
            print(f"{name}: {result[name]}")


_ASKED = Message(zh="问题：", en="Question: ")
_NOTHING = Message(
    zh="（没有找到。先保存一些文件：uv run cli.py ingest PATH）",
    en="(nothing; store some first: uv run cli.py ingest PATH)",
)
_NO_WEB = Message(
    zh="没有取到网页，以上只来自知识库。请检查网络；CITEWISE_WEB=never 时不会联网。",
    en="No page came from the web: all of the above is from the library. Check the network; with CITEWISE_WEB=never "
    "the web is not asked.",
)

if __name__ == "__main__":
    sys.exit(main())
