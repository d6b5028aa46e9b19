"""An item that is not complete is kept by the scan: it counts for the limit of what may be kept."""

from __future__ import annotations

from dataclasses import replace

import pytest
import xylem
from xylem.source.limits import DEFAULT_LIMITS

DOCUMENT = b"<r>" + b"<x><y>abcdefghij</y></x>" * 2000 + b"</r>"
SMALL = replace(DEFAULT_LIMITS, buffered_bytes=4_000)


@pytest.mark.parametrize("scanner", ["auto", "python"])
@pytest.mark.parametrize("query", ["/r", "//*[text() = 'Berlin']", "count(//*[. = 'x'])", "string(/r)", "//*[y]"])
def test_what_grows_with_the_document_is_refused(query: str, scanner: str) -> None:
    with pytest.raises(xylem.XylemError, match="XYDY0005"):
        list(xylem.compile(query).stream(DOCUMENT, limits=SMALL, scanner=scanner))


@pytest.mark.parametrize("scanner", ["auto", "python"])
@pytest.mark.parametrize("query", ["//x", "/r/x[y = 'q']", "count(//x)", "//*[y]/y", "/r/x/y/text()", "//y[. = 'q']"])
def test_small_items_are_not(query: str, scanner: str) -> None:
    written: list[bytes] = []
    xylem.compile(query).stream(DOCUMENT, limits=SMALL, scanner=scanner).write_to(written.append)
    assert b"".join(written).decode() == str(xylem.compile(query).run(xylem.parse(DOCUMENT)))


def test_the_limit_of_items_stays_that_of_the_input() -> None:
    limits = replace(DEFAULT_LIMITS, item_bytes=4_000)
    with pytest.raises(xylem.XylemError, match=r"XYIN0004.*item bytes"):
        list(xylem.compile("/w/r").stream(b"<w>" + DOCUMENT + b"</w>", limits=limits))
