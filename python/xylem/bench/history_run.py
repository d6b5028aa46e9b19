"""`xylem bench history`: what an update costs, by query and by how many regions there are, beside evaluating anew."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .history_tasks import NAMED
from .worker_process import Limit, Stopped, best_of

OTHERS = ("Saxon", "SQLite", "DuckDB", "bytewax", "pathway")
Figures = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """What is to be measured."""

    tasks: Sequence[str]
    regions: Sequence[int]
    updates: int
    peers: Sequence[str]
    peer_regions: int
    memory_updates: int
    memory_regions: int
    limit_seconds: float
    repeat: int
    seed: int


@dataclass
class HistoryResults:
    """Figures by task and number of regions, those of others, and those of the long run."""

    plan: Plan
    others_load: float
    costs: dict[str, dict[int, Figures]] = field(default_factory=dict)
    peers: dict[str, dict[str, Figures]] = field(default_factory=dict)
    """By task and processor."""
    agreed: dict[tuple[str, str], bool] = field(default_factory=dict)
    """By task and processor, whether its answer after the updates that it took is that of Xylem."""
    memory: Figures | None = None
    reasons: list[str] = field(default_factory=list)

    def growth(self, task: str) -> float | None:
        """The median cost with the most regions against that with the fewest."""
        found = self.costs.get(task, {})
        sizes = sorted(found)
        if len(sizes) < 2:
            return None
        return float(found[sizes[-1]]["median_us"] / found[sizes[0]]["median_us"])

    def per_second(self, task: str) -> float | None:
        """How many updates a second one core takes, with the fewest regions."""
        found = self.costs.get(task)
        if not found:
            return None
        first = found[min(found)]
        return float(first["updates"] / first["cpu_seconds"])

    def times_faster(self, task: str, peer: str) -> float | None:
        theirs = self.peers.get(task, {}).get(peer)
        ours = self.peers.get(task, {}).get("Xylem")
        return None if theirs is None or ours is None else float(theirs["median_us"] / ours["median_us"])


def run(plan: Plan, show: Callable[[str], None]) -> HistoryResults:
    """Measure, each figure in a process of its own."""
    results = HistoryResults(plan, os.getloadavg()[0])
    limit = Limit(plan.limit_seconds, "cpu")

    def measured(engine: str, task: str, regions: int, updates: int) -> Figures | None:
        show(f"{task}: {engine}, {regions:,} regions")
        given = [engine, task, str(regions), str(updates), str(plan.seed)]
        found = best_of(plan.repeat, "history_worker", given, limit)
        if isinstance(found, (str, Stopped)):
            results.reasons.append(f"{task} by {engine} with {regions:,} regions is left out: {found}")
            return None
        return found

    for task in plan.tasks:
        for regions in plan.regions:
            found = measured("Xylem", task, regions, plan.updates)
            if found is not None:
                results.costs.setdefault(task, {})[regions] = found
        for peer in plan.peers:
            if NAMED[task].plain is None and NAMED[task].sql is None:
                continue
            found = measured(peer, task, plan.peer_regions, plan.updates)
            if found is None:
                continue
            results.peers.setdefault(task, {})[peer] = found
            if "answer" in found:
                ours = measured("Xylem", task, plan.peer_regions, found["updates"])
                results.agreed[task, peer] = ours is not None and ours["answer"] == found["answer"]
        if task in results.peers:
            known = results.costs.get(task, {}).get(plan.peer_regions)
            found = known or measured("Xylem", task, plan.peer_regions, plan.updates)
            if found is not None:
                results.peers[task]["Xylem"] = found
    if plan.memory_updates:
        results.memory = measured("Xylem", "query 2", plan.memory_regions, plan.memory_updates)
    return results
