"""Messages about the web: which order pages to be read or searched for, and what is asked of them."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planning.addresses import LONGEST, find_addresses
from planning.overview import asks_for_overview
from planning.rules import plan_by_rules
from schema import Scope
from tests.each_row import each_row
from tests.growth import assert_growth

ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("web_utterances.jsonl").read_text(encoding="utf-8").splitlines()
]  # fmt: skip
LIBRARY = ("员工手册.md", "rust.md", "k8s-networking.md")


def plan(message, uploads=(), **options):
    return plan_by_rules(message, uploads=uploads, library=LIBRARY, doc_sets=("hr", "web"), **options)


@each_row("row", ROWS)
def test_the_plan_of_an_utterance(row):
    made = plan(row["text"], uploads=["x.md"] if row.get("has_upload") else [])
    got = {
        "actions": list(made.actions),
        "urls": list(made.urls),
        "question": made.asked,
        "certain": made.certain,
        "doc_set": made.doc_set,
        "chunking": made.chunking.model_dump(exclude_none=True),
    }
    assert got == {"doc_set": None, "chunking": {}} | {name: row[name] for name in row.keys() & got.keys()}


def test_both_languages_are_equals():
    han = sum(any("\u4e00" <= c <= "\u9fff" for c in re.sub(r"https?://\S+", "", row["text"])) for row in ROWS)
    assert min(han, len(ROWS) - han) >= 60


# --- addresses -----------------------------------------------------------------------------------------------------


@each_row(
    ("message", "urls"),
    [
        ("抓取https://a.org/x，然后总结", ["https://a.org/x"]),
        ("看https://a.org/x；https://b.org/y！", ["https://a.org/x", "https://b.org/y"]),
        ("总结（https://a.org/x）。", ["https://a.org/x"]),
        ("summarize <https://a.org/x>.", ["https://a.org/x"]),
        ("summarize [the paper](https://a.org/x).", ["https://a.org/x"]),
        ("[https://a.org/x](https://a.org/x)", ["https://a.org/x"]),
        ("**https://a.org/x**", ["https://a.org/x"]),
        ("read https://en.wikipedia.org/wiki/Rust_(language).", ["https://en.wikipedia.org/wiki/Rust_(language)"]),
        ("what's in https://a.org's FAQ?", ["https://a.org"]),
        ("总结 https://zh.wikipedia.org/wiki/上海", ["https://zh.wikipedia.org/wiki/上海"]),
        ("https://zh.wikipedia.org/wiki/人工智能 讲了什么", ["https://zh.wikipedia.org/wiki/人工智能"]),
        ("https://a.org/并总结", ["https://a.org/"]),
        ("https://a.org/x?a=1,2&b[]=3#top", ["https://a.org/x?a=1,2&b[]=3#top"]),
        ("http://[2606:4700::1]/x", ["http://[2606:4700::1]/x"]),
        ("HTTPS://A.org/X", ["HTTPS://A.org/X"]),
        ("www.example.com/x。", ["https://www.example.com/x"]),
        ("抓取 example.com/faq", ["https://example.com/faq"]),
        ("https://a.org\nhttps://b.org\nhttps://a.org", ["https://a.org", "https://b.org"]),
        ("what is node.js?", []),
        ("write to me@www.example.com", []),
        ("https://", []),
        ("https:// a.org", []),
    ],
)
def test_where_an_address_begins_and_ends(message, urls):
    assert list(plan(message).urls) == urls


def test_what_is_longer_than_an_address_may_be_is_none():
    longest = "https://a.org/".ljust(LONGEST, "x")
    assert [one.url for one in find_addresses(f"read {longest} now")] == [longest]
    assert not [*find_addresses(f"read {longest}x now")]


def test_all_addresses_are_named():
    """How many of them are read is said where they are read."""
    made = plan("总结：" + "\n".join(f"https://a.org/{n}" for n in range(25)))
    assert made.urls == tuple(f"https://a.org/{n}" for n in range(25))


@each_row(
    ("message", "question", "afresh"),
    [
        ("重新抓取 https://a.org/x 并总结", "总结", True),
        ("刷新 https://a.org/x", None, True),
        ("更新 https://a.org/x", "", True),
        ("refresh https://a.org/x", None, True),
        ("read https://a.org/x again and summarize it", None, True),
        ("re-fetch https://a.org/x and list the prices", "list the prices", True),
        ("抓取 https://a.org/x 并总结", "总结", False),
        ("how is https://a.org/x updated?", None, False),
    ],
)
def test_pages_are_fetched_afresh_on_order(message, question, afresh):
    made = plan(message)
    assert "fetch_web" in made.actions
    assert made.anew is afresh
    assert question in (None, made.asked)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_an_address_speaks_no_language(language):
    made = plan("https://a.org/x", fallback_language=language)
    assert made.language == language
    assert made.asked == {"zh": "总结", "en": "Summarize it"}[language]


@each_row(
    "message",
    ["抓取 https://a.org/x 并总结", "总结一下 https://a.org/x", "https://a.org/x", "https://a.org/x 讲了什么",
     "summarize https://a.org/x", "Give me the main points of https://a.org/x", "fetch https://a.org/x"],
)  # fmt: skip
def test_a_summary_asks_for_an_overview(message):
    assert asks_for_overview(plan(message).asked, Scope(documents=("https://a.org/x",)))


def test_a_page_that_is_read_needs_no_turns_before():
    assert plan("总结一下 https://a.org/x", history=True).certain


@each_row(
    "message",
    [
        "keep this link in my library: https://a.org/x",
        "put this article into the library: https://a.org/x",
        "帮我把这一页存进资料库：https://a.org/x",
        "这个链接存一下 https://a.org/x",
    ],
)
def test_a_page_is_saved_whose_address_stands_behind_the_order(message):
    made = plan_by_rules(message, uploads=[], library=["草莓种植要点.pdf"])
    assert (made.actions, made.urls, made.scope.documents) == (("fetch_web",), ("https://a.org/x",), ())


# --- anything at all -----------------------------------------------------------------------------------------------

_words = st.sampled_from(
    "抓取 总结 保存 上网 搜索 并 和 、 ， 。 ( ) （ [ ]( < > ' 的 里 手册 报错 怎么 吗 ？ : \n read open save and"
    " what does say from error https://a.org/x https://b.org/上海 http:// https://[::1 www. www.c.net example.com ftp://d.e"
    " rust.md hr 文档集 语义切片 500 //".split(" ")
)


@settings(max_examples=200)
@given(st.lists(_words | st.text(max_size=8), max_size=20), st.booleans(), st.sampled_from(["", " "]))
def test_no_address_is_made_up(pieces, upload, space):
    message = space.join(pieces)
    made = plan(message, uploads=["x.md"] if upload else [])
    assert len(set(made.urls)) == len(made.urls)
    text = "".join(" " if "\ue000" <= c <= "\uf8ff" else c for c in message)
    for url in made.urls:
        assert url in text or url.removeprefix("https://") in text
    assert not made.urls or "fetch_web" in made.actions
    assert "retrieve" not in made.actions or made.asked
    assert not upload or made.actions[0] == "save"


@each_row(
    "unit",
    [
        "https://a.org/x ", "https://a.org/x", "https://a.org/上海", "https://a.org/x、", "https://a.org和",
        "(https://a.org/(", "[x](https://a.org) ", "www.a.org ", "总结 https://a.org ", "抓取 a.com ", "read a.",
        "上海/", "which https://a.org ", "https://a.org/x\n", "这个网页 ", "the page at ", "error ", "web ",
        "save https://a.org to web ",
    ],
)  # fmt: skip
def test_time_grows_with_the_length_not_with_its_square(unit):
    short, long = (unit * (size // len(unit)) for size in (400, 3_200))
    assert_growth(plan, short, long, 24)  # 8 where linear, 64 where quadratic
