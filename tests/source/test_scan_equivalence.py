"""Both scanners give what the definitions say, for any document, any plan and any pieces of input."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xylem.plan.scan_plan import Report, ScanPlan, ScanStep
from xylem.source import kernel
from xylem.source.python_scanner import PythonScanner
from xylem.source.scan import NewScanner

from .scan_cases import documents, plans
from .scan_views import cut, expected, observed

MISSING = "the kernel has no scanner here"
KERNEL: NewScanner | None = getattr(kernel, "Scanner", None) if kernel.kernel_build() else None
SCANNERS = [
    pytest.param(PythonScanner, id="python"),
    pytest.param(KERNEL, id="kernel", marks=pytest.mark.skipif(KERNEL is None, reason=MISSING)),
]
BYTES = st.one_of(st.sampled_from(list(b"<>&;\"'/!-?[]= x:#")), st.integers(0, 255))
PLACES = st.one_of(st.just([]), st.lists(st.integers(0, 10_000), max_size=8))


@pytest.mark.parametrize("new_scanner", SCANNERS)
@settings(max_examples=250)
@given(document=documents(), plan=plans(), places=PLACES, flush=st.booleans())
def test_records_are_those_of_the_definitions(
    new_scanner: NewScanner, document: bytes, plan: ScanPlan, places: list[int], flush: bool
) -> None:
    view = observed(new_scanner, plan, [(piece, flush) for piece in cut(document, places)])
    assert view == expected(document, plan)


@pytest.mark.parametrize("new_scanner", SCANNERS)
@pytest.mark.parametrize(
    "document",
    [
        b"<p:a xmlns:p='u' xmlns:q='u'><q:a><b/></q:a></p:a>",
        b"<b xmlns:p='u' xmlns:q='u' p:x='1'><b y='2' q:x='3'/></b>",
        b"<b xmlns='u'><b xmlns=''/><p:b xmlns:p='u' xmlns:q='u'><q:b/></p:b></b>",
    ],
)
@pytest.mark.parametrize("flush", [False, True])
def test_each_row_has_the_prefix_of_its_element(new_scanner: NewScanner, document: bytes, flush: bool) -> None:
    step = ScanStep(0, "descendant", local="b", report=Report.ITEM, attributes=(("u", "x"),))
    plan = ScanPlan((ScanStep(-1), step))
    pieces = [(document[place : place + 1], flush) for place in range(len(document))]
    assert observed(new_scanner, plan, pieces) == expected(document, plan)


@pytest.mark.parametrize("new_scanner", SCANNERS)
@settings(max_examples=100)
@given(document=documents(), plan=plans(), flush=st.booleans())
def test_single_bytes_make_no_difference(new_scanner: NewScanner, document: bytes, plan: ScanPlan, flush: bool) -> None:
    whole = observed(new_scanner, plan, [(document, False)])
    single = [(document[place : place + 1], flush) for place in range(len(document))]
    assert observed(new_scanner, plan, single) == whole


@pytest.mark.parametrize("new_scanner", SCANNERS)
@settings(max_examples=100)
@given(document=documents(), plan=plans(), places=PLACES, end=st.integers(0, 10_000))
def test_input_that_ends_too_early_gives_what_was_complete(
    new_scanner: NewScanner, document: bytes, plan: ScanPlan, places: list[int], end: int
) -> None:
    whole = observed(PythonScanner, plan, [(document, True)])
    shorter = document[: end % len(document)]
    view = observed(new_scanner, plan, [(piece, True) for piece in cut(shorter, places)])
    assert view.records == whole.records[: len(view.records)]
    # The reference has nothing more to tell of the same bytes.
    assert view.agrees_with(observed(PythonScanner, plan, [(shorter, True)]))


# In other encodings one byte can make a name that XML 1.0 allows since its fifth edition, and expat does not.
@pytest.mark.skipif(KERNEL is None, reason=MISSING)
@settings(max_examples=200)
@given(document=documents(["utf-8", "iso-8859-1"]), plan=plans(), place=st.integers(0, 10_000), byte=BYTES)
def test_both_scanners_agree_on_damaged_input(document: bytes, plan: ScanPlan, place: int, byte: int) -> None:
    assert KERNEL is not None
    place %= len(document)
    damaged = document[:place] + bytes([byte]) + document[place + 1 :]
    view = observed(KERNEL, plan, [(damaged, True)])
    assert view.agrees_with(observed(PythonScanner, plan, [(damaged, True)]))
