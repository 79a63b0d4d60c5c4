"""What a hit is made of: each sentence, item, row and piece of code with what it stands under."""

from __future__ import annotations

from evaluation.blocks import join_sentences, units
from evaluation.markup import without_markup
from schema import Hit
from tests.each_row import each_row


def hit(text: str, headings: tuple[str, ...] = (), document: str = "doc.md") -> Hit:
    return Hit(1, document, "", text, 0, len(text), 1, 1 + text.count("\n"), headings=headings)


# kind, text, context, answers; for items and rows also their group, for items their bullet
PROSE = [
    (
        "# Guide {#top}\n\nIntro **bold** text. It has `a*b*` code!\nSecond *line* <b>x</b>:\n\n## Next\nBehind.",
        ("Top",),
        [
            ("prose", "Intro bold text.", "Guide", True),
            ("prose", "It has `a*b*` code!", "Guide", True),
            ("prose", "Second line x:", "Guide", False),
            ("prose", "Behind.", "Next", True),
        ],
    ),
    (
        "药品须知\n\n每次用量以说明书上标明的为准，儿童与老人须\n减半。费用？\n\n***\n> 引用**一句**话",
        ("手册", "药品须知"),
        [
            ("prose", "每次用量以说明书上标明的为准，儿童与老人须减半。", "手册 > 药品须知", True),
            ("prose", "费用？", "手册 > 药品须知", False),
            ("prose", "引用一句话", "手册 > 药品须知\n费用？", True),
        ],
    ),
    (
        ":::note\nKeep it.\n:::\n{% include a %}\n<Tabs>\nText here\n</Tabs>\n---\n<!-- hidden. -->\nEnd? Next: Top",
        ("Top",),
        [
            ("prose", "Keep it.", "Top", True),
            ("prose", "Text here", "Top", True),
            ("prose", "End?", "Top", False),
            ("prose", "Next: Top", "Top\nEnd?", True),
        ],
    ),
    (
        "2. Freezing\nA freeze costs $10. Ask early.\n\n3. Guests\nOne guest is free.",
        ("Terms", "2. Freezing"),
        [
            ("prose", "A freeze costs $10.", "Terms > 2. Freezing", True),
            ("prose", "Ask early.", "Terms > 2. Freezing", True),
            ("prose", "One guest is free.", "3. Guests", True),
        ],
    ),
    (
        "Body height 172 cm\nWeight 81 kg\n血压 142/91\n尿酸 455（偏高）\n",
        (),
        [
            ("prose", "Body height 172 cm", "", True),
            ("prose", "Weight 81 kg", "", True),
            ("prose", "血压 142/91", "", True),
            ("prose", "尿酸 455（偏高）", "", True),
        ],
    ),
    ("key: value\nother: 5\n", (), [("prose", "key: value other: 5", "", True)]),
    ("", ("Top",), []),
    ("---\n\n. . .\n", ("Top",), []),
]  # fmt: skip


@each_row(("text", "headings", "expected"), PROSE)
def test_sentences_stand_under_their_heading(text, headings, expected):
    assert [(unit.kind, unit.text, unit.context, unit.answers) for unit in units(1, hit(text, headings))] == expected


ITEMS = [
    (
        "Lead:\n\n- one item. Two sentences.\n- two\n  - nested a\n  - nested b\n- [x] three?\n\n  of three\n\nEnd.",
        [
            ("Lead:", "", "", "-", False),
            ("one item. Two sentences.", "Lead:", "7.0", "-", True),
            ("two", "Lead:", "7.0", "-", False),
            ("nested a", "Lead:\ntwo", "7.1", "-", True),
            ("nested b", "Lead:\ntwo", "7.1", "-", True),
            ("three?", "Lead:", "7.0", "-", False),
            ("of three", "", "", "-", True),
            ("End.", "", "", "-", True),
        ],
    ),
    (
        "Steps:\n\n1. first\n   goes on\n2. second:\n3. third. Really?",
        [
            ("Steps:", "", "", "-", False),
            ("first goes on", "Steps:", "7.0", "1.", True),
            ("second:", "Steps:", "7.0", "2.", False),
            ("third. Really?", "Steps:", "7.0", "3.", False),
        ],
    ),
    (
        "Lead:\n\n- Alpha\n  1. x.\n  2. y.\n- Beta says it.\n    * deep\n",
        [
            ("Lead:", "", "", "-", False),
            ("Alpha", "Lead:", "7.0", "-", False),
            ("x.", "Lead:\nAlpha", "7.1", "1.", True),
            ("y.", "Lead:\nAlpha", "7.1", "2.", True),
            ("Beta says it.", "Lead:", "7.0", "-", True),
            ("deep", "Lead:\nBeta says it.", "7.2", "-", True),
        ],
    ),
    (
        "1. **Fair.** It is on 5 May. Come.\n2. **Ask** first.\n3. **费用**。每班一百元。",
        [
            ("Fair: It is on 5 May. Come.", "", "7.0", "1.", True),
            ("Ask first.", "", "7.0", "2.", True),
            ("费用：每班一百元。", "", "7.0", "3.", True),
        ],
    ),
    (
        "药品清单：\n\n1、阿司匹林\n2、青霉素：\n\n其他：\n- 碘酒？",
        [
            ("药品清单：", "", "", "-", False),
            ("阿司匹林", "药品清单：", "7.0", "-", True),
            ("青霉素：", "药品清单：", "7.0", "-", False),
            ("其他：", "", "", "-", False),
            ("碘酒？", "其他：", "7.1", "-", False),
        ],
    ),
]  # fmt: skip


