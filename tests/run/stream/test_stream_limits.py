"""What an endless input may make a run keep: each limit has a name, and its error says where the input stood."""

from __future__ import annotations

import pytest
from xylem.errors import XylemError
from xylem.pipeline import StaticEnvironment, compile_stream
from xylem.source.limits import Limits
from xylem.source.resources import FileResources

from .compare import SCANNERS


def error_of(query: str, data: bytes, scanner: str, limits: Limits) -> XylemError | None:
    program = compile_stream(query, StaticEnvironment())
    try:
        for _ in program.run(iter([data]), FileResources(), scanner=scanner, limits=limits):
            pass
    except XylemError as error:
        return error
    return None


@pytest.mark.parametrize("scanner", SCANNERS)
def test_names_without_end(scanner: str) -> None:
    data = b"<list>" + b"".join(b"<n%d/>" % i for i in range(50)) + b"</list>"
    query = "for $x in /list/* return name($x)"
    # Fifty names and the root's; the scanner in Python knows xml:id from the start.
    known = 51 if scanner == "kernel" else 52
    assert error_of(query, data, scanner, Limits(names=known)) is None
    assert error_of(query, data, scanner, Limits(names=known - 1)) is not None
    told = error_of(query, data, scanner, Limits(names=50))
    assert told is not None
    assert told.code == "XYIN0004"
    assert "names" in told.why
    assert "50" in told.why


@pytest.mark.skipif("kernel" not in SCANNERS, reason="the scanner in Python looks at all names")
def test_names_nobody_asks_for_do_not_count() -> None:
    data = b"<list>" + b"".join(b"<n%d><a/></n%d>" % (i, i) for i in range(50)) + b"<x/></list>"
    assert error_of("count(/list/x)", data, "kernel", Limits(names=5)) is None


@pytest.mark.parametrize("scanner", SCANNERS)
@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("for $i in /list/item order by $i/v return $i", "/list"),
        ("//section[not(draft)]/item", "/list/section/item"),
        ("string-join(//item)", "/list"),
        ("for $l in /list return ($l/none, $l/item)", "/list/item"),
    ],
)
def test_too_much_is_buffered(query: str, path: str, scanner: str) -> None:
    item = b"<item><v>some text</v></item>"
    data = b"<list>" + item * 100 + b"<section>" + item * 100 + b"</section></list>"
    told = error_of(query, data, scanner, Limits(buffered_bytes=600))
    assert told is not None
    assert told.code == "XYDY0005"
    assert "600 are allowed" in told.why
    assert f" at {path}" in told.why
    assert "bytes of input" in told.why
    assert "$" in told.why
