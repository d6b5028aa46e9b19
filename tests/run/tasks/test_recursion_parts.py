"""Recursive functions that are aggregates in truth: computed by parts of the input, and merged."""

from __future__ import annotations

import pytest
import xylem
from xylem.pipeline import StaticEnvironment, compile_distributed
from xylem.plan.distribution import PartKind

RECURSIONS = {
    "largest": "if (empty($p)) then 0 else max((xs:integer($p[1]/v), local:f(tail($p))))",
    "sum": "if (empty($p)) then 0 else xs:integer($p[1]/v) + local:f(subsequence($p, 2))",
    "count": "if (empty($p)) then 0 else 1 + local:f(tail($p))",
    "text": "if (empty($p)) then 'end' else concat($p[1]/v, ',', local:f(tail($p)))",
    "all": "if (empty($p)) then true() else $p[1]/v < 100 and local:f(tail($p))",
}
PARTS = ["<s><p><v>3</v></p><p><v>9</v></p></s>", "<s/>", "<s><p><v>5</v></p></s>"]
WHOLE = "<s><p><v>3</v></p><p><v>9</v></p><p><v>5</v></p></s>"


@pytest.mark.parametrize("name", RECURSIONS)
def test_parts_are_merged(name: str) -> None:
    query = f"declare function local:f($p) {{ {RECURSIONS[name]} }}; <r>{{ local:f(/s/p) }}</r>"
    program = compile_distributed(query, StaticEnvironment())
    assert PartKind.SEQUENTIAL not in {part.kind for part in program.distribution.parts}
    rows: dict[int, list[object]] = {part.number: [] for part in program.distribution.parts}
    for number, part in enumerate(PARTS):
        for row in program.task(0, part.encode(), number, {}):
            rows[row.part].append(row)
    assert program.finish(rows) == str(xylem.compile(query).run(xylem.parse(WHOLE)))  # type: ignore[arg-type]


def test_a_sum_of_doubles_stays_one_task() -> None:
    query = "declare function local:f($p) { if (empty($p)) then 0 else $p[1]/v + local:f(tail($p)) }; local:f(/s/p)"
    program = compile_distributed(query, StaticEnvironment())
    assert {part.kind for part in program.distribution.parts} != {PartKind.AGGREGATE}
