"""The document set "web" exists as soon as a page was fetched: it must not catch the orders to search the web."""

from planning.rules import plan_by_rules
from tests.each_row import each_row


def plan(message):
    return plan_by_rules(message, uploads=(), library=(), doc_sets=("web", "网络"))


@each_row(
    "message",
    ["search the web for tidal ranges", "look it up on the web", "web search: tides", "search in web for tides",
     "在web上搜索年假", "上网搜一下年假", "在网络上搜索年假", "使用网络搜索：年假"],
)  # fmt: skip
def test_the_web_is_searched(message):
    made = plan(message)
    assert made.actions == ("fetch_web", "retrieve")
    assert not made.scope


@each_row(
    ("message", "doc_set"),
    [("search the web set for tidal ranges", "web"), ("in the web collection, what is a tide?", "web"),
     ("在 web 文档集里查年假", "web"), ("在web里查年假", "web"), ("在网络文档集里查年假", "网络")],
)  # fmt: skip
def test_the_set_is_searched(message, doc_set):
    made = plan(message)
    assert made.actions == ("retrieve",)
    assert made.scope.doc_sets == (doc_set,)


@each_row(
    "message",
    ["save https://a.org to the web set", "save https://a.org to web", "抓取 https://a.org 存入 web 文档集",
     "把 https://a.org 存到 web"],
)  # fmt: skip
def test_a_page_is_saved_into_it(message):
    made = plan(message)
    assert (made.actions, made.urls, made.doc_set) == (("fetch_web",), ("https://a.org",), "web")
