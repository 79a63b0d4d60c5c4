"""Whole turns in document sets, and while files are on their way."""

from __future__ import annotations

import pytest
from turn_cases import GUIDE, HANDBOOK, assistant_of, of, say, upload

from nodes.events import Answered, EvidenceFound, PlanMade, Replied
from nodes.retrieve import OPENINGS
from schema import IncomingFile, Origin, Scope

HOUSE = "# House rules\n\n员工每年有二十天带薪年假，住在宿舍的另加两天。\n\nThe gate closes at ten.\n"


async def test_saved_into_a_set_and_found_there_alone(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        await say(assistant, "保存到“HR 制度”文档集", upload(tmp_path, "年假.md", HANDBOOK))
        await say(assistant, "save to the House collection", upload(tmp_path, "年假.md", HOUSE))
        library = assistant.library
        assert {(info.doc_set, info.name) for info in library.documents()} == {
            ("HR 制度", "年假.md"),
            ("House", "年假.md"),
        }
        events = await say(assistant, "只在“HR 制度”文档集里查：年假有几天？")
        assert {hit.doc_set for hit in of(events, EvidenceFound)[0].evidence.hits} == {"HR 制度"}
        assert "十五天" in of(events, Answered)[0].answer.text
        events = await say(assistant, "in the House collection, what does 年假.md say about 年假?")
        plan = of(events, PlanMade)[0].plan
        assert plan.scope == Scope(documents=("年假.md",), doc_sets=("House",))
        assert {hit.doc_set for hit in of(events, EvidenceFound)[0].evidence.hits} == {"House"}


async def test_who_uploads_into_a_set_and_asks_asks_about_the_upload(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        await say(assistant, "save", upload(tmp_path, "年假.md", HOUSE))
        events = await say(assistant, "保存到 HR 文档集，年假有几天？", upload(tmp_path, "年假.md", HANDBOOK))
        assert {hit.doc_set for hit in of(events, EvidenceFound)[0].evidence.hits} == {"HR"}
        events = await say(assistant, "保存，年假有几天？", upload(tmp_path, "年假.md", HOUSE + "\nNo pets.\n"))
        assert {hit.doc_set for hit in of(events, EvidenceFound)[0].evidence.hits} == {""}


async def test_a_set_that_does_not_exist_is_said_to_be_missing(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        await say(assistant, "save", upload(tmp_path, "guide.md", GUIDE))
        events = await say(assistant, "in the docset Legal: what does a rattling noise mean?")
        made = of(events, PlanMade)[0]
        assert any("Legal" in notice.en for notice in of(events, Answered)[0].answer.notices)  # seen unfolded
        assert made.plan.missing_sets == ("Legal",)
        assert any("Legal" in notice.en and "Legal" in notice.zh for notice in made.notices)
        made = of(await say(assistant, "in the docset Legal: noise?", scope=Scope(documents=("guide.md",))), PlanMade)[
            0
        ]
        assert (made.plan.missing_sets, made.notices) == ((), ())


async def test_the_page_beats_the_words_in_where_to_save(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        await say(assistant, "save to the HR collection", upload(tmp_path, "guide.md", GUIDE), doc_set="Pumps")
        assert [info.doc_set for info in assistant.library.documents()] == ["Pumps"]


async def test_files_are_moved_and_sets_managed_on_the_library_page(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        await say(assistant, "save", upload(tmp_path, "guide.md", GUIDE))
        for message, page in (("move guide.md to the HR collection", "Library page"), ("有哪些文档集？", "“知识库”页")):
            assert page in of(await say(assistant, message), Replied)[0].text


@pytest.mark.parametrize(
    ("message", "listed"),
    [
        ("What files do I have?", r"- guide\[1\].md (\*Pumps\*)"),
        ("我上传了哪些文件？", r"- guide\[1\].md（\*Pumps\*）"),
        ("which document sets are there?", r"- guide\[1\].md (\*Pumps\*)"),
    ],
)
async def test_who_asks_which_files_there_are_is_told(make_settings, message, listed) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("guide[1].md", GUIDE.encode(), doc_set="*Pumps*")
        await assistant.library.add("员工手册.md", HANDBOOK.encode())
        await assistant.library.add("x.md", b"# <img src=x> *won*\n\nText.\n")
        text = of(await say(assistant, message), Replied)[0].text
        assert listed in text
        assert "- 员工手册.md" in text
        assert r"\<img src=x\>" in text
        assert "<img" not in text.replace(r"\<", "")
        assert "员工手册.md" not in of(await say(assistant, "delete 员工手册.md"), Replied)[0].text


@pytest.mark.parametrize("message", ["What's in these files?", "这些文件都讲了什么？", "summarize all documents"])
async def test_what_all_files_say_is_how_each_begins(make_settings, message) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("guide.md", GUIDE.encode())
        await assistant.library.add("员工手册.md", HANDBOOK.encode())
        evidence = of(await say(assistant, message), EvidenceFound)[-1].evidence
        assert [hit.document for hit in evidence.hits] == ["guide.md", "员工手册.md"]
        assert evidence.notices == (OPENINGS,)


async def test_the_last_part_of_a_path_names_a_file(make_settings) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("docs/guide.md", GUIDE.encode())
        await assistant.library.add("员工手册.md", HANDBOOK.encode())
        events = await say(assistant, "in guide.md, what does a rattling noise mean?")
        assert of(events, PlanMade)[0].plan.scope.documents == ("docs/guide.md",)
        assert {hit.document for hit in of(events, EvidenceFound)[0].evidence.hits} == {"docs/guide.md"}


async def test_what_is_asked_about_goes_first_and_the_answer_says_what_it_does_not_know(make_settings) -> None:
    async with assistant_of(make_settings()) as assistant:
        library = assistant.library
        await library.add("guide.md", GUIDE.encode())
        with library._pool.borrow():  # nothing can be read meanwhile
            tasks = await library.submit([IncomingFile(f"{n}.md", b"text") for n in range(3)])
            late = await library.submit([IncomingFile("员工手册.md", HANDBOOK.encode(), doc_set="HR")])
            answer = of(await say(assistant, "What does a rattling noise mean?"), Answered)[0].answer
            assert any("4 files" in notice.en for notice in answer.notices)
            for message in ("只在员工手册.md里查：年假有几天？", "in the HR docset: 年假有几天？"):
                events = await say(assistant, message)
                made, answer = of(events, PlanMade)[0], of(events, Answered)[0].answer
                assert (made.plan.missing_files, made.plan.missing_sets) == ((), ())
                assert any("1 个文件" in notice.zh and "1 file " in notice.en for notice in answer.notices)
                assert library.tasks()[0].id == late[0].id
        await library.finished([task.id for task in [*tasks, *late]])
        answer = of(await say(assistant, "只在员工手册.md里查：年假有几天？"), Answered)[0].answer
        assert "十五天" in answer.text
        assert answer.notices == ()


async def test_every_hit_knows_all_of_its_origin(make_settings) -> None:
    """The metadata of a chunk, through the real library."""
    code = "def prime(pump):\n    return pump.fill()\n\n\ndef rattle(pump):\n    return pump.noise\n"
    origin = Origin(
        source_type="github",
        url="https://github.com/acme/pumps/blob/main/src/pump.py",
        file_path="src/pump.py",
        repo="acme/pumps",
        commit_id="c0ffee",
        timestamp="2026-01-02T03:04:05+00:00",
    )
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("src/pump.py", code.encode(), doc_set="Pumps", origin=origin)
        (hit, *_) = (await assistant.library.search("rattle noise")).hits
        metadata = hit.metadata
        assert code.split("\n")[metadata["start_line"] - 1 : metadata["end_line"]] == hit.text.split("\n")
        assert {name: value for name, value in metadata.items() if not name.endswith("_line")} == {
            "docset_name": "Pumps",
            "document_name": "src/pump.py",
            "source_type": "github",
            "doc_type": "code",
            "chunk_index": hit.position,
            "url": origin.url,
            "file_path": "src/pump.py",
            "language": "python",
            "timestamp": "2026-01-02T03:04:05+00:00",
            "repo": "acme/pumps",
            "commit_id": "c0ffee",
        }
        chunks = await assistant.library.chunks("src/pump.py", "Pumps")
        assert [one.metadata["chunk_index"] for one in chunks] == list(range(len(chunks)))
        answer = of(await say(assistant, "Where is the noise of the pump read?"), Answered)[0].answer
        assert answer.sources[0].metadata["repo"] == "acme/pumps"
