"""Tests of values in the scan: both scanners leave out the same records, and only such as a query would not miss."""

from __future__ import annotations

import random
from io import BytesIO

import pytest
from xylem.plan.scan_plan import AttributeTest, Keep, Report, ScanPlan, ScanStep, ValueTest
from xylem.source.kernel import is_kernel_built
from xylem.source.scan import scan
from xylem.values.node import Node

SCANNERS = ["python", pytest.param("kernel", marks=pytest.mark.skipif(not is_kernel_built(), reason="no kernel"))]
DOCUMENT = b"""<shop>
  <item id="1"><name>pen</name><price>12</price><price>40</price></item>
  <item id="2"><name>ink<b>well</b></name><price cur="EUR">7</price></item>
  <item id="3"><name>map</name></item>
  <item id="4"><name>cup</name><price>cheap</price></item>
</shop>"""


def records(
    scanner: str, *tests: ValueTest | AttributeTest, data: bytes = DOCUMENT, pieces: int = 1 << 20
) -> list[str]:
    """The ids of the items that are reported."""
    plan = ScanPlan(
        (
            ScanStep(-1),
            ScanStep(0, local="shop"),
            ScanStep(
                1,
                local="item",
                report=Report.ITEM,
                keep=Keep.SUBTREE,
                attributes=None,
                tests=tuple(t for t in tests if isinstance(t, AttributeTest)),
                value_tests=tuple(t for t in tests if isinstance(t, ValueTest)),
            ),
        )
    )
    found = []
    chunks = BytesIO(data) if pieces >= len(data) else _Trickle(data, pieces)
    for batch in scan(chunks, plan, scanner=scanner):
        for row in batch.rows:
            node = Node(batch.tree, row)
            attributes = [Node(batch.tree, r) for r in batch.tree.attributes(node.pre)]
            found.append(next(a.string_value for a in attributes if str(a.name) == "id"))
    return found


class _Trickle(BytesIO):
    """A file that gives a few bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        super().__init__(data)
        self._size = size

    def read(self, size: int | None = -1) -> bytes:
        return super().read(self._size)


PRICE = (("", "price"),)
NAME = (("", "name"),)


@pytest.mark.parametrize("scanner", SCANNERS)
@pytest.mark.parametrize(
    ("tests", "expected"),
    [
        ([ValueTest(PRICE, ">", number=30)], ["1", "4"]),  # 4 is no number: the query decides
        ([ValueTest(PRICE, "<", number=10)], ["2", "4"]),
        ([ValueTest(PRICE, "!=", number=12)], ["1", "2", "4"]),  # one of several values is enough
        ([ValueTest(PRICE, "=", string="40")], ["1"]),
        ([ValueTest(NAME, "=", string="inkwell")], ["2"]),
        ([ValueTest(NAME, "=", string="ink", text=True)], ["2"]),
        ([ValueTest(NAME, "=", string="inkwell", text=True)], []),
        ([ValueTest((*NAME, ("", "b")), "=", string="well")], ["2"]),
        ([ValueTest(PRICE, "=", string="EUR", attribute=("", "cur"))], ["2"]),
        ([ValueTest(PRICE, ">", number=1), ValueTest(NAME, "<", string="k")], ["2", "4"]),
        ([AttributeTest("", "id", ">", number=1), ValueTest(PRICE, ">", number=1)], ["2", "4"]),
        ([ValueTest((("urn:x", "price"),), "!=", string="")], []),
    ],
)
def test_what_is_left_out(scanner: str, tests: list[ValueTest], expected: list[str]) -> None:
    assert records(scanner, *tests) == expected
    assert records(scanner, *tests, pieces=1) == expected


@pytest.mark.skipif(not is_kernel_built(), reason="no kernel")
@pytest.mark.parametrize("seed", range(30))
def test_both_scanners_agree(seed: int) -> None:
    chance = random.Random(seed)
    values = ["", "1", "2.5", "-3", "x", "INF", "NaN", " 4 "]
    items = []
    for number in range(40):
        prices = "".join(f"<price>{chance.choice(values)}</price>" for _ in range(chance.randrange(3)))
        items.append(f'<item id="{number}"><name>{chance.choice(values)}</name>{prices}</item>')
    data = f"<shop>{''.join(items)}</shop>".encode()
    op = chance.choice(["=", "!=", "<", "<=", ">", ">="])
    path = chance.choice([PRICE, NAME])
    if chance.random() < 0.5:
        test = ValueTest(path, op, number=chance.choice([1.0, 2.5, -3.0]), text=chance.random() < 0.3)
    else:
        test = ValueTest(path, op, string=chance.choice(values), text=chance.random() < 0.3)
    pieces = chance.choice([1, 7, 100, 1 << 20])
    assert records("kernel", test, data=data, pieces=pieces) == records("python", test, data=data)
