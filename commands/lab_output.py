"""What the lab says on a terminal: progress, tables, JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from commands.terminal import language, print_message, show, show_table
from errors import CitewiseError
from schema import Message

if TYPE_CHECKING:
    from evaluation.lab.choosing import Choice
    from evaluation.lab.comparing import RunComparison
    from evaluation.lab.model_questions import Dropped
    from graph.lab.cost import RunCost
    from graph.lab.running import FinishedRun, RunProgress
    from graph.lab.variants import Variant


class RunBar:
    """A progress bar on standard error, so that JSON on the other one stays whole."""

    def __init__(self, what: str) -> None:
        columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
        self._bars = Progress(*columns, console=Console(stderr=True))
        self._task = self._bars.add_task(what, total=None)

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self._bars.stop()

    def __call__(self, progress: RunProgress) -> None:
        self._bars.update(self._task, completed=progress.done, total=progress.total)

    def count_asked(self, asked: int) -> None:
        """Where nobody knows how many it will be."""
        self._bars.update(self._task, completed=asked)


def ask_for_cost(cost: RunCost) -> bool:
    """Say what a run may cost where a model is asked, and whether it is wanted; a script is not asked."""
    money = f", {cost.cost:.2f} {cost.currency}" if cost.cost is not None else ""
    show(_COST, model=cost.model, calls=cost.calls, tokens=f"{cost.tokens:,}", cost=money)
    return not sys.stdin.isatty() or typer.confirm(print_message(_GO_ON))


def print_runs(finished: Sequence[FinishedRun], as_json: bool) -> None:
    """The means of runs, side by side."""
    from evaluation.lab.report import GROUP_NAMES, means_rows
    from evaluation.lab.results import summary

    if as_json:
        rows = [
            {
                **run.info.model_dump(mode="json"),
                "means": {group: found.model_dump() for group, found in summary(run.results).items()},
            }
            for run in finished
        ]
        print_json({"runs": rows})
        return
    for group, title in GROUP_NAMES.items():
        groups = [(run, found) for run in finished for key, found in summary(run.results).items() if key == group]
        if not groups:
            continue
        columns = [dict(means_rows(found)) | _wrongs(found.went_wrong) for _, found in groups]
        names = dict.fromkeys(name for column in columns for name in column)
        head = (title, *(Message(zh=run.info.name, en=run.info.name) for run, _ in groups))
        table = [(name, *(column.get(name, "") for column in columns)) for name in names]
        show_table(head, table, _NOTHING, right=set(range(1, len(head))))


def print_comparison(found: RunComparison, as_json: bool) -> None:
    from evaluation.lab.comparing import verdict

    if as_json:
        print_json(comparison_fields(found))
        return
    for notice in found.notices:
        show(f"⚠ {print_message(notice)}")
    rows = [
        (name, f"{one.mean:+.3f}", f"{one.low:+.3f} … {one.high:+.3f}", f"{one.p:.4f}", print_message(verdict(one)))
        for name, one in found.differences.items()
    ]
    show_table(_DIFFERENCES, rows, _NOTHING, right={1, 2, 3})
    show(_WON, wins=len(found.wins), losses=len(found.losses), ties=found.ties)
    show_table(_CHANGES, [(name, str(n)) for name, n in _wrongs(found.lost_to).items()], _NO_LOSS, right={1})
    for one in found.gates:
        state = _HOLDS if one.holds else _MISSED if one.sure else _UNSURE
        show(f"{one.gate}: {one.difference.mean:+.3f}  {print_message(state)}")


def comparison_fields(found: RunComparison) -> dict[str, Any]:
    """For programs."""
    return {
        "before": found.before.name, "after": found.after.name, "cases": found.cases, "figure": found.figure,
        "differences": {name: one._asdict() for name, one in found.differences.items()},
        "wins": [one.case for one in found.wins], "losses": [one.case for one in found.losses], "ties": found.ties,
        "went_wrong": found.went_wrong, "lost_to": found.lost_to,
        "gates": [
            {"gate": str(one.gate), "difference": one.difference.mean, "holds": one.holds, "sure": one.sure}
            for one in found.gates
        ],
        "notices": [print_message(one) for one in found.notices],
    }  # fmt: skip


def print_choice(found: Choice[Variant], applied: bool, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "replaced": found.replaced, "winner": found.winner.label, "applied": applied and found.replaced,
                "bound": found.bound, "searched": found.searched, "confirmed": found.confirmed, "seed": found.seed,
                "confirmation": found.confirmation and found.confirmation._asdict(),
                "rows": [row._asdict() for row in found.rows],
            }
        )  # fmt: skip
        return
    rows = [
        (row.label, str(row.questions), f"{row.mean:.3f}", f"{row.milliseconds:.0f}", f"{row.tokens:.0f}")
        for row in found.rows
    ]
    show_table(_CANDIDATES, rows, _NOTHING, right={1, 2, 3, 4})
    show(_SPLIT, searched=found.searched, confirmed=found.confirmed, seed=found.seed)
    if found.confirmation:
        show(_CONFIRMED, label=found.winner.label, mean=f"{found.confirmation.mean:+.3f}", bound=f"{found.bound:+.3f}")
    show(_BETTER if found.replaced else _KEPT, label=found.chosen.label)
    if found.replaced:
        show(_APPLIED if applied else _APPLY)
        if applied and found.chosen.embedding:
            show(_AT_START)


def show_dropped(dropped: Mapping[Dropped, int]) -> None:
    """Questions of a model that were not kept, by the reason."""
    from evaluation.lab.model_questions import DROPPED

    for why, count in dropped.items():
        show(_DROPPED, count=count, why=print_message(DROPPED[why]))


def print_json(what: object) -> None:
    typer.echo(json.dumps(what, ensure_ascii=False))


def write_text(path: Path, text: str) -> None:
    """Raises CitewiseError."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CitewiseError(
            "file",
            Message(zh=f"写不了 {path}（{error.strerror}）。", en=f"{path} cannot be written ({error.strerror})."),
            Message(zh="请换一个位置。", en="Choose another place."),
        ) from error


