"""Other programs at the real one's doors, over HTTP and stdio, in both languages: each has a cited answer."""

from __future__ import annotations

import base64
import re
import shlex
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
import openai
import pytest
from fastapi import FastAPI
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError
from mcp import Client as McpClient
from mcp import StdioServerParameters, stdio_client
from starlette.testclient import TestClient
from typer.testing import CliRunner

import cli
from doors.mcp_server import add_mcp
from stores.folder import FolderLock, holding
from tests.browser.program import ROOT, program
from tests.graph.turn_cases import GUIDE, HANDBOOK

SERVICES = {"/ask", "/search", "/add_document", "/list_documents", "/delete_document", "/evaluate"}
QUESTION = {"zh": "员工有几天年假？", "en": "How long is the wait before the pump's first start?"}
SAID = {"zh": "十五天", "en": "ninety seconds"}
DOCUMENT = {"zh": "员工手册.md", "en": "guide.md"}
UNKNOWN = {"zh": "没有文档集“无此集”", "en": "There is no document set nowhere"}
NOWHERE = {"zh": "无此集", "en": "nowhere"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("doors")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with program(folder / "library") as url:
        client = Client(url, verbose=False)
        client.predict(name="guide.md", content=GUIDE, metadata={"author": "Li"}, api_name="/add_document")
        file = folder / "员工手册.md"
        file.write_text(HANDBOOK, encoding="utf-8")
        added = client.predict(file=handle_file(str(file)), doc_set="人事", api_name="/add_document")
        assert added["document"]["name"] == "员工手册.md"
        yield url


DOCS = (ROOT / "docs" / "programs.md").read_text("utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", DOCS, re.S | re.M)
CURLS = re.findall(r"^```sh\n(curl .*?)^```", DOCS, re.S | re.M)


@pytest.fixture(scope="module")
def gradio(address: str) -> Client:
    """One for all: it begins with the page's whole configuration, which costs the program more than an answer."""
    return Client(address, verbose=False)


@pytest.fixture
def chat(address: str) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0) as client:
        yield client


def assert_cited(answer: str, sources: list[dict[str, Any]], language: str) -> None:
    assert SAID[language] in answer.replace("**", "")  # what was asked for is bold
    markers = {int(marker) for marker in re.findall(r"\[(\d+)\]", answer.partition("\n\n")[0])}
    assert markers
    assert {source["marker"] for source in sources} == markers
    best = next(source for source in sources if SAID[language] in source["quote"])
    assert (best["document"], best["supported"]) == (DOCUMENT[language], True)
    text = {"zh": HANDBOOK, "en": GUIDE}[language].splitlines()
    first, last = best["lines"]
    assert SAID[language] in "\n".join(text[first - 1 : last])


# --- gradio_client -----------------------------------------------------------------------------------------------


def test_the_page_shows_programs_exactly_these_endpoints(gradio: Client) -> None:
    shown = gradio.view_api(return_format="dict", print_info=False)
    assert set(shown["named_endpoints"]) == SERVICES
    assert shown["unnamed_endpoints"] == {}
    described = shown["named_endpoints"]["/ask"]["description"]
    assert "检索策略" in described
    assert "retrieval strategy" in described


def test_gradio_client_asks(gradio: Client, language: str) -> None:
    found = gradio.predict(QUESTION[language], api_name="/ask")
    assert_cited(found["answer"], found["sources"], language)
    assert (found["language"], found["covered"]) == (language, True)
    assert found["verdict"]["support"] == 1.0


def test_gradio_client_searches_lists_and_rates(gradio: Client, language: str) -> None:
    found = gradio.predict(QUESTION[language], top_k=1, api_name="/search")
    assert [passage["document"] for passage in found["passages"]] == [DOCUMENT[language]]
    assert SAID[language] in found["passages"][0]["text"]
    listed = gradio.predict(find=DOCUMENT[language].upper(), api_name="/list_documents")
    assert [one["name"] for one in listed["documents"]] == [DOCUMENT[language]]
    rated = gradio.predict(QUESTION[language], api_name="/evaluate")
    assert SAID[language] in rated["answer"].replace("**", "")
    assert rated["verdict"]["max_similarity"] > 0


