"""Plans as `explain` prints them: golden/operators has queries, each with its plan in every way to run it.

`python -m tests.lowering.operator_plans.test_golden_plans` writes the plans anew; read the difference.
"""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from xylem.errors import StaticError
from xylem.pipeline import StaticEnvironment
from xylem.plan.explain_operators import plan_facts, plan_lines
from xylem.plan.operators import OperatorPlan, Runs
from xylem.query.compiled_query import CompiledQuery
from xylem.query.spreading import Spreading

GOLDEN = Path(__file__).parents[2] / "golden" / "operators"
QUERIES = sorted(GOLDEN.glob("*.xq"))


def plans(file: Path) -> dict[str, OperatorPlan | str]:
    """The plans of a query, by the way to run it; the reason where there is none."""
    query = CompiledQuery(file.read_text(encoding="utf-8"), StaticEnvironment())
    found: dict[str, OperatorPlan | str] = {"over a tree": query.tree_operators}
    try:
        found["over a stream"] = query.stream_operators()
    except StaticError as refused:
        found["over a stream"] = f"not streamed: {refused.why}"
    return found | {"in tasks": query.task_operators(Spreading())}


def text_of(file: Path) -> str:
    """All plans of a query."""
    told = []
    for way, plan in plans(file).items():
        lines = [plan] if isinstance(plan, str) else plan_lines(plan)
        told.append("\n".join([way, *(f"  {line}".rstrip() for line in lines), ""]))
    return "\n".join(told)


@pytest.mark.parametrize("file", QUERIES, ids=[file.stem for file in QUERIES])
def test_plans(file: Path) -> None:
    assert text_of(file) == file.with_suffix(".plan").read_text(encoding="utf-8")


@pytest.mark.parametrize("file", QUERIES, ids=[file.stem for file in QUERIES])
def test_plans_travel_and_are_told_for_programs(file: Path) -> None:
    for plan in plans(file).values():
        if isinstance(plan, str):
            continue
        arrived = pickle.loads(pickle.dumps(plan))
        assert plan_facts(arrived) == plan_facts(plan)
        facts = plan_facts(plan)
        assert [each["id"] for each in facts] == list(range(1, len(facts) + 1))
        known = {each["id"] for each in facts}
        assert {child for each in facts for child in each["inputs"]} <= known
        places = {Runs(each["runs"]) for each in facts}
        assert places


if __name__ == "__main__":
    for query_file in QUERIES:
        query_file.with_suffix(".plan").write_text(text_of(query_file), encoding="utf-8")
