"""The failover benchmark: a few of its cases, and that it would see what it is there to see."""

from __future__ import annotations

import json
import logging

import pytest

from benchmarks.failover import FAULTS, PLACES, _outcome, _problems, allowance, fault, place_of
from benchmarks.model_server import Reply
from errors import CitewiseError
from evaluation.judges import Judgement
from nodes.events import Answered, Failed, Replied, Token
from planning.model_plan import FilledPlan
from schema import Answer, Message
from tests.benchmarks.benchmark_commands import measured


def test_a_few_failures() -> None:
    faults = ["--fault", "401", "--fault", "time-out in mid-stream"]
    report = measured("failover", "--timeout", "2", *faults, "--place", "answer", "--place", "judge")
    assert report.ok, report
    assert report.bars.keys() == {"tracebacks", "late", "without an answer", "not the second's", "never reached"}
    alone, helped = (part.split()[0] for part in report.metrics["401"]["answer"].split(" / "))
    assert (alone, helped) == ("sources", "model")
    assert set(report.metrics["time-out in mid-stream"]) == {"answer"}  # a judge does not stream


def test_every_fault_is_one_at_every_place_that_can_have_it() -> None:
    good = Reply('{"reason": "x"}')
    for place in PLACES:
        replies = [reply for name in FAULTS if (reply := fault(name, place, good)) is not None]
        assert good not in replies
        assert len(replies) >= 10
        assert all(replies.count(reply) == 1 for reply in replies)
    assert fault("wrong dimension", "answer", good) is None
    assert fault("wrong dimension", "embedding", good) is not None


@pytest.mark.parametrize(("form", "place"), [(FilledPlan, "plan"), (Judgement, "judge")])
def test_places_are_known_by_their_forms(form, place) -> None:
    schema = {"json_schema": {"name": form.__name__, "schema": form.model_json_schema()}}
    assert place_of({"messages": [{"content": "x"}], "response_format": schema}) == place
    described = f"One JSON object that fits this JSON schema:\n{json.dumps(form.model_json_schema())}"
    assert place_of({"messages": [{"content": described}]}) == place


def test_endings() -> None:
    stated = CitewiseError("model", Message(zh="不行", en="no"), Message(zh="等等", en="wait"))
    assert _outcome([Token("x"), Answered(Answer("x", answered_by="m"))]) == "model"
    assert _outcome([Token("x"), Answered(Answer("x", fallback_used=True))]) == "sources"
    assert _outcome([Token("x")]) == _outcome([Answered(Answer(" "))]) == _outcome([]) == "nothing"
    assert _outcome([Failed(stated)]) == _outcome([Replied("hm")]) == "said"
    assert _outcome([Failed(stated, "1234abcd")]) == "nothing"
    assert allowance("answer", 1.0, 0.1) > allowance("judge", 1.0, 0.1) > 1.0


def test_tracebacks_are_noticed() -> None:
    with _problems() as problems:
        logging.getLogger("somewhere").warning("as expected")
        assert not problems
        try:
            raise ValueError("unforeseen")
        except ValueError:
            logging.getLogger("somewhere").warning("oh", exc_info=True)
        assert "unforeseen" in problems[0]
