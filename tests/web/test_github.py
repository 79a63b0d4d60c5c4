"""Files of a repository at a commit: which ones, with what they are known by, and what a refresh costs."""

import asyncio
import time
from contextlib import aclosing

import pytest
from github_server import LINK, MODULE, GitHubServer, blob

from benchmarks.web_site import Page, as_json, redirect
from ingestion.readers import READERS, clean_path
from ingestion.readers.base import extension
from ingestion.readers.code import code_language
from library import Library
from schema import Origin
from tests.each_row import each_row
from web.base import WebError
from web.github import GitHub
from web.repositories import PATTERNS, RepositoryPath, parse_repository, pattern_matcher

FILES = {
    "README.md": b"# Handbook\n",
    "LICENSE": b"MIT\n",
    "src/main.py": b"print(1)\n",
    "src/deep/tides and 潮汐.md": "# 潮汐\n".encode(),
    "docs/guide.md": b"# Guide\n",
    "picture.png": b"\x89PNG\0",
    "src/data.txt": b"a\0b",
    "docs/large.md": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
    "docs/link.md": (LINK, b"guide.md"),
    "library": (MODULE, b"a" * 40),
    ".github/workflows/ci.yml": b"on: push\n",
    "node_modules/x/index.js": b"x()\n",
}
WORTH = ["LICENSE", "README.md", "docs/guide.md", "src/deep/tides and 潮汐.md", "src/main.py"]


@pytest.fixture
def server(site):
    server = GitHubServer(site)
    server.sha = server.push(FILES)
    return server


@pytest.fixture
def github(site, make_settings):
    def make(**named):
        variables = {f"CITEWISE_{name}": value for name, value in named.items()}
        return GitHub(make_settings(**{"CITEWISE_GITHUB_API_URL": site.url(""), **variables}), raw_url=site.url(""))

    return make


@pytest.fixture
def read(server, github):
    """What all files of the repository become."""

    async def run(text="octo/hand.book", settings=None, **options):
        async with github(**(settings or {})) as reader:
            commit = await reader.commit(text)
            return {file.path: file async for file in reader.files(commit, **options)}

    return run


def stored(files):
    return sorted(path for path, file in files.items() if file.state == "file")


async def test_documentation_and_source_text_of_a_commit(read, server):
    files = await read(doc_set="code")
    assert stored(files) == WORTH
    for path in WORTH:
        incoming = files[path].incoming
        assert incoming.data == FILES[path]
        assert (incoming.name, incoming.doc_set) == (clean_path(f"octo/hand.book/{path}"), "code")
    assert files["src/deep/tides and 潮汐.md"].incoming.origin == Origin(
        source_type="github",
        repo="octo/hand.book",
        commit_id=server.sha,
        file_path="src/deep/tides and 潮汐.md",
        url=f"https://github.com/octo/hand.book/blob/{server.sha}/src/deep/tides%20and%20%E6%BD%AE%E6%B1%90.md",
        timestamp="2024-05-17T08:00:00Z",
        stamp=blob(FILES["src/deep/tides and 潮汐.md"]),
    )


async def test_binary_files_pointers_links_and_modules_are_left_out(read):
    files = await read()
    skipped = {path for path, file in files.items() if file.state == "skipped"}
    assert skipped == {"src/data.txt", "docs/large.md"}
    assert set(files) == {*WORTH, *skipped}
    assert all(files[path].problem.suggestions for path in skipped)


async def test_huge_files_are_not_fetched(read, server):
    server.push({**FILES, "huge.md": b"x" * 2_000_000})
    files = await read(settings={"WEB_MAX_MB": "1"})
    assert files["huge.md"].state == "skipped"
    assert "CITEWISE_WEB_MAX_MB" in files["huge.md"].problem.in_full.en
    assert not [path for path in server.asked if blob(b"x" * 2_000_000) in path]


async def test_patterns(read):
    assert stored(await read(patterns=("*.py",))) == ["src/main.py"]
    assert stored(await read(patterns=("docs/", "!large.md"))) == ["docs/guide.md"]
    assert stored(await read(patterns=(".github/**/*.yml",))) == [".github/workflows/ci.yml"]


