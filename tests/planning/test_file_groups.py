"""Files that are called together: by how many they are, by a place to look, by their folder."""

from __future__ import annotations

from planning.rules import plan_by_rules
from tests.each_row import each_row

LEASES, INVOICES = ["lease-2023.pdf", "lease-2024.pdf"], ["invoice-acme-01.pdf", "invoice-acme-02.pdf", "invoice-b.pdf"]
WEEKS, DESIGNS = ["周报-0603.md", "周报-0610.md", "周报-0617.md"], ["design/auth.md", "design/billing.md"]
AGREEMENTS = ["保密协议-甲方.docx", "保密协议-乙方.docx"]
LIBRARY = [*LEASES, *INVOICES, *WEEKS, *AGREEMENTS, *DESIGNS, "README.md", "meeting-notes-0604.txt"]
MIXED = [
    "vendor contract Bolt.pdf",
    "合作协议-蓝海.pdf",
    "水电费.xlsx",
    "物业费标准.xlsx",
    "travel-policy.md",
    "leave-policy.md",
]


def but(*out):
    return [name for name in LIBRARY if name not in out]


@each_row(
    ("message", "files", "question"),
    [
        ("Do both leases allow pets?", LEASES, "Do they allow pets?"),
        ("In the two leases, what is the deposit?", LEASES, "what is the deposit?"),
        ("compare the two leases on pets", LEASES, "compare them on pets"),
        ("according to all three invoices, when is it due?", INVOICES, "when is it due?"),
        ("in the Acme invoices, what is the total?", INVOICES[:2], "what is the total?"),
        ("the design docs: which one mentions OAuth?", DESIGNS, "which one mentions OAuth?"),
        ("两份保密协议的有效期一样吗", AGREEMENTS, "它们的有效期一样吗"),
        ("三份周报里提到的风险有哪些", WEEKS, "提到的风险有哪些"),
        ("所有周报里有没有提到延期", WEEKS, "有没有提到延期"),
        ("只看周报：谁负责测试", WEEKS, "谁负责测试"),
        ("发票里最贵的是哪一项", INVOICES, "最贵的是哪一项"),
        ("what's in the design folder about OAuth", DESIGNS, "what's about OAuth"),
        ("design 目录下的文件里谁提到 OAuth", DESIGNS, "谁提到 OAuth"),
        ("除了发票，哪里提到押金", but(*INVOICES), "哪里提到押金"),
        ("除周报以外，哪里提到押金", but(*WEEKS), "哪里提到押金"),
        ("除了那三份周报，哪里提到押金", but(*WEEKS), "哪里提到押金"),
        ("周报都不看，哪里提到押金", but(*WEEKS), "哪里提到押金"),
        ("Everything except the invoices: is a deposit mentioned?", but(*INVOICES), "is a deposit mentioned?"),
        ("ignore the leases, is a deposit mentioned?", but(*LEASES), "is a deposit mentioned?"),
    ],
)
def test_several_files_are_the_place_to_look(message, files, question):
    plan = plan_by_rules(message, uploads=[], library=LIBRARY)
    assert (sorted(plan.scope.documents), plan.question) == (sorted(files), question)


def test_a_folder_within_another_goes_by_its_path():
    library = ["docs/design/auth.md", "docs/design/billing.md", "docs/api/calls.md"]
    plan = plan_by_rules("in the docs/design folder, who mentions OAuth?", uploads=[], library=library)
    assert (list(plan.scope.documents), plan.question) == (library[:2], "who mentions OAuth?")


def test_a_plural_goes_before_what_only_means_the_word():
    plan = plan_by_rules(
        "in the leases, what is the deposit?", uploads=[], library=[*LEASES, "租赁合同.pdf", "README.md"]
    )
    assert list(plan.scope.documents) == LEASES


@each_row(
    ("message", "files"),
    [
        ("both contracts: who pays for delays?", MIXED[:2]),  # one by what its Chinese name means
        ("in the contracts, who pays for delays?", MIXED[:2]),
        ("两张表里停车费一样吗", MIXED[2:4]),
        ("两个表格里停车费一样吗", MIXED[2:4]),
        ("the two policies: is parking mentioned?", MIXED[4:]),
        ("everything but the policies: is parking mentioned?", MIXED[:4]),
        ("三份合同里停车费一样吗", []),  # there are two
        ("policies are made by whom", []),
    ],
)
def test_as_many_as_are_said_or_left_out_may_only_mean_the_word(message, files):
    assert sorted(plan_by_rules(message, uploads=[], library=MIXED).scope.documents) == sorted(files)


@each_row(
    "message",
    [
        "Are all invoices due in May?",  # speaks of invoices
        "In the four leases, what is the deposit?",  # there are two
        "Do both parties sign?",
        "所有发票都要盖章吗",
        "一份保密协议要谁签字",
        "How are invoices numbered?",
        "What was said on June 9th?",
    ],
)
def test_what_is_only_a_subject_calls_none(message):
    assert plan_by_rules(message, uploads=[], library=LIBRARY).scope.documents == ()


@each_row(
    ("message", "file"),
    [
        ("what did we decide in the meeting on June 4th?", "meeting-notes-0604.txt"),
        ("in the 4 June meeting, what was decided?", "meeting-notes-0604.txt"),
        ("6月4号的会上定了什么", "meeting-notes-0604.txt"),
        ("六月十号的周报里谁负责测试", "周报-0610.md"),
        ("in the auth design, how are tokens rotated?", "design/auth.md"),
    ],
)
def test_a_day_and_a_folder_tell_one_file(message, file):
    assert plan_by_rules(message, uploads=[], library=LIBRARY).scope.documents == (file,)


def test_a_document_set_goes_before_a_folder_of_its_name():
    plan = plan_by_rules("in the design folder, who mentions OAuth?", uploads=[], library=LIBRARY, doc_sets=["design"])
    assert (plan.scope.doc_sets, plan.scope.documents) == (("design",), ())


def test_an_everyday_word_of_a_name_calls_its_file_only_as_a_place_to_look():
    library = ["rental-car.txt", "home-insurance.md"]
    for message, files in (
        ("My laptop got stolen from the car, does the insurance pay?", ()),
        ("Can I pay with the car?", ()),
        ("What happened in the car, who was driving?", ("rental-car.txt",)),
    ):
        assert plan_by_rules(message, uploads=[], library=library).scope.documents == files
