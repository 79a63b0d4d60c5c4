import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planning.rules import plan_by_rules
from schema import Scope
from tests.each_row import each_row

LIBRARY = ("员工手册.md", "k8s-networking.md", "2025 Q3 report.md", "rust.md", "新生儿.md")


def plan(message, uploads=(), library=LIBRARY, **options):
    return plan_by_rules(message, uploads=uploads, library=library, **options)


# --- actions ---------------------------------------------------------------------------------------------------


@each_row("message", ["", "  ", "请", "please", "谢谢", "你好", "???", "大小500"])
def test_an_upload_without_a_question_is_saved(message):
    assert plan(message, uploads=["x.md"]).actions == ("save",)


@each_row("message", ["违约金是多少？", "What is the deadline?", "总结一下", "how do I save a file in Rust?"])
def test_an_upload_with_a_question_is_saved_and_asked(message):
    made = plan(message, uploads=["x.md"])
    assert made.actions == ("save", "retrieve")
    assert made.question == message


def test_an_upload_with_a_search_of_the_web():
    assert plan("保存，再上网搜一下最新版本", uploads=["x.md"]).actions == ("save", "fetch_web", "retrieve")


def test_saving_without_a_file_is_still_an_order_to_save():
    made = plan("保存这个文件")
    assert made.actions == ("save",)
    assert not made.scope
    assert not made.every_file


@pytest.mark.parametrize("message", ["重新切分所有文件，固定500", "re-index everything with fixed chunks of 500"])
def test_the_whole_library_can_be_cut_again(message):
    made = plan(message)
    assert made.actions == ("save",)
    assert made.every_file
    assert made.chunking.size == 500


@each_row(
    ("message", "why"),
    [
        ("你好", "small_talk"), ("Thanks a lot!", "small_talk"), ("what can you do?", "small_talk"),
        ("Which languages can you read?", "small_talk"), ("你会说哪些语言？", "small_talk"),
        ("是吗？太好了", "small_talk"), ("真的吗", "small_talk"), ("你是真人还是程序？", "small_talk"),
        ("are you human or a machine?", "small_talk"), ("你叫啥呀", "small_talk"),
        ("asdf qwer", "noise"),
        ("。。。", "noise"), ("", "noise"), ("👍", "noise"), ("123", "noise"), ("删除 员工手册.md", "library"),
        ("list my files", "library"), ("知识库里有哪些文件？", "library"), ("please delete rust.md", "library"),
    ],
)  # fmt: skip
def test_what_is_no_request_says_why(message, why):
    made = plan(message)
    assert (made.actions, made.unclear, made.certain) == ((), why, True)


@each_row(
    "message",
    [
        "How do I save a file in Rust?", "员工手册里上传报销单的流程是什么", "HyDE 是什么意思？",
        "怎样上网搜索资料比较安全？",
        "what is hybrid retrieval, according to my docs?", "How does semantic chunking work?", "用混合检索有什么好处？",
        "为什么要用向量检索而不是关键词检索", "How do I delete a pod?", "list the documents required for a visa",
        "fetch semantics in CPUs", "vector search", "我保存了文件，为什么找不到？",
        "If I upload a file, where is it stored?",
        "grpc", "update statements in SQL", "文件上传流程", "保存期限",
        "Can I put it in the washing machine?",
        "Am I allowed to store it in the garage?",
        "可以把它放到洗衣机里吗？",
    ],
)  # fmt: skip
def test_a_question_about_it_is_a_question(message):
    made = plan(message, library=())
    assert made.actions == ("retrieve",)
    assert made.question == message
    assert made.strategy is None
    assert made.chunking.model_dump(exclude_none=True) == {}


# --- scope -----------------------------------------------------------------------------------------------------


@each_row(
    ("message", "documents"),
    [
        ("只在员工手册.md里查，年假几天", ("员工手册.md",)),
        ("根据员工手册，年假几天", ("员工手册.md",)),
        ("《员工手册》里年假几天", ("员工手册.md",)),
        ("IN K8S-NETWORKING.MD: what is a CNI?", ("k8s-networking.md",)),
        ("ａｃｃｏｒｄｉｎｇ to ２０２５ Ｑ３ report.md, what grew?", ("2025 Q3 report.md",)),
        ("what does the 2025 Q3 report say about churn?", ("2025 Q3 report.md",)),
        ("员工手冊.md裡年假幾天", ("员工手册.md",)),
        ("compare rust.md and k8s-networking.md", ("rust.md", "k8s-networking.md")),
        ("in the rust file, what are moves?", ("rust.md",)),
        ("新生儿的检查项目有哪些？", ()),
        ("新生儿中黄疸的发病率", ()),
        ("what are moves in rust?", ()),
        ("trust.md 里写了什么", ()),
        ("公司员工手册.md里写了什么", ()),
    ],
)
def test_a_file_is_scope_when_it_exists_and_was_named(message, documents):
    assert plan(message).scope.documents == documents


def test_the_longest_name_wins():
    assert plan("in a b.md, what?", library=("b.md", "a b.md")).scope.documents == ("a b.md",)
    assert plan("在员工手册.md里查年假", library=("手册.md", "员工手册.md")).scope.documents == ("员工手册.md",)


