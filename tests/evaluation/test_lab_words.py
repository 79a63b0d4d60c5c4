"""What the lab says of a difference, how it draws a curve, and the rows of sets that others publish line by line."""

from __future__ import annotations

import json
import re

import pytest

from evaluation.lab.charts import CurvePoint, interval_chart, legend, line_chart, wrong_label
from evaluation.lab.comparing import verdict
from evaluation.lab.reading import parse_set
from evaluation.lab.significance import PairedDifference
from schema import Message

SURE, UNSURE = 0.01, 0.4


def difference(mean: float, p: float, detectable: float = 0.125) -> PairedDifference:
    return PairedDifference(mean, p, mean - 0.1, mean + 0.1, detectable, 30)


def test_a_difference_is_told_in_both_languages() -> None:
    assert verdict(difference(0.2, SURE)) == Message(zh="变好了", en="better")
    assert verdict(difference(-0.2, SURE)) == Message(zh="变差了", en="worse")
    assert verdict(difference(0.0, 1.0, detectable=0.0)) == Message(zh="没有差别", en="no difference")
    told = Message(
        zh="30 题还分不出差别；能分出的最小差别是 0.125",
        en="no difference can be told with 30 questions; 0.125 could be",
    )
    assert verdict(difference(0.2, UNSURE)) == told
    assert verdict(difference(0.2, SURE), p=UNSURE) == told  # as corrected for several figures


def test_a_curve_fills_its_picture_but_for_the_dots() -> None:
    chart = line_chart([CurvePoint(str(n), n / 4) for n in range(5)])
    [width] = re.findall(r'viewBox="0 0 (\d+) ', chart)
    dots = [float(x) for x in re.findall(r'<circle cx="(.+?)"', chart)]
    lines = re.findall(r'<line x1="(.+?)" x2="(.+?)"', chart)
    assert dots[0] == float(lines[0][0])  # where the lines begin
    assert {end for _, end in lines} == {width}
    assert dots[-1] == float(width) - 20


def test_differences_stand_on_both_sides_of_the_line() -> None:
    chart = interval_chart({"up": difference(0.3, SURE), "down": difference(-0.1, SURE), "open": difference(0.1, 0.4)})
    zero, height = re.findall(r'<line x1="(.+?)" x2="\1" y1="0" y2="(.+?)" stroke="#999"', chart)[0]
    bars = re.findall(r'x1="([\d.]+)" x2="([\d.]+)" y1="(\d+)" y2="\3" stroke="(.+?)"', chart)
    dots = [(float(x), y) for x, y in re.findall(r'<circle cx="(.+?)" cy="(.+?)"', chart)]
    assert [colour for *_, colour in bars] == ["#2e7d32", "#c62828", "#607d8b"]  # better, worse, not to be told
    for (low, high, y, _), dot in zip(bars, dots, strict=True):
        assert dot == (pytest.approx((float(low) + float(high)) / 2, abs=0.1), y)
    assert [dot > float(zero) for dot, _ in dots] == [True, False, True]
    assert float(bars[1][1]) == float(zero)  # its interval ends at 0
    rows = [int(y) for _, _, y, _ in bars]
    assert 0 < rows[0] < rows[1] < rows[2] < int(height)
    assert re.findall(r">(up|down|open|[+-][\d.]+)</text>", chart) == [
        "up",
        "+0.300",
        "down",
        "-0.100",
        "open",
        "+0.100",
    ]
    assert '<text x="0" y="16"' in chart
    assert ">a&lt;b</text>" in interval_chart({"a<b": difference(0.0, 1.0)})


def test_colours_are_explained_in_the_language_of_the_page() -> None:
    assert [wrong_label("right", language) for language in ("zh", "en")] == ["正确", "right"]
    told = legend(["right", "not_found"], "en")
    assert re.findall(r"background:(#\w+)\"></span> (.+?)</span>", told) == [
        ("#2e7d32", "right"), ("#c62828", "not found"),
    ]  # fmt: skip


def test_a_set_of_supporting_facts_is_read_line_by_line() -> None:
    facts, context = [["Mill", 1], ["Dam", 7]], [["Mill", ["It is old.", " It stands by the dam. "]]]
    row = {"question": "Is it old?", "answer": "Yes", "supporting_facts": facts, "context": context}
    rows = [{**row, "_id": "h1"}, {**row, "id": "h2", "answer": "by the dam"}, row]
    first, second, third = parse_set("hotpot.jsonl", "\n".join(map(json.dumps, rows)).encode())
    assert (first.id, first.kind, first.answer) == ("h1", "yes_no", "Yes")
    assert (second.id, second.kind, second.answer) == ("h2", "text", "by the dam")
    assert third.id not in ("h1", "h2", "")
    for case in (first, second, third):  # a sentence that the row does not bring leaves its document
        assert [(one.document, one.quote) for one in case.evidence] == [("Mill", "It stands by the dam."), ("Dam", "")]
