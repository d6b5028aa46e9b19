"""xs:integer of attributes and children of records, read for many records at once, is what it is for each."""

from __future__ import annotations

import pytest
import xylem
from xylem.errors import XylemError
from xylem.pipeline import StaticEnvironment, compile_stream
from xylem.source.resources import FileResources

QUERY = "for $r in /l/r return xs:integer($r/@a) + (xs:integer($r/b), 0)[1]"
VALUES = [("7", "1"), ("+5", "-3"), (" 12 ", " 4"), ("0017", None), ("123456789012345678901", "1"), ("-0", "&#x31;2")]


def document(rows: list[tuple[str, str | None]]) -> bytes:
    inner = "".join(f'<r a="{a}">{"" if b is None else f"<b>{b}</b>"}</r>' for a, b in rows)
    return f"<l>{inner}</l>".encode()


@pytest.mark.parametrize("scanner", ["kernel", "python"])
def test_values(scanner: str) -> None:
    program = compile_stream(QUERY, StaticEnvironment())
    answer = list(program.run(document(VALUES), FileResources(), scanner=scanner))
    assert answer == [8, 2, 16, 17, 123456789012345678902, 12]


@pytest.mark.parametrize(
    ("row", "code"),
    [("<r a='1.5'/>", "FORG0001"), ("<r a='1'><b>1</b><b>2</b></r>", "XPTY0004"), ("<r a=''/>", "FORG0001")],
)
def test_errors_come_with_their_record_and_place(row: str, code: str) -> None:
    feed = b"<l><r a='1'><b>2</b></r>" + row.encode() + b"</l>"
    result = iter(xylem.compile(QUERY).stream(feed))
    assert next(result) == 3
    with pytest.raises(XylemError) as caught:
        list(result)
    assert caught.value.code == code
    assert caught.value.span is not None


def test_a_missing_number_is_nothing() -> None:
    query = xylem.compile("for $r in /l/r return count(xs:integer($r/@a))")
    assert list(query.stream(b"<l><r/><r a='1'/></l>")) == [0, 1]


def test_what_is_not_asked_for_need_be_no_number() -> None:
    query = "for $r in /l/r return if ($r/@k = 'n') then xs:integer($r/@a) else 'text'"
    assert list(xylem.compile(query).stream(b"<l><r k='t' a='x'/><r k='n' a='5'/></l>")) == ["text", 5]
