"""Which addresses may be fetched: those of the public internet, and what the settings allow beside them."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from httpx2 import URL, InvalidURL

Address = IPv4Address | IPv6Address

_MAPPED = IPv6Network("::ffff:0:0/96")  # RFC 4291 2.5.5.2
_NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052 2.1: all that a network without IPv4 sees of it
_UNICAST = IPv6Network("2000::/3")  # the only IPv6 addresses that are handed out
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)  # RFC 5214: the third quarter of an address that ends with an IPv4 address
_NEVER = (  # which Python calls global
    IPv6Network("2001::/32"),  # Teredo: hides the IPv4 addresses of server and client
    IPv6Network("2002::/16"),  # 6to4 (RFC 7526: given up), whose routers unpack an IPv4 address
    IPv6Network("3fff::/20"),  # documentation (RFC 9637)
    IPv4Network("192.88.99.0/24"),  # the routers of 6to4
    IPv4Network("192.0.0.0/24"),  # protocols; some clouds have their metadata there
    IPv4Network("168.63.129.16/32"),  # the host of a virtual machine in Azure, which hands out its secrets
)


def public(address: Address) -> bool:
    """Whether it is reached over the internet alone, and so is the address that it carries within, if it does."""
    if isinstance(address, IPv4Address):
        return _handed_out(address)
    carries = address in _MAPPED or address in _NAT64
    if not carries and not (address in _UNICAST and _handed_out(address)):
        return False
    if carries or int(address) >> 32 & 0xFFFF_FFFF in _ISATAP:
        return _handed_out(IPv4Address(int(address) & 0xFFFF_FFFF))
    return True


def _handed_out(address: Address) -> bool:
    return address.is_global and not address.is_multicast and not any(address in network for network in _NEVER)


class AddressAllowlist:
    """What the settings allow beside the public internet: host names, addresses, networks."""

    def __init__(self, entries: Iterable[str] = ()) -> None:
        """Raises ValueError for an entry that is neither a name nor an address nor a network."""
        self._networks, self._hosts = [], set()
        for entry in entries:
            name = entry.strip().lower().rstrip(".")
            try:
                self._networks.append(ip_network(name.strip("[]"), strict=False))
            except ValueError:
                if not name or any(mark in name for mark in "/: @"):
                    raise
                self._hosts.add(_ascii(name))

    def includes(self, host: str, address: Address) -> bool:
        """Whether `host`, which resolves to `address`, is one of them."""
        return host.lower().rstrip(".") in self._hosts or any(address in network for network in self._networks)


def _ascii(name: str) -> str:
    """As it is looked up: "例子.内网" is "xn--fsqu00a.xn--v6q792i"."""
    try:
        return URL(f"http://{name}/").raw_host.decode("ascii")
    except InvalidURL as error:
        raise ValueError(f"{name!r} does not appear to be a host") from error


def parse_address(text: str) -> Address:
    """As a resolver gives it, a zone ("%eth0") left out. Raises ValueError."""
    return ip_address(text.partition("%")[0])
