"""Document sets in words: where to look, where to save, and what is no set at all."""

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from planning.rules import plan_by_rules
from schema import Scope
from tests.each_row import each_row

SETS = ("HR制度", "hr", "财务", "research notes", "a.b (c)")
LIBRARY = ("a.md", "docs/guide.md", "other/guide.md", "notes/员工手册.md", "研发.md")


def plan(message, uploads=(), doc_sets=SETS):
    return plan_by_rules(message, uploads=uploads, library=LIBRARY, doc_sets=doc_sets)


@each_row(
    ("message", "sets", "question"),
    [
        ("只在“HR制度”文档集里查，年假有几天？", ("HR制度",), "年假有几天？"),
        ("in the docset HR: how many days of leave?", ("hr",), "how many days of leave?"),
        ("在 HR 集合中查一下年假", ("hr",), "年假"),
        ("HR制度文档集合里年假几天？", ("HR制度",), "年假几天？"),
        ("in the hr collection, what is sick leave?", ("hr",), "what is sick leave?"),
        ("search the research notes collection for pumps", ("research notes",), "pumps"),
        ("In the “a.b (c)” document set: what is x?", ("a.b (c)",), "what is x?"),
        ("in the hr and research notes collections, what is it?", ("hr", "research notes"), "what is it?"),
        ("在财务文件夹和HR制度文档集里查报销上限", ("财务", "HR制度"), "报销上限"),
    ],
)
def test_a_question_may_be_limited_to_sets(message, sets, question):
    made = plan(message)
    assert made.scope == Scope(doc_sets=sets)
    assert made.question == question
    assert made.missing_sets == ()


def test_a_set_goes_before_a_file_of_its_name_where_it_is_said_to_be_one():
    assert plan("在研发文档集里查工期", doc_sets=("研发",)).scope == Scope(doc_sets=("研发",))
    assert plan("在研发文件里查工期", doc_sets=("研发",)).scope == Scope(documents=("研发.md",))


def test_of_names_that_hold_each_other_the_longest_is_meant():
    library = ("手册.md", "手册附录.md")
    for stored in (library, library[::-1]):
        assert plan_by_rules("手册附录里写了什么？", uploads=(), library=stored, doc_sets=()).scope == Scope(
            documents=("手册附录.md",)
        )
    for message in ("only in research notes: what is x?", "在research notes里查泵"):
        assert plan(message, doc_sets=("notes", "research notes")).scope == Scope(doc_sets=("research notes",))
    assert plan("在研发手册文档集里查工期", doc_sets=("研发", "研发手册")).scope == Scope(doc_sets=("研发手册",))
    assert plan("在研发手册文档集里查工期", doc_sets=("手册", "研发手册")).scope == Scope(doc_sets=("研发手册",))


def test_a_file_within_a_set():
    assert plan("in the HR docset, what does a.md say?").scope == Scope(documents=("a.md",), doc_sets=("hr",))


@each_row(
    ("message", "missing", "question"),
    [
        ("只在“法务”文档集里查违约金", "法务", "违约金"),
        ("in the docset Legal: what is the SLA?", "Legal", "what is the SLA?"),
        ("in the Legal document set, what is the SLA?", "Legal", "what is the SLA?"),
        ("search only the “Legal” docset for fees", "Legal", "fees"),
    ],
)
def test_a_set_that_does_not_exist_is_named_not_searched(message, missing, question):
    made = plan(message)
    assert made.missing_sets == (missing,)
    assert not made.scope
    assert made.question == question


@each_row(
    "message",
    [
        "What is in the training document set?",
        "在测试文档集上的准确率是多少",
        "在所有文档集里查年假",
        "in this docset, what is leave?",
        "search the documents for leave",
        "Which document sets are used to evaluate BM25?",
        "how do I store files in a collection in MongoDB?",
        "在Python集合中如何去重？",
        "什么是文档集？",
        "who works in hr?",
        "财务怎么报销",
        "find the best document set for training",
        "the set of all sets",
    ],
)
@each_row("uploads", [(), ("x.md",)])
def test_who_speaks_of_sets_means_no_set_of_ours(message, uploads):
    made = plan(message, uploads)
    assert (made.scope.doc_sets, made.missing_sets, made.doc_set) == ((), (), None)
    if not uploads:
        assert made.question == message