def _wrongs(counts: dict[str, int]) -> dict[str, str]:
    from evaluation.lab.charts import wrong_label

    return {f"  {wrong_label(name, language())}": str(count) for name, count in counts.items()}


_DROPPED = Message(zh="舍去 {count} 题：{why}。", en="Not kept: {count} ({why}).")
_COST = Message(
    zh="将由 {model} 回答：约 {calls} 次调用，最多约 {tokens} 词元{cost}。",
    en="{model} is to answer: about {calls} calls, at most about {tokens} tokens{cost}.",
)
_GO_ON = Message(zh="继续吗？", en="Go on?")
_NOTHING = Message(zh="没有可比较的指标。", en="No figures.")
_NO_LOSS = Message(zh="没有变差的题。", en="Nothing was lost.")
_WON = Message(zh="变好 {wins} 题，变差 {losses} 题，不变 {ties} 题。", en="Wins {wins}, losses {losses}, ties {ties}.")
_CHANGES = (Message(zh="变差的题错在哪里", en="where the losses went wrong"), Message(zh="题数", en="questions"))
_HOLDS = Message(zh="✓ 达到", en="✓ holds")
_MISSED = Message(zh="✗ 未达到", en="✗ missed")
_UNSURE = Message(zh="未达到，但可能是偶然", en="missed, but it may be chance")
_DIFFERENCES = (
    Message(zh="指标", en="figure"), Message(zh="差", en="difference"), Message(zh="95% 区间", en="95 % interval"),
    Message(zh="p", en="p"), Message(zh="结论", en="which means"),
)  # fmt: skip
_CANDIDATES = (
    Message(zh="候选", en="candidate"), Message(zh="题数", en="questions"), Message(zh="均值", en="mean"),
    Message(zh="毫秒", en="ms"), Message(zh="词元", en="tokens"),
)  # fmt: skip
_SPLIT = Message(
    zh="在 {searched} 题上比较，用另外 {confirmed} 题确认一次（种子 {seed}）。",
    en="Compared on {searched} questions, confirmed once on {confirmed} others (seed {seed}).",
)
_CONFIRMED = Message(
    zh="{label} 在确认题上 {mean}，至少 {bound}（95% 把握）。",
    en="{label} on the others: {mean}, at least {bound} (95 % sure).",
)
_BETTER = Message(zh="更好的设置：{label}", en="Better: {label}")
_KEPT = Message(zh="没有明显更好的设置，保持现状。", en="Nothing is surely better: the settings stay.")
_APPLIED = Message(zh="已采用。撤销：cli.py lab undo", en="It is used from now on. Take it back with: cli.py lab undo")
_AT_START = Message(
    zh="向量方式从下次启动程序起改变，届时会重新计算全部向量。",
    en="The embedding changes when the program starts next: then all documents are embedded again.",
)
_APPLY = Message(zh="加 --apply 即可采用。", en="Add --apply to use it.")
