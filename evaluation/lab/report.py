"""Runs and comparisons for people: Markdown, and one HTML file that holds all it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Literal, NamedTuple

from evaluation.lab.charts import interval_chart, legend, wrong_bar, wrong_label
from evaluation.lab.comparing import CaseChange, RunComparison, RunInfo, verdict
from evaluation.lab.results import CaseResult, Means, summary
from schema import Language, Message

_SHOWN = 50  # wins and losses that a report lists
GROUP_NAMES: dict[Literal["people", "self_made"], Message] = {
    "people": Message(zh="人提的问题", en="people's questions"),
    "self_made": Message(zh="程序出的问题", en="self-made questions"),
}
_T: dict[str, Message] = {
    "report": Message(zh="评测报告", en="Evaluation report"),
    "comparison": Message(zh="运行对比", en="Comparison of runs"),
    "cases": Message(zh="题数", en="cases"),
    "stale": Message(zh="依据已失效", en="stale"),
    "failures": Message(zh="出错", en="failures"),
    "unjudged": Message(zh="未评判", en="unjudged"),
    "calls": Message(zh="模型调用次数", en="calls of the model"),
    "tokens": Message(zh="词元", en="tokens"),
    "cost": Message(zh="费用", en="cost"),
    "figure": Message(zh="指标", en="figure"),
    "value": Message(zh="值", en="value"),
    "before": Message(zh="之前", en="before"),
    "after": Message(zh="之后", en="after"),
    "difference": Message(zh="差", en="difference"),
    "interval": Message(zh="95% 区间", en="95 % interval"),
    "means": Message(zh="结论", en="which means"),
    "wrong": Message(zh="错在哪里", en="where it went wrong"),
    "wins": Message(zh="变好的题", en="wins"),
    "losses": Message(zh="变差的题", en="losses"),
    "ties": Message(zh="不变的题", en="ties"),
    "question": Message(zh="问题", en="question"),
    "change": Message(zh="变化", en="change"),
    "gate": Message(zh="门槛", en="gate"),
    "holds": Message(zh="达到", en="holds"),
    "missed": Message(zh="未达到", en="missed"),
    "missed_unsure": Message(zh="未达到，但可能是偶然", en="missed, but it may be chance"),
    "set": Message(zh="问题集", en="set"),
    "settings": Message(zh="设置", en="settings"),
    "library": Message(zh="知识库版本", en="library generation"),
    "began": Message(zh="开始时间", en="began"),
    "program": Message(zh="程序版本", en="program"),
}
_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;margin:1em 0;width:100%}td,th{border-bottom:1px solid #ddd;padding:.3em .6em;"
    "text-align:left;vertical-align:top}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}"
    "code{background:#f4f4f4;padding:0 .2em}@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}"
    "td,th{border-color:#444}code{background:#333}}"
)

Words = Callable[[str], str]


class CaseCell(NamedTuple):
    """A question that leads, on the page, to what the runs have of it."""

    question: str
    case: str
    runs: tuple[str, ...]

    @property
    def link(self) -> str:
        named = "".join(f' data-{key}="{escape(run)}"' for key, run in zip(("run", "against"), self.runs, strict=False))
        return f'<a href="#case" data-case="{escape(self.case)}"{named}>{escape(self.question)}</a>'


Cell = str | CaseCell


class _Report:
    """Sections that both forms are written of."""

    def __init__(self, title: str, language: Language, linked: bool = False) -> None:
        self.language, self._linked = language, linked
        self._html = [f"<h1>{escape(title)}</h1>"]
        self._markdown = [f"# {title}"]
        self._title = title

    def heading(self, text: str) -> None:
        self._html.append(f"<h2>{escape(text)}</h2>")
        self._markdown.append(f"## {text}")

    def line(self, text: str) -> None:
        self._html.append(f"<p>{escape(text)}</p>")
        self._markdown.append(text)

    def chart(self, svg: str) -> None:
        """In HTML alone: the tables say the same."""
        self._html.append(svg)

    def table(self, head: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
        if not rows:
            return
        cells = "".join(f"<th>{escape(one)}</th>" for one in head)
        body = "".join("<tr>" + "".join(f"<td>{self._marked(one)}</td>" for one in row) + "</tr>" for row in rows)
        self._html.append(f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>")
        lines = [head, ["---"] * len(head), *rows]
        self._markdown.append("\n".join("| " + " | ".join(map(_cell, row)) + " |" for row in lines))

    def _marked(self, cell: Cell) -> str:
        if isinstance(cell, CaseCell):
            return cell.link if self._linked else escape(cell.question)
        return escape(cell)

    @property
    def body(self) -> str:
        return "".join(self._html)

    @property
    def html(self) -> str:
        head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(self._title)}'
        return (
            f'<!doctype html><html lang="{self.language}"><head>{head}</title><style>{_STYLE}</style></head><body>'
            f"{self.body}</body></html>"
        )

    @property
    def markdown(self) -> str:
        return "\n\n".join(self._markdown) + "\n"


def run_report(info: RunInfo, results: Sequence[CaseResult], language: Language) -> tuple[str, str]:
    """A run as HTML and as Markdown."""
    report = _of_run(info, results, language)
    return report.html, report.markdown


def run_body(info: RunInfo, results: Sequence[CaseResult], language: Language) -> str:
    """A run within a page, where its questions are links."""
    return _of_run(info, results, language, linked=True).body


def comparison_report(found: RunComparison, language: Language) -> tuple[str, str]:
    """A comparison as HTML and as Markdown."""
    report = _of_comparison(found, language)
    return report.html, report.markdown


def comparison_body(found: RunComparison, language: Language) -> str:
    """A comparison within a page, where its questions are links."""
    return _of_comparison(found, language, linked=True).body


def _of_run(info: RunInfo, results: Sequence[CaseResult], language: Language, linked: bool = False) -> _Report:
    report = _Report(labelled(_T["report"].to(language), info.name, language), language, linked)
    _add_info(report, info)
    for group, found in summary(results).items():
        report.heading(GROUP_NAMES[group].to(language))
        _add_means(report, found)
    wrong: list[list[Cell]] = [
        [CaseCell(one.question, one.case, (info.name,)), _wrong(one, language), one.said(language)[:200]]
        for one in results
        if one.went_wrong
    ]
    if wrong:
        report.heading(_T["wrong"].to(language))
        report.table([_T["question"].to(language), _T["wrong"].to(language), ""], wrong)
    return report


def _of_comparison(found: RunComparison, language: Language, linked: bool = False) -> _Report:
    words: Words = lambda key: _T[key].to(language)  # noqa: E731
    title = labelled(words("comparison"), f"{found.before.name} → {found.after.name}", language)
    report = _Report(title, language, linked)
    for notice in found.notices:
        report.line(f"⚠ {notice.to(language)}")
    if found.gates:
        report.heading(words("gate"))
        states = ["holds" if one.holds else "missed" if one.sure else "missed_unsure" for one in found.gates]
        rows = [
            [str(one.gate), f"{one.difference.mean:+.3f}", words(state)]
            for one, state in zip(found.gates, states, strict=True)
        ]
        report.table([words("gate"), words("difference"), ""], rows)
    report.heading(words("difference"))
    report.chart(interval_chart(found.differences))
    report.table(
        [words("figure"), words("difference"), words("interval"), "p", words("means")],
        [
            [name, f"{one.mean:+.3f}", f"{one.low:+.3f} … {one.high:+.3f}", f"{one.p:.4f}", verdict(one).to(language)]
            for name, one in found.differences.items()
        ],
    )
    report.heading(words("wrong"))
    _add_bars(report, found)
    counts = {"wins": len(found.wins), "losses": len(found.losses), "ties": found.ties}
    separator = "，" if language == "zh" else ", "
    report.line(separator.join(labelled(words(key), str(count), language) for key, count in counts.items()))
    for key, changes in (("losses", found.losses), ("wins", found.wins)):
        if changes:
            report.heading(words(key))
            report.table([words("question"), words("change"), words("wrong")], _changes(found, changes, language))
    return report


def labelled(label: str, value: str, language: Language) -> str:
    """A label and its value, with the colon of the language."""
    return f"{label}{'：' if language == 'zh' else ': '}{value}"


def means_rows(found: Means) -> list[tuple[str, str]]:
    """The figures of a run as they are shown, the counts first."""
    counts = [("stale", found.stale), ("failures", found.failures), ("unjudged", found.unjudged)]
    rows = [("cases", str(found.cases)), *((name, str(count)) for name, count in counts if count)]
    rows += [(name, f"{value:.3f}") for name, value in found.figures.items()]
    rows += [("p50, ms", f"{1000 * found.p50:.0f}"), ("p95, ms", f"{1000 * found.p95:.0f}")]
    rows += [("calls", str(found.calls)), ("tokens", str(found.tokens))] if found.calls else []
    return rows + ([("cost", f"{found.cost:.4f}")] if found.cost else [])


def _add_info(report: _Report, info: RunInfo) -> None:
    words: Words = lambda key: _T[key].to(report.language)  # noqa: E731
    settings = ", ".join(f"{key}={value}" for key, value in info.settings.items() if value is not None)
    report.table(
        ["", ""],
        [
            [words("set"), f"{info.set_name} ({info.set_digest})"], [words("began"), info.began],
            [words("library"), str(info.generation)], [words("program"), info.version],
            [words("settings"), settings],
        ],
    )  # fmt: skip


def _add_means(report: _Report, found: Means) -> None:
    names = ["right", *found.went_wrong]
    report.chart(wrong_bar(found.went_wrong, found.cases, report.language) + legend(names, report.language))
    known: Mapping[str, Message] = _T
    rows = [[known[name].to(report.language) if name in known else name, value] for name, value in means_rows(found)]
    rows += [[wrong_label(name, report.language), str(count)] for name, count in found.went_wrong.items()]
    report.table([_T["figure"].to(report.language), _T["value"].to(report.language)], rows)


def _add_bars(report: _Report, found: RunComparison) -> None:
    for place in (0, 1):
        counts = {name: pair[place] for name, pair in found.went_wrong.items() if pair[place]}
        report.chart(wrong_bar(counts, found.cases, report.language))
    report.chart(legend(["right", *found.went_wrong], report.language))
    head = ["", _T["before"].to(report.language), _T["after"].to(report.language)]
    rows = [[wrong_label(name, report.language), str(a), str(b)] for name, (a, b) in found.went_wrong.items()]
    report.table(head, rows)


def _changes(found: RunComparison, changes: Sequence[CaseChange], language: Language) -> list[list[Cell]]:
    runs = found.before.name, found.after.name
    return [
        [CaseCell(one.question, one.case, runs), f"{one.change:+.2f}", _wrong(one.after, language)]
        for one in changes[:_SHOWN]
    ]


def _wrong(result: CaseResult, language: Language) -> str:
    return wrong_label(result.went_wrong, language) if result.went_wrong else ""


def _cell(cell: Cell) -> str:
    text = cell.question if isinstance(cell, CaseCell) else cell
    return " ".join(text.replace("|", "\\|").split())
