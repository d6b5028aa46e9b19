"""How queries are spread, as `explain` prints it: golden/distribution has a query and its plan each.

`python -m tests.run.tasks.test_golden_distributions` writes the plans anew; read the difference.
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
    assert (part["kind"], part["line"], part["shuffles"]) == ("sort", 1, [])
    assert part["order"] == "$p/a"


@pytest.mark.parametrize("query", ["for $x in //* return name($x)", "count(//*[a])", "//a, //*[a]/@b"])
def test_a_document_whose_root_is_an_item_is_not_cut(query: str) -> None:
    text = distribution_text(distributed(query).distribution)
    assert "leads to the root element, so each file is one range" in text
    assert "before each" not in text


def test_what_a_loop_counts_around_its_items_is_not_what_they_contain() -> None:
    for inside, said in (("$s/p", True), ("$s//p", True), ("$s/ancestor::s", False), ("$s/@*", False)):
        (part,) = distributed(f"for $s in //s return count({inside})").distribution.parts
        assert ("is of all that it contains" in part.why) is said


def test_order_keys_are_told_as_they_are_written() -> None:
    query = "for $p in //p order by $p/a descending empty greatest, $p/b return $p"
    assert distributed(query).distribution.parts[0].order == "$p/a descending empty greatest, $p/b"


def test_reasons_name_their_place() -> None:
    (part,) = distributed("for $p in //p\n return $p/following-sibling::p").distribution.parts
    assert part.why.endswith("(2:12)")


if __name__ == "__main__":
    for query in QUERIES:
        plan = distribution_text(distributed(query.read_text(encoding="utf-8")).distribution)
        query.with_suffix(".plan").write_text(plan, encoding="utf-8")
