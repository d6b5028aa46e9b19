"""A subnet's knowledge of plans that lead into other subnets, or did before a division or merge.

A plan describes the route of a stream at the time of planning. If some of its peers have moved, the route is traced
back over the peers that have the stream, to the one that makes it or to the border.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile

from .network_view import NetworkView
from .planner import Placed
from .site_names import ELSEWHERE, SOURCE


def is_whole(view: NetworkView, placed: Placed, entries: frozenset[str]) -> bool:
    """Whether a plan is still valid: inside this subnet, or from one of the peers that its source comes over."""
    peers = placed.peers
    if placed.uses == SOURCE and placed.fetched[0] in entries:
        peers -= {placed.fetched[0]}
    if not peers <= view.records.keys():
        return False
    kept = view.stream(placed.filter_at, f"{placed.asked.name}-filter")
    return kept is None or not kept["fed by"]


def restored(view: NetworkView, placed: Placed, outside: frozenset[str]) -> Placed | None:
    """This subnet's part of a plan; None if it has nothing of its stream."""
    stream = f"{placed.asked.name}-filter"
    route = list(placed.filter_route)
    anchor = next((peer for peer in route if view.has_stream(peer, stream)), None)
    if anchor is None:
        return None
    path = _way_back(view, anchor, stream)
    rest = route[route.index(anchor) + 1 :]
    way = (*path, *takewhile(lambda peer: view.has_stream(peer, stream), rest))
    first = path[0]
    made = view.stream(first, stream)
    if made is None and first not in outside:
        return None
    last = placed.transform_at
    if last in way:
        way = way[: way.index(last) + 1]
        result = tuple(takewhile(lambda peer: peer in view.records, placed.result_route))
    else:
        last, result = way[-1], (way[-1],)
    found = replace(placed, filter_at=first, filter_route=way, transform_at=last, result_route=result)
    if len(result) == 1:
        asked = replace(found.asked, statistics=found.asked.statistics.without_result(), peer=last)
        found = replace(found, asked=asked)
    if made is None:
        return replace(found, uses=ELSEWHERE, fetched=(first,), residual=())
    return _fetched(view, found, made["plan"] or None)


def _way_back(view: NetworkView, peer: str, stream: str) -> list[str]:
    """The peers that a stream comes over to one of them, from its maker or from outside."""
    way = [peer]
    while (kept := view.stream(way[0], stream)) is not None and kept["fed by"] and kept["fed by"] not in way:
        way.insert(0, kept["fed by"])
    return way


def _fetched(view: NetworkView, placed: Placed, told: dict[str, object] | None) -> Placed:
    """The same with the stream that it is derived from, according to its maker."""
    uses, way = placed.uses, list(placed.fetched)
    match told:
        case {"uses": str(used), "filter": {"at": at, "fetched over": list(over)}} if at == placed.filter_at:
            uses, way = used, over
    if not way or way[-1] != placed.filter_at:
        return replace(placed, uses=ELSEWHERE, fetched=(placed.filter_at,))
    here: list[str] = []
    for peer in reversed(way):
        if peer not in view.records:
            break
        here.insert(0, peer)
    return replace(placed, uses=uses, fetched=tuple(here))
