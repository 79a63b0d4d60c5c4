"""Conversations, thumbs and fetched pages go with a library into PostgreSQL, and back."""

from __future__ import annotations

from pathlib import Path

from turn_cases import assistant_of, of, say

from graph.conversation_selection import open_conversations
from graph.request import Request
from nodes.events import Answered, Failed
from stores.feedback import Feedback
from stores.selection import open_shared
from stores.transfer import transfer_shared
from stores.unanswered import UnansweredQuestion
from tests.conftest import MakeSettings
from tests.stores.postgres_server import database_url, empty

GUIDE = "# Guide\n\nPrime the pump for ninety seconds.\n\n水泵启动前要先灌水九十秒。\n".encode()


async def test_conversations_go_there_and_back(make_settings: MakeSettings, tmp_path: Path) -> None:
    empty(database_url())
    places = [make_settings(), make_settings(CITEWISE_DATABASE_URL=database_url())]
    places.append(places[0].model_copy(update={"data_dir": tmp_path / "back"}))
    async with assistant_of(places[0]) as assistant:
        await assistant.library.add("guide.md", GUIDE)
        for question in ("How long do I prime the pump?\0", "水泵要灌水多久？"):
            turn = Request("ann/t", question, listed=True)
            assert not of([event async for event in assistant.run_turn(turn)], Failed)
        assert of(await say(assistant, "And a question of nobody's"), Answered)
    (tmp_path / "back").mkdir()  # as the store there has made it
    kept = [await open_conversations(place, None) for place in places]
    await kept[0].titles.rename("ann/t", "泵 Pumps")
    assert await kept[0].copy_to(kept[1]) >= 1
    assert await kept[1].copy_to(kept[2]) >= 1
    assert await kept[1].copy_to(kept[2]) == 0
    for one in kept[1:]:
        assert await one.turns("ann/t") == await kept[0].turns("ann/t")
        assert await one.titles.listed("ann") == await kept[0].titles.listed("ann")
        assert [line.title for line in await one.titles.listed("ann", "灌水")] == ["泵 Pumps"]
        await one.close()
    await kept[0].close()
    back = make_settings().model_copy(update={"data_dir": tmp_path / "back"})
    async with assistant_of(back) as assistant:  # it goes on
        assert not of([event async for event in assistant.run_turn(Request("ann/t", "Thanks!", listed=True))], Failed)
        assert len(await assistant.turns("ann/t")) == 3


def test_what_stands_beside_goes_as_well_and_not_twice(make_settings: MakeSettings) -> None:
    empty(database_url())
    make_settings().data_dir.mkdir(parents=True, exist_ok=True)
    source, target = (open_shared(make_settings(**more)) for more in ({}, {"CITEWISE_DATABASE_URL": database_url()}))
    source.feedback.put("ann/t", Feedback("1", 1, "good \0", "Q", "A"))
    source.feedback.put("ann/t", Feedback("2", -1))
    source.feedback.put("bob/u", Feedback("1", 1))
    source.feedback.forget("bob/u")  # its thumb still counts
    source.unanswered.put("ann", "ann/t", UnansweredQuestion("谁？", "nothing_found", 0.1, "zh"))
    source.lab.put_set("ann", "手册", "{}")
    source.lab.begin_run("ann", "first", "{}")
    source.lab.put_result("ann", "first", "c1", "\0 one")
    source.lab.choose("{}")
    for _ in range(2):
        transfer_shared(source, target, [])
    assert target.feedback.counts() == source.feedback.counts() == (2, 1)
    assert target.feedback.of("ann/t") == source.feedback.of("ann/t")
    assert [*target.unanswered.export()] == [*source.unanswered.export()]
    kept = [(lab.sets("ann"), lab.runs("ann"), lab.results("ann", "first")) for lab in (source.lab, target.lab)]
    assert kept[0] == kept[1]
    assert all(kept[1])
    assert (target.lab.undo_choice(), target.lab.chosen()) == (True, None)
    source.feedback.put("ann/t", Feedback("1", -1))  # what was said there meanwhile holds
    transfer_shared(source, target, [])
    assert target.feedback.counts() == (2, 1)
    source.close()
    target.close()
