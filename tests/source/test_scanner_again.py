"""A scanner that starts again knows nothing of the document before, whatever became of that."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xylem.errors import XylemError
from xylem.plan.scan_plan import Batch, Keep, Report, ScanPlan, ScanStep
from xylem.source import kernel
from xylem.source.limits import Limits
from xylem.source.scan import BatchTrees

from .scan_cases import documents, plans

pytestmark = pytest.mark.skipif(kernel.kernel_build() is None, reason="the kernel is not built here")
LIMITS = Limits()


def seen(scanner: kernel.Scanner, document: bytes, size: int) -> tuple[list[Batch], str]:
    """Everything a scanner tells of a document, and how it ended."""
    batches: list[Batch] = []
    try:
        for start in range(0, len(document), size):
            batch = scanner.feed(document[start : start + size], True)
            if batch is not None:
                batches.append(batch)
        batches.append(scanner.finish())
        scanner.feed(b"")
    except XylemError as error:
        return batches, str(error)
    return batches, ""


@settings(max_examples=50, deadline=None)
@given(
    plan=plans(),
    read=st.lists(st.tuples(documents(), st.integers(0, 400), st.booleans()), min_size=2, max_size=4),
    size=st.integers(20, 2000),
)
def test_documents_one_after_another(plan: ScanPlan, read: list[tuple[bytes, int, bool]], size: int) -> None:
    again: kernel.Scanner | None = None
    for document, end, is_whole in read:
        given_bytes = document if is_whole else document[:end]
        new = kernel.Scanner(plan, LIMITS)
        if again is None:
            again = kernel.Scanner(plan, LIMITS)
        else:
            assert again.again()
        assert seen(again, given_bytes, size) == seen(new, given_bytes, size)


def test_rules_of_a_document_type_and_encodings_are_of_one_document() -> None:
    plan = ScanPlan((ScanStep(-1), ScanStep(0, "descendant", "", "a", Report.ITEM, Keep.SUBTREE)))
    texts = [
        b"<!DOCTYPE r [<!ATTLIST a k CDATA 'd'><!ENTITY e 'x'>]><r><a>&e;</a></r>",
        b"<r><a>1</a></r>",
        b"<r><a>&e;</a></r>",
        "<r><a>é</a></r>".encode("latin-1"),
        "<r><a>é</a></r>".encode("utf-16"),
        b"<p:r xmlns:p='u'><a/></p:r>",
        b"<p:r/>",
        b"<r><a>2</a></r>",
    ]
    again = kernel.Scanner(plan, LIMITS)
    for text in texts:
        encoding = "iso-8859-1" if b"\xe9" in text and text[:1] == b"<" else None
        assert again.again(encoding)
        assert seen(again, text, 1000) == seen(kernel.Scanner(plan, LIMITS, encoding=encoding), text, 1000)


def test_it_is_the_same_scanner_only_for_the_same_plan_and_limits() -> None:
    plan = ScanPlan((ScanStep(-1), ScanStep(0, "child", "", "a", Report.ITEM, Keep.SUBTREE)))
    other = ScanPlan((ScanStep(-1), ScanStep(0, "child", "", "b", Report.ITEM, Keep.SUBTREE)))
    trees = BatchTrees(None)
    first = trees.scanner(plan, LIMITS, None)
    assert trees.scanner(plan, LIMITS, None) is first
    assert trees.scanner(plan, Limits(depth=3), None) is not first
    second = trees.scanner(plan, LIMITS, None)
    assert trees.scanner(other, LIMITS, None) is not second