def test_a_document_comes_and_goes(gradio: Client) -> None:
    data = base64.b64encode("灯塔高四十米。".encode()).decode()
    new = gradio.predict(name="灯塔.md", base64=data, doc_set="海", chunk_size=500, api_name="/add_document")
    assert new["outcome"] == "added"
    assert new["document"]["bytes"] == len("灯塔高四十米。".encode())
    assert gradio.predict(doc_set="海", api_name="/list_documents")["total"] == 1
    assert "**四十米**[1]" in gradio.predict("灯塔有多高？", api_name="/ask")["answer"]
    assert gradio.predict("灯塔.md", api_name="/delete_document") == {"deleted": 1}
    assert gradio.predict(doc_set="海", api_name="/list_documents")["total"] == 0


def test_gradio_client_is_told_what_is_wrong_and_what_to_do(gradio: Client, language: str) -> None:
    with pytest.raises(AppError, match=UNKNOWN[language]) as refused:
        gradio.predict(QUESTION[language], doc_sets=[NOWHERE[language]], api_name="/ask")
    assert {"zh": "请查看文件列表", "en": "Look at the list"}[language] in str(refused.value)
    for wrong, api_name in (
        ({"question": " "}, "/ask"),
        ({"question": "x", "strategy": "guess"}, "/search"),
        ({"name": "a.md"}, "/add_document"),
        ({"name": "a.md", "base64": "%%%"}, "/add_document"),
        ({"content": "text"}, "/add_document"),
        ({"name": "no such.md"}, "/delete_document"),
        ({"limit": 0}, "/list_documents"),
    ):
        with pytest.raises(AppError):
            gradio.predict(**wrong, api_name=api_name)


def test_no_program_reads_a_file_of_this_machine(address: str, gradio: Client) -> None:
    """Only what was uploaded: a made-up path is none."""
    file = {"path": str(ROOT / "README.md"), "meta": {"_type": "gradio.FileData"}}
    data = ["stolen.md", "", "", "", None, None, None, {}, file]
    with httpx2.Client(base_url=address, timeout=60) as client:
        event = client.post("/gradio_api/call/add_document", json={"data": data}).json()["event_id"]
        said = client.get(f"/gradio_api/call/add_document/{event}").text
        assert "event: error" in said
    listed = gradio.predict(find="stolen", api_name="/list_documents")
    assert listed["total"] == 0


def test_questions_of_one_conversation_lean_on_each_other(gradio: Client) -> None:
    gradio.predict("How is the pump started?", conversation="pump talk", api_name="/ask")
    found = gradio.predict("And what does its rattling noise mean?", conversation="pump talk", api_name="/ask")
    assert found["conversation"] == "pump talk"
    assert "air in the line" in found["answer"]


# --- what the documentation shows ---------------------------------------------------------------------------------


