"""The web in the chat: offers, pages on their way, where a page is from. What strangers write stays text."""

from __future__ import annotations

from markdown_it import MarkdownIt

from answering.document_titles import readable_url
from errors import FileError
from nodes.events import Event, EvidenceFound, Failed, Offer, PlanMade, Token
from schema import (
    Answer,
    Citation,
    Evidence,
    Hit,
    Language,
    Message,
    Origin,
    Plan,
    Scope,
    Statement,
    Support,
)
from tests.each_row import each_row
from ui.answer_message import answer_message
from ui.markup import literal
from ui.render import TurnView
from ui.steps import plan_line
from ui.web import AGREE, DECLINE, offer_message
from web.gathering import Gathered

HOSTILE = (
    "<img src=x> ![x](http://evil.example/p) [y](javascript:alert(1)) "
    "xhttps://evil.example www.evil.example a@b.example"
)
parse = MarkdownIt("gfm-like", {"html": True, "linkify": False})  # the page links bare addresses by rules of its own
ONE, TWO, THREE = (f"http://news.example/{number}" for number in (1, 2, 3))


def seen(*events: Gathered, language: Language = "en") -> TurnView:
    view = TurnView(language)
    for event in events:
        view.apply(event)
    return view


def title(view: TurnView) -> str:
    return str(view.parts["web"]["metadata"]["title"])


def test_an_offer_has_a_button_for_yes_and_one_for_no() -> None:
    offer = Offer("fetch_web", Message(zh="要上网搜索吗？", en="Search the web?"), "q")
    for language, said, labels in (
        ("zh", "要上网搜索吗？", ["上网搜索", "不用"]),
        ("en", "Search the web?", ["Search the web", "No, thanks"]),
    ):
        view = TurnView(language)  # type: ignore[arg-type]
        view.apply(Token("Little."))
        view.apply(offer)
        last = view.messages()[-1]
        assert last == offer_message(offer, language)  # type: ignore[arg-type]  # as after a reload
        assert last["content"] == said
        assert [option["label"] for option in last["options"]] == labels
        assert [option["value"] for option in last["options"]] == [AGREE, DECLINE]


def test_pages_on_their_way_have_a_line_each() -> None:
    view = seen(Gathered("search"))
    assert title(view) == "The web · searching"
    for event in (Gathered("search", ONE, "One"), Gathered("search", TWO, "Two"), Gathered("embed", ONE, "One", 0.5)):
        view.apply(event)
    assert title(view) == "The web · 0/2 pages · 25%"
    assert view.parts["web"]["metadata"]["status"] == "pending"
    assert "- ⏳ One · news.example/1 · embedding 50%" in view.parts["web"]["content"]
    assert "- ⏳ Two · news.example/2 · waiting" in view.parts["web"]["content"]
    events: list[Event] = [
        Gathered("done", ONE, "", 1.0),
        Gathered("failed", TWO, "Two", problem=Message(zh=f"“{TWO}”不存在。", en=f'"{TWO}" is gone.')),
        Gathered("skipped", THREE, "Three", 1.0),
        Gathered("done", fraction=1.0),
        EvidenceFound(Evidence("q", "default")),
        Token("Now I know."),
    ]
    for news in events:
        view.apply(news)
    assert title(view) == "The web · 1 page, 1 failed"
    assert view.parts["web"]["metadata"]["status"] == "done"
    lines = view.parts["web"]["content"].splitlines()
    assert lines[0] == "- ✅ One · news.example/1 · done"  # the title that came first is kept
    assert lines[1].startswith("- ❌ ")
    assert lines[1].count("news.example/2") == 1
    assert lines[2].startswith("- ➖ Three")
    assert [message.get("content", "") for message in view.messages()][-1] == "Now I know."  # below the step


def test_a_search_that_finds_nothing_says_why() -> None:
    view = seen(
        Gathered("search"),
        Gathered("failed", problem=Message(zh="没有找到网页。", en="no page was found")),
        language="zh",
    )
    assert title(view) == "联网 · 没有网页 ❌"
    assert view.parts["web"]["content"] == "没有找到网页。"
    assert view.parts["web"]["metadata"]["status"] == "done"


