"""A site that joins is assigned a super-peer by the speaker, or forwarded to another subnet; it is found by a token."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from xylem.errors import InputError
from xylem.network.discovery import Answering, Found, find
from xylem.network.subnet_limits import SubnetLimits

from .running_network import RunningNetwork, until

pytest.importorskip("sse_starlette", reason="sites over HTTP need: pip install 'xylem-xquery[network]'")

SITE = Found("SP1", "http://127.0.0.1:7001", "a certificate")


@pytest.fixture
def network(tmp_path: Path) -> Iterator[RunningNetwork]:
    made = RunningNetwork(tmp_path, [("SP1", "SP2"), ("SP2", "SP3")], subnets=SubnetLimits(4, 0, neighbours=3))
    yield made
    made.close()


def enter(network: RunningNetwork, name: str, contact: str = "SP1") -> dict[str, str]:
    network.start(name)
    return network[name].ask("POST", "/join", {**network[contact].address, "assign": True})  # type: ignore[no-any-return]


def neighbours(network: RunningNetwork, name: str) -> set[str]:
    return set(network.site(name).peer.state.neighbours)


def test_newcomers_are_spread_over_super_peers_until_there_is_no_room(network: RunningNetwork) -> None:
    # SP1 and SP3 have one neighbour each, SP2 two; whom is asked makes no difference.
    assert enter(network, "P1", "SP2")["neighbour"] == "SP1"
    assert enter(network, "P2", "SP2")["neighbour"] == "SP3"
    for name in ("P3", "P4", "P5"):
        enter(network, name)
    assert [len(neighbours(network, name)) for name in ("SP1", "SP2", "SP3")] == [3, 3, 3]
    with pytest.raises(InputError, match="no super-peer of the network has room for 'P6': every super-peer"):
        enter(network, "P6")
    # Who leaves makes room, and who names its neighbour needs none.
    network["P1"].ask("POST", "/leave")
    assert network["P6"].ask("POST", "/join", {**network["SP3"].address, "assign": True})["neighbour"] == "SP1"
    network["P1"].ask("POST", "/join", network["SP2"].address)
    assert len(neighbours(network, "SP2")) == 4


def test_two_at_once_are_not_sent_to_the_same(network: RunningNetwork) -> None:
    for name in ("P1", "P2"):
        network.start(name)
    bodies = {**network["SP2"].address, "assign": True}
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda name: network[name].ask("POST", "/join", bodies)["neighbour"], ("P1", "P2")))
    assert sorted(found) == ["SP1", "SP3"]


def test_a_subnet_without_room_forwards_to_another(network: RunningNetwork) -> None:
    network.divide({"east": ("SP3",)})
    until(lambda: network.site("SP2").peer.state.neighbours["SP3"].subnet == "east", "the subnet is known")
    for name in ("P1", "P2", "P3"):
        assert network.site(enter(network, name)["neighbour"]).peer.state.subnet == "main"
    told = enter(network, "P4")
    assert told["neighbour"] == "SP3"
    assert told["subnet"] == "east"
    assert told["why"].startswith("forwarded, because every super-peer of subnet main has 3 neighbours")
    assert network.subnets()["P4"] == "east"
    # A stream that is published there is found from here.
    network["P4"].publish("s", [b"<s>", *(b"<r><n>%d</n></r>" % n for n in range(20))])
    network["P1"].subscribe("some", "<a>{ /s/r[n > 17] }</a>", "s", "earliest")
    network["P1"].unsubscribe("some")
    assert network.answer("some", "P1") == "<a><r><n>18</n></r><r><n>19</n></r></a>"


def test_a_super_peer_too_many_goes_elsewhere_or_divides_the_subnet(tmp_path: Path) -> None:
    network = RunningNetwork(tmp_path, [("SP1", "SP2"), ("SP2", "SP3")], subnets=SubnetLimits(2, 0))
    try:
        network.divide({"east": ("SP3",)})
        until(lambda: network.site("SP2").peer.state.neighbours["SP3"].subnet == "east", "the subnet is known")
        assert enter(network, "SP4")["neighbour"] == "SP3"
        told = enter(network, "SP5")
        assert told["why"].endswith("it will divide")
        until(lambda: len(set(network.subnets().values())) == 3, "it has divided")
    finally:
        network.close()


def test_a_name_that_is_taken_is_refused(network: RunningNetwork, tmp_path: Path) -> None:
    other = RunningNetwork(tmp_path / "other", [("SP1", "SP9")])
    try:
        with pytest.raises(InputError, match="the network has a peer 'SP1'"):
            other["SP1"].ask("POST", "/join", {**network["SP2"].address, "assign": True})
    finally:
        other.close()


def test_only_who_has_a_token_is_answered_and_only_by_who_knows_it() -> None:
    answering = Answering(SITE, ["secret", "other"])
    try:
        assert find(SITE.url, "other") == SITE
        assert find(SITE.url, "guessed", 0.3) is None
        for data in (b"", b"\xff", b"[1]", b'{"number": "1"}', b'{"number": "1", "proof": "1"}'):
            assert answering.answered(data) is None
    finally:
        answering.close()
    assert find(SITE.url, "other", 0.3) is None


def test_an_answer_for_another_address_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    answering = Answering(SITE, ["secret"])
    made = answering.answered

    def led_astray(data: bytes) -> bytes | None:
        answer = made(data)
        return None if answer is None else json.dumps({**json.loads(answer), "url": "http://elsewhere"}).encode()

    monkeypatch.setattr(answering, "answered", led_astray)
    try:
        assert find(SITE.url, "secret", 0.5) is None
    finally:
        answering.close()


def test_a_site_without_ipv4_cannot_look_for_others() -> None:
    with pytest.raises(OSError):
        Answering(Found("SP1", "http://[::1]:7001", ""), ["secret"])


@pytest.mark.turns("subnets")
@pytest.mark.timeout(300)
def test_a_process_finds_a_network_by_a_token_alone(tmp_path: Path) -> None:
    def xylem(*words: str) -> str:
        command = [sys.executable, "-m", "xylem", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    started: list[int] = []
    try:
        for name, kind in (("SP1", "super"), ("P1", "thin")):
            xylem("network", "start", "--site", name, "--kind", kind, "--background")
            started.append(json.loads((tmp_path / name / "site.json").read_text())["process"])
        told = xylem("network", "join", "--token-file", "SP1/token", "--site", "P1")
        assert "P1 and SP1 are neighbours" in told
        assert "SP1 has 0 neighbours" in told
        (tmp_path / "wrong").write_text("no token")
        command = [sys.executable, "-m", "xylem", "network", "join", "--token-file", "wrong", "--site", "P1"]
        refused = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert "XYRT0050" in refused.stderr or "can be found from" in refused.stderr
        assert refused.returncode
    finally:
        for number in started:
            os.kill(number, 15)
        until(lambda: not list(tmp_path.glob("*/site.json")), "both have ended")
