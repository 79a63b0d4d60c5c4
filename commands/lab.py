"""The evaluation lab from a terminal: question sets, runs, comparisons, the choice of settings.

Exit status: 0 all is well, 1 a gate is missed, 2 wrong use, 3 a run has more failures than it may have.
"""

from __future__ import annotations

import typer

from commands.lab_choose import choose, undo
from commands.lab_fetch import fetch
from commands.lab_runs import compare, report, run
from commands.lab_sets import delete, export_set, import_set, list_all, make, thumbs

lab = typer.Typer(no_args_is_help=True)


@lab.callback()
def _of_lab() -> None:
    """Question sets asked of the library, and what a change made better or worse. / 评测：问题集、运行、对比、选优。"""


for command in (make, fetch, thumbs, run, compare, choose, undo, report, delete):
    lab.command()(command)
lab.command(name="import")(import_set)
lab.command(name="export")(export_set)
lab.command(name="list")(list_all)