async def test_a_tree_that_is_truncated_is_walked(read, server):
    whole = stored(await read())
    server.largest = 3
    before = len(server.asked)
    assert stored(await read()) == whole == WORTH
    assert len([path for path in server.asked[before:] if "/git/trees/" in path]) > 3


@pytest.mark.parametrize(("text", "files"), [
    ("https://github.com/octo/hand.book", WORTH),
    ("https://github.com/octo/hand.book/tree/main/docs/", ["docs/guide.md"]),
    ("https://github.com/octo/hand.book/blob/main/docs/guide.md", ["docs/guide.md"]),
    ("https://github.com/octo/hand.book/tree/feature/new/docs", ["docs/next.md"]),
])  # fmt: skip
async def test_addresses(read, server, text, files):
    server.push({"docs/next.md": b"# Next\n", "a.md": b"a"}, ref="feature/new")
    assert stored(await read(text)) == files


async def test_a_branch_a_tag_a_commit(github, server):
    other = server.push({"a.md": b"a"}, ref="v1.0/final")
    async with github() as reader:
        assert (await reader.commit("octo/hand.book")).sha == server.sha
        assert (await reader.commit("octo/hand.book", "v1.0/final")).sha == other
        assert (await reader.commit("octo/hand.book", other)).sha == other


# --- refresh -------------------------------------------------------------------------------------------------------


async def test_a_refresh_fetches_what_has_changed(read, server):
    known = [file.incoming.origin for file in (await read()).values() if file.incoming]
    foreign = [Origin(source_type="github", repo="octo/other", file_path="gone.md"), Origin(file_path="README.md")]
    before = len(server.asked)
    assert {file.state for file in (await read(known=known + foreign)).values()} == {"unchanged", "skipped"}
    changed = {**FILES, "README.md": b"# Handbook, revised\n", "docs/new.md": b"# New\n"}
    del changed["docs/guide.md"], changed["src/data.txt"], changed["docs/large.md"]
    server.push(changed)
    before = len(server.asked)
    files = await read(known=known + foreign)
    assert stored(files) == ["README.md", "docs/new.md"]
    assert [path for path, file in files.items() if file.state == "gone"] == ["docs/guide.md"]
    assert len([path for path in server.asked[before:] if "/git/blobs/" in path]) == 2


async def test_a_refresh_of_a_folder_says_nothing_of_the_others(read, server):
    known = [file.incoming.origin for file in (await read()).values() if file.incoming]
    server.push({"docs/guide.md": FILES["docs/guide.md"]})
    files = await read("https://github.com/octo/hand.book/tree/main/docs", known=known)
    assert {path: file.state for path, file in files.items()} == {"docs/guide.md": "unchanged"}


# --- who asks ------------------------------------------------------------------------------------------------------


async def test_a_token_opens_what_is_private_and_is_sent_nowhere_else(read, server, site):
    server.token = "secret"
    with pytest.raises(WebError) as caught:
        await read()
    assert "GITHUB_TOKEN" in caught.value.in_full.en
    assert stored(await read(settings={"GITHUB_TOKEN": "secret"})) == WORTH
    server.answer = redirect(site.url("/repositories/1", host=1), 301)
    with pytest.raises(WebError):
        await read(settings={"GITHUB_TOKEN": "secret"})
    assert {request.host for request in site.requests} == {site.hosts[0]}


async def test_a_repository_that_was_renamed(read, server, site):
    """The API answers for the old name with the address of the new one."""
    old, new = "/repos/octo/old/commits/HEAD", "/repos/octo/hand.book/commits/HEAD"
    site.pages[old] = redirect(site.url(new), 301)
    site.pages["/repos/octo/old/git/trees/" + server._commits[server.sha]] = as_json({"tree": []})
    assert await read("octo/old") == {}


