"""Put on PYTHONPATH by tests: this process reaches loopback and nothing else, as on a machine without network."""

import socket

LOCAL = {"127.0.0.1", "::1", "localhost", "0.0.0.0", "", None}
_connect, _connect_ex, _getaddrinfo = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo


def _refuse(host: object) -> None:
    if host not in LOCAL and not str(host).startswith("127."):
        raise OSError(101, f"Network is unreachable (test): {host}")


def connect(self, address, *rest):
    if self.family in (socket.AF_INET, socket.AF_INET6):
        _refuse(address[0])
    return _connect(self, address, *rest)


def connect_ex(self, address, *rest):
    if self.family in (socket.AF_INET, socket.AF_INET6):
        _refuse(address[0])
    return _connect_ex(self, address, *rest)


def getaddrinfo(host, *rest, **named):
    _refuse(host.decode() if isinstance(host, bytes) else host)
    return _getaddrinfo(host, *rest, **named)


socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo = connect, connect_ex, getaddrinfo