@each_row(("text", "expected"), ITEMS)
def test_items_stand_under_what_leads_to_them(text, expected):
    found = units(7, hit(text))
    assert [(unit.text, unit.context, unit.group, unit.bullet, unit.answers) for unit in found] == expected
    assert [unit.kind for unit in found] == ["item" if unit.group else "prose" for unit in found]
    assert {unit.hit for unit in found} == {7}


TABLES = [
    (
        "Prices:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n|  3  |  |\n\nSee below.\n| c |\n|:-:|\n| 4 |",
        ("Top",),
        [
            ("Prices:", "Top", "", ""),
            ("| 1 | 2 |", "Top\n| a | b |", "| a | b |\n| --- | --- |", "2.0"),
            ("| 3 | |", "Top\n| a | b |", "| a | b |\n| --- | --- |", "2.0"),
            ("See below.", "Top", "", ""),
            ("| 4 |", "Top\n| c |", "| c |\n| --- |", "2.1"),
        ],
    ),
    (
        "| x | 5 |\n| y | 6 |",
        ("Plans", "Plan | Price"),  # a table's columns are the heading of what is cut from it
        [
            ("| x | 5 |", "Plans > Plan | Price", "| Plan | Price |\n| --- | --- |", "2.0"),
            ("| y | 6 |", "Plans > Plan | Price", "| Plan | Price |\n| --- | --- |", "2.0"),
        ],
    ),
    (
        "| x | 5 |\n",
        ("Plans",),
        [("| x | 5 |", "Plans", "|   |   |\n| --- | --- |", "2.0")],
    ),
    (
        "Before.\n| x \\| z | 5 |\n",
        ("Plans", "Plan | Price"),
        [
            ("Before.", "Plans > Plan | Price", "", ""),
            ("| x \\| z | 5 |", "Plans > Plan | Price", "|   |   |\n| --- | --- |", "2.0"),
        ],
    ),
]  # fmt: skip


@each_row(("text", "headings", "expected"), TABLES)
def test_rows_know_their_columns(text, headings, expected):
    found = units(2, hit(text, headings))
    assert [(unit.text, unit.context, unit.header, unit.group) for unit in found] == expected
    assert [unit.kind for unit in found] == ["row" if unit.group else "prose" for unit in found]
    assert all(unit.answers == (not unit.text.endswith(":")) for unit in found)


CODE = [
    (
        "# Top\n\nRun this:\n\n```sh\nls -l\n```\n\nThen.\n\n~~~\nend\n~~~",
        "a.md",
        [
            ("prose", "Run this:", "Top", ""),
            ("code", "```sh\nls -l\n```", "Top\nRun this:", "Run this:"),
            ("prose", "Then.", "Top", ""),
            ("code", "~~~\nend\n~~~", "Top\nThen.", ""),
        ],
    ),
    (
        "def f(x):\n    return x\n\n\ndef g(y):\n    a = y\n\n    return [a]\n",
        "tools/a.py",
        [
            ("code", "```py\ndef f(x):\n    return x\n```", "\n", ""),
            ("code", "```py\ndef g(y):\n    a = y\n\n    return [a]\n```", "\n", ""),
        ],
    ),
    *(
        (
            "    return 1\n}\n```\n\nThen do this.\n\n```\nopen",
            f"a.{suffix}",
            [
                ("code", "```\n    return 1\n}\n```", "\n", ""),
                ("prose", "Then do this.", "", ""),
                ("code", "```\nopen\n```", "\nThen do this.", ""),
            ],
        )
        for suffix in ("md", "markdown", "txt")
    ),
    (
        "步骤：\n````\n```\nx\n```\n````\n完。",
        "a.md",
        [
            ("prose", "步骤：", "", ""),
            ("code", "````\n```\nx\n```\n````", "\n步骤：", "步骤："),
            ("prose", "完。", "", ""),
        ],
    ),
]  # fmt: skip


