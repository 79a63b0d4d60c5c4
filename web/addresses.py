"""Which addresses may be fetched: those of the public internet, and what the settings allow beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address

# IPv6 that carries an IPv4 address within, by where that begins (bits from the right): RFC 4291 2.5.5 (compatible,
# mapped), RFC 6052 2.1 (well-known prefix of NAT64), RFC 8215 (its local-use prefix), RFC 3056 (6to4), RFC 5214
# (ISATAP, below), RFC 2765 (translated)
_EMBEDDING = (
    (IPv6Network("::/96"), 0),
    (IPv6Network("::ffff:0:0/96"), 0),
    (IPv6Network("::ffff:0:0:0/96"), 0),
    (IPv6Network("64:ff9b::/96"), 0),
    (IPv6Network("2002::/16"), 80),
)
_NEVER = (
    IPv6Network("64:ff9b:1::/48"),  # local use of NAT64
    IPv6Network("2001::/32"),  # Teredo: hides the server's and the client's IPv4 address
    IPv6Network("fec0::/10"),  # site-local (RFC 3879); Python calls it global
    IPv6Network("5f00::/16"),  # segment routing (RFC 9602)
    IPv6Network("3fff::/20"),  # documentation (RFC 9637)
)
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)  # the third quarter of the address


def public(address: Address) -> bool:
    """Whether it is reached over the internet alone, and so is every address that it carries within."""
    return all(
        one.is_global and not one.is_multicast and not any(one in network for network in _NEVER if one.version == 6)
        for one in (address, *_embedded(address))
        if not (one is address and one.version == 6 and int(one) >> 32 == 0xFFFF)  # mapped: judged by what it carries
    )


def _embedded(address: Address) -> Iterator[IPv4Address]:
    if isinstance(address, IPv4Address):
        return
    number = int(address)
    for network, place in _EMBEDDING:
        if address in network:
            yield IPv4Address(number >> place & 0xFFFF_FFFF)
    if number >> 32 & 0xFFFF_FFFF in _ISATAP:
        yield IPv4Address(number & 0xFFFF_FFFF)


class Allowed:
    """What the settings allow beside the public internet: host names, addresses, networks."""

    def __init__(self, entries: Iterable[str] = ()) -> None:
        """Raises ValueError for an entry that is neither a name nor an address nor a network."""
        self._networks, self._hosts = [], set()
        for entry in entries:
            name = entry.strip().lower().rstrip(".")
            try:
                self._networks.append(ip_network(name.strip("[]"), strict=False))
            except ValueError:
                if not name or "/" in name or " " in name:
                    raise
                self._hosts.add(name)

    def reachable(self, host: str, address: Address) -> bool:
        """Whether `host`, which resolves to `address`, may be connected to."""
        if host.lower().rstrip(".") in self._hosts:
            return True
        return public(address) or any(address in network for network in self._networks)


def parsed(text: str) -> Address:
    """As the resolver gives it, a zone ("%eth0") left out."""
    return ip_address(text.partition("%")[0])
