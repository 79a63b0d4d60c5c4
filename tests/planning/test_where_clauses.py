"""Words that only say where to look are no part of the question, in front of it or behind it."""

from planning.rules import plan_by_rules
from tests.each_row import each_row

LIBRARY = ["kepler-agreement.pdf", "leave-policy.docx", "供货合同-开元.pdf", "休假管理办法.docx"]


@each_row(
    ("message", "question"),
    [
        ("who signs late changes? see the kepler agreement", "who signs late changes?"),
        ("who signs late changes? I think it's in the kepler agreement", "who signs late changes?"),
        ("i think its in the kepler agreement: who signs late changes?", "who signs late changes?"),
        ("who signs late changes? The kepler agreement should say", "who signs late changes?"),
        ("who signs late changes, the kepler agreement", "who signs late changes"),
        ("can you look into the kepler agreement for who signs late changes", "who signs late changes"),
        ("Looking at the kepler agreement, who signs late changes?", "who signs late changes?"),
        ("dont look in the kepler agreement: who signs late changes", "who signs late changes"),
        ("看下供货合同，逾期变更谁批？", "逾期变更谁批？"),
        ("逾期变更谁批？应该在供货合同里", "逾期变更谁批？"),
        ("逾期变更谁批，供货合同里有写吗", "逾期变更谁批"),
        ("就供货合同而言，逾期变更谁批", "逾期变更谁批"),
        ("我想知道供货合同里逾期变更谁批", "逾期变更谁批"),
        ("what does the kepler agreement say?", "what does it say?"),  # nothing else is asked
        ("看下供货合同", "看下供货合同"),
        ("Is it in the kepler agreement that we may change late?", "Is it that we may change late?"),
        ("Does the kepler agreement say it?", "Does it say it?"),
    ],
)
def test_words_that_only_say_where_to_look_are_cut(message: str, question: str) -> None:
    assert plan_by_rules(message, uploads=[], library=LIBRARY).question == question
