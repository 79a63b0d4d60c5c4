"""Files of one series that a message calls together by numbers, months, letters, school years."""

from planning.name_marks import marks
from planning.rules import plan_by_rules
from tests.each_row import each_row

LIBRARY = (
    "Board minutes 2025-03.docx", "Board minutes 2025-04.docx", "lease_unit A.pdf", "lease_unit B.pdf",
    "巡检记录_1号楼.xlsx", "巡检记录_2号楼.xlsx", "Season 1 recap_v2.txt", "Season 2 recap_v1.txt",
    "fee schedule 2023-24.pdf", "fee schedule 2024-25.pdf", "样品检测_第3批.pdf", "样品检测_第4批.pdf",
    "novel ch1.docx", "novel ch2.docx",
)  # fmt: skip


@each_row(
    ("message", "word", "question"),
    [
        ("what do the leases for units A and B say about pets", "lease", "what do they say about pets"),
        ("lease A vs lease B, which is cheaper", "lease", "which is cheaper"),
        ("1号楼和2号楼巡检记录里哪个漏水多", "巡检", "哪个漏水多"),
        ("inspection of buildings 1 and 2, who signed", "巡检", None),
        ("第三批和第四批样品检测，铅含量差多少", "样品", "铅含量差多少"),
        ("recaps of seasons 1 and 2: who dies", "Season", "who dies"),
        ("24-25和23-24学年的收费表，涨了没有", "fee", "涨了没有"),
        ("Board minutes for March and April: who was absent", "Board", None),
    ],
)
def test_what_tells_files_of_a_series_apart_calls_them(message, word, question):
    plan = plan_by_rules(message, uploads=[], library=LIBRARY)
    assert sorted(plan.scope.documents) == [name for name in sorted(LIBRARY) if word in name]
    assert question in (None, plan.question)


@each_row(
    "message",
    [
        "what are steps 1 and 2 of the inspection",
        "第一章和第二章讲什么",
        "第1批和第2批货什么时候到",
        "pages 3 and 4 of the lease",
        "should I pay for units 1 and 2",
        "fees in 2023 and 2024",
        "3号楼和4号楼什么时候交付",
        "1、2号楼的巡检记录",
    ],
)
def test_numbers_of_something_else_call_none(message):
    plan = plan_by_rules(message, uploads=[], library=LIBRARY)
    assert (plan.scope.documents, plan.question) == ((), message)


@each_row(
    ("text", "said"),
    [
        ("第二版", {("number", "2")}), ("2号棚", {("number", "2")}), ("二号棚", {("number", "2")}),
        ("23级", {("number", "2023")}), ("24年", {("number", "2024")}), ("24-25", {("years", "24")}),
        ("2024/2025", {("years", "24")}), ("三号文件", set()),
    ],
)  # fmt: skip
def test_ordinals_and_short_years_are_marks(text, said):
    assert marks(text) == said


@each_row(
    ("message", "files"),
    [
        ("两份巡检记录先剔除，其余的哪里说到通风", [name for name in sorted(LIBRARY) if "巡检" not in name]),
    ],
)
def test_files_are_left_out_in_advance(message, files):
    plan = plan_by_rules(message, uploads=[], library=LIBRARY)
    assert sorted(plan.scope.documents) == files


def test_an_edition_is_no_word_of_a_name():
    plan = plan_by_rules("CSR里中位随访多久", uploads=[], library=["CSR_2024 edition.pdf", "protocol.pdf"])
    assert plan.scope.documents == ("CSR_2024 edition.pdf",)


def test_parents_are_called_as_children_call_them():
    library = ["妈妈体检报告2025.pdf", "爸爸体检报告2025.pdf"]
    plan = plan_by_rules("我妈的体检报告里血脂多少", uploads=[], library=library)
    assert plan.scope.documents == ("妈妈体检报告2025.pdf",)


NUMBERED = (
    "采购订单_8841.pdf", "采购订单_8902.pdf", "Delivery note DN-8841.pdf", "Incident 3307 postmortem.md", "menu.pdf",
    "storyboard_ep2_v3.pdf", "分镜脚本_第1集_v7.pdf", "分镜脚本_第2集_v3.pdf",
)  # fmt: skip


@each_row(
    ("message", "file"),
    [
        ("订单8841什么时候到", "采购订单_8841.pdf"),
        ("delivery note 8841: how many boxes", "Delivery note DN-8841.pdf"),
        ("purchase order 8902, who signed", "采购订单_8902.pdf"),
    ],
)
def test_a_long_number_beside_a_word_for_the_file_calls_it(message, file):
    assert plan_by_rules(message, uploads=[], library=NUMBERED).scope.documents == (file,)


@each_row("message", ["8841是什么", "the room costs 8841 euros", "error 3307 when I log in", "房间3307在几楼"])
def test_a_long_number_of_something_else_calls_none(message):
    plan = plan_by_rules(message, uploads=[], library=NUMBERED)
    assert (plan.scope.documents, plan.question) == ((), message)


def test_words_in_another_order_call_the_file_that_has_their_number():
    library = ["分镜脚本_第1集_v7.pdf", "分镜脚本_第2集_v3.pdf", "menu.pdf"]
    plan = plan_by_rules("storyboard of episode 1, is there a car chase", uploads=[], library=library)
    assert (plan.scope.documents, plan.question) == ((library[0],), "is there a car chase")


def test_one_of_two_is_called_by_its_age():
    library = ["Minutes_committee_0912.docx", "Minutes_committee_1107.docx", "menu.pdf"]
    for message, file in (
        ("In the earlier of the two committee minutes, who was absent", library[0]),
        ("later of the two minutes: who resigned", library[1]),
    ):
        assert plan_by_rules(message, uploads=[], library=library).scope.documents == (file,)


def test_a_file_is_cut_again_that_is_called_without_a_word_for_its_kind():
    library = ["社区绿化养护_东区.docx", "社区停车通告.docx"]
    plan = plan_by_rules("社区绿化养护切得太碎了，改成1200字一块", uploads=[], library=library)
    assert (plan.actions, plan.scope.documents, plan.chunking.size) == (("save",), (library[0],), 1200)
