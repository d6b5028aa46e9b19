"""A site's links to its neighbours: both ends know each other's address, token, certificate and subnet.

A site without links joins the subnet of its first neighbour (thesis 2.2.2). Later only the speaker of
a subnet moves it to another one (`membership.py`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any
from urllib.parse import quote

from xylem.errors import InputError

from .network_state import DEFAULT_BANDWIDTH, MAIN, Neighbour
from .peer_client import PeerClient, Unreachable
from .site import Site
from .site_identity import Identity
from .site_names import checked_name
from .topology import PeerKind


class Neighbours(ABC):
    """A site's identity in its network, and its links."""

    def __init__(self, site: Site, url: str, token: str, certificate: str = "") -> None:
        self.site = site
        self.url = url
        self.token = token
        """The token that other sites use to address this site as a peer."""
        self.certificate = certificate
        self.state = site.catalogue.network
        self.identity = Identity(self.state.name)
        self.has_new_members = False
        """Whether a peer has joined or left since the last check of the subnet."""

    @abstractmethod
    def tell(self, peer: str, method: str, path: str, body: dict[str, Any], *, now: bool = True) -> None:
        """Send a message to a neighbour, now or as soon as it answers."""

    @abstractmethod
    def tidy(self) -> None:
        """Remove state that is no longer needed."""

    @property
    def name(self) -> str:
        return self.state.name

    @property
    def is_alone(self) -> bool:
        return not self.state.neighbours

    def introduce(self, name: str, kind: PeerKind, capacity: float) -> None:
        """Set the site's name and abilities; XYRT0053 if its neighbours know it by another name."""
        checked_name(name)
        if self.state.neighbours and name != self.state.name:
            raise InputError(
                "XYRT0053", f"the site is '{self.state.name}' in its network, and stays so until it leaves"
            )
        if (name, kind, capacity) != (self.state.name, self.state.kind, self.state.capacity):
            self.site.catalogue.add("peer", name, {"kind": str(kind), "capacity": capacity})

    def _card(self, bandwidth: float) -> dict[str, Any]:
        """The facts about this site that a neighbour needs."""
        kind = str(self.state.kind)
        told = {"url": self.url, "token": self.token, "kind": kind, "bandwidth": bandwidth}
        return {**told, "certificate": self.certificate, "subnet": self.state.subnet}

    def join(self, url: str, token: str, bandwidth: float = DEFAULT_BANDWIDTH, certificate: str = "") -> str:
        """Link with another site; return its name."""
        asked = self.asking(url, token, certificate=certificate)
        try:
            found = asked.ask("POST", "/links", {"name": self.name, "card": self._card(bandwidth)})
        except Unreachable as reason:
            raise InputError("XYRT0050", str(reason)) from reason
        finally:
            asked.close()
        has_moved = self._has_moved(found["card"])
        name = self._link(found["name"], {**found["card"], "url": url, "bandwidth": bandwidth})
        if has_moved:
            self.announce()
        return name

    def linked(self, name: str, card: dict[str, Any]) -> dict[str, Any]:
        """Accept a link from another site; return the facts that it needs about this one."""
        self._has_moved(card)
        self._link(name, card)
        return {"name": self.name, "card": self._card(card["bandwidth"])}

    def _has_moved(self, card: dict[str, Any]) -> bool:
        """A site without links joins the subnet of its first neighbour; return whether that is another one."""
        subnet = card.get("subnet", MAIN)
        if not self.is_alone or subnet == self.state.subnet:
            return False
        self.site.catalogue.add("subnet", subnet, {"token": self.state.token})
        return True

    def move(self, subnet: str, token: int) -> None:
        """Move to another subnet, which elects its own speaker."""
        self.site.catalogue.add("subnet", subnet, {"token": token})
        self.announce()

    def _link(self, name: str, card: dict[str, Any]) -> str:
        checked_name(name)
        if name == self.name:
            raise InputError("XYRT0053", f"both sites are called '{name}': start one with another --name")
        keys = ("url", "token", "kind", "bandwidth", "certificate")
        body = {**{key: card[key] for key in keys}, "subnet": card.get("subnet", MAIN)}
        known = self.state.neighbours.get(name)
        if known is None or known != Neighbour(name, **{**body, "kind": PeerKind(body["kind"])}):
            self.site.catalogue.add("link", name, body)
            self.has_new_members = True
        return name

    def announce(self) -> None:
        """Send the site's current address to its neighbours, since it may have changed."""
        for one in list(self.state.neighbours.values()):
            self.tell(one.name, "POST", "/links", {"name": self.name, "card": self._card(one.bandwidth)}, now=False)

    def leave(self) -> list[str]:
        """Leave the network; XYRT0053 while the site receives streams from others or sends streams to them."""
        self.tidy()
        read = [name for name, readers in self.state.source_readers.items() if readers]
        passing = sorted({*self.state.plans, *self.state.streams, *read})
        if passing:
            told = "unsubscribe first, and end parts of virtual streams by `xylem network withdraw`"
            raise InputError("XYRT0053", f"{', '.join(passing)} would be cut off: {told}")
        left = list(self.state.neighbours)
        for name in left:
            try:
                with_it = self.client(name)
                with_it.ask("DELETE", f"/links/{quote(self.name)}")
                with_it.close()
            except (Unreachable, InputError):
                # It will notice by itself that nobody is here.
                pass
            self.unlinked(name)
        if self.state.subnet != MAIN:
            self.site.catalogue.add("subnet", MAIN, {"token": self.state.token})
        return left

    def unlinked(self, name: str) -> None:
        if name in self.state.neighbours:
            self.site.catalogue.add("unlink", name, {})
            self.has_new_members = True

    def client(self, name: str, timeout: float = 60.0) -> PeerClient:
        found = self.state.neighbours.get(name)
        if found is None:
            raise InputError("XYRT0053", f"'{name}' is no neighbour of '{self.name}'")
        return self.asking(found.url, found.token, timeout, found.certificate)

    def asking(self, url: str, token: str, timeout: float = 60.0, certificate: str = "") -> PeerClient:
        """A client that sends requests to another site as this one."""
        return PeerClient(url, token, timeout, certificate, self.identity)

