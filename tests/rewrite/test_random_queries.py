"""Random queries over random documents: the program is safe and gives the evaluator's answer, schema or not."""

from __future__ import annotations

import pytest
import xylem
from xylem.rewrite.merge_handlers import merge_handlers
from xylem.rewrite.safety import unsafe_places
from xylem.schema.loading import load_schema

from .flux_interpreter import answer
from .invariants import broken_by, broken_in
from .plain_tree import parsed
from .planned import expected, planned
from .random_cases import triple

SEEDS = range(240)
CHUNK = 20


@pytest.mark.parametrize("start", SEEDS[::CHUNK])
@pytest.mark.share(3)
def test_programs_give_the_answer(start: int) -> None:
    for seed in range(start, start + CHUNK):
        case = triple(seed)
        try:
            right = expected(case.query, case.document)
        except xylem.XylemError:
            # An error may show in one evaluation and not in another (XQuery 3.1 §2.3.4).
            continue
        for schema in (None, load_schema(case.dtd, root="r")):
            plan = planned(case.query, schema)
            assert [fault for change in plan.steps for fault in broken_by(change)] == [], case
            assert broken_in(plan.normal_form) == [], case
            program = plan.program
            assert unsafe_places(program, schema) == [], case
            for same in (program, merge_handlers(program)):
                assert answer(same, parsed(case.document), schema) == right, case
