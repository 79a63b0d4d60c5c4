"""Files that are called by what their names mean, in none of their words."""

import numpy as np
import pytest

from planning import meant_names
from planning.rules import plan_by_rules
from tests.each_row import each_row

CLINIC = ["心电图操作流程.pdf", "Visitor feedback - March.csv", "Visitor feedback - June.csv", "麻醉同意书_模板.docx"]
BLOCK = [
    "elevator maintenance record.xlsx",
    "水质检测报告_二次供水.pdf",
    "Renovation rules.pdf",
    "Hotel booking Kyoto.pdf",
]
HOUSE = ["quote_painter_A.pdf", "quote_painter_B.pdf", "Bylaws 2021.pdf", "Bylaws 2024 (amended).pdf", "装箱单_88.xlsx"]


def files(message, library):
    return plan_by_rules(message, uploads=[], library=library).scope.documents


@each_row(
    ("message", "library", "file"),
    [
        ("electrocardiogram operating procedure: where do the leads go", CLINIC, "心电图操作流程.pdf"),
        ("三月的访客反馈里，大家怎么说停车", CLINIC, "Visitor feedback - March.csv"),
        ("consent form for anaesthesia, does it name the risks", CLINIC, "麻醉同意书_模板.docx"),
        ("帮我check一下painter B的quote，含材料吗", HOUSE, "quote_painter_B.pdf"),
        (
            "confocal operating procedure: which laser first",
            ["共聚焦显微镜操作规程.pdf", "lab safety induction.pptx"],
            "共聚焦显微镜操作规程.pdf",
        ),
        ("packing list里一共多少箱", HOUSE, "装箱单_88.xlsx"),
        ("修订过的章程里，会费是多少", HOUSE, "Bylaws 2024 (amended).pdf"),
        ("the drinking water test, was lead found", BLOCK, "水质检测报告_二次供水.pdf"),
        ("京都旅馆订单可以改期吗", BLOCK, "Hotel booking Kyoto.pdf"),
        ("疫苗本上乙肝打了几针", ["孩子疫苗接种本_扫描.pdf", "menu.pdf"], "孩子疫苗接种本_扫描.pdf"),
        ("签过字的租赁合同里，押金几个月", ["lease_signed.pdf", "lease_draft.docx", "menu.pdf"], "lease_signed.pdf"),
        ("签过字的保密协议里违约金多少", ["NDA_signed.pdf", "NDA_draft.docx", "menu.pdf"], "NDA_signed.pdf"),
        ("第二版需求文档里，登录怎么做", ["需求文档_v1.docx", "需求文档_v2.docx", "menu.pdf"], "需求文档_v2.docx"),
        ("二甲双胍说明书里写饭后吃吗", ["血压记录.xlsx", "Metformin leaflet.pdf"], "Metformin leaflet.pdf"),
    ],
)
def test_a_phrase_calls_the_file_whose_name_means_it(message, library, file):
    assert files(message, library) == (file,)


@each_row(
    "message", ["油漆里有铅吗", "the boiler is leaking, who pays", "thanks, that helps", "墙上的裂缝谁修", "车上有什么"]
)
def test_what_is_only_spoken_of_calls_none(message):
    assert files(message, HOUSE) == ()


@each_row(
    ("message", "library"),
    [
        ("四月的访客反馈里，大家怎么说停车", CLINIC),  # another month
        ("秋天的试玩反馈里，大家怎么说停车", ["Playtest feedback - spring.csv"]),  # another season
        ("原始的文字稿里说了什么", ["EP14 transcript edited.txt"]),  # another stage
        ("EP14没剪过的文字稿里，说了什么", ["EP14 transcript edited.txt"]),
        ("修订前的章程里，会费是多少", ["Bylaws 2024 (amended).pdf", "菜单.pdf"]),
        ("一季度的销售汇报里，净收入多少", ["2025_Q3_sales_report.md"]),
        ("in the travel insurance policy, is theft covered?", ["Car insurance policy.pdf", "菜单.pdf"]),
        ("考勤制度里，迟到怎么算", ["公司报销制度2024.md", "guide.md"]),  # a word that no name means
        ("in the blood pressure, what is a normal range?", ["血压记录.xlsx", "菜单.pdf"]),  # no document
        ("In the four leases, what is the deposit?", ["租赁合同.pdf", "menu.pdf"]),  # more than one
        ("文件里可能不叫这个名字，按意思找：挂水", ["药品目录.xlsx", "menu.pdf"]),
        ("a water test, how much does it cost", BLOCK),  # any
        ("the broken lift, who do I call", BLOCK),  # a thing
        ("water leak upstairs, who pays", BLOCK),
        ("装修押金，多久退", BLOCK),
        ("疫苗上市多久了", ["孩子疫苗接种本_扫描.pdf", "menu.pdf"]),
    ],
)
def test_a_name_that_says_something_else_is_not_meant(message, library):
    assert files(message, library) == ()


