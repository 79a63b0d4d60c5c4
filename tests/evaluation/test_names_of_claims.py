"""Whether sources have a name: whole, by its last part, or by the letters that it begins with."""

from __future__ import annotations

from evaluation.claims import read
from evaluation.contradictions import name_missing
from evaluation.sources import SourceText
from tests.each_row import each_row


@each_row(
    ("claim", "source", "missing"),
    [
        ("Otto Brandt opened the mill.", "Brandt opened the mill.", False),
        ("Otto Brandt opened the mill.", "The mill was opened by O. Brandt.", False),
        ("Otto Brandt opened the mill.", "Otto opened the mill.", True),
        ("Otto Brandt opened the mill.", "Somebody opened the mill.", True),
        ("The plant of NASA is old.", "The National Aeronautics and Space Administration has an old plant.", False),
        ("The plant of NASA is old.", "The European Space Agency has an old plant.", True),
        ("The World Health Organization said so.", "The WHO said so.", False),
        ("王小明批准了。", "由王小明批准。", False),
        ("王小明批准了。", "李小红批准了。", True),
    ],
)
def test_a_name_is_missing_where_nothing_stands_for_it(claim: str, source: str, missing: bool) -> None:
    read_claim = read(claim)
    [name] = read_claim.names
    assert name_missing([read_claim.terms[place] for place in name], [SourceText(source)]) is missing