@each_row(("text", "document", "expected"), CODE)
def test_code_stands_in_a_fence_that_is_closed(text, document, expected):
    found = units(1, hit(text, document=document))
    assert [(unit.kind, unit.text, unit.context, unit.header) for unit in found] == expected
    assert all(unit.group == "" and unit.bullet == "-" for unit in found)


RENDERED = [
    ("One. Two!", ["One [3].", "Two [3]!"]),
    ("第一句。第二句！", ["第一句[3]。", "第二句[3]！"]),
    ("（见附录）。", ["（见附录）[3]。"]),
    ("It has `x`", ["It has `x` [3]"]),
    ("- one. Two\n- three;", ["- one [3]. Two [3]", "- three [3];"]),
    ("2. Go.", ["2. Go [3]."]),
    (
        "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |",
        ["| a | b |\n| --- | --- |\n| 1 | 2 [3] |", "| 3 | 4 [3] |"],
    ),
    ("Run:\n```sh\nls\n```", ["Run [3]:", "Run [3]:\n\n```sh\nls\n```\n[3]"]),
    ("```sh\nls\n```", ["```sh\nls\n```\n[3]"]),
]  # fmt: skip


@each_row(("text", "expected"), RENDERED)
def test_a_unit_is_written_with_its_marker(text, expected):
    found = units(3, hit(text))
    assert [unit.rendered(number == 0 or unit.kind != "row") for number, unit in enumerate(found)] == expected


@each_row(
    ("text", "expected"),
    [
        ("![a picture](p.png)See [the guide](https://x.org/a \"t\") and [this](b.md).", "See the guide and this."),
        ("as said [1], [^12] but not `[3]` or [1234]", "as said , but not `[3]` or [1234]"),
        ("- [ ] to do", "to do"), ("* done", "done"), ("12) go", "go"), ("3、走", "走"),
        ("1234. no item", "1234. no item"),
        ("### A title {#anchor}", "A title"), ("> > quoted\n> again", "quoted again"), ("a > b # c", "a > b # c"),
        ("**bold** __too__ *thin* and snake_case_x 2*3*4", "bold too thin and snake_case_x 2*3*4"),
        ("**open and ** closed", "**open and ** closed"), ("`**code**` **not**", "`**code**` not"),
        ("***both*** and **one *in* the other**", "both and one in the other"),
        ("138****5566 和 3101**********1234 是 **密码**", "138****5566 和 3101**********1234 是 密码"),
        ("name: ____, __age__: ____", "name: ____, age: ____"),
        ("``a ` b`` <br> <b>x</b> 1 < 2 > 0 </b>", "``a ` b`` x 1 < 2 > 0"),
        ("第一行\n第二行 ，\n 3 行\nand  more", "第一行第二行 ，3 行 and more"),
        ("a <!-- hidden\n --> b <!-- open", "a b <!-- open"), ("|  a |   b  |", "| a | b |"), ("\0x", "x"), ("", ""),
        ("|  **a** | [b](c) |", "| **a** | [b](c) |"), ("a   b", "a b"),
    ],
)  # fmt: skip
def test_sentences_lose_their_marks_and_keep_their_words(text, expected):
    assert without_markup(text) == expected


@each_row(
    ("pieces", "expected"),
    [
        (["One.", "Two."], "One. Two."), (["第一。", "第二。"], "第一。第二。"), (["看 A", "第二"], "看 A 第二"),
        (["第一", "A"], "第一 A"), (["他说：", "“好”"], "他说：“好”"), (["好”", "《书》"], "好”《书》"),
        ([], ""), (["a"], "a"),
    ],
)  # fmt: skip
def test_no_space_stands_within_chinese(pieces, expected):
    assert join_sentences(pieces) == expected
