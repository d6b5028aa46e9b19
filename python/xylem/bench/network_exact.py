"""The least that any plans of a small network cost, found by a solver of constraints (CP-SAT of OR-Tools).

Every stream may go over any links, be made from any stream that serves it at any super-peer that has that stream, and
be computed at any peer that can; results go any way. So the plan space is larger than the planner's: it has ways that
are not the shortest. Costs above the bend of the formula are bounded from below by tangents, so the figure is at
most the true optimum.
"""

from __future__ import annotations

from math import exp
from typing import Any

from xylem.network.matching import served
from xylem.network.planner import Asked, CostModel
from xylem.network.site_names import SOURCE
from xylem.network.topology import Topology

_UNIT = 10**7
"""Costs are whole numbers of this part."""
_FINE = 1000
_MICROSECONDS = 10**6
_BENDS = [0.0, *(0.8 + 0.0125 * step for step in range(17))]


class ExactPlans:
    """One network as constraints."""

    def __init__(self, topology: Topology, source_peer: str, source_bytes: int, asked: list[Asked]) -> None:
        from ortools.sat.python import cp_model

        self._solver = cp_model
        self._model: Any = cp_model.CpModel()
        self._topology, self._source_peer, self._source_bytes = topology, source_peer, source_bytes
        self._asked = {one.name: one for one in asked}
        self._able = [name for name in topology.peers if topology.can_execute(name)]
        self._arcs = [*topology.links, *((other, one) for one, other in topology.links)]
        self._size = {SOURCE: source_bytes} | {name: one.statistics.filter.bytes for name, one in self._asked.items()}
        self._serves = {name: self._origins(one) for name, one in self._asked.items()}
        self._costs: list[Any] = []
        self._streams()
        self._results()
        self._loads(CostModel())

    def _origins(self, one: Asked) -> list[str]:
        others = [other for other in self._asked.values() if other.name != one.name]
        own = one.properties
        return [
            SOURCE,
            *(other.name for other in others if own and other.properties and served(other.properties, own) is not None),
        ]

    def _bools(self, keys: Any) -> dict[Any, Any]:
        return {key: self._model.NewBoolVar("") for key in keys}

    def _streams(self) -> None:
        """A stream is at a peer if it is made there or sent there, from where it is: a tree, by a number that grows."""
        model, peers = self._model, list(self._topology.peers)
        self._sent = self._bools((stream, arc) for stream in self._size for arc in self._arcs)
        self._has = self._bools((stream, peer) for stream in self._size for peer in peers)
        origins = [(name, used) for name, every in self._serves.items() for used in every]
        self._made = self._bools((name, used, peer) for name, used in origins for peer in self._able)
        most = len(peers) * len(self._size)
        turn = {key: model.NewIntVar(0, most, "") for key in self._has}
        for (stream, peer), has in self._has.items():
            ways = [self._sent[stream, arc] for arc in self._arcs if arc[1] == peer]
            if stream == SOURCE and peer == self._source_peer:
                model.Add(has == 1)
                model.Add(sum(ways) == 0)
                continue
            if stream != SOURCE and peer in self._able:
                ways += [self._made[stream, used, peer] for used in self._serves[stream]]
            model.Add(has == sum(ways))
        for (stream, arc), sent in self._sent.items():
            model.AddImplication(sent, self._has[stream, arc[0]])
            model.Add(turn[stream, arc[1]] >= turn[stream, arc[0]] + 1).OnlyEnforceIf(sent)
        for name, every in self._serves.items():
            model.AddExactlyOne(self._made[name, used, peer] for used in every for peer in self._able)
        for (name, used, peer), made in self._made.items():
            model.AddImplication(made, self._has[used, peer])
            model.Add(turn[name, peer] >= turn[used, peer] + 1).OnlyEnforceIf(made)

    def _results(self) -> None:
        model = self._model
        self._computed = self._bools((name, peer) for name in self._asked for peer in self._able)
        self._answer = self._bools((name, arc) for name in self._asked for arc in self._arcs)
        for name, asked in self._asked.items():
            model.AddExactlyOne(self._computed[name, peer] for peer in self._able)
            for peer in self._able:
                model.AddImplication(self._computed[name, peer], self._has[name, peer])
            for peer in self._topology.peers:
                out = sum(self._answer[name, arc] for arc in self._arcs if arc[0] == peer)
                come = sum(self._answer[name, arc] for arc in self._arcs if arc[1] == peer)
                begins = self._computed[name, peer] if peer in self._able else 0
                model.Add(out - come == begins - int(peer == asked.peer))

    def _loads(self, cost: CostModel) -> None:
        for (one, other), speed in self._topology.links.items():
            both = ((one, other), (other, one))
            load = sum(size * self._sent[stream, arc] for stream, size in self._size.items() for arc in both)
            for name, asked in self._asked.items():
                load += sum(asked.statistics.result.bytes * self._answer[name, arc] for arc in both)
            self._charge(cost, cost.gamma, load, speed)
        for peer in self._able:
            load = 0
            for name, asked in self._asked.items():
                work = asked.statistics
                load += int(_MICROSECONDS * work.result.seconds) * self._computed[name, peer]
                for used in self._serves[name]:
                    share = self._size[used] / self._source_bytes
                    load += int(_MICROSECONDS * work.filter.seconds * share) * self._made[name, used, peer]
            self._charge(cost, 1 - cost.gamma, load, _MICROSECONDS * self._topology.capacity.get(peer, 1.0))

    def _charge(self, cost: CostModel, weight: float, load: Any, room: float) -> None:
        """A cost that is at least what each tangent says, for a load that has room."""
        self._model.Add(load <= int(room))
        found = self._model.NewIntVar(0, int(_UNIT * cost.load(1.0)) + _FINE, "")
        for share in _BENDS:
            over = exp(cost.kappa * max(0.0, share - cost.theta))
            slope = over if share < cost.theta else over * (1 + share * cost.kappa)
            start = share * over - slope * share
            steep = int(_UNIT * weight * slope / room * _FINE)
            self._model.Add(_FINE * found >= steep * load + int(_UNIT * weight * start * _FINE) - 1)
        self._costs.append(found)

    def least(self, effort: float, gap: float = 0.005) -> float | None:
        """What no plans cost less than, as far as so much effort of the solver shows; None where there are no plans.

        The solver counts its effort in its own seconds, which do not depend on the machine. It ends when the bound is
        nearer to the best plans found than `gap`, a share of their cost.
        """
        self._model.Minimize(sum(self._costs))
        solver: Any = self._solver.CpSolver()
        solver.parameters.max_deterministic_time = effort
        solver.parameters.relative_gap_limit = gap
        solver.parameters.num_workers = 2
        if solver.Solve(self._model) not in (self._solver.OPTIMAL, self._solver.FEASIBLE):
            return None
        return float(solver.BestObjectiveBound()) / _UNIT