@each_row(
    ("message", "library"),
    [
        ("房间里有股霉味，怎么回事", ["guests.xlsx", "赛程表.xlsx", "equipment inventory.xlsx"]),
        ("花园里的玫瑰什么时候剪枝", ["garden notes.txt", "boiler manual.pdf", "family recipes.docx"]),
        ("治疗中，忘记吃药怎么办", ["医疗废物处理规定.docx", "price list.xlsx"]),
        ("工作中的事故，谁赔", ["Car insurance policy.pdf", "boiler manual.pdf"]),
        ("今年的预算，够吗", ["期末考试安排.pdf", "学生手册.pdf"]),
        ("那封信，寄出去了吗", ["sponsorship letter.docx", "guests.xlsx"]),
        ("上次那次培训，谁讲的", ["训练计划.pdf", "guests.xlsx"]),
    ],
)
def test_places_times_and_events_are_no_names(message, library):
    assert files(message, library) == ()


@each_row(
    ("message", "named"),
    [
        ("剪辑过的那两期文字稿里，都问了什么", ["EP14_transcript_edited.txt", "EP15_transcript_edited.txt"]),
        ("EP15剪辑过的文字稿里，问了什么", ["EP15_transcript_edited.txt"]),
    ],
)
def test_of_versions_those_are_called_that_the_words_tell(message, named):
    library = ["EP14_transcript_raw.txt", "EP14_transcript_edited.txt", "EP15_transcript_edited.txt", "guests.xlsx"]
    assert sorted(files(message, library)) == named


@each_row(
    ("message", "named"),
    [
        (
            "the quotation from the roofer and the one from the plumber, which is dearer",
            ["quotation_plumber.pdf", "quotation_roofer.pdf"],
        ),
        ("外公的体检报告和外婆的，谁血压高", ["体检报告_外公.pdf", "体检报告_外婆.pdf"]),
        ("the price of bread and the one of milk, which rose", []),
        ("屋顶的颜色和墙面的有差别吗", []),
    ],
)
def test_two_files_share_the_words_that_are_said_once(message, named):
    library = ["quotation_roofer.pdf", "quotation_plumber.pdf", "体检报告_外公.pdf", "体检报告_外婆.pdf", "menu.pdf"]
    assert sorted(files(message, library)) == named


class _Counting:
    def __init__(self):
        self.asked = []

    def nearness(self, question, texts):
        self.asked.append(len(texts))
        return np.zeros(len(texts), np.float32)


@pytest.fixture
def encoder(monkeypatch):
    counting = _Counting()
    monkeypatch.setattr(meant_names, "sentence_encoder", lambda: counting)
    return counting


def test_the_encoder_is_asked_only_where_a_name_may_stand_and_the_rules_found_none(encoder):
    for message in ("年假有几天？", "how long is the trial period?", "in quote_painter_A.pdf, what is the price?"):
        files(message, HOUSE)
    assert encoder.asked == []
    files("试玩反馈里，大家怎么说", HOUSE)
    assert encoder.asked == [len(HOUSE)]


def test_of_a_large_library_few_names_are_encoded(encoder):
    library = [f"feedback {number} of a customer.pdf" for number in range(3_000)]
    files("反馈里，大家怎么说；培训反馈里，大家怎么说", library)
    assert sum(encoder.asked) <= 300
