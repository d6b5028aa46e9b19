"""Plans for others to read: as JSON, and as XML in the form of the thesis (figure 2.8), with its slips put right.

A plan names the peer that it is for, the operators to be added there with the streams they read, and inside it the plan
of the peer that its own streams come from: whoever gets it keeps its part, and hands the inner one on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from .filter_stream import filter_query, plain_filter_query, residual_query
from .planner import SOURCE, Placed, Planner
from .properties import condition_text

NAMESPACE = "urn:xylem:network:plan"
_INSTANCE = "http://www.w3.org/2001/XMLSchema-instance"


def plan_dict(planner: Planner, name: str) -> dict[str, Any]:
    """The plan of one subscription."""
    one = planner.placed[name]
    return {
        "subscription": name,
        "at": one.asked.peer,
        "uses": one.uses,
        "filter": {"at": one.filter_at, "fetched over": list(one.fetched), "sent over": list(one.filter_route)},
        "transformation": {"at": one.transform_at, "sent over": list(one.result_route)},
        "residual": [condition_text(condition) for condition in one.residual],
    }


def network_dict(planner: Planner) -> dict[str, Any]:
    """All plans, with what they send and do."""
    load = planner.load()
    return {
        "plans": [plan_dict(planner, name) for name in planner.placed],
        "links": [
            {"between": list(link), "bytes": int(size), "bytes per second": size / planner.seconds}
            for link, size in sorted(load.bytes.items())
        ],
        "peers": [
            {"peer": peer, "load": seconds / planner.seconds / planner.topology.capacity.get(peer, 1.0)}
            for peer, seconds in sorted(load.seconds.items())
        ],
        "total bytes": int(load.total_bytes),
        "cost": planner.phi(load),
    }


def plan_xml(planner: Planner, name: str) -> str:
    """The plan of one subscription: the subscriber's part, with those of the other peers inside."""
    one = planner.placed[name]
    operators = _by_peer(planner, one)
    peers = list(dict.fromkeys([one.asked.peer, one.transform_at, one.filter_at]))
    inner = ""
    for peer in reversed(peers):
        added = "".join(operators.get(peer, ()))
        declared = f' xmlns="{NAMESPACE}" xmlns:xsi="{_INSTANCE}"' if peer == peers[0] else ""
        identity = quoteattr(f"{name}-{peer}")
        inner = f"<plan atPeer={quoteattr(peer)} id={identity}{declared}><add>{added}</add>{inner}</plan>"
    return inner


def _by_peer(planner: Planner, one: Placed) -> dict[str, list[str]]:
    name = one.asked.name
    used = "source" if one.uses == SOURCE else f"{one.uses}-filter"
    found: dict[str, list[str]] = {}
    properties = one.asked.properties
    found.setdefault(one.asked.peer, []).append(_operator("result", "display", name, None, "builtInStreamoperator"))
    if properties is None:
        found.setdefault(one.transform_at, []).append(_operator(name, "query", used, "", "queryStreamoperatorType"))
        return found
    transformation = residual_query(properties, properties.conditions)
    found.setdefault(one.transform_at, []).append(
        _operator(name, "query", f"{name}-filter", transformation, "queryStreamoperatorType")
    )
    # What the stream that is used has tested already is not tested again.
    rest = replace(properties, conditions=one.residual)
    filtered = plain_filter_query(rest) or filter_query(rest)
    found.setdefault(one.filter_at, []).append(
        _operator(f"{name}-filter", "query", used, filtered, "queryStreamoperatorType")
    )
    return found


def _operator(identity: str, kind: str, reads: str, source: str | None, type_name: str) -> str:
    text = "" if source is None else f"<source>{escape(source)}</source>"
    return (
        f"<streamoperator id={quoteattr(identity)} name={quoteattr(kind)} xsi:type={quoteattr(type_name)}>"
        f"<dependencies><streamreference streamref={quoteattr(reads)}/></dependencies>{text}</streamoperator>"
    )
