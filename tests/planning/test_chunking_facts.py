from planning.rules import plan_by_rules
from schema import Chunking
from tests.each_row import each_row


def wish(strategy=None, size=None, overlap=None):
    return Chunking(strategy=strategy, size=size, overlap=overlap)


def saved(message, uploads=("a.md", "b.md"), library=()):
    plan = plan_by_rules(message, uploads=uploads, library=library)
    return plan.chunking, {one.file: one.chunking for one in plan.per_file}


@each_row(
    ("message", "common", "own"),
    [
        ("save a.md with markdown chunks and b.md fixed at 800", wish(),
         {"a.md": wish("markdown"), "b.md": wish("fixed", 800)}),
        ("a.md用递归，b.md用固定500", wish(), {"a.md": wish("recursive"), "b.md": wish("fixed", 500)}),
        ("Save a.md with no overlap and b.md with magic", wish(), {"a.md": wish(overlap=0)}),
        ("Save a.md fixed 300 and b.md please", wish(), {"a.md": wish("fixed", 300)}),
        ("存a.md不要重叠和b.md用魔法", wish(), {"a.md": wish(overlap=0)}),
        ("fixed 500 for a.md and markdown for b.md", wish(), {"a.md": wish("fixed", 500), "b.md": wish("markdown")}),
        ("用固定切片保存，a.md 500字，b.md 800字", wish("fixed"), {"a.md": wish(size=500), "b.md": wish(size=800)}),
        ("a.md 用語義，b.md 用遞歸，都重疊50", wish(overlap=50), {"a.md": wish("semantic"), "b.md": wish("recursive")}),
        ("第一个用语义，第二个用定长三百", wish(), {"a.md": wish("semantic"), "b.md": wish("fixed", 300)}),
        ("save the first file semantically and the second in chunks of 400", wish(),
         {"a.md": wish("semantic"), "b.md": wish(size=400)}),
        ("store it in 500s", wish(size=500), {}),
        ("save both, a.md with recursive chunks", wish(), {"a.md": wish("recursive")}),
        ("save a.md and b.md with fixed chunks of 300", wish("fixed", 300), {}),
        ("把a.md和b.md都用语义切片保存", wish("semantic"), {}),
    ],
)  # fmt: skip
def test_each_file_gets_its_own_wish(message, common, own):
    assert saved(message) == (common, own)


def test_stored_files_get_their_own_wishes_when_cut_again():
    plan = plan_by_rules("把甲.md换成语义切片，乙.md换成固定500", uploads=(), library=("甲.md", "乙.md"))
    assert plan.actions == ("save",)
    assert plan.scope.documents == ("甲.md", "乙.md")
    assert plan.chunking_for("甲.md") == wish("semantic")
    assert plan.chunking_for("乙.md") == wish("fixed", 500)


@each_row(
    ("message", "expected"),
    [
        ("大小500，重叠50", wish(size=500, overlap=50)),
        ("chunk size 256", wish(size=256)),
        ("of 800 characters and 100 overlap", wish(size=800, overlap=100)),
        ("不要超过1000字符", wish(size=1000)),
        ("五百字一段", wish(size=500)),
        ("每片300字，重叠10%", wish(size=300, overlap=30)),
        ("重叠10%", wish(overlap=100)),  # of the default size
        ("with an overlap of 50", wish(overlap=50)),
        ("recursive, 1,200 chars, no overlap", wish("recursive", 1200, 0)),
        ("fixed 500/50", wish("fixed", 500, 50)),
        ("400ish characters, skip the overlap", wish(size=400, overlap=0)),
        ("400 characters each, I don't need any overlap", wish(size=400, overlap=0)),
        ("400 characters each, overlap not needed", wish(size=400, overlap=0)),
        ("400 characters each, half overlapping", wish(size=400, overlap=200)),
        ("400 characters each, 10pct overlap", wish(size=400, overlap=40)),
        ("can you index it 400 tokens apiece?", Chunking(size=400, unit="tokens")),
        ("can you index it 400 characters each, 40 shared?", wish(size=400, overlap=40)),
        ("每块400字，重叠一半", wish(size=400, overlap=200)),
        ("每块400字，重叠区40字", wish(size=400, overlap=40)),
        ("每块400字，取消重叠", wish(size=400, overlap=0)),
        ("存一下，每块400字，相邻的互相搭40", wish(size=400, overlap=40)),
        ("定长400，压40", wish("fixed", 400, 40)),
        ("存了吧，血压150的那页要注意", wish()),
        ("别超过八百字", wish(size=800)),
        ("save it, with § 573c in mind", wish()),
        ("keep paragraphs whole, 900 characters each", wish("recursive", 900)),
        ("别把段落切断，每块900字", wish("recursive", 900)),
        ("chunks of 500 with a stride of 400", wish(size=500, overlap=100)),
        ("chunks of 500 with a stride of 500", wish(size=500, overlap=0)),
        ("chunks of 500 with a stride of 600", wish(size=500)),
        ("每块500字，步长400", wish(size=500, overlap=100)),
        ("不要用固定，用递归", wish("recursive")),
        ("保存第3章的2025年报告.md", wish()),
        ("这是一份markdown文件，请保存", wish()),
        ("save this code file", wish()),
        ("save these 12 files", wish()),
    ],
)
def test_sizes_overlaps_and_methods(message, expected):
    assert saved(message, uploads=("x.md",))[0] == expected


@each_row(
    ("message", "strategy", "size", "overlap"),
    [
        ("Into the library with it, cut wherever he changes the subject", "semantic", None, None),
        ("存吧，讲完一件事就切一刀", "semantic", None, None),
        ("Slice it like bread, every slice the same, 400 characters", "fixed", 400, None),
        ("keep the chapters apart when you store it", "markdown", None, None),
        ("先切段落，段落太长再切句子，存", "recursive", None, None),
        ("别把函数切两半，存起来", "code", None, None),
        ("chunks of 500, let neighbours share a fifth", None, 500, 100),
        ("存，块与块之间别重", None, None, 0),
        ("save with no repetition between chunks, 300 each", None, 300, 0),
        ("切碎一点存", None, 500, None),  # half of the usual
        ("save it in larger pieces", None, 2000, None),
        ("就存了吧，不用管切片", None, None, None),
        ("先收着，怎么分块你看着办", None, None, None),
        ("save it in chunks", None, None, None),
    ],
)
def test_how_to_cut_is_told_in_ones_own_words(message, strategy, size, overlap):
    plan = plan_by_rules(message, uploads=["a.md"], library=[])
    assert plan.actions == ("save",)
    assert (plan.chunking.strategy, plan.chunking.size, plan.chunking.overlap) == (strategy, size, overlap)
