"""What operators of a run took, gave and held: over a stream in all its passes, and over a tree."""

from __future__ import annotations

from typing import Any

import pytest
import xylem
from xylem.plan.operator_counts import OperatorCounts

PEOPLE = "".join(f"<person id='p{i}'><age>{i}</age></person>" for i in range(10))
SALES = "".join(f"<sale by='p{i % 4}'><v>{i % 3}</v></sale>" for i in range(24))
DOCUMENT = f"<site><people>{PEOPLE}</people><sales>{SALES}</sales></site>".encode()


def streamed(query: str, **options: Any) -> OperatorCounts:
    result = xylem.compile(query).stream(DOCUMENT, **options)
    result.measure()
    result.write_to(lambda _: None)
    return result.operators()


def over_tree(query: str) -> OperatorCounts:
    result = xylem.compile(query).run(xylem.parse(DOCUMENT), measure=True)
    result.serialize()
    return result.operators()


def figures(counts: OperatorCounts, kind: str) -> list[tuple[int | None, int | None, int | None]]:
    """In, out and held of the operators of a kind."""
    return [(c.items_in, c.items_out, c.entries) for _, operator, c in counts.rows() if operator.kind == kind]


@pytest.mark.parametrize("scanner", ["kernel", "python"])
def test_records_of_a_scan(scanner: str) -> None:
    counts = streamed("for $p in /site/people/person where $p/age > 6 return <n>{ $p/@id }</n>", scanner=scanner)
    ((_, scanned, _), *_) = figures(counts, "scan")
    assert scanned in (3, 10)  # with or without those that the scan itself leaves out
    assert counts.of(counts.plan.root).items_out == 3


@pytest.mark.parametrize("scanner", ["kernel", "python"])
@pytest.mark.parametrize(
    "query", ["count(//sale)", "sum(//sale/v)", "string-join(//sale/v)", "count(//sale[v >= 0])", "max(//sale/v)"]
)
def test_aggregates_take_what_the_scan_gives(query: str, scanner: str) -> None:
    counts = streamed(query, scanner=scanner)
    assert figures(counts, "aggregate") == [(24, 1, None)]


def test_each_pass_has_figures_of_its_own() -> None:
    counts = streamed("for $p in //person where $p/age > avg(//person/age) return $p/@id")
    assert figures(counts, "scan") == [(None, 10, None), (None, 10, None)]
    assert figures(counts, "aggregate") == [(10, 1, None)]
    assert counts.of(counts.plan.root).items_out == 5


def test_the_index_of_a_join_is_measured_wherever_it_is_built() -> None:
    query = "for $p in /site/people/person return <n>{ count(/site/sales/sale[@by = $p/@id]) }</n>"
    for counts in (streamed(query), over_tree(query)):
        assert [held for _, _, held in figures(counts, "join")] == [24]


@pytest.mark.parametrize(
    ("query", "held"),
    [
        ("for $s in //sale return count($s/preceding-sibling::sale[v = $s/v])", 24),
        ("for $s in //sale[not(v = preceding::sale/v)] return $s/v", 24),
        ("for $x in //sales for $s in $x/sale return exists($x/sale[v = $s/v][@by = $s/@by])", 24),
        ("for $p in //person return count($p/../person[@id = $p/@id][age > $p/age])", 10),
    ],
)
def test_indexes_of_several_keys_and_for_each_node_are_measured(query: str, held: int) -> None:
    assert held in [entries for _, _, entries in figures(over_tree(query), "join")]
    if "preceding::" not in query:
        assert streamed(query).plan is not None


def test_sorts_and_groups() -> None:
    query = "for $s in //sale group by $v := $s/v order by $v descending return <v>{ $v, string-join($s/@by) }</v>"
    counts = over_tree(query)
    assert figures(counts, "sort") == [(3, 3, 3)]
    assert (None, 3, 3) in figures(counts, "aggregate")
    assert counts.of(counts.plan.root).items_out == 3


def test_bytes_are_those_of_the_variable_that_is_held() -> None:
    counts = streamed("for $s in //sale order by $s/v return $s")
    held = [count.peak_bytes for _, operator, count in counts.rows() if operator.kind == "aggregate"]
    assert held[0] is not None
    assert held[0] > 24 * 10


def test_figures_for_programs() -> None:
    for facts in (streamed("count(//sale)").to_dict(), over_tree("count(//sale)").to_dict()):
        assert [each["id"] for each in facts] == [1, 2]
        assert {"operator", "text", "items_in", "items_out", "peak_bytes", "entries"} <= facts[0].keys()


def test_what_was_not_measured_is_not_told() -> None:
    result = xylem.compile("count(//sale)").stream(DOCUMENT)
    list(result)
    with pytest.raises(ValueError, match="measure"):
        result.operators()
    with pytest.raises(ValueError, match="measure"):
        xylem.compile("1").run().operators()
