"""What is public, and what settings may allow beside it."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_row import each_row
from web.addresses import AddressAllowlist, parse_address, public

INNER = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4", "240.0.0.0/4",
]  # fmt: skip
INNER_NETWORKS = [ip_network(one) for one in INNER]


@each_row("network", INNER_NETWORKS)
def test_no_address_of_an_inner_network_is_public(network):
    edges = (network[0], network[1], network[network.num_addresses // 2], network[-2], network[-1])
    assert not any(public(address) for address in edges)


@each_row("text", ["8.8.8.8", "1.1.1.1", "93.184.215.14", "172.15.255.255", "172.32.0.0", "100.128.0.0",
                                  "2606:4700::1111", "2a00:1450:4001::1", "240e::1"])  # fmt: skip
def test_addresses_of_the_internet_are(text):
    assert public(ip_address(text))


@each_row("text", [
    "::", "::1", "::127.0.0.1", "::8.8.8.8", "::ffff:0:127.0.0.1", "100::1", "2001::1", "2001:db8::1",
    "4000::1", "2002:0808:0808::", "3fff::1", "5f00::1", "64:ff9b:1::1", "fc00::1", "fd12::1", "fe80::1", "fec0::1",
    "ff02::1",
])  # fmt: skip
def test_nor_these_of_ipv6(text):
    assert not public(ip_address(text))


@each_row("text", ["168.63.129.16", "::ffff:168.63.129.16", "64:ff9b::a83f:8110"])
def test_nor_is_what_serves_only_the_machines_of_a_cloud(text):
    assert not public(ip_address(text))
    assert public(ip_address("168.63.129.17"))


@given(st.ip_addresses(v=4))
def test_an_address_within_another_counts_as_itself(address):
    number = int(address)
    for carrier in ("::ffff:0:0", "64:ff9b::"):
        assert public(IPv6Address(int(IPv6Address(carrier)) | number)) == public(address)
    for isatap in ("2606:4700::5efe:0:0", "2606:4700::200:5efe:0:0"):
        assert public(IPv6Address(int(IPv6Address(isatap)) | number)) == public(address)
    assert not public(IPv6Address(int(IPv6Address("2002::")) | number << 80))


@given(st.ip_addresses(v=4))
def test_public_is_what_no_list_of_inner_networks_holds(address):
    assert public(address) <= (not any(address in network for network in INNER_NETWORKS))


@given(st.ip_addresses(v=6))
def test_public_ipv6_is_unicast_or_carries_ipv4(address):
    carries = address in ip_network("::ffff:0:0/96") or address in ip_network("64:ff9b::/96")
    assert public(address) <= (carries or address in ip_network("2000::/3"))


@each_row(("entry", "host", "address", "included"), [
    ("wiki.lan", "wiki.lan", "10.0.0.7", True),
    ("Wiki.LAN.", "wiki.lan", "10.0.0.7", True),
    ("wiki.lan", "WIKI.lan.", "10.0.0.7", True),
    ("例子.内网", "xn--fsqu00a.xn--v6q792i", "10.0.0.7", True),
    ("wiki.lan", "other.wiki.lan", "10.0.0.7", False),
    ("wiki.lan", "wiki.lan.example.com", "10.0.0.7", False),
    ("10.0.0.0/8", "anything", "10.1.2.3", True),
    ("10.1.2.3/8", "anything", "10.9.9.9", True),
    ("10.0.0.0/8", "anything", "11.0.0.1", False),
    ("127.0.0.1", "localhost", "127.0.0.1", True),
    ("127.0.0.1", "localhost", "127.0.0.2", False),
    ("127.0.0.1", "127.0.0.1", "::1", False),
    ("127.0.0.0/8", "x", "::ffff:127.0.0.1", False),
    ("[::1]", "x", "::1", True),
    ("fd00::/8", "x", "fd12::1", True),
])  # fmt: skip
def test_what_settings_allow(entry, host, address, included):
    assert AddressAllowlist([entry]).includes(host, ip_address(address)) == included


@each_row("entry", ["", " ", "10.0.0.0/99", "http://wiki.lan", "wiki.lan/x", "wiki.lan:80", "a b", "a@b", "①.lan"])
def test_an_entry_that_is_none_is_said(entry):
    with pytest.raises(ValueError, match="does not appear to be"):
        AddressAllowlist([entry])


def test_nothing_is_allowed_by_default():
    assert not AddressAllowlist().includes("localhost", IPv4Address("127.0.0.1"))


def test_a_zone_is_left_out():
    assert parse_address("fe80::1%eth0") == IPv6Address("fe80::1")
