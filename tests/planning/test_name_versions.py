"""The newest and the oldest of several versions, by their names."""

from planning.known_files import NOTHING_KNOWN, KnownFiles
from planning.name_versions import newest_by_name, oldest_by_name, version_called
from planning.rules import plan_by_rules
from tests.each_row import each_row

LIBRARY = [
    "手册2025版.pdf",
    "手册2023版_已废止.pdf",
    "api_v1.9.md",
    "api_v1.10.md",
    "Minutes 2024.docx",
    "Minutes 2025.docx",
]


@each_row(
    ("message", "file"),
    [
        ("In the newest handbook, how long is probation?", "手册2025版.pdf"),
        ("In the superseded handbook, how long is probation?", "手册2023版_已废止.pdf"),
        ("最新版的手册里年假几天", "手册2025版.pdf"),
        ("旧手册里年假几天", "手册2023版_已废止.pdf"),
        ("what do the latest minutes say about the roof?", "Minutes 2025.docx"),
        ("in the previous minutes, who was absent?", "Minutes 2024.docx"),
    ],
)
def test_a_version_is_told_by_the_names(message, file):
    assert plan_by_rules(message, uploads=[], library=LIBRARY).scope.documents == (file,)


@each_row("message", ["In the handbook, how long is probation?", "is there a newer handbook?"])
def test_without_a_word_for_it_no_version_is_meant(message):
    assert plan_by_rules(message, uploads=[], library=LIBRARY).scope.documents == ()


@each_row(
    ("names", "newest", "oldest"),
    [
        (["api_v1.9.md", "api_v1.10.md"], "api_v1.10.md", "api_v1.9.md"),  # as numbers
        (["a.pdf", "a_v2.pdf"], "a_v2.pdf", "a.pdf"),
        (["手册2025版.pdf", "手册2026_作废.pdf"], "手册2025版.pdf", "手册2026_作废.pdf"),
        (["incident_2025-01-17_redis.md", "incident_2025-03-02_dns.md"], "incident_2025-03-02_dns.md",
         "incident_2025-01-17_redis.md"),  # of two documents, each with its day
        (["report_12_a.md", "report_13_b.md"], None, None),  # of two documents, and no days
        (["a-report.md", "b-report.md"], None, None),
        (["a.md"], None, None),
        ([], None, None),
    ],
)  # fmt: skip
def test_names_tell_their_order_where_they_are_versions(names, newest, oldest):
    assert newest_by_name(names) == newest
    assert oldest_by_name(names) == oldest


def test_names_go_before_the_time_of_storing_and_a_single_file_is_the_latest() -> None:
    known = KnownFiles(newest=["a_v1.md", "a_v2.md", "b.md"])
    names = ["a_v1.md", "a_v2.md"]
    assert version_called("in the latest ", names, names, known) == ("latest ", "a_v2.md")
    assert version_called("in the latest ", ["a_v1.md", "b.md"], ["a_v1.md", "b.md"], known) == ("latest ", "a_v1.md")
    assert version_called("in the latest ", names[:1], names[:1], NOTHING_KNOWN) == ("latest ", "a_v1.md")
    assert version_called("in the old ", names[:1], names[:1], known) is None
    assert version_called("in the ", names, names, known) is None
