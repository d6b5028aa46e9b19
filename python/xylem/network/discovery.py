"""Find a site of a network without its address: a broadcast question that only its sites can answer.

The thesis finds speaker-peers "via broadcast mechanisms" (2.2.2). Sites that listen on the loopback interface are asked
by a broadcast that does not leave the machine; others by multicast over the interface of their address, which no router
forwards.

The requester proves that it has a token of the site, and the responder proves that it knows this token, for the very
address it sends: neither sends the token. So strangers learn nothing, and nobody can redirect a newcomer.
"""

from __future__ import annotations

import hmac
import json
import secrets
import socket
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from .grants import digest_of

GROUP = "239.255.88.76"
LOOPBACK = "127.255.255.255"
PORT = 47_088
SECONDS = 3.0
"""How long to wait for answers."""
_ASK_AGAIN_SECONDS = 0.5
"""Datagrams may be lost."""
_MOST_BYTES = 60_000


@dataclass(frozen=True)
class Found:
    """A site that has answered."""

    name: str
    url: str
    certificate: str


def _proof(digest: str, *told: str) -> str:
    return hmac.new(digest.encode(), json.dumps(told).encode(), "sha256").hexdigest()


def interface_of(url: str) -> str:
    """The address of the interface that a site listens on; OSError if it has no IPv4 address."""
    return socket.gethostbyname(urlsplit(url).hostname or "")


def _everybody(asking: socket.socket, host: str) -> str:
    """The broadcast or multicast address for the interface of a host; afterwards the socket may send to it."""
    if ip_address(host).is_loopback:
        asking.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        return LOOPBACK
    asking.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(host))
    return GROUP


def find(url: str, token: str, seconds: float = SECONDS) -> Found | None:
    """A site that knows a token, near the site with an address; None if none answers."""
    host = interface_of(url)
    digest, number = digest_of(token), secrets.token_hex(16)
    question = json.dumps({"number": number, "proof": _proof(digest, "ask", number)}).encode()
    until = time.monotonic() + seconds
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.bind((host, 0))
        everybody = _everybody(asking, host)
        while (left := until - time.monotonic()) > 0:
            asking.sendto(question, (everybody, PORT))
            asking.settimeout(min(left, _ASK_AGAIN_SECONDS))
            try:
                while True:
                    found = _answer(asking.recv(_MOST_BYTES), digest, number)
                    if found is not None:
                        return found
            except TimeoutError:
                continue
    return None


def _answer(data: bytes, digest: str, number: str) -> Found | None:
    told = _read(data)
    found = Found(*(str(told.get(key, "")) for key in ("name", "url", "certificate")))
    proof = _proof(digest, "here", number, found.name, found.url, found.certificate)
    return found if hmac.compare_digest(proof, str(told.get("proof", ""))) else None


def _read(data: bytes) -> dict[str, Any]:
    try:
        told = json.loads(data)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


class Answering:
    """Answers questions for a site, in a separate thread. OSError if the machine has no such interface."""

    def __init__(self, site: Found, tokens: Iterable[str]) -> None:
        self._site = site
        host = interface_of(site.url)
        self._digests = [digest_of(token) for token in tokens]
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._listen(host)
            self._socket.settimeout(_ASK_AGAIN_SECONDS)
        except OSError:
            self._socket.close()
            raise
        self._is_closing = False
        self._thread = threading.Thread(target=self._run, name="xylem-discovery", daemon=True)
        self._thread.start()

    def _listen(self, host: str) -> None:
        """Listen only to messages to everybody on the interface of a host."""
        if ip_address(host).is_loopback:
            self._socket.bind((LOOPBACK, PORT))
            return
        self._socket.bind((GROUP, PORT))
        membership = socket.inet_aton(GROUP) + socket.inet_aton(host)
        self._socket.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, membership)

    def _run(self) -> None:
        while not self._is_closing:
            try:
                data, asker = self._socket.recvfrom(_MOST_BYTES)
                answer = self.answered(data)
                if answer is not None:
                    self._socket.sendto(answer, asker)
            except OSError:
                # No question, or the requester has gone.
                continue

    def answered(self, data: bytes) -> bytes | None:
        """The answer to a question; None for a stranger's question."""
        told = _read(data)
        number, proof = str(told.get("number", "")), str(told.get("proof", ""))
        for digest in self._digests:
            if hmac.compare_digest(_proof(digest, "ask", number), proof):
                site = self._site
                own = _proof(digest, "here", number, site.name, site.url, site.certificate)
                return json.dumps({**site.__dict__, "proof": own}).encode()
        return None

    def close(self) -> None:
        self._is_closing = True
        self._thread.join()
        self._socket.close()
