"""The plans of a network in words, as JSON and as XML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xylem.network.network_file import DescribedNetwork
    from xylem.network.planner import Planner


def planned(network: DescribedNetwork, optimize: bool) -> Planner:
    made = network.planner()
    if optimize:
        made.optimize()
    return made


def text_lines(network: DescribedNetwork, optimize: bool) -> Iterator[str]:
    planner = planned(network, optimize)
    for name, one in planner.placed.items():
        yield from planner.explain(name)
        yield f"  transformed at {one.transform_at}, result to {one.asked.peer}"
    yield ""
    others = {
        "query shipping, a copy of the source each": network.planner(
            shares=False, one_uplink=False, transform_near_source=True
        ),
        "query shipping": network.planner(shares=False, transform_near_source=True),
    }
    yield f"{'bytes over all links':<44}{'in all':>16}"
    yield f"{'  data shipping':<44}{network.data_shipping_bytes:>16,}"
    for title, other in others.items():
        yield f"{'  ' + title:<44}{int(other.load().total_bytes):>16,}"
    load = planner.load()
    yield f"{'  sharing, all placed together' if optimize else '  sharing':<44}{int(load.total_bytes):>16,}"
    for (one_peer, other_peer), size in sorted(load.bytes.items()):
        yield f"    {one_peer + ' – ' + other_peer:<40}{int(size):>16,}"


def json_lines(network: DescribedNetwork, optimize: bool) -> Iterator[str]:
    import json

    from xylem.network.plan_document import network_dict

    yield json.dumps(network_dict(planned(network, optimize)), indent=2, ensure_ascii=False)


def xml_lines(network: DescribedNetwork, optimize: bool) -> Iterator[str]:
    from xylem.network.plan_document import plan_xml

    planner = planned(network, optimize)
    for name in planner.placed:
        yield plan_xml(planner, name)
