"""Questions that ask for several things are taken apart; all others are left as they are."""

from planning.known_files import KnownFiles
from planning.question_parts import question_parts
from planning.rules import plan_by_rules
from tests.each_row import each_row

SEVERAL = [
    ("A 和 B 的年假各是多少？", {"A": "A的年假是多少", "B": "B 的年假是多少"}),
    ("病假和年假分别怎么申请", {"病假": "病假怎么申请", "年假": "年假怎么申请"}),
    ("公司的年假与病假各有几天？", {"年假": "公司的年假有几天", "病假": "公司的病假有几天"}),
    ("北京、上海和廣州的補貼分别是多少", {n: f"{n}的補貼是多少" for n in ("北京", "上海", "廣州")}),
    ("Python 和 Go 有什么区别？", {"Python": "Python", "Go": "Go"}),
    ("对比一下甲方案和乙方案的成本", {"甲方案": "甲方案的成本", "乙方案": "乙方案的成本"}),
    ("甲方案和乙方案哪个更便宜？", {"甲方案": "甲方案更便宜", "乙方案": "乙方案更便宜"}),
    ("鲁迅和老舍都是作家吗？", {"鲁迅": "鲁迅是作家吗", "老舍": "老舍是作家吗"}),
    ("年假有几天？报销怎么走？", {one: one for one in ("年假有几天", "报销怎么走")}),
    ("我上个月刚入职，年假有几天？报销怎么走？", {one: one for one in ("我上个月刚入职，年假有几天", "报销怎么走")}),
    ("What is the difference between annual leave and sick leave?", {n: n for n in ("annual leave", "sick leave")}),
    ("What is the difference in price between Plan A and Plan B?", {n: f"{n} in price" for n in ("Plan A", "Plan B")}),
    ("How does TCP differ from UDP in speed?", {n: f"{n} in speed" for n in ("TCP", "UDP")}),
    ("Compare oak, ash and elm in terms of cost.", {n: f"{n} in terms of cost" for n in ("oak", "ash", "elm")}),
    ("TCP vs. UDP", {"TCP": "TCP", "UDP": "UDP"}),
    ("年假和病假有几天？", {"年假": "年假有几天", "病假": "病假有几天"}),
    ("中国和美国的人口有多少？", {"中国": "中国的人口有多少", "美国": "美国的人口有多少"}),
    ("入职、转职和离职怎么办理？", {one: f"{one}怎么办理" for one in ("入职", "转职", "离职")}),
    ("How many days of annual leave and sick leave do I get?",
     {n: f"How many days of {n} do I get" for n in ("annual leave", "sick leave")}),
    ("How many days do managers and workers each get?",
     {n: f"How many days do {n} get" for n in ("managers", "workers")}),
    ("What are the capitals of France and Spain, respectively?",
     {n: f"What are the capitals of {n}" for n in ("France", "Spain")}),
    ("Were Otto Brandt and Ada King both born in Lund?", {n: f"{n} born in Lund" for n in ("Otto Brandt", "Ada King")}),
    ("Which is older, the Oder bridge or the Elbe bridge?",
     {n: f"Which is older: {n}" for n in ("the Oder bridge", "the Elbe bridge")}),
    ("How long is annual leave, and how do I report sickness?",
     {one: one for one in ("How long is annual leave", "how do I report sickness")}),
]  # fmt: skip
ONE = [
    "年假有几天？", "出差和加班能报多少？", "硬件和软件怎么配合？", "和平饭店有几层？",
    "总和是多少？", "这两个方案有什么区别？", "死亡蛇与其他蛇类有什么不同？",
    "制造 Zorbo 的公司由谁创立？", "如果请假三天，工资怎么算？", "各部门的预算是多少？", "和平协议分别规定了什么？",
    "真的吗？年假有几天？报销怎么走？", "Is that so? How long is annual leave, and how do I report sickness?",
    "Who founded the company that makes Zorbo?", "What is salt and pepper?", "How many cats and dogs are there?",
    "How do private schools differ from others?",
    "When dating rocks, what is measured?", "Who is the singer who wrote it and who sang it?", "What is each of them?",
    "Which fruit is sweeter, it or that?", "x and y " * 60, "How long is the leave, and who grants it to a manager?",
]  # fmt: skip


@each_row(("question", "parts"), SEVERAL)
def test_each_part_is_a_question_and_has_a_name(question, parts):
    assert {part.about: part.question for part in question_parts(question)} == parts


@each_row("question", ONE)
def test_what_asks_for_one_thing_stays_whole(question):
    assert question_parts(question) == ()


def test_the_words_that_only_steer_are_in_no_part():
    plan = plan_by_rules("用混合检索回答：年假和病假各有几天？", uploads=(), library=())
    assert (plan.strategy, [part.question for part in plan.parts]) == ("hybrid", ["年假有几天", "病假有几天"])


def test_what_is_compared_keeps_its_name_where_a_file_is_called_so():
    titles = {"holidays.md": "Annual leave", "sickness.md": "Sick leave"}
    message = "What is the difference between annual leave and sick leave?"
    plan = plan_by_rules(message, uploads=(), library=[*titles], known=KnownFiles(titles, [*titles]))
    assert (plan.question, plan.scope.documents) == (message, tuple(titles))
    other = plan_by_rules(
        message.replace("annual", "unpaid"), uploads=(), library=[*titles], known=KnownFiles(titles, [*titles])
    )
    assert (other.scope.documents, len(other.parts)) == ((), 2)
    ordered = plan_by_rules(
        f"use keyword search: {message}", uploads=(), library=[*titles], known=KnownFiles(titles, [*titles])
    )
    assert (ordered.strategy, ordered.parts) == ("keyword", plan.parts)
    assert [part.about for part in plan.parts] == ["annual leave", "sick leave"]
    compared = plan_by_rules(
        "What is the difference between holidays.md and sickness.md?", uploads=(), library=[*titles]
    )
    assert (compared.question, compared.parts) == ("What is the difference between them?", ())
