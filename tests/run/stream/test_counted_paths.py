"""Paths in parentheses that are counted or tested, inside other paths: streamed as the tree answers them."""

from __future__ import annotations

import pytest
import xylem

from tests.reference import reference

DOCUMENT = (
    '<orders><order id="0"><line/><line sku="a" q="3"><price>1</price></line></order><order id="1"><x>2</x></order>'
    '<order id="2"><line sku="b" q="7"><price>5</price></line>'
    '<line sku="c" q="9"><price>6</price><price>7</price></line><x>1</x></order></orders>'
)
QUERIES = [
    "/orders/order/(line/price)[1]/string()",
    "/orders/order/(line|x)[1]",
    "/orders/order/(line/price)[. > 5]",
    "for $p in /orders/order/(line/price)[2] return string($p)",
    "/orders/(order/line)[2]/price",
    "/orders/order/(line, x)[2]/string()",
    "/orders/order/(line/@sku)[1]/string()",
    "for $o in /orders/order return ($o/line/@sku)[1]/string()",
    "count(/orders/order/(line/price)[1])",
    "//order/(line/price)[last()]",
    "for $o in /orders/order return ($o/line[preceding-sibling::line[1]]/price)[1]/string()",
    "(//line[preceding-sibling::line])[2]/@sku/string()",
    "for $o in //order return <r>{ ($o/line[following-sibling::x]/price)[2]/string() }</r>",
    # What the scan decides of children, an element that is written as a whole must still be asked.
    "for $o in /orders/order return <r id='{ $o/@id }'>{ $o/line[@q > 5]/price, count($o/line) }</r>",
    "for $o in /orders/order return <r>{ for $l in $o/line where $l/@q > 5 return $l/price }<n>{ count($o/x) }</n></r>",
    "for $o in /orders/order return <r>{ $o/line[@sku = 'b']/price * 2 }</r>",
]


@pytest.mark.parametrize("scanner", ["auto", "python"])
@pytest.mark.parametrize("query", QUERIES)
def test_the_stream_agrees_with_the_reference(query: str, scanner: str) -> None:
    written: list[bytes] = []
    xylem.compile(query).stream(DOCUMENT.encode(), scanner=scanner).write_to(written.append)
    expected = reference(query).run(xylem.parse(DOCUMENT)).serialize()
    assert b"".join(written).decode() == expected != ""
