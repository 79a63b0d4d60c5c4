from planning.follow_up import looks_like_follow_up
from tests.each_row import each_row


@each_row(
    "message",
    [
        "那第二个呢？", "and the second one?", "它的有效期呢", "为什么？", "Why?", "what about part-time staff?",
        "继续", "more details",
        "再详细一点", "上面提到的那个文件呢", "病假呢", "how long does it last?", "Who approved them?",
        "第二点具体是什么", "前者和后者的区别",
        "the last one", "那病假呢", "examples?", "那麼第三個呢",
    ],
)  # fmt: skip
def test_leans_on_what_was_said(message):
    assert looks_like_follow_up(message)


@each_row(
    "message",
    [
        "年假有几天？", "How many vacation days do new hires get?", "CrashLoopBackOff", "新生儿的检查项目有哪些？",
        "What was the first Super Bowl to use a logo?", "What did Tesla's investors do to him?",
        "那年的收入是多少", "ERR_4031",
        "How much did it cost to build the stadium?", "refund policy", "介绍一下公司的三条产品线", "",
    ],
)  # fmt: skip
def test_stands_alone(message):
    assert not looks_like_follow_up(message)
