"""A file that describes a network: peers, links, a source with a sample of its stream, and subscriptions.

    {"peers": {"P0": "thin", "SP0": "super"}, "links": [["P0", "SP0"]],
     "source": {"at": "P0", "sample": "photons.xml", "schema": "photons.dtd", "seconds": 60},
     "subscriptions": [{"name": "vela", "query": "vela.xq", "at": "P0"}]}

Paths are relative to the file. `seconds` is the time that the sample covers.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xylem.errors import InputError
from xylem.schema import Schema, load_schema
from xylem.syntax import parse

from .planner import Asked, CostModel, Planner
from .properties import NotShared, Properties, properties_of
from .stream_statistics import statistics_of
from .topology import Topology


@dataclass(frozen=True)
class DescribedNetwork:
    """A network, its source and its subscriptions, measured over the sample."""

    topology: Topology
    source_peer: str
    sample: bytes
    seconds: float
    asked: tuple[Asked, ...]
    schema: Schema | None = None

    def planner(self, cost: CostModel | None = None, **options: bool) -> Planner:
        """All subscriptions placed, one after another."""
        made = Planner(self.topology, self.source_peer, len(self.sample), self.seconds, cost, **options)
        for one in self.asked:
            made.register(one)
        return made

    @property
    def data_shipping_bytes(self) -> int:
        """The bytes sent if every subscriber receives the whole stream separately."""
        hops = (len(self.topology.route(self.source_peer, one.peer)) - 1 for one in self.asked)
        return sum(hops) * len(self.sample)


def read_network(path: Path) -> DescribedNetwork:
    """XYRT0056 for a file with other content."""
    try:
        told: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        source = told["source"]
        folder = path.parent
        schema = load_schema(folder / source["schema"]) if "schema" in source else None
        sample = (folder / source["sample"]).read_bytes()
        topology = Topology.from_dict(told)
        asked = []
        for one in told["subscriptions"]:
            text = (folder / one["query"]).read_text(encoding="utf-8")
            asked.append(_asked(one["name"], one["at"], text, one["query"], schema, sample))
        seconds = float(source.get("seconds", 1))
        return DescribedNetwork(topology, source["at"], sample, seconds, tuple(asked), schema)
    except OSError as reason:
        raise InputError("XYIN0002", f"{reason.filename}: {reason.strerror}") from reason
    except (KeyError, ValueError, TypeError) as reason:
        raise InputError("XYRT0056", f"{path}: {type(reason).__name__}: {reason}") from reason


def asked_query(name: str, peer: str, text: str, title: str, network: DescribedNetwork) -> Asked:
    """A query as if requested at a peer of a network, measured over its sample."""
    return _asked(name, peer, text, title, network.schema, network.sample)


def _asked(name: str, peer: str, text: str, title: str, schema: Schema | None, sample: bytes) -> Asked:
    properties: Properties | None = None
    why = ""
    try:
        properties = properties_of(parse(text, title), schema)
    except NotShared as reason:
        why = reason.why
    return Asked(name, peer, properties, statistics_of(text, properties, sample), why, text)
