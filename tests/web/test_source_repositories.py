"""A repository as a source of a document set: its files at a commit, and what a later one costs."""

from __future__ import annotations

import pytest
from github_server import GitHubServer
from source_house import House, told

from benchmarks.web_site import Page, as_json

FILES = {
    "README.md": b"# Handbook\n\nAll about tides.\n",
    "src/main.py": b"def tide():\n    return 1\n",
    "docs/guide.md": "# 指南\n\n潮汐每天两次。\n".encode(),
    "picture.png": b"\x89PNG\0",
}
REPO = "octo/hand.book"


@pytest.fixture
def server(site):
    server = GitHubServer(site)
    server.sha = server.push(FILES)
    return server


@pytest.fixture
async def house(server, site, make_settings):
    settings = make_settings(CITEWISE_GITHUB_API_URL=site.url(""), CITEWISE_EMBEDDING="hashing")
    async with House(settings) as opened:
        yield opened


def files(house: House, doc_set: str = "docs") -> list[str]:
    return sorted(info.origin.file_path for info in house.infos(doc_set))


async def test_its_files_with_commit_and_links(house, server):
    source = await house.sources.add(REPO, doc_set="docs")
    assert (source.kind, source.address) == ("github", f"https://github.com/{REPO}")
    assert told(await house.refresh(source)) == {"stored": 3}
    assert files(house) == ["README.md", "docs/guide.md", "src/main.py"]
    for info in house.infos():
        assert (info.origin.source_type, info.origin.repo, info.origin.commit_id) == ("github", REPO, server.sha)
        assert (info.origin.source, info.name) == (source.id, f"{REPO}/{info.origin.file_path}")
    now = house.now(source)
    assert (now.commit, now.pages, now.problem, bool(now.refreshed_at)) == (server.sha, 3, None, True)


async def test_the_same_commit_costs_one_request(house, server):
    source = await house.sources.add(REPO, doc_set="docs")
    await house.refresh(source)
    server.site.requests.clear()
    version = house.library.version
    assert told(await house.refresh(source)) == {"unchanged": 3}
    assert len(server.asked) == 1
    assert house.library.version == version


async def test_another_commit_costs_what_is_different(house, server):
    source = await house.sources.add(REPO, doc_set="docs")
    await house.refresh(source)
    sha = server.push({**{path: FILES[path] for path in ("README.md", "src/main.py")}, "new.md": b"# New\n",
                       "src/main.py": b"def tide():\n    return 2\n"})  # fmt: skip
    server.site.requests.clear()
    assert told(await house.refresh(source)) == {"stored": 2, "unchanged": 1, "gone": 1}
    assert len([path for path in server.asked if "/blobs/" in path]) == 2
    assert files(house) == ["README.md", "new.md", "src/main.py"]
    assert "return 2" in house.texts()
    assert (house.now(source).commit, house.now(source).pages) == (sha, 3)


async def test_a_file_that_is_no_text_any_more_goes(house, server):
    source = await house.sources.add(REPO, doc_set="docs")
    await house.refresh(source)
    server.push({**FILES, "docs/guide.md": b"\0\0\0"})
    assert told(await house.refresh(source)) == {"unchanged": 2, "skipped": 1, "gone": 1}
    assert files(house) == ["README.md", "src/main.py"]


async def test_what_is_wanted_may_change(house, server):
    source = await house.sources.add(REPO, doc_set="docs", patterns=["*.md"])
    assert told(await house.refresh(source)) == {"stored": 2}
    again = await house.sources.add(f"https://github.com/{REPO.upper()}.git", doc_set="docs", patterns=["*.py"])
    assert (again.id, again.patterns, again.commit, again.address) == (source.id, ("*.py",), "", source.address)
    assert told(await house.refresh(source)) == {"stored": 1, "gone": 2}
    assert files(house) == ["src/main.py"]


async def test_a_folder_of_a_branch(house, server):
    server.push({**FILES, "docs/other.md": b"# Other\n"}, ref="feature/x")
    source = await house.sources.add(f"https://github.com/{REPO}/tree/feature/x/docs", doc_set="docs")
    await house.refresh(source)
    assert files(house) == ["docs/guide.md", "docs/other.md"]


@pytest.mark.parametrize("what", ["limit", "no repository", "server"])
async def test_a_refresh_that_comes_to_nothing_deletes_nothing(house, server, what):
    source = await house.sources.add(REPO, doc_set="docs")
    await house.refresh(source)
    before = house.now(source)
    server.push({"README.md": b"# Other\n"})
    limited = Page("{}", "application/json", 403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "4000000000"})
    server.answer = {"limit": limited, "no repository": Page("{}", "application/json", 404),
                     "server": as_json({"no": "commit"})}[what]  # fmt: skip
    events = await house.refresh(source)
    assert (events[-1].state, events[-1].url) == ("failed", "")
    assert house.now(source).problem == events[-1].problem
    assert house.now(source).commit == before.commit
    assert files(house) == ["README.md", "docs/guide.md", "src/main.py"]
    server.answer = None
    assert told(await house.refresh(source)) == {"stored": 1, "gone": 2}


async def test_a_file_that_fails_is_asked_for_again(house, server, site):
    blob = next(one["sha"] for tree in server._trees.values() for one in tree if one["path"] == "README.md")
    site.pages[f"/repos/{REPO}/git/blobs/{blob}"] = Page(status=404)
    source = await house.sources.add(REPO, doc_set="docs")
    events = await house.refresh(source)
    assert told(events) == {"stored": 2, "failed": 1}
    assert (house.now(source).commit, "1 of 3" in house.now(source).problem.en) == ("", True)
    site.pages.clear()
    assert told(await house.refresh(source)) == {"stored": 1, "unchanged": 2}
    assert (house.now(source).commit, house.now(source).problem) == (server.sha, None)


async def test_two_of_one_repository_in_a_set(house, server):
    """The files that both name are stored once, and belong to the first."""
    docs = await house.sources.add(f"https://github.com/{REPO}/tree/main/docs", doc_set="docs")
    await house.refresh(docs)
    server.push({**FILES, "docs/guide.md": b"# Older\n"}, ref="v1")
    whole = await house.sources.add(REPO, doc_set="docs", ref="v1")
    events = await house.refresh(whole)
    assert told(events) == {"stored": 2, "skipped": 1}
    assert "another source" in events[-1].progress.problems[0][1].en
    assert "潮汐" in house.texts()
    assert files(house) == ["README.md", "docs/guide.md", "src/main.py"]
    assert await house.sources.remove(docs.id, documents=True)
    assert files(house) == ["README.md", "src/main.py"]
    assert told(await house.refresh(whole)) == {"stored": 1, "unchanged": 2}
    assert "Older" in house.texts()


async def test_other_documents_of_the_set_stay(house, server, site):
    source = await house.sources.add(REPO, doc_set="docs")
    await house.refresh(source)
    await house.library.add("by-hand.md", b"# By hand\n", doc_set="docs")
    server.push({"README.md": FILES["README.md"]})
    await house.refresh(source)
    assert sorted(info.name for info in house.infos()) == ["by-hand.md", f"{REPO}/README.md"]
