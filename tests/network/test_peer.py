"""Sites joined over HTTP: subscribers get what their query gives, whatever is shared and wherever it is computed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import xylem
from xylem.errors import InputError

from .running_network import THESIS, RunningNetwork, until

pytest.importorskip("sse_starlette", reason="sites over HTTP need: pip install 'xylem-xquery[network]'")

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PHOTONS = (EXAMPLES / "photons" / "photons.xml").read_bytes()
DTD = {"ending": ".dtd", "text": (EXAMPLES / "photons" / "photons.dtd").read_text()}
QUERIES = {
    "vela": ("P0", (EXAMPLES / "photons" / "vela.xq").read_text()),
    "rxj": ("P2", (EXAMPLES / "photons" / "rxj.xq").read_text()),
    "alert": ("P2", (EXAMPLES / "network" / "rxj-alert.xq").read_text()),
}


@pytest.fixture
def network(tmp_path: Path) -> Iterator[RunningNetwork]:
    made = RunningNetwork(tmp_path, THESIS)
    yield made
    made.close()


def reference(query: str, document: bytes) -> str:
    return xylem.compile(query).run(xylem.parse(document)).serialize()


@pytest.mark.timeout(600)
def test_the_scenario_of_the_thesis(network: RunningNetwork, tmp_path: Path) -> None:
    half = PHOTONS.index(b"<photon>", len(PHOTONS) // 2)
    network["P4"].ask("PUT", "/sources/photons/schema", DTD)
    network["P4"].publish("photons", [PHOTONS[:half]])
    bursts = EXAMPLES / "best-match"
    stored = tmp_path / "SP3" / "documents"
    stored.mkdir()
    (stored / "photons-before.xml").write_bytes((bursts / "photons-before.xml").read_bytes())
    network["P0"].subscribe("bursts", (bursts / "bursts.xq").read_text(), None, "earliest")
    told = {
        name: network["SP2"].subscribe(name, query, "photons", "earliest", at)["told"]
        for name, (at, query) in QUERIES.items()
    }
    for name in ("rxj", "alert"):
        assert told[name][0].startswith(f"{name}: reuses vela at SP"), told
    network["P4"].publish("photons", [b"<photons>" + PHOTONS[half:]])
    # The site that carries Vela's stream goes away and comes back.
    network.stop("SP2")
    network.start("SP2")
    network["P0"].unsubscribe("bursts")
    for name, (at, _) in QUERIES.items():
        network[at].unsubscribe(name)
    for name, (at, query) in QUERIES.items():
        assert network.answer(name, at) == reference(query, PHOTONS), name
    text = (bursts / "bursts.xq").read_text().replace('stream("photons")', "")
    found = xylem.compile(text, base_uri=f"{stored.as_uri()}/").run(xylem.parse(PHOTONS), allow=[stored])
    assert network.answer("bursts", "P0") == found.serialize()
    traffic = network.traffic()
    records = PHOTONS.count(b"</photon>")
    assert traffic["P4", "SP3"] == sum(one["bytes"] for one in network["P4"].sources()), records
    assert 0 < traffic["SP2", "SP3"] < traffic["P4", "SP3"] / 2
    # Nothing is left of what was only there for them.
    until(lambda: all(len(network[name].sources()) == (name == "P4") for name in ("SP3", "SP2", "P4")), "streams")
    until(lambda: network["P0"].ask("GET", "/network")["plans"] == [], "plans")
    assert network.traffic() == traffic
    for name in ("P0", "P2", "P4"):
        assert network[name].ask("POST", "/leave")["left"]


@pytest.mark.timeout(600)
def test_what_is_refused(network: RunningNetwork) -> None:
    network["P4"].publish("photons", [PHOTONS])
    with pytest.raises(InputError, match="is not published; there are photons"):
        network["P0"].subscribe("q", "count(/a/b)", "nothing", "now")
    with pytest.raises(InputError, match="no peer 'P9'"):
        network["P0"].subscribe("q", "count(/photons/photon)", "photons", "now", "P9")
    with pytest.raises(InputError, match="positions from 0 to"):
        network["P0"].subscribe("q", "count(/photons/photon)", "photons", "100000")
    with pytest.raises(InputError, match="XYRT0051"):
        network["P0"].subscribe("q", "reverse(/photons/photon)", "photons", "now")
    network["P0"].subscribe("q", "count(/photons/photon[en > 1.3])", "photons", "earliest")
    # The same again is the one there is; another of its name is not.
    assert network["P0"].subscribe("q", "count(/photons/photon[en > 1.3])", "photons", "now")["from"] == 0
    with pytest.raises(InputError, match="there is a subscription 'q' already"):
        network["P2"].subscribe("q", "count(/photons/photon)", "photons", "now")
    with pytest.raises(InputError, match="would be cut off"):
        network["P4"].ask("POST", "/leave")
    network["P2"].unsubscribe("q")
    assert network.answer("q", "P0") == reference("count(/photons/photon[en > 1.3])", PHOTONS)
