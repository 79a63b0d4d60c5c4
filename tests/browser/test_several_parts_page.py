"""A question about two things over two files, with `abstract`: its parts, the way to what names lead to, what lacks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.chat import LOCALES, Chat, put
from tests.browser.program import program

pytestmark = pytest.mark.browser

SCENES: dict[str, dict[str, Any]] = {
    "zh-CN": {
        "files": {
            "房屋.md": "# 青石磨坊\n\n青石磨坊是方立冬修建的，他没有看到磨坊转动。\n",
            "其他.md": "# 白沙灯塔\n\n白沙灯塔烧的是鲸油。\n\n# 码头\n\n每天开两班船。\n\n"
            "# 方立冬\n\n他在海边长大，靠箍桶为生。\n",
        },
        "ask": "用摘要检索：青石磨坊和白沙灯塔有什么区别？", "parts": ("青石磨坊", "白沙灯塔"),
        "led": "提到“方立冬”，由此找到", "part": "其中一项：{}", "kept": "采用，来源 [{}]",
        "lacking": ("白沙灯塔", "月球塔"), "nothing": "关于“月球塔”，在这些文件里没有找到任何内容。", "trace": "过程",
    },
    "en-US": {
        "files": {
            "houses.md": "# Arden mill\n\nThe Arden mill was built by Otto Brandt, who never saw it turn.\n",
            "others.md": "# Lund lighthouse\n\nThe Lund lighthouse burns oil.\n\n# Quay\n\nTwo boats leave daily.\n\n"
            "# Otto Brandt\n\nHe was a cooper.\n",
        },
        "ask": "use abstract search: what is the difference between the Arden mill and the Lund lighthouse?",
        "parts": ("the Arden mill", "the Lund lighthouse"),
        "led": "names “otto brandt”, which this is about", "part": "one part: {}", "kept": "kept, source [{}]",
        "lacking": ("the Lund lighthouse", "the Moon tower"), "trace": "Trace",
        "nothing": "Of “the Moon tower” nothing was found in these files.",
    },
}  # fmt: skip


def test_each_part_is_cited_with_its_way_and_what_lacks_is_said(browser: Browser, tmp_path: Path) -> None:
    with program(tmp_path / "library") as url:
        for scene in SCENES.values():
            for name, text in scene["files"].items():
                put(url, name, text)
        for locale in LOCALES:
            scene = SCENES[locale]
            chat = Chat(browser, url, locale)
            chat.send(scene["ask"])
            for name in scene["files"]:
                expect(chat.replies.last).to_contain_text(name)
            chat.page.locator('#chat a[href^="#evaluation/"]').last.click()
            chat.page.locator("#details-tabs").get_by_role("tab", name=scene["trace"]).click()
            trace = chat.page.locator("#trace")
            expect(trace.locator("table.candidates").first.locator("tr.kept", has_text=scene["led"])).to_have_count(1)
            for part in scene["parts"]:
                section = trace.locator("section", has_text=scene["part"].format(part))
                expect(section.locator("tr.kept").first).to_contain_text("[")
            chat.send(scene["ask"].replace(*scene["lacking"]))
            expect(chat.page.locator("#chat")).to_contain_text(scene["nothing"])
            assert chat.foreign == []
