"""Options that several commands of the lab share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="As JSON. / 输出 JSON。")]
QuestionSet = Annotated[str, typer.Argument(metavar="SET", help="A question set, or a file of one. / 问题集或文件。")]
Html = Annotated[Path | None, typer.Option(help="Write a report as one HTML file. / 写成一个 HTML 文件。")]
Markdown = Annotated[Path | None, typer.Option(help="Write a report as Markdown. / 写成 Markdown。")]
Answers = Annotated[bool, typer.Option("--answers", help="Ask for answers, not passages alone. / 也生成回答。")]