def test_both_languages_have_the_same_examples() -> None:
    assert (len(BLOCKS), len(CURLS)) == (6, 4)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_an_example_runs_as_written(
    number: int, address: str, gradio: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    leave = {"name": "leave.md", "content": "There are fifteen days of leave a year.", "doc_set": "docs"}
    gradio.predict(**leave, api_name="/add_document")
    exec(BLOCKS[number].replace("http://localhost:7860", address), {})
    said = capsys.readouterr().out
    assert re.search(r"\[\d\]", said)
    assert SAID["zh"] in said.replace("**", "") or "**fifteen** days" in said


@pytest.mark.parametrize("number", range(len(CURLS)))
def test_a_request_of_curl_is_answered(number: int, address: str) -> None:
    _, url, *options = shlex.split(CURLS[number].replace("\\\n", "").replace("http://localhost:7860", address))
    assert options[::2] == ["-H", "-d"]
    name, _, value = options[1].partition(": ")
    answered = httpx2.post(url, headers={name: value}, content=options[3], timeout=60)
    assert answered.status_code == 200
    assert answered.json().keys() & {"choices", "passages"}


# --- the chat API of OpenAI --------------------------------------------------------------------------------------


def test_the_library_is_a_model(chat: openai.OpenAI) -> None:
    names = [model.id for model in chat.models.list()]
    assert names[0] == "citewise"
    assert "citewise/keyword" in names
    assert chat.models.retrieve("citewise/keyword").id == "citewise/keyword"


def test_the_openai_package_asks(chat: openai.OpenAI, language: str) -> None:
    messages: Any = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": QUESTION[language]}]
    reply = chat.chat.completions.create(model="citewise", messages=messages)
    message: Any = reply.choices[0].message
    assert_cited(message.content, message.sources, language)
    assert DOCUMENT[language] in message.content.partition("\n\n")[2]
    assert message.confidence > 0.5
    assert reply.usage is not None
    assert reply.usage.total_tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens > 0


def test_the_openai_package_streams(chat: openai.OpenAI, language: str) -> None:
    stream = chat.chat.completions.create(
        model="citewise/keyword",
        messages=[{"role": "user", "content": [{"type": "text", "text": QUESTION[language]}]}],
        stream=True,
        stream_options={"include_usage": True},
        temperature=0.3,
        extra_body={"sources_in_text": False},
    )
    chunks: list[Any] = list(stream)
    said = [chunk.choices[0] for chunk in chunks if chunk.choices]
    text = "".join(choice.delta.content or "" for choice in said)
    assert_cited(text, said[-1].delta.sources, language)
    assert "\n\n" not in text
    assert [choice.finish_reason for choice in said][-1] == "stop"
    assert chunks[-1].usage.completion_tokens > 0
    assert chunks[-1].sources == said[-1].delta.sources


def test_a_chat_program_brings_the_conversation_with_it(chat: openai.OpenAI) -> None:
    first: Any = {"role": "user", "content": "How is the pump started?"}
    reply = chat.chat.completions.create(model="citewise", messages=[first])
    told: Any = {"role": "assistant", "content": reply.choices[0].message.content}
    second: Any = {"role": "user", "content": "And what does its rattling noise mean?"}
    reply = chat.chat.completions.create(model="citewise", messages=[first, told, second])
    assert "air in the line" in str(reply.choices[0].message.content)


def test_the_openai_package_knows_the_errors(chat: openai.OpenAI, language: str) -> None:
    asked: Any = [{"role": "user", "content": QUESTION[language]}]
    with pytest.raises(openai.NotFoundError, match="citewise/keyword") as missing:
        chat.chat.completions.create(model="gpt-4o", messages=asked)
    assert missing.value.code == "model_not_found"
    with pytest.raises(openai.NotFoundError, match=UNKNOWN[language]):
        chat.chat.completions.create(model="citewise", messages=asked, extra_body={"doc_sets": [NOWHERE[language]]})
    with pytest.raises(openai.BadRequestError) as wrong:
        chat.chat.completions.create(model="citewise", messages="x", extra_body={})  # type: ignore[arg-type]
    assert wrong.value.param == "messages"
    with pytest.raises(openai.APIError, match=UNKNOWN[language]):
        list(
            chat.chat.completions.create(
                model="citewise", messages=asked, stream=True, extra_body={"doc_sets": [NOWHERE[language]]}
            )
        )


# --- MCP ---------------------------------------------------------------------------------------------------------


async def asked_over_mcp(client: McpClient, language: str) -> None:
    tools = (await client.list_tools()).tools
    more = {"/add_source", "/list_sources", "/refresh_source", "/evaluate_set"}
    assert {f"/{tool.name}" for tool in tools} == SERVICES | more
    ask = next(tool for tool in tools if tool.name == "ask")
    assert "出处" in str(ask.description)
    assert "checked citation" in str(ask.description)
    assert ask.input_schema["properties"]["question"]["description"] == "问题 / the question"
    found = await client.call_tool("ask", {"question": QUESTION[language]})
    assert not found.is_error
    assert_cited(found.structured_content["answer"], found.structured_content["sources"], language)
    wrong = await client.call_tool("ask", {"question": QUESTION[language], "doc_sets": [NOWHERE[language]]})
    assert wrong.is_error
    assert UNKNOWN[language] in wrong.content[0].text
    assert (await client.call_tool("guess", {})).is_error
    assert (await client.call_tool("ask", {"question": 7})).is_error


async def test_an_mcp_program_asks_over_http(address: str, language: str) -> None:
    async with McpClient(f"{address}/mcp") as client:
        await asked_over_mcp(client, language)


async def test_mcp_programs_of_the_time_before_ask_as_well(address: str) -> None:
    async with McpClient(f"{address}/mcp", mode="legacy") as client:
        found = await client.call_tool("ask", {"question": QUESTION["en"]})
        assert_cited(found.structured_content["answer"], found.structured_content["sources"], "en")


async def test_other_sites_do_not_reach_the_tools(address: str) -> None:
    async with httpx2.AsyncClient(base_url=address) as client:
        for path in ("/mcp", "/v1/chat/completions"):
            assert (await client.post(path, json={}, headers={"Origin": "http://evil.example"})).status_code == 403
            assert (await client.post(path, json={}, headers={"Host": "evil.example"})).status_code == 421


@asynccontextmanager
async def over_stdio(data_dir: Path, *arguments: str, port: int = 1) -> AsyncIterator[McpClient]:
    """`cli.py mcp` as a desktop program starts it."""
    environment = {
        "CITEWISE_DATA_DIR": str(data_dir), "CITEWISE_OLLAMA": "false", "CITEWISE_PORT": str(port),
        "CITEWISE_INGEST_WORKERS": "0", "PYTHONPATH": str(ROOT / "tests" / "offline"),
    }  # fmt: skip
    command = StdioServerParameters(
        command=sys.executable, args=[str(ROOT / "cli.py"), "mcp", *arguments], env=environment, cwd=data_dir.parent
    )
    async with McpClient(stdio_client(command), mode="legacy") as client:
        yield client


async def test_an_mcp_program_asks_over_stdio(tmp_path: Path) -> None:
    async with over_stdio(tmp_path / "library") as client:
        for name, content in (("guide.md", GUIDE), ("员工手册.md", HANDBOOK)):
            assert not (await client.call_tool("add_document", {"name": name, "content": content})).is_error
        for language in ("zh", "en"):
            await asked_over_mcp(client, language)


async def test_over_stdio_the_page_that_has_the_library_open_answers(address: str, folder: Path) -> None:
    async with over_stdio(folder / "library", port=int(address.rpartition(":")[2])) as client:
        await asked_over_mcp(client, "zh")


def refusal(library: Path, patch: pytest.MonkeyPatch, port: str = "1", locale: str = "en_GB.UTF-8") -> str:
    """What `cli.py mcp` says on stderr where it cannot serve this library."""
    for name, value in {"DATA_DIR": str(library), "PORT": port}.items():
        patch.setenv(f"CITEWISE_{name}", value)
    patch.setenv("LC_ALL", locale)
    done = CliRunner().invoke(cli.cli, ["mcp"])
    assert (done.exit_code, done.stdout) == (1, "")
    return " ".join(done.stderr.split())


def test_a_library_that_is_open_elsewhere_is_said_with_its_remedy(
    tmp_path: Path, bare_environment: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = FolderLock(tmp_path / "library")
    said = refusal(tmp_path / "library", monkeypatch)
    held.close()
    assert "in use by another program" in said
    assert "--url" in said


def test_a_page_that_has_another_library_open_is_not_asked(
    address: str, tmp_path: Path, bare_environment: None, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    held = FolderLock(tmp_path / "library")
    locale = {"zh": "zh_CN.UTF-8", "en": "en_GB.UTF-8"}[language]
    said = refusal(tmp_path / "library", monkeypatch, address.rpartition(":")[2], locale)
    held.close()
    assert {"zh": "打开的不是这个知识库", "en": "does not have this library open"}[language] in said
    assert "--url" in said


async def test_which_library_is_open_is_told_to_this_machine_alone(tmp_path: Path) -> None:
    lock, site = FolderLock(tmp_path), FastAPI()
    services: Any = SimpleNamespace(assistant=SimpleNamespace(settings=SimpleNamespace(data_dir=tmp_path)))
    add_mcp(site, services)
    told = [
        TestClient(site, client=(host, 50000)).get("/mcp/library").text for host in ("127.0.0.1", "::1", "192.0.2.7")
    ]
    lock.close()
    assert told == [holding(tmp_path), holding(tmp_path), ""]
    assert holding(tmp_path / "elsewhere") == ""
