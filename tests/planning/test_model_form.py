"""Each field of a model's form is read on its own: near misses are what they mean, what means nothing is unsaid."""

from planning.model_form import FilledPlan
from tests.each_row import each_row

WHOLE = {
    "reason": "asks", "intent": "save_retrieve", "language": "en", "question": "How long?", "translation": "多久？",
    "parts": ["How long is a trip?"],
    "urls": ["https://x.org"], "strategy": "hybrid", "files": ["a.md"], "doc_sets": ["hr"], "save_to": "hr",
    "chunking": "fixed", "chunk_size": 300, "chunk_overlap": 30,
    "per_file": [{"file": "a.md", "chunking": "code", "chunk_size": 400, "chunk_overlap": 40}],
}  # fmt: skip


def test_the_form_has_no_other_fields():
    assert set(WHOLE) == set(FilledPlan.model_fields)


@each_row("bad", [{"a": 1}, [[], {}], 3.7, True, object()])
@each_row("field", [*WHOLE])
def test_one_bad_field_loses_itself_only(field, bad):
    good = FilledPlan.model_validate(WHOLE)
    read = FilledPlan.model_validate({**WHOLE, field: bad})
    others = {name for name in WHOLE if name != field}
    assert read.model_dump(include=others) == good.model_dump(include=others)


@each_row(
    ("field", "value", "meant"),
    [
        ("intent", "Question", "retrieve"),
        ("language", "zh_CN", "zh"),
        ("language", "cn", "zh"),
        ("language", "English", "en"),
        ("strategy", ["hybrid"], "hybrid"),
        ("files", "a.md", ["a.md"]),
        ("files", [{"name": "a.md"}], ["a.md"]),
        ("files", None, []),
        ("doc_sets", "hr", ["hr"]),
        ("urls", "https://x.org", ["https://x.org"]),
        ("chunk_size", "1,200 characters", 1200),
        ("chunk_size", "512 tokens", 512),
        ("chunk_size", "三百字", 300),
        ("chunk_overlap", "30", 30),
        ("chunk_overlap", True, None),
        ("question", None, ""),
    ],
)
def test_near_misses_are_what_they_mean(field, value, meant):
    assert getattr(FilledPlan.model_validate({**WHOLE, field: value}), field) == meant
