"""What subscriptions send over the links of a network, by strategy: predicted from a sample, and measured.

E1 is the network of the thesis (figure 2.1) with Vela, RXJ and RXJ-alert; E2 and E3 are in `network_grid.py`. Streams
are computed by the engine, over all records; nothing is sent: bytes are counted for every link of a plan.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from xylem.errors import InputError
from xylem.network.network_file import DescribedNetwork
from xylem.network.planner import Asked, Planner
from xylem.network.properties import Properties, properties_of
from xylem.network.stream_statistics import Measured, StreamStatistics, statistics_of
from xylem.network.topology import Topology
from xylem.schema import Schema, load_schema
from xylem.syntax import parse

from . import photons

DTD = """<!ELEMENT photons (photon*)>
<!ELEMENT photon (ra, dec, pos_error, phc, en, field_id, det_time, dx, dy)>
<!ELEMENT ra (#PCDATA)><!ELEMENT dec (#PCDATA)><!ELEMENT pos_error (#PCDATA)><!ELEMENT phc (#PCDATA)>
<!ELEMENT en (#PCDATA)><!ELEMENT field_id (#PCDATA)><!ELEMENT det_time (#PCDATA)><!ELEMENT dx (#PCDATA)>
<!ELEMENT dy (#PCDATA)>"""
THESIS = {
    "peers": {
        "P0": "thin", "P2": "thin", "P4": "thin", "SP0": "super", "SP1": "super", "SP2": "super", "SP3": "super",
    },
    "links": [["P4", "SP3"], ["SP3", "SP2"], ["SP2", "SP0"], ["SP0", "P0"], ["SP2", "SP1"], ["SP1", "P2"]],
}  # fmt: skip
VELA = """<photons>{ for $p in /photons/photon
where $p/ra > 120.0 and $p/ra < 138.0 and $p/dec > -49.0 and $p/dec < -40.0
return <vela>{ $p/ra, $p/dec, $p/phc, $p/en, $p/det_time }</vela> }</photons>"""
RXJ = """<photons>{ for $p in /photons/photon
where $p/en > 1.3 and $p/ra > 130.5 and $p/ra < 135.5 and $p/dec > -48.0 and $p/dec < -45.0
return <rxj>{ $p/ra, $p/dec, $p/en, $p/det_time }</rxj> }</photons>"""
ALERT = """
for $m in /photons/photon[ra > 130.5 and ra < 135.5 and dec > -48.0 and dec < -45.0]|det_time diff 60 step 60|
let $e := avg($m/en) where $e > 1.3 return <alert photons="{ count($m) }">{ round($e, 3) }</alert>"""
SECONDS_PER_RECORD = 0.01


@dataclass
class Strategy:
    """The bytes of one strategy."""

    name: str
    measured: int
    predicted: int
    most_on_a_link: int = 0
    backbone: int = 0
    """Without the links of thin-peers."""
    refused: int = 0
    cpu_seconds: float = 0.0
    """Of all peers, as measured on this machine; and of the busiest."""
    most_cpu_seconds: float = 0.0


@dataclass
class NetworkResult:
    title: str
    raw_bytes: int
    subscriptions: int
    strategies: list[Strategy] = field(default_factory=list)
    shared: int = 0
    """Subscriptions that use the stream of another."""
    registration_ms: list[float] = field(default_factory=list)


def document(records: int, seed: int) -> bytes:
    """The photons in one line, as bytes on a link are counted."""
    return "".join(photons.generate(records, seed)).replace("\n", "").encode()


def first_part(data: bytes, share: float) -> bytes:
    """The first records of a document, as a document."""
    end = data.rfind(b"</photon>", 0, int(len(data) * share)) + len(b"</photon>")
    return data[:end] + b"</photons>"


def thesis_network(records: int, seed: int, *, with_alert: bool = False) -> NetworkResult:
    """E1."""
    data = document(records, seed)
    queries = [("vela", "P0", VELA), ("rxj", "P2", RXJ)]
    if with_alert:
        queries.append(("rxj-alert", "P2", ALERT))
    topology = Topology.from_dict(THESIS)
    return _compared("E1: the network of the thesis", topology, "P4", data, records, queries)


def _compared(
    title: str, topology: Topology, source: str, data: bytes, records: int, queries: list[tuple[str, str, str]]
) -> NetworkResult:
    schema: Schema = load_schema(DTD)
    sample = first_part(data, 0.25)
    scale = len(data) / len(sample)
    properties: dict[str, Properties] = {name: properties_of(parse(text), schema) for name, _, text in queries}
    whole = {name: statistics_of(text, properties[name], data) for name, _, text in queries}
    guessed = {name: _scaled(statistics_of(text, properties[name], sample), scale) for name, _, text in queries}
    asked = [Asked(name, peer, properties[name], guessed[name]) for name, peer, _ in queries]
    seconds = records * SECONDS_PER_RECORD
    network = DescribedNetwork(topology, source, data, seconds, tuple(asked))
    result = NetworkResult(title, len(data), len(queries))
    copies = network.data_shipping_bytes
    result.strategies.append(Strategy("data shipping", copies, copies))
    options: dict[str, dict[str, bool]] = {
        "query shipping, a copy of the source each": {
            "shares": False, "one_uplink": False, "transform_near_source": True,
        },
        "query shipping": {"shares": False, "transform_near_source": True},
        "sharing, one after another": {},
    }  # fmt: skip
    planner: Planner | None = None
    for name, chosen in options.items():
        planner, refused, times = _registered(network, chosen)
        result.strategies.append(_strategy(name, planner, whole, refused))
        if not chosen:
            result.registration_ms = times
            result.shared = sum(one.uses != "source" for one in planner.placed.values())
    assert planner is not None
    if len(queries) <= 20:
        planner.optimize()
        result.strategies.append(_strategy("sharing, all placed together", planner, whole, 0))
    return result


def _scaled(one: StreamStatistics, scale: float) -> StreamStatistics:
    each = (Measured(int(part.bytes * scale), part.seconds * scale) for part in (one.filter, one.result))
    return StreamStatistics(*each)


def _registered(network: DescribedNetwork, options: dict[str, bool]) -> tuple[Planner, int, list[float]]:
    planner = Planner(network.topology, network.source_peer, len(network.sample), network.seconds, None, **options)
    refused, times = 0, []
    for one in network.asked:
        started = time.process_time()
        try:
            planner.register(one)
        except InputError:
            refused += 1
        times.append((time.process_time() - started) * 1000)
    return planner, refused, times


def _strategy(name: str, planner: Planner, whole: dict[str, StreamStatistics], refused: int) -> Strategy:
    predicted = int(planner.load().total_bytes)
    # The same plans, with the bytes that the whole stream gave.
    kept = planner.placed
    planner.placed = {
        key: replace(one, asked=replace(one.asked, statistics=whole[key])) for key, one in planner.placed.items()
    }
    load = planner.load()
    planner.placed = kept
    able = planner.topology.can_execute
    backbone = sum(size for (one, other), size in load.bytes.items() if able(one) and able(other))
    largest = int(max(load.bytes.values(), default=0))
    return Strategy(name, int(load.total_bytes), predicted, largest, int(backbone), refused)
