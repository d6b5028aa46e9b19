"""`xylem explain`: the explanation of a query as text or as JSON."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from .query_source import QuerySource
from .run_query import compiled, compiled_over_updates


def explain_query(source: QuerySource, schema: Path | None, *, as_json: bool, with_code: bool, with_ast: bool) -> None:
    """Write the explanation to standard output."""
    explanation = compiled(source).explain(schema)
    if as_json:
        _write_json(explanation.to_dict(with_code=with_code, with_ast=with_ast))
    else:
        sys.stdout.write(explanation.to_text(with_code=with_code, with_ast=with_ast))


def explain_graph(source: QuerySource, form: str) -> None:
    """Write the stream data flow graph of the query to standard output."""
    from xylem.plan.graph_drawing import drawn

    sys.stdout.write(drawn(compiled(source).data_flow(), form))


def explain_plan(source: QuerySource, schema: Path | None, form: str, *, on_spark: bool) -> None:
    """Write the operators of the query to standard output."""
    from xylem.plan.operator_drawing import drawn_plan

    query = compiled(source)
    sys.stdout.write(drawn_plan(query.task_operators() if on_spark else query.explain(schema).operators, form))


def explain_updates(source: QuerySource, *, as_json: bool) -> None:
    """Write to standard output how the query follows update streams, and which versions it keeps."""
    from xylem.analysis.history.demand import demand_of
    from xylem.plan.history_text import history_facts, history_text

    query = compiled_over_updates(source)
    plan, demand = query.operators.plan, demand_of([query.program.module])
    if as_json:
        _write_json(history_facts(plan, demand))
    else:
        sys.stdout.write(history_text(plan, demand))


def explain_distribution(source: QuerySource, *, as_json: bool) -> None:
    """Write to standard output how the query is distributed over tasks, or why it is not."""
    from xylem.plan.distribution_text import distribution_facts, distribution_text
    from xylem.plan.explain_operators import plan_facts, plan_lines

    query = compiled(source)
    distribution, windows = query.distribution(), query.stream_windows()
    if as_json:
        facts = distribution_facts(distribution) | {"operators": plan_facts(query.task_operators())}
        if not distribution.is_parallel:
            facts["task"] = list(query.explain().streamability.in_one_task())
        _write_json(facts | {"stream_windows": [vars(one) for one in windows]} if windows else facts)
        return
    sys.stdout.write(distribution_text(distribution))
    if not distribution.is_parallel:
        sys.stdout.write("".join(f"    {line}\n" for line in query.explain().streamability.in_one_task()))
    sys.stdout.write("\nplan\n" + "".join(f"    {line}\n" for line in plan_lines(query.task_operators())))
    if windows:
        lines = [f"    {line}\n" for one in windows for line in one.lines()]
        sys.stdout.write("\nas a stream in batches (xylem stream)\n" + "".join(lines))


def _write_json(facts: dict[str, Any]) -> None:
    import json

    sys.stdout.write(json.dumps(facts, indent=2, ensure_ascii=False) + "\n")
