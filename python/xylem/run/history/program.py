"""A compiled query over update streams: its plan, and the functions that the operators of the plan call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from xylem.functions.context import Resources, RunPart, StaticPart
from xylem.plan.history import HistoryPlan
from xylem.plan.unit_rows import UnitRows
from xylem.run.program import Program, current_time
from xylem.values.datetimes import DateTime

from ..runtime.anchored_values import AnchoredValues

__all__ = ["HistoryProgram"]

Function = Callable[..., Any]


@dataclass(frozen=True)
class HistoryProgram:
    """The result of compilation. It holds no state of a run."""

    plan: HistoryPlan
    program: Program
    """Its answer is an array of function items, by number."""
    static: StaticPart
    scopes: tuple[Program, ...] = ()
    """The parts that are evaluated from the beginning, by number."""
    unit_rows: Callable[[], UnitRows | None] | None = None
    """What a unit gives, as a template of a document that is the unit; None where it depends on more."""
    units_move: bool = True
    """Whether a unit that is a region of text goes on with its next text."""

    def functions(
        self,
        resources: Resources,
        variables: Mapping[tuple[str, str], Any] | None = None,
        now: DateTime | None = None,
    ) -> tuple[list[Function], RunPart, list[AnchoredValues]]:
        """The functions for one run, their shared state, and what they keep of the trees that they are given."""
        run = RunPart(resources, now or current_time(), None, dict(variables or {}))
        space = self.program.namespace(run, None)
        (made,) = list(space[self.program.main]())
        kept = [one for one in space.values() if isinstance(one, AnchoredValues)]
        return [member[0].call for member in made], run, kept
