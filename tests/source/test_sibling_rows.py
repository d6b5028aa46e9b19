"""Siblings among the rows of a scan: the last ones stay, they are numbered, and records wait for those to come."""

from __future__ import annotations

import pytest
from xylem.analysis.near_siblings import ALL_SIBLINGS
from xylem.plan.scan_plan import Batch, PresenceTest, Report, ScanPlan, ScanStep
from xylem.source import kernel
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.source.python_scanner import PythonScanner
from xylem.source.scan import NewScanner

SCANNERS = [
    pytest.param(PythonScanner, id="python"),
    pytest.param(
        getattr(kernel, "Scanner", None),
        id="kernel",
        marks=pytest.mark.skipif(kernel.kernel_build() is None, reason="the kernel has no scanner here"),
    ),
]
DOCUMENT = b"<r><b x='1'>one</b><a>i</a><c><a>ii</a><b>two</b><a>iii</a></c><b x='2'/><b/><a><a>iv</a></a></r>"
STARTED, ITEM = 1, 4


def told(
    new_scanner: NewScanner,
    plan: ScanPlan,
    size: int,
    limits: Limits = DEFAULT_LIMITS,
    height: int = 1,
    document: bytes = DOCUMENT,
) -> list[tuple[str, ...]]:
    """For each record of step 1, what stands in its parent as far as it is kept, and the numbers that are told.

    With `height`, it is not the parent, but the ancestor so many steps up.
    """
    scanner = new_scanner(plan, limits)
    found: list[tuple[str, ...]] = []
    names: list[str] = [""]

    def add(batch: Batch | None) -> None:
        if batch is None:
            return
        names.extend(local for _, local, _ in batch.new_names)
        for step, row in zip(batch.steps, batch.rows, strict=True):
            if step == 1:
                around = row
                for _ in range(height):
                    around = batch.parents[around]
                found.append(tuple(_children(batch, around, row)))

    def _children(batch: Batch, parent: int, own: int) -> list[str]:
        shown = []
        for row in range(parent + 1, batch.ends[parent]):
            if batch.parents[row] == parent and batch.codes[row] & 7 == 1:
                text = "".join(v or "" for v in batch.values[row : batch.ends[row]])
                number = next((str(n) for (at, _), n in batch.numbers.items() if at == row), "")
                mark = "*" if row == own else ""
                shown.append(f"{mark}{names[batch.codes[row] >> 3]}{number}:{text}")
        return shown

    for place in range(0, len(document), size):
        add(scanner.feed(document[place : place + size], True))
    add(scanner.finish())
    return found


def plan(*steps: ScanStep) -> ScanPlan:
    return ScanPlan((ScanStep(-1), *steps))


@pytest.mark.parametrize("new_scanner", SCANNERS)
def test_the_last_siblings_stay_whatever_the_batches(new_scanner: NewScanner) -> None:
    asked = plan(
        ScanStep(0, "descendant", "", "a", Report.ITEM, text=True),
        ScanStep(0, "descendant", "", "b", attributes=(("", "x"),), remembers=1, label=7, text=True),
    )
    for size in (1, 3, 1000):
        seen = [[one for one in row if one.startswith(("b", "*"))] for row in told(new_scanner, asked, size)]
        assert [row[: row.index(next(one for one in row if one[0] == "*")) + 1][-2:] for row in seen] == [
            ["b1:1one", "*a:i"],
            ["*a:ii"],
            ["b1:two", "*a:iii"],
            ["*a:iv"],
            ["b3:", "*a:iv"],
        ], size


@pytest.mark.parametrize("new_scanner", SCANNERS)
def test_a_sibling_is_kept_by_what_its_start_tag_says(new_scanner: NewScanner) -> None:
    with_x = ScanStep(0, "descendant", "", "b", attributes=(("", "x"),), tests=(PresenceTest("", "x"),), remembers=2)
    asked = plan(ScanStep(0, "descendant", "", "a", Report.ITEM), with_x)
    for size in (1, 3, 1000):
        last = told(new_scanner, asked, size)[-1]
        assert [one for one in last if one[0] != "a" and one[0] != "c"] == ["b:1", "b:2", "*a:"], size


@pytest.mark.parametrize("new_scanner", SCANNERS)
def test_records_wait_for_siblings_and_come_in_document_order(new_scanner: NewScanner) -> None:
    asked = plan(
        ScanStep(0, "descendant", "", "a", Report.ITEM, text=True, awaits=((2, 1, 1),)),
        ScanStep(0, "descendant", "", "b", attributes=(("", "x"),), remembers=1, text=True),
    )
    for size in (1, 3, 1000):
        rows = told(new_scanner, asked, size)
        behind = [row[next(n for n, one in enumerate(row) if one[0] == "*") :] for row in rows]
        assert [[one for one in row if one[0] != "a" and one[0] != "c"][:2] for row in behind] == [
            ["*a:i", "b:2"],
            ["*a:ii", "b:two"],
            ["*a:iii"],
            ["*a:iv"],
            ["*a:iv"],
        ], size


