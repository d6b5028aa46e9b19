"""Sites that are joined over HTTP, all in this process: each with its own directory, threads and address."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from xylem.errors import InputError
from xylem.network.http_site import Listening, ServedSite
from xylem.network.site_client import SiteClient
from xylem.network.subnet_limits import SubnetLimits
from xylem.network.topology import PeerKind

THESIS = (("P4", "SP3"), ("SP3", "SP2"), ("SP2", "SP0"), ("SP0", "P0"), ("SP2", "SP1"), ("SP1", "P2"))


def until(holds: Callable[[], bool], what: str) -> None:
    """Wait for something that comes about by itself."""
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.05)


class RunningNetwork:
    """Peers by name: those that begin with P are thin."""

    def __init__(
        self,
        directory: Path,
        links: Iterable[tuple[str, str]],
        bandwidth: float = 125e6,
        subnets: SubnetLimits | None = None,
    ) -> None:
        self._directory = directory
        self._subnets = subnets or SubnetLimits()
        self._sites: dict[str, tuple[ServedSite, threading.Thread]] = {}
        links = list(links)
        for name in dict.fromkeys(name for link in links for name in link):
            self.start(name)
        for one, other in links:
            self.join(one, other, bandwidth)

    def join(self, one: str, other: str, bandwidth: float = 125e6) -> None:
        self[one].ask("POST", "/join", {**self[other].address, "bandwidth": bandwidth})

    def start(self, name: str) -> None:
        kind = PeerKind.THIN if name.startswith("P") else PeerKind.SUPER
        site = ServedSite(self._directory / name, listening=Listening(name=name, kind=kind, subnets=self._subnets))
        thread = threading.Thread(target=site.run, daemon=True)
        thread.start()
        self._sites[name] = site, thread
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                self[name].sources()
                return
            except InputError:
                time.sleep(0.02)
        raise AssertionError(f"{name} does not answer")

    def stop(self, name: str) -> None:
        site, thread = self._sites.pop(name)
        site.stop()
        thread.join(60)
        assert not thread.is_alive()

    def __getitem__(self, name: str) -> SiteClient:
        return SiteClient(self._directory / name)

    def site(self, name: str) -> ServedSite:
        return self._sites[name][0]

    def subnets(self) -> dict[str, str]:
        """The subnet that each site says it is in."""
        return {name: site.peer.state.subnet for name, (site, _) in self._sites.items()}

    def divide(self, parts: Mapping[str, Iterable[str]]) -> None:
        """Put sites into subnets by hand, as a speaker would."""
        for subnet, names in parts.items():
            for name in names:
                self.site(name).peer.move(subnet, self.site(name).peer.state.token)

    def answer(self, name: str, at: str) -> str:
        """The whole answer of a subscription that was given up."""
        return "".join(piece for _, piece in self[at].results(name))

    def traffic(self) -> Mapping[tuple[str, str], int]:
        told = next(self[name] for name in self._sites).ask("GET", "/map")
        return {tuple(link["between"]): sum(link["bytes"].values()) for link in told["links"]}

    def close(self) -> None:
        for name in list(self._sites):
            self.stop(name)
