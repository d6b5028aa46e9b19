"""A plan for people and for programs: a line for each operator, or plain data with the same numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .bounds import NOTHING
from .operators import Operator, OperatorPlan
from .properties import Properties, properties


def plan_lines(plan: OperatorPlan) -> Iterator[str]:
    """Number, place of execution, query line, operator, and the bound of its state."""
    width = len(str(len(plan.numbers)))
    places = max(len(operator.runs.value) for operator in plan.operators())
    for depth, operator, is_known in plan.rows():
        number = plan.number(operator)
        line = "" if operator.place is None else str(operator.place[0])
        told = f"as {number}" if is_known else operator.told + _kept(properties(operator))
        yield f"{number:>{width}}  {operator.runs.value:<{places}} {line:>4} | {'  ' * depth}{told}"


def _kept(derived: Properties) -> str:
    if derived.bound == NOTHING:
        return ""
    why = f": {derived.why}" if derived.why else ""
    return f"  keeps {derived.bound}{why}"


def plan_facts(plan: OperatorPlan) -> list[dict[str, Any]]:
    """Plain data, for JSON: each operator once, the answer first."""
    return [_facts(plan, operator) for operator in plan.operators()]


def _facts(plan: OperatorPlan, operator: Operator) -> dict[str, Any]:
    place = operator.place
    return {
        "id": plan.number(operator),
        "operator": operator.kind,
        "text": operator.told,
        "runs": operator.runs.value,
        "line": None if place is None else place[0],
        "column": None if place is None else place[1],
        "inputs": [plan.number(child) for child in operator.inputs],
        "over": None if operator.over is None else plan.number(operator.over),
        "hash": operator.fingerprint,
        "properties": properties(operator).to_dict(),
    }
