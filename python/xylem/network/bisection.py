"""Divide a subnet into two connected parts with little traffic between them.

The parts grow from two peers far from each other, along the links with the most traffic. Then super-peers change sides
if that saves traffic and keeps the parts connected. Thin-peers go with their super-peer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from .topology import Link, Topology, link

_LEAST_SHARE = 1 / 3
"""Minimum share of the super-peers in each part."""


def divided(topology: Topology, traffic: Mapping[Link, float]) -> tuple[set[str], set[str]] | None:
    """The two parts, with the thin-peers; None if the super-peers are not connected, or there is only one."""
    near = _near(topology)
    if len(near) < 2 or len(_distances(near, min(near))) < len(near):
        return None
    weight = {each: 1.0 + traffic.get(each, 0.0) for each in topology.links}
    one, other = _grown(near, weight)
    _improve(near, weight, one, other)
    parts = one, other
    for name in sorted(topology.peers.keys() - near.keys()):
        joined = sorted((other for each in topology.links if name in each for other in each if other in near),
                        key=lambda super_peer: (-weight[link(name, super_peer)], super_peer))  # fmt: skip
        parts[bool(joined) and joined[0] in parts[1]].add(name)
    return parts


def cut(weight: Mapping[Link, float], one: Iterable[str], other: Iterable[str]) -> float:
    """The traffic between two parts."""
    first, second = set(one), set(other)
    return sum(size for (a, b), size in weight.items() if (a in first and b in second) or (a in second and b in first))


def _near(topology: Topology) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {name: [] for name in sorted(topology.peers) if topology.can_execute(name)}
    for a, b in sorted(topology.links):
        if a in found and b in found:
            found[a].append(b)
            found[b].append(a)
    return found


def _distances(near: Mapping[str, list[str]], start: str) -> dict[str, int]:
    found = {start: 0}
    waiting = deque([start])
    while waiting:
        here = waiting.popleft()
        for name in near[here]:
            if name not in found:
                found[name] = found[here] + 1
                waiting.append(name)
    return found


def _farthest(near: Mapping[str, list[str]], start: str) -> str:
    distances = _distances(near, start)
    return max(sorted(distances), key=lambda name: distances[name])


def _grown(near: Mapping[str, list[str]], weight: Mapping[Link, float]) -> tuple[set[str], set[str]]:
    """Grow two parts from two ends; the smaller one takes the next peer, over the link with the most traffic."""
    first = _farthest(near, min(near))
    second = _farthest(near, first)
    parts = ({first}, {second})
    left = near.keys() - {first, second}
    while left:
        for part in sorted(parts, key=len):
            ways = [(weight[link(a, b)], b, a) for a in part for b in near[a] if b in left]
            if ways:
                name = max(ways)[1]
                part.add(name)
                left = left - {name}
                break
    return parts


def _improve(near: Mapping[str, list[str]], weight: Mapping[Link, float], one: set[str], other: set[str]) -> None:
    """Let peers change sides in rounds, each at most once, even if that first costs more; keep the best state.

    The rounds are those of Fiduccia and Mattheyses (1982), with the constraint of connected parts.
    """
    while True:
        tried = (set(one), set(other))
        locked: set[str] = set()
        saved, most, best = 0.0, 1e-9, None
        while (move := _best_move(near, weight, tried, locked)) is not None:
            gain, name = move
            here, there = tried if name in tried[0] else tried[::-1]
            here.discard(name)
            there.add(name)
            locked.add(name)
            saved += gain
            if saved > most:
                most, best = saved, (set(tried[0]), set(tried[1]))
        if best is None:
            return
        for part, found in zip((one, other), best, strict=True):
            part.clear()
            part |= found


def _best_move(
    near: Mapping[str, list[str]], weight: Mapping[Link, float], parts: tuple[set[str], set[str]], locked: set[str]
) -> tuple[float, str] | None:
    """The next peer to change sides, and the saving."""
    least = max(1, int(len(near) * _LEAST_SHARE))
    moves: list[tuple[float, str]] = []
    for here, there in (parts, parts[::-1]):
        if len(here) <= least:
            continue
        for name in sorted(here - locked):
            if any(b in there for b in near[name]) and _hang_together(near, here - {name}):
                moves.append((sum(weight[link(name, b)] * (1 if b in there else -1) for b in near[name]), name))
    return max(moves, default=None)


def _hang_together(near: Mapping[str, list[str]], part: set[str]) -> bool:
    inside = {name: [b for b in near[name] if b in part] for name in part}
    return bool(part) and len(_distances(inside, min(part))) == len(part)