async def test_without_a_token_files_of_github_itself_come_raw(server, site, make_settings):
    from web.github_api import GitHubApi

    api = GitHubApi(make_settings(), raw_url=site.url(""))
    try:
        address = "src/deep/tides%20and%20%E6%BD%AE%E6%B1%90.md"
        name = "src/deep/tides and 潮汐.md"
        assert await api.file("octo/hand.book", server.sha, address, blob(FILES[name])) == FILES[name]
    finally:
        await api.aclose()


# --- what goes wrong -----------------------------------------------------------------------------------------------


def both_languages(error):
    assert error.suggestions
    for message in (error.message, *error.suggestions):
        assert message.zh != message.en
    return error.in_full.en


@pytest.mark.parametrize(("text", "said"), [
    ("octo/nowhere", "does not exist"), ("https://github.com/octo/hand.book/tree/nowhere", 'no branch, tag or commit'),
    ("https://github.com/octo/hand.book/tree/main/nowhere", 'has no "nowhere"'),
])  # fmt: skip
async def test_what_is_not_there(read, text, said):
    with pytest.raises(WebError) as caught:
        await read(text)
    assert said in both_languages(caught.value)


async def test_an_empty_repository(site, github):
    GitHubServer(site)
    async with github() as reader:
        with pytest.raises(WebError, match="is empty"):
            await reader.commit("octo/hand.book")


