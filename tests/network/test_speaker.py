"""The speaker of a network: elected by lease, one at a time, and what it placed before the next one is refused."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from xylem.errors import InputError
from xylem.network.election import DRIFT_SECONDS, LEASE_SECONDS, Election
from xylem.network.network_view import NetworkView
from xylem.network.peer import Peer
from xylem.network.site import Site
from xylem.network.speaker import speaker
from xylem.network.topology import PeerKind

from .running_network import RunningNetwork, until

VELA = "<vela>{ for $p in /photons/photon where $p/ra > 1 and $p/ra < 9 return <v>{ $p/ra, $p/en }</v> }</vela>"


class Votes:
    """Super-peers that vote in this process, by one clock."""

    def __init__(self, directory: Path, names: str) -> None:
        self.now = 100.0
        self.peers: dict[str, Peer] = {}
        for name in names:
            site = Site(directory / name)
            peer = Peer(site, f"http://{name}", "token")
            peer.introduce(name, PeerKind.SUPER, 1.0)
            peer.election = Election(peer, lambda: self.now)
            self.peers[name] = peer
        self.silent: set[str] = set()

    def view(self, here: str) -> NetworkView:
        records = {name: one.record() for name, one in self.peers.items() if name not in self.silent}
        return _View(here, records, kinds=dict.fromkeys(self.peers, PeerKind.SUPER), votes=self)

    def stand(self, name: str) -> bool:
        return self.peers[name].election.stand(self.view(name))

    def close(self) -> None:
        for one in self.peers.values():
            one.site.close()


class _View(NetworkView):
    def __init__(self, *arguments: object, votes: Votes, **named: object) -> None:
        super().__init__(*arguments, **named)  # type: ignore[arg-type]
        self._votes = votes

    def ask(self, peer: str, method: str, path: str, body: object = None) -> object:
        assert (method, path) == ("POST", "/votes")
        assert isinstance(body, dict)
        return self._votes.peers[peer].election.vote(body["candidate"], body["token"], body["subnet"])


def test_one_speaks_until_its_lease_is_over(tmp_path: Path) -> None:
    votes = Votes(tmp_path, "ABC")
    assert votes.stand("A")
    assert speaker(votes.view("B")) == "A"
    assert not votes.stand("B")
    votes.now += LEASE_SECONDS - DRIFT_SECONDS / 2
    assert not votes.peers["A"].election.holds()
    assert not votes.stand("B")
    votes.now += DRIFT_SECONDS
    assert speaker(votes.view("B")) is None
    assert votes.stand("B")
    lease = votes.peers["B"].election.lease
    assert lease is not None
    assert lease.token == 2
    votes.close()


def test_a_lease_is_renewed_with_its_number(tmp_path: Path) -> None:
    votes = Votes(tmp_path, "ABC")
    for _ in range(5):
        assert votes.stand("C")
        votes.now += LEASE_SECONDS / 2
    assert [one.state.token for one in votes.peers.values()] == [1, 1, 1]
    votes.close()


def test_nobody_speaks_for_the_smaller_part(tmp_path: Path) -> None:
    votes = Votes(tmp_path, "ABC")
    votes.silent = {"B", "C"}
    assert not votes.stand("A")
    votes.silent = {"A"}
    assert not votes.peers["A"].election.holds()
    assert votes.stand("C")
    votes.close()


def test_a_promise_outlives_a_restart(tmp_path: Path) -> None:
    votes = Votes(tmp_path, "AB")
    assert votes.stand("B")
    votes.close()
    again = Votes(tmp_path, "AB")
    assert not again.stand("A")
    again.now += LEASE_SECONDS
    assert again.stand("A")
    again.close()


def test_plans_of_a_speaker_before_the_last_are_refused(tmp_path: Path) -> None:
    votes = Votes(tmp_path, "AB")
    assert votes.stand("B")
    votes.now += LEASE_SECONDS
    assert votes.stand("A")
    plan = {"atPeer": "A", "subscription": "x", "about": {}, "add": [], "plan": None, "token": 1}
    with pytest.raises(InputError, match="lease 1") as error:
        votes.peers["A"].carry_out(plan)
    assert error.value.code == "XYRT0061"
    votes.close()


@pytest.mark.timeout(300)
def test_what_several_sites_ask_at_once_is_placed_one_after_another(tmp_path: Path) -> None:
    network = RunningNetwork(tmp_path, (("P1", "SP1"), ("SP1", "SP2"), ("SP2", "SP3")))
    try:
        network["P1"].publish("photons", [b"<photons>", b"<photon><ra>2</ra><en>3</en></photon>" * 50])
        names = {"a": "SP3", "b": "SP3", "c": "SP2"}

        def subscribe(name: str) -> dict[str, Any]:
            return network[names[name]].subscribe(name, VELA, "photons", "earliest")

        with ThreadPoolExecutor(3) as pool:
            told = list(pool.map(subscribe, names))
        assert len(told) == 3
        used = sorted(line.split(" at ")[0] for one in told for line in one["told"] if not line.startswith(" "))
        # One reads the source; the others see its stream.
        assert sum("reads the source" in line for line in used) == 1, used

        def tokens() -> set[int]:
            return {network.site(name).peer.state.token for name in ("SP1", "SP2", "SP3")}

        # A busy machine may have lost a lease meanwhile; all agree on who speaks.
        until(lambda: len(tokens()) == 1, "one speaker for all")
        for name, at in names.items():
            network[at].unsubscribe(name)
        for name, at in names.items():
            assert network.answer(name, at).count("<v>") == 50
        network.stop("SP3")
        network.stop("SP2")
        # Nobody speaks any more: the site plans for itself.
        until(lambda: network["SP1"].subscribe("alone", VELA, "photons", "earliest")["at"] == "SP1", "placed alone")
    finally:
        network.close()
