"""Files that are called by their titles, or by when they were stored."""

from planning.known_files import KnownFiles
from planning.rules import plan_by_rules
from tests.each_row import each_row

LIBRARY = ["scan0012.pdf", "doc1.docx", "a-report.md", "b-report.md", "合同A.pdf", "合同B.pdf", "x.md"]
KNOWN = KnownFiles(
    titles={"scan0012.pdf": "Employee Handbook", "doc1.docx": "差旅费报销管理办法", "x.md": "Introduction to Learning"},
    newest=["b-report.md", "合同B.pdf", "合同A.pdf", "a-report.md", "scan0012.pdf", "doc1.docx", "x.md"],
)


@each_row(
    ("message", "file"),
    [
        ("What does the handbook say about leave?", "scan0012.pdf"),
        ("In the employee handbook, how long is the notice?", "scan0012.pdf"),
        ("员工手册里请假要几天", "scan0012.pdf"),
        ("报销办法里打车能报吗", "doc1.docx"),
        ("in the latest report, what was the revenue?", "b-report.md"),
        ("最新的合同里违约金多少", "合同B.pdf"),
        ("最新的那份合同里违约金多少", "合同B.pdf"),
        ("what does the file I just uploaded say about fees", "b-report.md"),
        ("刚上传的那份里违约金是多少", "b-report.md"),
    ],
)
def test_titles_and_times_call_one_file(message, file):
    assert plan_by_rules(message, uploads=[], library=LIBRARY, known=KNOWN).scope.documents == (file,)


@each_row(
    "message",
    [
        "how does learning work?",
        "in the introduction, who is thanked?",  # one word of a title
        "in the report, what was the revenue?",  # there are two
    ],
)
def test_a_title_does_not_take_what_is_only_a_subject(message):
    assert plan_by_rules(message, uploads=[], library=LIBRARY, known=KNOWN).scope.documents == ()


@each_row(
    "question",
    [
        "How long did the search incident last?",
        "Why did the search incident happen?",
        "How much did the search incident cost us?",
        "When was the search incident?",
    ],
)
def test_what_happens_is_a_thing_and_not_its_file(question):
    known = KnownFiles(titles={"postmortem-search.md": "Search latency incident"}, newest=["postmortem-search.md"])
    library = ["postmortem-search.md", "lease.md"]
    plan = plan_by_rules(question, uploads=[], library=library, known=known)
    assert not plan.scope.documents
    assert "search incident" in plan.question


def test_without_times_the_latest_of_several_is_not_guessed():
    plan = plan_by_rules("in the latest report, what was the revenue?", uploads=[], library=LIBRARY)
    assert plan.scope.documents == ()


@each_row(
    ("message", "library", "file"),
    [
        ("資訊安全政策裡密碼要多長？", ["信息安全政策.pdf", "员工手册.md"], "信息安全政策.pdf"),
        ("只查資訊安全政策.pdf，密碼要多長", ["信息安全政策.pdf", "员工手册.md"], "信息安全政策.pdf"),
        ("软件安装指南里怎么写的？", ["軟體安裝指南.docx", "员工手册.md"], "軟體安裝指南.docx"),
        ("軟體安裝指南裡怎麼寫的？", ["軟體安裝指南.docx", "软件安装指南.docx"], "軟體安裝指南.docx"),
    ],
)
def test_a_name_is_called_in_the_words_of_another_region(message, library, file):
    assert plan_by_rules(message, uploads=[], library=library).scope.documents == (file,)


def test_words_of_orders_stay_though_a_file_is_called_so():
    assert plan_by_rules("資料庫裡有哪些檔案？", uploads=[], library=["数据库设计.md"]).scope.documents == ()
