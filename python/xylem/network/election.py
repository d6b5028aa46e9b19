"""One site's part in electing a speaker: its promise, on disk, and the lease it may hold.

A super-peer promises its vote to one candidate for a time. A candidate with the promises of most super-peers holds a
lease, whose number, the fencing token, grows with every election. Each site uses its own clock.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xylem.errors import InputError

if TYPE_CHECKING:
    from .network_view import NetworkView
    from .peer import Peer

LEASE_SECONDS = 10.0
DRIFT_SECONDS = 1.0
"""A speaker shortens its lease by this, because clocks do not run equally fast."""


@dataclass(frozen=True)
class Lease:
    """The speaker, the number of its lease, and its end by the clock of the site that stores it."""

    holder: str
    token: int
    until: float


class Election:
    """One site's part in elections: its promise, and its lease if it holds one."""

    def __init__(self, peer: Peer, clock: Callable[[], float] = time.time) -> None:
        self._peer = peer
        self._clock = clock
        self._lock = threading.Lock()
        self.lease: Lease | None = None
        self._subnet = ""
        """The subnet of the lease."""

    @property
    def promise(self) -> Lease | None:
        """The candidate that holds this site's promise; None once the promise has expired."""
        found = self._peer.state.promise
        return None if found is None or found["until"] <= self._clock() else Lease(**found)

    def told(self) -> dict[str, Any]:
        """The state for other sites: the last number promised, and the candidate if the promise is still valid."""
        promise = self.promise
        return {"token": self._peer.state.token, "holder": "" if promise is None else promise.holder}

    def vote(self, candidate: str, token: int, subnet: str) -> dict[str, Any]:
        """Whether this site votes for a candidate: not while another has its promise, nor for an old number."""
        with self._lock:
            if subnet != self._peer.state.subnet:
                return {"granted": False, "token": self._peer.state.token}
            promise = self.promise
            is_free = promise is None or promise.holder == candidate
            same = promise is not None and (promise.holder, promise.token) == (candidate, token)
            if is_free and (token > self._peer.state.token or same):
                body = {"token": token, "until": self._clock() + LEASE_SECONDS}
                self._peer.site.catalogue.add("promise", candidate, body)
                return {"granted": True, "token": token}
            return {"granted": False, "token": self._peer.state.token}

    def holds(self) -> bool:
        is_same = self._subnet == self._peer.state.subnet
        return self.lease is not None and is_same and self._clock() < self.lease.until - DRIFT_SECONDS

    def stand(self, view: NetworkView) -> bool:
        """Ask all super-peers for their votes; return whether most have promised."""
        asked = view.voters()
        if self._peer.name not in asked:
            return False
        seen = [record["speaker"]["token"] for record in view.records.values()]
        token = self.lease.token if self.holds() and self.lease is not None else max(seen, default=0) + 1
        since = self._clock()
        votes = 0
        for name in asked:
            if name not in view.records:
                continue
            try:
                found = self._vote_of(view, name, token)
            except InputError:
                continue
            votes += found["granted"]
        if votes <= len(asked) // 2:
            self.lease = None
            return False
        self.lease, self._subnet = Lease(self._peer.name, token, since + LEASE_SECONDS), view.subnet
        return True

    def _vote_of(self, view: NetworkView, name: str, token: int) -> dict[str, Any]:
        if name == self._peer.name:
            return self.vote(self._peer.name, token, view.subnet)
        body = {"candidate": self._peer.name, "token": token, "subnet": view.subnet}
        found: dict[str, Any] = view.ask(name, "POST", "/votes", body)
        return found
