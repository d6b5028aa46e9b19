"""How queries are spread, as `explain` prints it: golden/distribution has a query and its plan each.

`python -m tests.distributed.test_golden_distributions` writes the plans anew; read the difference.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from xylem.plan.distribution_text import distribution_facts, distribution_text

from .ranges_of_documents import SHOP, assert_same, distributed

GOLDEN = SHOP.parent
QUERIES = sorted(GOLDEN.glob("*.xq"))


@pytest.mark.parametrize("file", QUERIES, ids=[file.stem for file in QUERIES])
def test_plan_and_answer(file: Path) -> None:
    query = file.read_text(encoding="utf-8")
    program = assert_same(query, SHOP, Random(file.stem), 3)
    assert distribution_text(program.distribution) == file.with_suffix(".plan").read_text(encoding="utf-8")
    assert program.distribution.is_parallel != file.stem.startswith("one-task")


def test_facts_for_programs() -> None:
    facts = distribution_facts(distributed("for $p in //p\norder by $p/a return $p").distribution)
    assert (facts["parallel"], facts["ordered"], facts["stages"], facts["scopes"]) == (True, True, 1, ["//p"])
    (part,) = facts["parts"]
    assert (part["kind"], part["line"], part["shuffles"]) == ("sort", 1, ["by order, $p/a"])


def test_reasons_name_their_place() -> None:
    (part,) = distributed("for $p in //p\n return $p/following-sibling::p").distribution.parts
    assert part.why.endswith("(2:12)")


if __name__ == "__main__":
    for query in QUERIES:
        plan = distribution_text(distributed(query.read_text(encoding="utf-8")).distribution)
        query.with_suffix(".plan").write_text(plan, encoding="utf-8")