def test_nobody_waits_for_pages_of_a_turn_that_failed() -> None:
    view = seen(Gathered("fetch", ONE, "One"))
    view.apply(Failed(FileError(Message(zh="坏了", en="broken"), Message(zh="重试", en="try again"))))
    assert view.parts["web"]["metadata"]["status"] == "done"
    assert title(view) == "The web · no page"


def hit(origin: Origin, *headings: str) -> Hit:
    return Hit(1, "news.example/1-0a1b2c3d.html", "web", "Two tides.", 0, 10, 3, 4, headings, origin=origin)


def source(of: Hit, language: Language = "en") -> str:
    citation = Citation(1, 0, 0, 10, 3, 4, "Two tides.", Support(1.0, True))
    answer = Answer("Two [1].", (Statement("Two.", (citation,)),), (of,), 0.9, "en")
    return str(answer_message(answer, language)["content"])


def test_a_page_is_named_by_its_title_else_by_its_address() -> None:
    page = Origin(source_type="website", url=f"{ONE}?a=%E6%BD%AE", title="Tides - Site")
    assert "Tides · lines 3-4" in source(hit(page, "Tides", "Spring"))
    assert "Tides - Site · 行 3-4" in source(hit(page), "zh")
    assert "news.example/1 · lines 3-4" in source(hit(Origin(source_type="website", url=ONE)))


def test_words_of_strangers_are_no_markup_and_no_links() -> None:
    evil = Origin(source_type="website", url="javascript:alert(1)", title=HOSTILE)
    view = seen(
        Gathered("fetch", ONE, HOSTILE),
        Gathered("failed", "javascript:alert(1)", HOSTILE, problem=Message(zh=HOSTILE, en=HOSTILE)),
    )
    view.apply(PlanMade(Plan(actions=("fetch_web",), urls=(f"http://[{HOSTILE}", f"{ONE}/{HOSTILE}"))))
    shown = [message["content"] + message.get("metadata", {}).get("title", "") for message in view.messages()]
    for said in (*shown, source(hit(evil, HOSTILE))):
        tokens = [token for block in parse.parse(said) for token in [block, *(block.children or [])]]
        assert not {token.type for token in tokens} & {"image", "html_inline", "html_block", "link_open"}, said
        for bare in ("http://", "https://", "www.", "b@b"):  # each would become a link where the page reads Markdown
            assert bare not in said.split("```")[0], said
    assert literal("mail a@b.example, xHTTPS://e www.e") == "mail a\\@b.example, xHTTPS\\://e www\\.e"
    assert literal("![x](/y)") == r"\!\[x\]&#40;/y)"  # in a link, the page would see another


@each_row(
    ("url", "read"),
    [
        ("https://example.com/", "example.com"),
        ("https://bank.example@evil.example:8080/a/%E6%BD%AE?q=1#x", "evil.example:8080/a/潮?q=1"),
        ("http://[broken", "http://[broken"),
        ("nonsense", "nonsense"),
        ("https://example.com/%E2%80%AEgpj.exe", "example.com/�gpj.exe"),
    ],
)
def test_an_address_is_readable(url: str, read: str) -> None:
    assert readable_url(url) == read


def told(plan: Plan, language: Language = "en") -> str:
    line = plan_line(plan, (), language)
    assert line is not None
    return str(line["content"])


def test_a_plan_tells_what_will_be_read() -> None:
    plan = Plan(actions=("fetch_web", "retrieve"), urls=(ONE, TWO), question="总结", doc_set="新闻")
    assert told(plan, "zh") == "联网 → 检索并回答 · 存入 新闻 · news.example/1 · news.example/2"
    assert told(Plan(actions=("fetch_web", "retrieve"), question="tides")) == "web → search and answer"


def test_the_plan_of_pages_that_were_read_names_them_once() -> None:
    page = "news.example/1-3f9a1c20.html"

    def of(*documents: str, urls: tuple[str, ...] = (ONE,)) -> str:
        scope = Scope(documents=documents, doc_sets=("web",))
        return told(Plan(actions=("fetch_web", "retrieve"), urls=urls, scope=scope, question="q"))

    assert of(page) == "web → search and answer · news.example/1"
    assert of(page, "rust.md").endswith("· only in rust.md, web")
    assert of(page, urls=()).endswith(f"· only in {page}, web")