@each_row(
    ("message", "doc_set"),
    [
        ("保存到 HR制度 文档集", "HR制度"),
        ("save to the HR collection", "hr"),
        ("保存到“法务 2026”文档集，用递归切片，每片300字", "法务 2026"),
        ("put it in a new docset called Legal", "Legal"),
        ("save this under Legal docs folder", "Legal docs"),
        ("save it into the folder legal, then summarise it", "legal"),
        ("把它放进财务文件夹，然后告诉我报销上限", "财务"),
        ("加入费用报销文档集", "费用报销"),
        ("导入到新文档集“合同”", "合同"),
        ("index it, document set: Legal", "Legal"),
        ("保存，文档集：法务", "法务"),
        ("add these to hr", "hr"),
        ("保存到财务", "财务"),
        ("Save to docset handbook with fixed chunks of 500", "handbook"),
        ("保存在 HR制度 文档集里，年假有几天？", "HR制度"),
        ("save it with markdown chunks", None),
        ("save it to my library", None),
        ("保存到知识库并按目录切片", None),
        ("按目录结构切片保存", None),
        ("保存到文档集里", None),
        ("upload to the knowledge base collection", None),
        ("把文件保存到同一个文件夹", None),
        ("how do I save to the photos folder in Android?", None),
        ("save this and look in the HR collection for sick leave", None),
    ],
)
def test_uploads_may_be_saved_into_a_set_new_or_not(message, doc_set):
    made = plan(message, uploads=("x.md",))
    assert "save" in made.actions
    assert made.doc_set == doc_set


@each_row(
    ("message", "strategy", "size"),
    [
        ("保存到“按标题”文档集，用递归切片，每片300字", "recursive", 300),
        ("save it into the sections collection as fixed chunks of 400", "fixed", 400),
        ("保存到财务目录", None, None),
    ],
)
def test_the_name_of_a_set_is_no_wish_for_chunking(message, strategy, size):
    made = plan(message, uploads=("x.md",))
    assert made.doc_set is not None
    assert (made.chunking.strategy, made.chunking.size) == (strategy, size)


def test_saving_into_one_set_and_asking_in_another():
    made = plan("save this into the Legal collection, then look in the HR collection for sick leave", ("x.md",))
    assert (made.doc_set, made.scope.doc_sets) == ("Legal", ("hr",))


@each_row(
    "message",
    [
        "把 a.md 移到 HR 文档集",
        "move a.md to the Legal folder",
        "请把 a.md 移动到财务文件夹",
        "新建文档集 法务",
        "create a docset called Legal",
        "list my docsets",
        "有哪些文档集？",
        "删除 HR 文档集",
        "please delete the HR docset",
        "rename the docset HR to People",
        "what document sets do I have?",
    ],
)
def test_managing_sets_is_done_on_the_page(message):
    made = plan(message)
    assert (made.actions, made.unclear) == ((), "library")


@each_row(
    "message",
    [
        "how do I move files to a folder?",
        "把客户数据移到归档文件夹的步骤是什么",
        "create a document set of test cases, then evaluate",
        "为什么要新建文档集？",
    ],
)
def test_asking_about_it_is_a_question(message):
    assert plan(message).actions == ("retrieve",)


@each_row(
    ("message", "documents", "missing"),
    [
        ("in guide.md, what is x?", ("docs/guide.md", "other/guide.md"), ()),
        ("in docs/guide.md, what is x?", ("docs/guide.md",), ()),
        ("只在员工手册.md里查年假", ("notes/员工手册.md",), ()),
        ("员工手册怎么说年假？", ("notes/员工手册.md",), ()),
        ("in docs/nope.md, what is x?", (), ("docs/nope.md",)),
        ("compare a.md/docs/guide.md", ("a.md", "docs/guide.md"), ()),
    ],
)
def test_files_are_named_by_their_path_or_its_last_part(message, documents, missing):
    made = plan(message)
    assert (made.scope.documents, made.missing_files) == (documents, missing)


def test_a_large_library_is_read_fast():
    """A turn reads it several times, and every file that comes in changes it."""
    library = [f"docs/part {n}/chapter {n}.md" for n in range(9_000)]
    plan_by_rules("in chapter 77.md, what is x?", uploads=(), library=library)
    library.append("docs/new.md")
    made, spent = None, []
    for _ in range(3):
        start = time.process_time()
        made = plan_by_rules("in chapter 77.md, what is x?", uploads=(), library=library)
        spent.append(time.process_time() - start)
    assert made.scope.documents == ("docs/part 77/chapter 77.md",)
    start = time.process_time()
    sorted(library * 20)
    assert min(spent) < 20 * (time.process_time() - start)


_pieces = st.sampled_from(
    "保存 到 在 只 HR制度 hr 文档集 集合 文件夹 里 查 ， ： “ ” in the docset collection save to into called new"
    " move a.md docs/guide.md guide.md / create 新建 年假 ? \n search only and \ue005 \ue006".split(" ")
)


@settings(max_examples=200)
@given(st.lists(_pieces | st.text(max_size=6), max_size=20), st.booleans(), st.sampled_from(["", " "]))
def test_any_message_keeps_the_promises(pieces, upload, space):
    message = space.join(pieces)
    made = plan(message, ("x.md",) if upload else ())
    assert set(made.scope.doc_sets) <= set(SETS)
    assert not set(made.missing_sets) & set(SETS)
    assert made.doc_set is None or (upload and made.doc_set.strip() and len(made.doc_set) <= 120)
    marks = {chr(code) for code in range(0xE000, 0xE010)}
    assert not marks & set("".join([*made.missing_sets, made.doc_set or "", made.question]))
