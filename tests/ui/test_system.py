"""The System tab: every state in words, no secret in any of them."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from config_file import ProviderEntry
from errors import CitewiseError
from graph.metrics import Metrics
from schema import Language
from settings import Settings
from stores.feedback import Feedback
from stores.safety.backup import write_backup
from stores.unanswered import UnansweredQuestion
from tests.conftest import MakeSettings
from tests.each_row import each_row
from tests.graph.turn_cases import GUIDE, Script, assistant_of, say, talking
from ui.caches import CacheSizes
from ui.page import build_page
from ui.settings_table import HIDDEN, displayed_value, settings_table, without_secrets
from ui.status import calibration, versions
from ui.system import metrics_table, seconds, system_value
from ui.texts import page_language

SECRETS = {
    "OPENAI_API_KEY": "sk-one-of-the-tests",
    "DASHSCOPE_API_KEY": "sk-two-of-the-tests",
    "DEEPSEEK_API_KEY": "sk-three-of-the-tests",
    "CITEWISE_LLM_API_KEY": "sk-four-of-the-tests",
    "CITEWISE_EMBEDDING_API_KEY": "sk-five-of-the-tests",
    "CITEWISE_RERANKER_API_KEY": "sk-eight-of-the-tests",
    "CITEWISE_OCR_API_KEY": "sk-nine-of-the-tests",
    "TAVILY_API_KEY": "sk-six-of-the-tests",
    "GITHUB_TOKEN": "ghp-seven-of-the-tests",
    "CITEWISE_LLM_BASE_URL": "https://anna:password-of-tests@models.example/v1?key=query-of-tests",
    "OPENAI_BASE_URL": "https://models.example/0123456789abcdef0123456789/v1",
    "CITEWISE_USERS": "anna:scrypt.line-of-tests",
    "CITEWISE_API_KEYS": "robot:key-of-the-tests-1234",
    "CITEWISE_DATABASE_URL": "postgresql://anna:password-of-tests@localhost/citewise",
    "CITEWISE_MILVUS_TOKEN": "anna:milvus-password-of-tests",
}
WORDS = ("-of-tests", "-of-the-tests", "0123456789abcdef", "anna", "robot")


def test_the_secrets_of_this_test_are_all_there_are() -> None:
    hidden = {name for name, field in Settings.model_fields.items() if "SecretStr" in repr(field.annotation)}
    settings = Settings.from_mapping(SECRETS)
    assert {name for name in hidden if not getattr(settings, name)} == set()


def test_no_secret_is_in_the_table(language: Language) -> None:
    table = settings_table(Settings.from_mapping(SECRETS), language)
    told = json.dumps(table, ensure_ascii=False)
    assert [word for word in WORDS if word in told] == []
    rows = {row["name"]: row for row in table["rows"]}
    assert rows["OPENAI_API_KEY"]["value"] == {"zh": "已设置", "en": "set"}[language]
    assert rows["OPENAI_API_KEY"]["differs"]
    assert rows["CITEWISE_LLM_BASE_URL"]["value"] == f"https://{HIDDEN}@models.example/v1?{HIDDEN}"


def test_what_differs_comes_first(language: Language) -> None:
    rows = settings_table(Settings.from_mapping({"CITEWISE_TOP_K": "7"}), language)["rows"]
    assert rows[0] == {"name": "CITEWISE_TOP_K", "value": "7", "default": "5", "differs": True}
    assert not any(row["differs"] for row in rows[1:])


@each_row(
    ("address", "seen"),
    [
        ("http://localhost:11434/v1", "http://localhost:11434/v1"),
        ("https://u:p@host.example:8443/a", f"https://{HIDDEN}@host.example:8443/a"),
        ("https://token@host.example", f"https://{HIDDEN}@host.example"),
        ("u:p@host.example/a", f"{HIDDEN}@host.example/a"),
        ("https://host.example/a?api_key=x#frag", f"https://host.example/a?{HIDDEN}#{HIDDEN}"),
        ("https://host.example/v1/9f8e7d6c5b4a39281706/chat", f"https://host.example/v1/{HIDDEN}/chat"),
        ("http://[::1/broken", HIDDEN),
        ("saved_files", "saved_files"),
        ("qwen-plus-2026-01-01", "qwen-plus-2026-01-01"),
    ],
)
def test_addresses_show_no_secret(address: str, seen: str) -> None:
    assert without_secrets(address) == seen


def test_keys_of_the_configuration_file_stay_hidden() -> None:
    entry = ProviderEntry.model_validate(
        {"name": "own", "base_url": "https://a:b@models.example/v1", "api_key": "sk-of-tests"}
    )
    told = displayed_value((entry,), "en")
    assert "sk-of-tests" not in told
    assert "a:b" not in told
    assert "api_key=set" in told


async def test_what_the_tab_tells_of_a_library_with_a_model(make_settings: MakeSettings, language: Language) -> None:
    async with talking(make_settings, Script()) as (assistant, _):
        await say(assistant, "How long do I wait after priming the pump?")
        value = await system_value(assistant, language)
    sections = {section["title"]: section["rows"] for section in value["sections"]}
    models, library = sections[{"zh": "模型", "en": "Models"}[language]], list(sections.values())[2]
    assert models[0]["name"] == "custom · m"
    assert models[0]["state"] == "ok"
    assert library[0] == {"name": {"zh": "文档", "en": "Documents"}[language], "value": "1", "note": "", "state": ""}
    assert value["metrics"]["rows"]
    assert {len(row["cells"]) for row in value["metrics"]["rows"]} == {len(value["metrics"]["head"]) - 2}
    json.dumps(value)


async def test_a_fresh_machine_has_a_tab_too(make_settings: MakeSettings, language: Language) -> None:
    async with assistant_of(make_settings()) as assistant:
        value = await system_value(assistant, language)
    assert value["metrics"]["rows"] == []
    assert value["metrics"]["none"]
    assert value["sections"][0]["rows"][0]["state"] == "unknown"
    assert (value["unanswered"]["rows"], bool(value["unanswered"]["none"])) == ([], True)


async def test_caches_are_listed_with_their_sizes_and_cleared(make_settings: MakeSettings, language: Language) -> None:
    async with assistant_of(make_settings()) as assistant:
        sizes = CacheSizes(assistant.caches)
        await assistant.library.add("guide.md", GUIDE.encode())
        await assistant.library.search("the pump")
        shown = (await system_value(assistant, language, None, sizes))["caches"]
        names = [row["key"] for row in shown["rows"]]
        assert {"answers", "pages", "vectors", "passages"} == set(names)
        held = next(row for row in shown["rows"] if row["key"] == "passages")
        assert (held["empty"], held["name"]) == (
            False,
            {"zh": "内存里的原文片段", "en": "passages in memory"}[language],
        )
        sizes.clear("passages")
        shown = (await system_value(assistant, language, None, sizes))["caches"]
        assert next(row for row in shown["rows"] if row["key"] == "passages")["empty"]
        with pytest.raises(CitewiseError):
            sizes.clear("cookies")


async def test_the_last_backup_is_told(make_settings: MakeSettings, tmp_path: Path, language: Language) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("guide.md", GUIDE.encode())
        before = await system_value(assistant, language)
        made = write_backup(Path(assistant.settings.data_dir), tmp_path / "b.zip")
        after = await system_value(assistant, language)
    name = {"zh": "上次备份", "en": "Last backup"}[language]
    [never, then] = [row for value in (before, after) for row in value["sections"][2]["rows"] if row["name"] == name]
    assert (never["value"], "cli.py backup" in never["note"]) == ("–", True)
    assert then["value"] == f"{datetime.fromisoformat(made.made).astimezone():%Y-%m-%d %H:%M}"


async def test_an_embedded_document_shows_space_and_index(make_settings: MakeSettings) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("guide.md", GUIDE.encode())
        value = await system_value(assistant, "en")
    rows = {row["name"]: row["value"] for row in value["sections"][1]["rows"]}
    assert "dimensions" in rows["Embedding space"]
    assert rows["Vector index"].startswith("flat")
    assert "Calibration (weight of vectors)" in rows


async def test_feedback_is_counted_drawn_and_can_be_downloaded(make_settings: MakeSettings, language: Language) -> None:
    async with assistant_of(make_settings()) as assistant:
        told = json.dumps(await system_value(assistant, language), ensure_ascii=False)
        assert {"zh": "在回答下点 👍 或 👎", "en": "press 👍 or 👎"}[language] in told
        assert "feedback.jsonl" not in told
        for turn, value in (("1", 1), ("2", -1), ("3", 1)):
            assistant.feedback.put("t", Feedback(turn, value))
        value = await system_value(assistant, language)
    rows = next(one["rows"] for one in value["sections"] if one["title"] == {"zh": "评价", "en": "Feedback"}[language])
    assert [row["value"] for row in rows] == ["👍 2 · 👎 1", "67%"]
    words = {"zh": "下载评价（JSONL）", "en": "Download feedback (JSONL)"}[language]
    assert rows[1]["link"] == {"href": "feedback.jsonl", "words": words}
    [share] = value["metrics"]["shares"]["rows"]
    assert (share["cells"], share["recent"]) == (["3", "2", "67%"], [1.0, 0.5, 0.6667])
    assert len(value["metrics"]["shares"]["head"]) == len(share["cells"]) + 2


def test_every_outcome_and_step_has_a_name() -> None:
    metrics = Metrics()
    metrics.count_embedded(3, 0.3)
    table = metrics_table(metrics.figures(), metrics.totals(), "zh")
    assert table["rows"][0]["name"] == "嵌入（每段文本）"
    assert table["rows"][0]["recent"] == [0.1]
    assert table["counted"] == ["入库时嵌入的文本：3"]


@each_row(("value", "said"), [(12.3, "12 s"), (1.236, "1.24 s"), (0.0873, "87 ms"), (0.00042, "0.42 ms")])
def test_times_have_the_digits_that_tell_something(value: float, said: str) -> None:
    assert seconds(value) == said


def test_calibration_by_language() -> None:
    learned: dict[str, Any] = {"zh": {"vector_weight": 0.43}, "en": {"vector_weight": None}, "reading": {}}
    assert calibration(learned, "zh") == "中文 43%"
    assert calibration({}, "en") == "not calibrated yet"


def test_versions_are_those_that_run() -> None:
    assert versions()["Citewise"] in (Path(__file__).parent.parent.parent / "pyproject.toml").read_text(
        encoding="utf-8"
    )
    assert versions()["gradio"].startswith("6.")


@each_row(
    ("headers", "language"),
    [
        ({"accept-language": "zh-CN,zh;q=0.9"}, "zh"),
        ({"accept-language": "de"}, "en"),
        ({}, "en"),
        ({"accept-language": "zh-CN", "cookie": "a=b; citewise-language=en"}, "en"),
        ({"accept-language": "en", "cookie": "citewise-language=zh; a=b"}, "zh"),
        ({"accept-language": "zh", "cookie": "citewise-language=fr"}, "zh"),
        ({"accept-language": "en", "cookie": "not-citewise-language=zh"}, "en"),
    ],
)
def test_the_chosen_language_goes_before_the_browsers(headers: dict[str, str], language: Language) -> None:
    assert page_language(SimpleNamespace(headers=headers)) == language  # type: ignore[arg-type]


async def test_the_buttons_of_the_tab_clear_the_list_and_the_caches(make_settings: MakeSettings) -> None:
    request: Any = SimpleNamespace(headers={"accept-language": "en-US"})
    script = (Path(__file__).parents[2] / "ui" / "system.js").read_text(encoding="utf-8")
    async with assistant_of(make_settings()) as assistant:
        page, _ = build_page(assistant)
        does: dict[str, Any] = {
            event: one.fn for one in page.fns.values() for _, event in one.targets if f"'{event}', " in script
        }
        assert {"list_cleared", "cache_cleared"} <= set(does)
        assistant.unanswered.put("", "", UnansweredQuestion("Which lamp?", "nothing", 0.0, "en"))
        await assistant.library.add("guide.md", GUIDE.encode())
        for name, left in (("answers", True), ("passages", False)):
            await assistant.library.search("the pump")
            value, *_ = await does["cache_cleared"](SimpleNamespace(name=name), request)
            assert any(not row["empty"] for row in value["caches"]["rows"] if row["key"] == "passages") == left
        assert [row["question"] for row in value["unanswered"]["rows"]] == ["Which lamp?"]
        value, *_ = await does["list_cleared"](request)
        assert (value["unanswered"]["rows"], assistant.unanswered.count()) == ([], 0)
