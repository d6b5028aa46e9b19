"""Which queries are written by the scan as a whole."""

from __future__ import annotations

import pytest
import xylem

WRITTEN = (
    "/order/line/price",
    "for $o in /order return <r id='{ $o/@id }'>{ $o/line/price }</r>",
    "for $l in /order/line where $l/@q > 5 return <l>{ $l/price }</l>",
    "<all>{ //price }</all>",
    "/order/line/price/string()",
    "number(/order/line/price)",
    "/order/line/price * 2",
    "concat(/order/@id, '-', count(/order/line))",
    "for $l in /order/line return if ($l/@q > 5) then $l/price else 'few'",
    "let $n := count(//price) return ($n, $n > 1)",
)
NOT_WRITTEN = (
    "/",
    "<a>{ / }</a>",
    "for $o in /order return <p:r xmlns:p='urn:p'>{ $o/line }</p:r>",
    "/order/line[last()]/preceding-sibling::line",
    "for $l in /order/line group by $p := $l/price return $p",
    "doc('other.xml')/order/line",
    "1 + 1",
)


@pytest.mark.parametrize("query", WRITTEN)
def test_written(query: str) -> None:
    assert xylem.compile(query).compiled.document_template() is not None


@pytest.mark.parametrize("query", NOT_WRITTEN)
def test_not_written(query: str) -> None:
    assert xylem.compile(query).compiled.document_template() is None
