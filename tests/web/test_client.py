"""The guard: what is taken for an address, what is looked up, and what is connected to."""

import asyncio
import ssl
import string
import subprocess

import httpcore2
import pytest
from httpx2 import URL
from hypothesis import given
from hypothesis import strategies as st

from tests.each_row import each_row
from web.addresses import AddressAllowlist, parse_address, public
from web.client import Client, Guard, resolve_host, target_address
from web.problems import PageError


def resolver(*answers):
    """One answer after the other, the last for ever; and the record of what was asked."""
    asked = []

    async def resolve(host, port):
        asked.append((host, port))
        answer = answers[min(len(asked), len(answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer

    return resolve, asked


def guard(*addresses, allow=()):
    return Guard(AddressAllowlist(allow), resolver(addresses)[0])


# --- what an address is --------------------------------------------------------------------------------------------


@each_row(("text", "is_read_as"), [
    ("http://example.com", "http://example.com"),
    ("  HTTPS://Example.COM/Path?q=1#part \n", "https://example.com/Path?q=1"),
    ("https://example.com:443/", "https://example.com/"),
    ("http://example.com./x", "http://example.com/x"),
    ("http://8.8.8.8/", "http://8.8.8.8/"),
    ("http://[2606:4700::1111]/", "http://[2606:4700::1111]/"),
    ("https://zh.wikipedia.org/wiki/敦煌", "https://zh.wikipedia.org/wiki/%E6%95%A6%E7%85%8C"),
    ("https://中国.cn/", "https://xn--fiqs8s.cn/"),
    ("https://例子。中国/a b", "https://xn--fsqu00a.xn--fiqs8s/a%20b"),
    ("http://a_b.example.com/", "http://a_b.example.com/"),
    ("http://example.com/?u=a@b.c", "http://example.com/?u=a@b.c"),
])  # fmt: skip
def test_an_address_is_read_in_one_way(text, is_read_as):
    assert str(target_address(text)) == str(URL(is_read_as))
    assert target_address(text).raw_host == URL(is_read_as).raw_host


@each_row("text", [
    "", " ", "example.com", "//example.com/", "http:example.com", "http:///x", "ftp://example.com/", "file:///etc/passwd",
    "javascript:alert(1)", "http://user@example.com/", "http://user:pass@example.com/", "http://example.com:0/",
    "http://example.com:99999999999/", "http://exa mple.com/", "http://example.com\\@127.0.0.1/", "http://a\r\nb/",
    "http://example.com/\r\nX: y", "http://example.com/\x00", "http://2130706433/", "http://127.1/", "http://0x7f.1/",
    "http://0177.0.0.1/", "http://1.2.3.4.5/", "http://example.0x1/", "http://[::1%25eth0]/", "http://a..b/", "http://-a/",
    "http://１２７.0.0.1/", "http://①.com/", "http://" + "a" * 64 + ".com/", "http://" + "a." * 127 + "com/",
    "http://example.com/" + "a" * 5000, "http://a%2eb/", "http://ex\u200bample.com/", "http://a,b/",
])  # fmt: skip
def test_what_is_no_address_is_refused_with_a_remedy(text):
    with pytest.raises(PageError) as caught:
        target_address(text)
    assert caught.value.reason == "refused"
    assert caught.value.suggestions
    assert len(caught.value.message.en) < 300


@given(st.text(), st.sampled_from(["", "http://", "https://", "http://127.0.0.1", "//", "http://[", "HTTP:\\\\"]))
def test_whatever_the_text_the_result_is_a_host_that_is_looked_up_as_it_stands_or_a_refusal(text, beginning):
    try:
        url = target_address(beginning + text)
    except PageError:
        return
    assert url.scheme in ("http", "https")
    assert not url.userinfo
    host = url.raw_host.decode()
    assert set(host) <= set(string.ascii_lowercase + string.digits + "-._:")
    assert str(target_address(str(url))) == str(url)  # read again, it is the same
    assert httpcore2.URL(str(url).encode()).host.decode().strip("[]") == host  # also by who speaks to the network


@given(st.text(max_size=60))
def test_a_redirect_leads_nowhere_else_than_its_address_read_alone(location):
    base = URL("https://example.com/a/b")
    try:
        there = target_address(location, base)
    except PageError:
        return
    assert there.scheme in ("http", "https")
    assert there.host == "example.com" or there.host in location.lower() or not location.isascii()


# --- what is connected to ------------------------------------------------------------------------------------------


@given(st.lists(st.ip_addresses(), min_size=1, max_size=3))
def test_one_address_that_is_not_public_refuses_the_host(addresses):
    checking = guard(*map(str, addresses)).checked("example.com", 443)
    if all(map(public, addresses)):
        assert asyncio.run(checking) == addresses
    else:
        with pytest.raises(PageError) as caught:
            asyncio.run(checking)
        assert caught.value.reason == "refused"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "localhost", "0"])
async def test_numbers_in_every_spelling_are_what_the_system_takes_them_for(host):
    with pytest.raises(PageError) as caught:
        await Guard(AddressAllowlist(), resolve_host).checked(host, 80)
    assert caught.value.reason == "refused"


@pytest.mark.parametrize("port", [1, 22, 81, 8080, 65535])
async def test_other_ports_are_for_allowed_hosts_alone(port):
    with pytest.raises(PageError) as caught:
        await guard("93.184.215.14").checked("example.com", port)
    assert str(port) in caught.value.message.zh
    for allow in ("example.com", "93.184.215.0/24"):
        assert await guard("93.184.215.14", allow=[allow]).checked("example.com", port)


@pytest.mark.parametrize("answer", [OSError("no such host"), UnicodeError("label too long"), [], ["nonsense"]])
async def test_a_host_that_is_not_found(answer):
    resolve, _ = resolver(answer)
    with pytest.raises(PageError) as caught:
        await Guard(AddressAllowlist(), resolve).checked("example.com", 80)
    assert caught.value.reason == "unreachable"


async def test_a_resolver_that_never_answers():
    async def resolve(host, port):
        await asyncio.Event().wait()

    with pytest.raises(PageError) as caught:
        await Guard(AddressAllowlist(), resolve).connect_tcp("example.com", 80, timeout=0.01)
    assert caught.value.reason == "time"


async def test_nothing_else_is_connected_to():
    with pytest.raises(PageError):
        await guard("127.0.0.1", allow=["127.0.0.1"]).connect_unix_socket("/var/run/docker.sock")


async def test_a_host_is_looked_up_once_for_a_connection_and_connected_to_where_it_was_looked_up(site):
    resolve, asked = resolver(["127.0.0.2"], ["127.0.0.3"])
    client = Client(AddressAllowlist(site.hosts), idle=5, connections=2, resolve=resolve)
    async with client.get(URL(f"http://name.test:{site.port}/en/tides"), {}) as answer:
        assert answer.status == 200
    assert asked == [("name.test", site.port)]
    assert site.connections == {"127.0.0.2": 1}
    assert site.requests[0].headers["host"] == f"name.test:{site.port}"
    await client.aclose()


async def test_the_next_address_is_taken_when_one_does_not_answer(site):
    resolve, _ = resolver(["127.0.0.77", "127.0.0.2"])  # nobody listens at the first
    client = Client(AddressAllowlist(["127.0.0.0/8"]), idle=5, connections=2, resolve=resolve)
    async with client.get(URL(f"http://name.test:{site.port}/en/tides"), {}) as answer:
        assert answer.status == 200
    assert site.connections == {"127.0.0.2": 1}
    await client.aclose()


async def test_a_kept_connection_that_ends_as_it_is_used_is_opened_again():
    opened = []

    async def serve(reader, writer):
        opened.append(writer)
        for answered in (True, len(opened) > 1):
            await reader.readuntil(b"\r\n\r\n")
            if answered:
                writer.write(b"HTTP/1.1 200 -\r\nContent-Length: 2\r\n\r\nok")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = URL(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/")
    client = Client(AddressAllowlist(["127.0.0.1"]), idle=5, connections=2)
    for _ in range(2):
        async with client.get(url, {}) as answer:
            await answer.skip()
    assert len(opened) == 2
    await client.aclose()
    server.close()


async def test_proxies_of_the_environment_are_not_asked(site, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.3:1")
    client = Client(AddressAllowlist(site.hosts), idle=5, connections=2)
    async with client.get(URL(site.url("/en/tides")), {}) as answer:
        assert answer.status == 200
    await client.aclose()


@pytest.fixture(scope="module")
def tls(tmp_path_factory):
    """A certificate for name.test, and how its key is used."""
    folder = tmp_path_factory.mktemp("tls")
    request = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=name.test -addext subjectAltName=DNS:name.test"
    files = ["-keyout", folder / "key.pem", "-out", folder / "cert.pem"]
    try:
        subprocess.run(["openssl", *request.split(), *files], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs openssl")
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return server, ssl.create_default_context(cafile=folder / "cert.pem")


@pytest.mark.parametrize(
    ("name", "trusted", "valid"), [("name.test", True, True), ("other.test", True, False), ("name.test", False, False)]
)
async def test_a_certificate_must_be_of_the_name_that_was_asked_for(tls, name, trusted, valid):
    names = []

    def note(_socket, said, _context):
        names.append(said)

    async def serve(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 -\r\nContent-Length: 2\r\n\r\nok")

    server_context, client_context = tls
    server_context.sni_callback = note
    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=server_context)
    port = server.sockets[0].getsockname()[1]
    resolve, _ = resolver(["127.0.0.1"])
    context = client_context if trusted else None
    client = Client(AddressAllowlist(["127.0.0.1"]), idle=5, connections=2, resolve=resolve, ssl_context=context)
    getting = client.get(URL(f"https://{name}:{port}/"), {})
    if valid:
        async with getting as answer:
            assert answer.status == 200
    else:
        with pytest.raises(PageError, match="certificate"):
            await getting.__aenter__()
    assert names == [name]
    await client.aclose()
    server.close()


def test_a_zone_is_never_part_of_what_is_connected_to():
    assert asyncio.run(guard("::1%lo", allow=["::1"]).checked("x", 80)) == [parse_address("::1")]