@pytest.mark.parametrize("new_scanner", SCANNERS)
def test_records_wait_for_their_parents_and_have_all_siblings(new_scanner: NewScanner) -> None:
    asked = plan(
        ScanStep(0, "descendant", "", "a", Report.ITEM, text=True, awaits=((2, ALL_SIBLINGS, 1),)),
        ScanStep(0, "descendant", "", "b", attributes=(("", "x"),), remembers=ALL_SIBLINGS, text=True),
    )
    for size in (1, 3, 1000):
        rows = told(new_scanner, asked, size)
        assert [[one for one in row if one[0] != "a" and one[0] != "c"] for row in rows] == [
            ["b:1one", "*a:i", "b:2", "b:"],
            ["*a:ii", "b:two"],
            ["b:two", "*a:iii"],
            ["b:1one", "b:2", "b:", "*a:iv"],
            ["*a:iv"],
        ], size


@pytest.mark.parametrize("remembers", [1, ALL_SIBLINGS])
@pytest.mark.parametrize("new_scanner", SCANNERS)
def test_a_sibling_is_whole_if_a_batch_ends_in_it(new_scanner: NewScanner, remembers: int) -> None:
    awaits = ((2, ALL_SIBLINGS, 1),) if remembers == ALL_SIBLINGS else ()
    asked = plan(
        ScanStep(0, "descendant", "", "a", Report.ITEM, awaits=awaits),
        ScanStep(0, "descendant", "", "b", remembers=remembers, text=True),
        ScanStep(0, "descendant", "", "k", Report.START),
    )
    document = b"<r><c><b>one<k/>two<k/>three</b><a/></c></r>"
    for size in (1, 3, 1000):
        assert told(new_scanner, asked, size, document=document) == [("b:onetwothree", "*a:")], size


@pytest.mark.parametrize("new_scanner", SCANNERS)
def test_records_wait_for_the_parents_of_their_parents(new_scanner: NewScanner) -> None:
    asked = plan(
        ScanStep(0, "descendant", "", "a", Report.ITEM, text=True, awaits=((2, ALL_SIBLINGS, 2),)),
        ScanStep(0, "descendant", "", "b", attributes=(("", "x"),), remembers=ALL_SIBLINGS, text=True),
    )
    for size in (1, 3, 1000):
        rows = told(new_scanner, asked, size, height=2)
        assert [[one for one in row if one[0] == "b"] for row in rows] == [
            [],
            ["b:1one", "b:2", "b:"],
            ["b:1one", "b:2", "b:"],
            [],
            ["b:1one", "b:2", "b:"],
        ], size


@pytest.mark.parametrize("new_scanner", SCANNERS)
def test_records_wait_for_the_nearest_ancestor_with_a_name(new_scanner: NewScanner) -> None:
    asked = plan(
        ScanStep(0, "descendant", "", "a", Report.ITEM, awaits=((2, ALL_SIBLINGS, -3),)),
        ScanStep(0, "descendant", "", "b", attributes=(("", "x"),), remembers=ALL_SIBLINGS),
        ScanStep(0, "descendant", "", "c"),
    )
    inner = b"<c><b x='3'/><d><d><a/></d></d><b x='4'/></c>"
    document = b"<r><a/><c><b x='1'/><d><a/>" + inner + b"<a/></d><b x='2'/></c><a/></r>"
    for size in (1, 3, 1000):
        found = []
        scanner = new_scanner(asked, DEFAULT_LIMITS)
        pieces = [scanner.feed(document[at : at + size], True) for at in range(0, len(document), size)]
        names = [""]
        for batch in (*pieces, scanner.finish()):
            if batch is None:
                continue
            names.extend(local for _, local, _ in batch.new_names)
            for row in batch.rows:
                around = [row]
                while around[-1] > 0:
                    around.append(batch.parents[around[-1]])
                nearest = next((one for one in around if names[batch.codes[one] >> 3] == "c"), None)
                if nearest is None:
                    found.append("")
                    continue
                inside = range(nearest + 1, batch.ends[nearest])
                children = [one for one in inside if batch.parents[one] == nearest]
                values = [batch.values[one + 1] for one in children if names[batch.codes[one] >> 3] == "b"]
                found.append("".join(value or "" for value in values))
        assert found == ["", "12", "34", "12", ""], size


@pytest.mark.parametrize("new_scanner", SCANNERS)
def test_a_record_without_the_ancestor_does_not_wait(new_scanner: NewScanner) -> None:
    asked = plan(
        ScanStep(0, "descendant", "", "a", Report.ITEM, awaits=((2, ALL_SIBLINGS, -3), (2, ALL_SIBLINGS, 7))),
        ScanStep(0, "descendant", "", "b", remembers=ALL_SIBLINGS),
        ScanStep(0, "descendant", "", "c"),
    )
    scanner = new_scanner(asked, DEFAULT_LIMITS)
    batch = scanner.feed(b"<r><d><a>", True)
    batch = scanner.feed(b"</a>", True)
    assert batch is not None
    assert len(batch.rows) == 1


@pytest.mark.parametrize("new_scanner", SCANNERS)
def test_no_more_is_kept_than_the_last(new_scanner: NewScanner) -> None:
    asked = plan(ScanStep(0, "descendant", "", "a", Report.START, remembers=1))
    scanner = new_scanner(asked, DEFAULT_LIMITS)
    scanner.feed(b"<r>", True)
    rows = []
    for _ in range(200):
        batch = scanner.feed(b"<a/>", True)
        rows.append(len(batch.codes) if batch is not None else 0)
    assert max(rows) <= 4
