"""Sites of a network that are killed at any moment: each subscriber has every byte of its answer, and none twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
import xylem
from xylem.errors import InputError
from xylem.network.site_client import SiteClient

pytest.importorskip("sse_starlette", reason="sites over HTTP need: pip install 'xylem-xquery[network]'")

KILLS = 50 if os.environ.get("XYLEM_CAMPAIGN") else 3
RECORDS = [f"<p><x>{n % 7}</x><y>{n % 11}</y><n>{n}</n></p>" for n in range(100 * KILLS)]
LINKS = (("P1", "SP1"), ("SP1", "SP2"), ("SP2", "P2"))
QUERIES = {
    "wide": "<all>{ for $p in /s/p where $p/x > 2 return <r>{ $p/n, $p/x, $p/y }</r> }</all>",
    "narrow": "for $p in /s/p where $p/x > 3 and $p/y < 5 return $p/n",
    "windows": "for $w in /s/p[x > 4]|count 5 step 5| return <w>{ sum($w/n) }</w>",
}


class Processes:
    """Sites as processes of their own."""

    def __init__(self, directory: Path, *options: str) -> None:
        self._directory = directory
        self._options = options
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, *names: str) -> None:
        for name in names:
            (self._directory / name / "site.json").unlink(missing_ok=True)
            kind = "thin" if name.startswith("P") else "super"
            command = [sys.executable, "-m", "xylem", "network", "start", "--kind", kind]
            command += ["--site", str(self._directory / name), *self._options]
            self._running[name] = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        for name in names:
            self.answering(name)

    def answering(self, name: str) -> SiteClient:
        until = time.monotonic() + 120
        while time.monotonic() < until and self._running[name].poll() is None:
            try:
                client = SiteClient(self._directory / name)
                client.sources()
                return client
            except InputError:
                time.sleep(0.05)
        raise AssertionError(f"{name} did not start")

    def kill(self, name: str) -> None:
        process = self._running.pop(name)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def close(self) -> None:
        for name in list(self._running):
            self.kill(name)


@pytest.fixture(params=[32, 1], ids=["one subnet", "two subnets"])
def sites(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Processes]:
    made = Processes(tmp_path, "--subnet-most", str(request.param), "--subnet-least", "0")
    yield made
    made.close()


@pytest.mark.turns("killed network")
@pytest.mark.timeout(1800)
def test_sites_that_are_killed_lose_and_double_nothing(sites: Processes, request: pytest.FixtureRequest) -> None:
    draw = Random(3)
    number_of_subnets = 2 if "two" in request.node.name else 1
    names = ("P1", "SP1", "SP2", "P2")
    sites.start(*names)
    for one, other in LINKS:
        sites.answering(one).ask("POST", "/join", sites.answering(other).address)
    until = time.monotonic() + 60
    while len({one["subnet"] for one in sites.answering("P1").ask("GET", "/map")["peers"]}) != number_of_subnets:
        assert time.monotonic() < until, "the network is divided"
        time.sleep(0.1)
    sites.answering("P1").publish("s", [b"<s>" + "".join(RECORDS[:60]).encode() + b"</s>"])
    for name, query in QUERIES.items():
        sites.answering("P2").subscribe(name, query, "s", "earliest")
    given = 60
    for number in range(KILLS):
        upto = min(len(RECORDS), given + len(RECORDS) // KILLS)
        sites.answering("P1").publish("s", [b"<s>" + "".join(RECORDS[given:upto]).encode() + b"</s>"])
        given = upto
        time.sleep(draw.random() * 0.3)
        # Each of them in turn first, then any.
        killed = names[number + 1] if number < 3 else draw.choice(names)
        sites.kill(killed)
        sites.start(killed)
    client = sites.answering("P2")
    for name in QUERIES:
        client.unsubscribe(name)
    document = f"<s>{''.join(RECORDS[:given])}</s>"
    for name, query in QUERIES.items():
        answer = "".join(piece for _, piece in client.results(name))
        assert answer == xylem.compile(query).run(xylem.parse(document)).serialize(), name
