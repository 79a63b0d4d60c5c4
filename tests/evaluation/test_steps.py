import pytest

from evaluation.blocks import SourceUnit, units
from evaluation.extractive import extract_answer
from evaluation.steps import section_about, steps_around
from schema import Hit
from tests.each_row import each_row

SERVER = """# Notes

The server keeps notes; whoever wants to create a backup of the server needs to create a backup folder.

## Create a backup

Stop the server, so that no note changes:

```shell
systemctl stop quilld
```

The archive holds all notes. Write it:

```shell
quill export --all notes.tar
```

Start it again:

```shell
systemctl start quilld
```

Keep the archive elsewhere.

## 恢复备份

只有空的服务器可以导入，导入之后核对数量。
"""
LOG = "* Create a backup: create a backup of the server while it runs.\n* Backups are smaller."


def hit(number, text, *headings, score=0.9):
    lines = text.count("\n") + 1
    return Hit(number, f"{number}.md", "", text, 0, len(text), 1, lines, headings=headings, score=score)


@pytest.mark.parametrize(
    ("question", "heading"),
    [("How do I create a backup?", "Create a backup"), ("怎样恢复备份？", "恢复备份")],
)
def test_the_section_is_chosen_by_its_heading_among_those_of_a_passage(question, heading):
    hits = [hit(1, SERVER), hit(2, LOG, "Changes", score=0.8)]
    found = [unit for number, one in enumerate(hits, 1) for unit in units(number, one)]
    chosen = section_about(question, found, hits)
    assert chosen
    assert {found[i].context.split("\n")[0] for i in chosen} == {heading}
    assert [i for i, unit in enumerate(found) if unit.context.split("\n")[0] == heading] == chosen


def test_text_without_headings_has_no_section():
    hits = [hit(1, "Create a backup by night."), hit(2, "A backup is large.")]
    found = [unit for number, one in enumerate(hits, 1) for unit in units(number, one)]
    assert section_about("How do I create a backup?", found, hits) == []


def test_blocks_of_code_with_what_leads_to_them_are_steps():
    answer = extract_answer("How do I create a backup?", [hit(1, SERVER), hit(2, LOG, "Changes")], "en")
    said = [
        "Stop the server",
        "systemctl stop",
        "holds all notes",
        "Write it",
        "quill export",
        "Start it again",
        "start q",
    ]
    assert [answer.find(step) for step in said] == sorted(answer.find(step) for step in said)
    assert all(answer.count(step) == 1 for step in said)
    assert "folder" not in answer
    assert "[2]" not in answer
    assert "```\n[1]\n\n" in answer  # what comes behind a block stands apart


def test_steps_that_are_too_long_end_behind_a_block():
    block = "\n\n".join(f"Set the option {n}:\n\n```\n{f'option {n} ' * 60}\n```" for n in range(9))
    answer = extract_answer("How do I set the options?", [hit(1, f"## Set the options\n\n{block}")], "en")
    assert "option 2" in answer
    assert "option 8" not in answer
    assert answer.count("```") % 2 == 0
    assert not answer.rstrip().endswith(":")


@each_row(
    ("lengths", "read"),
    [
        ((10, 10, 10, 10), 4),
        ((10, 10, 2_000, 468), 4),  # just as much as can be read, with what leads to each
        ((10, 10, 2_000, 469), 3),
        ((10, 10, 3_000, 10), 2),
        ((3_000, 3_000, 10, 10), 2),  # two are shown however long they are
        ((10,), 0),  # one alone is an example
    ],
)
def test_blocks_are_steps_as_far_as_they_can_be_read_at_once(lengths: tuple[int, ...], read: int) -> None:
    """What leads to a block that is left out is left out too."""
    blocks = [
        unit
        for n in lengths
        for unit in (SourceUnit(1, "prose", "So:", "Set up", answers=False), SourceUnit(1, "code", "x" * n, "Set up"))
    ]
    told = steps_around(blocks, 0)
    assert [i for i in told if blocks[i].kind == "code"] == [2 * n + 1 for n in range(read)]
    assert not told or told[-1] == 2 * read - 1


def test_a_sentence_behind_the_last_block_that_is_read_is_no_step() -> None:
    lengths = [("code", 10), ("code", 10), ("prose", 10), ("code", 3_000)]
    found = [SourceUnit(1, kind, "x" * length, "Set up") for kind, length in lengths]
    assert steps_around(found, 0) == [0, 1]


LISTS = """## Set the pump up

1. Open the box.
2. Take the pump out.
3. Turn it on.

```
pump on
```

It hums.

1. Close the lid.
2. Lock it.

Keep the box.
"""
FIRST, SECOND = ["Open", "Take", "Turn", "pump on"], ["Close", "Lock"]


@each_row(
    ("chosen", "steps"),
    [
        ("Open", FIRST), ("Take", FIRST), ("Turn", FIRST), ("It hums", SECOND), ("Close", SECOND), ("Lock", SECOND),
        ("Keep", SECOND),
    ],
)  # fmt: skip
def test_of_two_numbered_lists_it_is_the_one_around_or_behind(chosen, steps):
    found = units(1, hit(1, LISTS))
    [place] = [i for i, unit in enumerate(found) if unit.text.startswith(chosen)]
    told = [found[i].text for i in steps_around(found, place)]
    assert [any(step in text for text in told) for step in [*FIRST, *SECOND]] == [
        step in steps for step in [*FIRST, *SECOND]
    ]
    assert not any("hums" in text or "Keep" in text for text in told)


CASES = """## 应急

1. 着火：先断电断气，再用灭火毯扑灭。
2. 眼睛溅入化学品：用洗眼器冲洗至少 15 分钟。
3. 割伤：压迫止血，到医院处理。
"""
CHARGING = """## Charging the battery

1. Switch the bike off.
2. Lift the battery out.
3. Plug the charger in.

For the winter, store the battery indoors at 40 to 60 %.
"""


@each_row(
    ("question", "text", "says", "leaves_out"),
    [
        ("眼睛进了化学品怎么处理？", CASES, "洗眼器", "灭火毯"),
        ("怎么应急？", CASES, "灭火毯", "nothing"),  # the list is about all of them
        ("How should I store the battery over the winter?", CHARGING, "indoors", "Switch"),
        ("How do I charge the battery?", CHARGING, "Plug the charger", "nothing"),
    ],
)
def test_a_case_and_a_sentence_beside_the_steps_answer_alone(question, text, says, leaves_out):
    answer = extract_answer(question, [hit(1, text)], "en" if question.isascii() else "zh")
    assert says in answer
    assert leaves_out not in answer


def test_phases_that_a_heading_names_stay_steps():
    text = "## 发布流程\n\n1. 准备：拉出分支。\n2. 发布：合并并打标签。\n3. 验证：看监控十分钟。\n"
    answer = extract_answer("如何发布？", [hit(1, text)], "zh")
    assert all(word in answer for word in ("分支", "标签", "监控"))
