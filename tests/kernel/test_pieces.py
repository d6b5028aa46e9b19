"""However the input is cut into pieces, the records are the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xylem.plan.scan_plan import AttributeTest, Keep, Report, ScanPlan, ScanStep
from xylem.source.kernel import Scanner, is_kernel_built

from .records import records_of
from .test_same_tree import DOCUMENTS

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here")

PLANS = {
    "everything": ScanPlan((ScanStep(-1, report=Report.ITEM, keep=Keep.SUBTREE),), comments=True),
    "all elements": ScanPlan(
        (ScanStep(-1), ScanStep(0, "descendant", report=Report.ITEM, keep=Keep.SUBTREE)), comments=True
    ),
    "strings": ScanPlan((ScanStep(-1), ScanStep(0, "descendant", local="a", report=Report.ITEM, keep=Keep.STRING))),
    "starts and ends": ScanPlan(
        (
            ScanStep(-1, report=Report.START | Report.END),
            ScanStep(0, "descendant", report=Report.START | Report.END | Report.COUNT, attributes=None),
        )
    ),
    "tests": ScanPlan(
        (
            ScanStep(-1),
            ScanStep(
                0,
                "descendant",
                report=Report.ITEM,
                attributes=(("", "x"),),
                text=True,
                tests=(AttributeTest("", "x", "!=", string="b"),),
            ),
        )
    ),
}
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-32", "gb18030"]


@settings(max_examples=150, deadline=None)
@given(
    DOCUMENTS,
    st.sampled_from(sorted(PLANS)),
    st.sampled_from(ENCODINGS),
    st.lists(st.tuples(st.integers(1, 60), st.booleans()), min_size=1, max_size=8),
)
def test_any_pieces_give_the_same_records(
    text: str, plan: str, encoding: str, sizes: list[tuple[int, bool]]
) -> None:
    if encoding == "gb18030":
        text = '<?xml version="1.0" encoding="gb18030"?>' + text.removeprefix('<?xml version="1.0"?>')
    data = text.encode(encoding)
    whole = records_of(Scanner(PLANS[plan]), [(data, False)])
    pieces = []
    place = turn = 0
    while place < len(data):
        size, flush = sizes[turn % len(sizes)]
        pieces.append((data[place : place + size], flush))
        place += size
        turn += 1
    assert records_of(Scanner(PLANS[plan]), pieces) == whole
    assert records_of(Scanner(PLANS[plan]), [(data[i : i + 1], False) for i in range(len(data))]) == whole


def test_a_long_token_in_small_pieces_takes_no_longer() -> None:
    value = "x>" * 200_000
    data = f"<a b='{value}'><!--{value}--><?p {value}?><![CDATA[{value}]]></a>".encode()
    pieces = [(data[i : i + 16], False) for i in range(0, len(data), 16)]
    records, _, error = records_of(Scanner(PLANS["everything"]), pieces)
    assert error is None
    assert len(records) == 1
