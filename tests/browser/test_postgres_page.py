"""The main job over PostgreSQL, in a real browser: saved, seen by another page, cited, and through a restart of the
database."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.chat import Chat, cited_lines, line_of
from tests.browser.program import program
from tests.stores.postgres_server import database_url, empty, server

pytestmark = pytest.mark.browser


def test_a_library_in_postgres_is_seen_live_and_outlives_a_restart_of_the_server(
    browser: Browser, tmp_path: Path
) -> None:
    empty(database_url())
    with program(tmp_path / "library", CITEWISE_DATABASE_URL=database_url()) as url:
        chat, english = (Chat(browser, url, locale) for locale in ("zh-CN", "en-US"))
        english.page.locator("#library-view-button").click()
        stored = english.page.locator("#documents tbody tr.is-completed")
        chat.save("员工手册.md", "guide.md")
        expect(stored).to_have_count(2)  # nobody has reloaded it
        english.page.locator("#chat-view-button").click()

        chat.send("婚假有几天？")
        assert "婚假为十三天" in chat.reply()
        assert any(line_of("员工手册.md", "婚假为十三天") in lines for lines in cited_lines(chat.reply()))

        server().stop()
        chat.begin("产假有几天？")
        expect(chat.page.locator(".toast-body", has_text="无法使用").first).to_contain_text("PostgreSQL")
        server().start()

        english.send("Only in guide.md: how long does pairing take?")
        assert "40 seconds" in english.reply()
        assert any(line_of("guide.md", "40 seconds") in lines for lines in cited_lines(english.reply()))
        chat.open()  # the conversation is there, and goes on
        expect(chat.page.locator("#chat")).to_contain_text("婚假为十三天")
        chat.send("产假有几天？")
        assert "一百五十八天" in chat.reply()
        assert (chat.foreign, english.foreign) == ([], [])