def test_composed_and_decomposed_names_meet():
    name = unicodedata.normalize("NFD", "Résumé.md")
    assert plan("in Résumé.md, which school?", library=(name,)).scope.documents == (name,)


@each_row(
    "message",
    ["房东能不能提前解除合同，要赔多少", "怎么删除合同里的附件", "从工资里扣除报告费合理吗", "免除合同责任的条件"],
)
def test_a_word_that_ends_like_except_excludes_nothing(message):
    assert not plan(message, library=("租房合同.docx", "周报告.md", "台账.xlsx")).scope.documents


def test_excluded_files_leave_the_others():
    made = plan("除了rust.md以外，哪里提到了所有权？", library=("rust.md", "a.md"))
    assert made.scope.documents == ("a.md",)


@each_row(
    ("message", "missing"),
    [
        ("在销售合同.md里查违约金", "销售合同.md"),
        ("参考销售合同.md", "销售合同.md"),
        ("从2024.md里查违约金", "2024.md"),
        ("In missing-file.md, what is the SLA?", "missing-file.md"),
        ("《年度 总结.pdf》里写了什么", "年度 总结.pdf"),
        ("re-index budget.md with fixed 300", "budget.md"),
    ],
)
def test_a_file_that_is_not_stored_is_named_not_searched(message, missing):
    made = plan(message)
    assert made.missing_files == (missing,)
    assert not made.scope


@each_row(
    ("message", "sets"),
    [
        ("在产品文档集里查保修期", ("产品",)),
        ("search the hr collection for sick leave", ("hr",)),
        ("只在产品里查保修期", ("产品",)),
        ("产品怎么退货", ()),
        ("who works in hr?", ()),
    ],
)
def test_document_sets_need_a_scope_word(message, sets):
    assert plan(message, doc_sets=("产品", "hr")).scope == Scope(doc_sets=sets)


# --- the question ------------------------------------------------------------------------------------------------


@each_row(
    ("message", "question"),
    [
        ("  年假有几天？ ", "年假有几天？"),
        ("用hyde检索：新生儿黄疸怎么处理", "新生儿黄疸怎么处理"),
        ("With hyde, what happens to unused vacation?", "what happens to unused vacation?"),
        ("What is the dress code? (use hybrid)", "What is the dress code?"),
        ("用伪相关反馈检索：年假几天", "年假几天"),
        ("Using pseudo-relevance feedback: what is the dress code?", "what is the dress code?"),
        ("what is the dress code? with rm3", "what is the dress code?"),
        ("只在员工手册.md里查，年假几天？", "年假几天？"),
        ("What does rust.md say about moves?", "What does it say about moves?"),
        ("对比rust.md和员工手册.md", "对比它们"),
        ("帮我联网查一下今天的黄金价格", "今天的黄金价格"),
        ("抓取 https://example.org/guide 并总结", "总结"),
        ("请用摘要检索（abstract）回答：讲了哪些主题", "讲了哪些主题"),
    ],
)
def test_the_question_without_the_words_that_only_steer(message, question):
    assert plan(message).asked == question


@each_row(
    ("message", "language"),
    [("What does 员工手册.md say about leave?", "en"), ("k8s-networking.md讲了什么", "zh"), ("???", "zh")],
)
def test_language_is_judged_without_file_names(message, language):
    assert plan(message).language == language


def test_the_fallback_language_is_used_when_nothing_can_be_told():
    assert plan("???", fallback_language="en").language == "en"


# --- certainty ----------------------------------------------------------------------------------------------------


@each_row(
    ("message", "history", "certain"),
    [
        ("你好", False, True),
        ("年假有几天？", False, True),
        ("年假有几天？", True, True),
        ("那第二个呢？", True, False),
        ("那第二个呢？", False, True),
        ("用混合检索，年假有几天？", False, True),
        ("hyde 年假怎么算", False, False),
    ],
)
def test_certainty(message, history, certain):
    assert plan(message, history=history).certain is certain


# --- anything at all -----------------------------------------------------------------------------------------------

_words = st.sampled_from(
    "保存 用 语义 切片 hyde 检索 ： ， 。 ? 在 里 rust.md 员工手册.md x.pdf 300 字 重叠 然后 and save with : in the"
    ' 上网 搜索 https://a.b/c 《 》 " 什么 是 all k8s-networking 除了 以外 \n 一千二 % \ue000'.split(" ")
)


@settings(max_examples=150)
@given(st.lists(st.one_of(_words, st.text(max_size=8)), max_size=25), st.booleans(), st.sampled_from(["", " "]))
def test_any_message_gets_a_plan_that_keeps_the_promises(pieces, upload, space):
    message = space.join(pieces)
    made = plan(message, uploads=["x.md"] if upload else [])
    assert not upload or made.actions[0] == "save"
    assert set(made.scope.documents) <= {*LIBRARY, "x.md"}
    assert "retrieve" not in made.actions or made.question
    assert made.unclear is None or not made.actions
    assert not set(made.missing_files) & set(LIBRARY)
