"""Makes a small library with a bit of everything, and a backup of it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from benchmarks.model_server import Reply, filled, model_server, wanted_form
from stores.feedback import Feedback
from tests.graph.turn_cases import Script
from tests.graph.web_cases import CHIPS, PATHS, news_site, reached
from tests.recorded.scenes import ASKED, GUIDE_FILE, HANDBOOK_FILE
from tests.recorded.stage import Stage

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
ANSWERS = {"zh": "员工每年有十五天带薪年假[1]。", "en": "Prime the pump before the first start [1]."}


def script(request: dict) -> Reply:
    if wanted_form(request) == "About":
        about = {"reason": "news", "title": "", "keywords": ["AI"], "entities": [], "topics": ["AI"]}
        return filled(request, about)
    return Script(answer=ANSWERS["zh" if "年假" in request["messages"][-1]["content"][-200:] else "en"])(request)


async def play(stage: Stage) -> None:
    """Conversations of both languages, one that waits for a yes, sets, a source, thumbs, and what found no answer."""
    with news_site("zh") as site, model_server(script) as server:
        model = {"CITEWISE_LLM_MODEL": "m", "CITEWISE_LLM_BASE_URL": server.base_url}
        await stage.open(**reached(site), **model, CITEWISE_CRAWL_DELAY="0")
        await stage.turn("保存", [HANDBOOK_FILE], thread="zh", controls={"doc_set": "规章"}, listed=True)
        await stage.turn("save", [GUIDE_FILE], thread="en", listed=True)
        source = await stage.assistant.sources.add(site.url(PATHS[0]), doc_set="news")
        async for _ in stage.assistant.sources.refresh(source.id):
            pass
        await stage.settle()
        for language in ("zh", "en"):
            await stage.turn(ASKED[language][0], thread=language, controls={"strategy": "hybrid"}, listed=True)
            turn = await stage.last(language)
            stage.assistant.feedback.put(language, Feedback(turn.id, 1, "good", turn.question, turn.reply))
        await stage.open(**reached(site), CITEWISE_CRAWL_DELAY="0")  # without the model
        await stage.turn(ASKED["en"][3], thread="offered", listed=True)
        await stage.turn(CHIPS["zh"], thread="fetched", controls={"web": "always"})
        await stage.close()


def main(name: str) -> None:
    if (HERE / f"{name}.zip").exists():
        sys.exit("There is one of this name, and it is to stay as it is.")
    with tempfile.TemporaryDirectory(prefix="earlier-") as place:
        stage = Stage(Path(place), name)
        asyncio.run(play(stage))
        library = stage.folder / "library"
        with tarfile.open(HERE / f"{name}.tar.gz", "w:gz") as packed:
            packed.add(library, "library")
        backup = [sys.executable, "cli.py", "backup", str(HERE / f"{name}.zip"), "--folder", str(library)]
        subprocess.run(backup, cwd=ROOT, check=True)


if __name__ == "__main__":
    main(sys.argv[1])