@pytest.mark.parametrize(("status", "headers"), [
    (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800000000"}),
    (429, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800000000"}),
    (429, {"retry-after": "60"}), (403, {"retry-after": "soon"}),
])  # fmt: skip
async def test_the_limit_of_requests_is_told_with_when_it_ends(read, server, status, headers):
    server.answer = Page("{}", "application/json", status, headers)
    with pytest.raises(WebError) as caught:
        await read()
    said = both_languages(caught.value)
    assert "used up" in said
    assert "GITHUB_TOKEN" in said
    if "x-ratelimit-reset" in headers:
        assert "2027-01-15 08:00 UTC" in said
    if headers.get("retry-after") == "60":
        assert time.strftime("%Y", time.gmtime()) in said
    with pytest.raises(WebError) as caught:
        await read(settings={"GITHUB_TOKEN": "x"})
    assert "GITHUB_TOKEN" not in caught.value.in_full.en


@pytest.mark.parametrize("page", [
    Page("{}", "application/json", 401), Page("{}", "application/json", 403), Page("{}", "application/json", 500),
    Page("[]", "application/json"), Page("<html>", "text/html"), Page("[" * 100_000, "application/json"),
    Page('{"sha": "../x", "commit": {"tree": {"sha": 1}}}', "application/json"), Page(raw=b"nonsense\r\n\r\n"),
    Page("{}", "application/json", cut=True),
])  # fmt: skip
async def test_answers_that_are_none(read, server, page):
    server.answer = page
    with pytest.raises(WebError) as caught:
        await read()
    both_languages(caught.value)


async def test_no_network(github):
    async with github(GITHUB_API_URL="http://127.0.0.1:1") as reader:
        with pytest.raises(WebError, match="cannot be reached") as caught:
            await reader.commit("octo/hand.book")
    both_languages(caught.value)


async def test_a_tree_is_not_trusted(read, server, site):
    sha = blob(b"x")
    names = ["../up.md", "/root.md", "a//b.md", "./c.md", "good.md"]
    items = [{"path": name, "mode": "100644", "type": "blob", "sha": sha, "size": 1} for name in names]
    odd = [None, 1, {}, {"path": 1}, {"path": "x.md", "mode": "100644", "type": "blob", "sha": "../../user"}]
    tree = f"/repos/octo/hand.book/git/trees/{server._commits[server.sha]}"
    site.pages |= {tree: as_json({"tree": items + odd}), f"/repos/octo/hand.book/git/blobs/{sha}": Page("x")}
    assert stored(await read()) == ["good.md"]


async def test_one_file_that_fails_does_not_end_the_others(read, site):
    guide, readme = (f"/repos/octo/hand.book/git/blobs/{blob(FILES[path])}" for path in ("docs/guide.md", "README.md"))
    site.pages |= {guide: Page(status=404), readme: Page("# Hand")}  # absent, and less than all
    files = await read()
    assert [files[path].state for path in ("docs/guide.md", "README.md")] == ["failed", "failed"]
    assert len(stored(files)) == len(WORTH) - 2
    both_languages(files["docs/guide.md"].problem)


async def test_closed_it_asks_for_nothing_more(server, site, github):
    server.push({f"file{number:02}.md": b"%d" % number for number in range(50)})
    for number in range(1, 50):
        site.pages[f"/repos/octo/hand.book/git/blobs/{blob(b'%d' % number)}"] = Page("x", first_delay=60.0)
    async with github() as reader:
        commit = await reader.commit("octo/hand.book")
        async with aclosing(reader.files(commit)) as files:
            assert (await anext(files)).path == "file00.md"
    assert len([path for path in server.asked if "/git/blobs/" in path]) <= 4
    assert not [task for task in asyncio.all_tasks() if "GitHub._file" in repr(task)]


# --- names and patterns --------------------------------------------------------------------------------------------


@each_row(("text", "source"), [
    ("octo/hand.book", RepositoryPath("octo/hand.book")),
    (" https://github.com/octo/hand.book.git ", RepositoryPath("octo/hand.book")),
    ("git@github.com:octo/hand.book.git", RepositoryPath("octo/hand.book")),
    ("github.com/octo/a", RepositoryPath("octo/a")),
    ("https://www.github.com/octo/a/#readme", RepositoryPath("octo/a")),
    ("http://github.com/octo/a/tree/main", RepositoryPath("octo/a", after_tree=("main",))),
    ("https://github.com/octo/a/blob/v1/%E6%BD%AE.md?plain=1#L3", RepositoryPath("octo/a", after_tree=("v1", "潮.md"))),
])  # fmt: skip
def test_repositories_as_people_name_them(text, source):
    assert parse_repository(text) == source


@each_row("text", [
    "", "octo", "octo/", "/a", "octo/..", "octo/.", "-octo/a", "octo/a b", "octo/a?x", "https://example.com/octo/a",
    "https://github.com/octo", "https://github.com.evil.example/octo/a", "https://github.com/octo/a/issues/1",
    "https://github.com/octo/a/tree/main/../../x", "https://x@github.com/octo/a", "http://[", "ftp://github.com/octo/a",
])  # fmt: skip
def test_what_names_no_repository(text):
    with pytest.raises(WebError) as caught:
        parse_repository(text)
    both_languages(caught.value)


@each_row(("pattern", "inside", "outside"), [
    ("*.md", ["a.md", "b/c/a.md"], ["a.mdx", "a_md"]),
    ("docs/*.md", ["docs/a.md"], ["docs/b/a.md", "x/docs/a.md"]),
    ("docs/**/*.md", ["docs/a.md", "docs/b/c/a.md"], ["a.md"]),
    ("docs/", ["docs/a", "docs/b/c"], ["docs", "x/docs/a"]),
    ("/a?.(x)", ["ab.(x)"], ["b/ab.(x)", "a/.(x)"]),
    ("**", ["a", "b/c"], []),
])  # fmt: skip
def test_patterns_as_globs(pattern, inside, outside):
    wanted = pattern_matcher([pattern])
    assert [path for path in inside + outside if wanted(path)] == inside


def test_what_is_chosen_unasked_is_what_ingestion_reads():
    for pattern in PATTERNS:
        if not pattern.startswith("!"):
            name = pattern.replace("*", "name")
            assert extension(name) in READERS or code_language(name), pattern


async def test_what_the_library_has_stored_is_what_a_refresh_goes_by(read, server, make_settings):
    files = await read(doc_set="code")
    library = await Library.open(make_settings(CITEWISE_EMBEDDING="hashing"))
    try:
        tasks = await library.submit([file.incoming for file in files.values() if file.incoming])
        await library.finished([task.id for task in tasks])
        origins = [info.origin for info in library.documents()]
        assert len(origins) == len(WORTH)
        assert {one.code_language for one in origins} == {"", "python"}
        assert not stored(await read(doc_set="code", known=origins))
    finally:
        await library.close()
