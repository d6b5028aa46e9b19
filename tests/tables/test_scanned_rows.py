"""Rows that the scan writes are those of the query over a tree, whatever stands in the input."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
import xylem
from xylem.errors import XylemError
from xylem.run.stream.row_text import RowText
from xylem.source.kernel import is_kernel_built
from xylem.tables.frames import arrow_reader

from tests import turns

pa = pytest.importorskip("pyarrow")
KINDS = (
    ("7", " 7 ", "-3", "+4", "007"),
    ("1.5", "1e3", "INF", "NaN", "7", "-0", ".5"),
    ("12.50", "7", "-0.125"),
    ("2024-02-29", "2024-01-02Z", "1999-12-31"),
    ("2024-01-02T03:04:05", "2024-01-02T03:04:05.25+01:00", "2024-01-02T24:00:00"),
    ("true", "false", "1", "0"),
    ("x", "", "a&amp;b", "two\nlines", "é\u2028", "<i>in</i>side", "&#9;t"),
)
"""Texts that are written by the scan, left to the query, or an error, depending on the type that is wanted."""
SELDOM = ("123456789012345678901", "0.1234567890123456789", "99999999999", "2023-02-29", "nan", "")
VALUES = (
    "string($o/{p})",
    "data($o/{p})",
    "xs:integer($o/{p})",
    "xs:int($o/{p})",
    "xs:double($o/{p})",
    "$o/{p} cast as xs:decimal?",
    "$o/{p} cast as xs:integer",
    "xs:date($o/{p})",
    "xs:dateTime($o/{p})",
    "xs:boolean($o/{p})",
    "xs:integer(string($o/{p}))",
    "number($o/{p})",
    "count($o/{p})",
    "$o/{p}/string()",
    "$o/{p}",
    "'constant'",
    "12",
    "xs:string($o/{p})",
    "string-length(string($o/{p}))",
    # computed by the kernel
    "upper-case($o/{p})",
    "$o/{p} * 2",
    "xs:double($o/{p}) div 3",
    "xs:integer($o/{p}) + 1",
    "xs:decimal($o/{p}) * 2",
    "sum($o/{p})",
    "max($o/{p}/number())",
    "round(number($o/{p}))",
    "if ($o/{p} = '7') then 'seven' else 'other'",
    "if ($o/{p}) then xs:integer($o/{p}) else ()",
    "$o/{p} = '7'",
    "$o/{p} || '-' || $o/@a",
    "string-join($o/{p}, '|')",
    "substring($o/{p}[1], 1, 1)",
    "tokenize($o/{p}[1], ',')",
    "$o/{p} ! upper-case(.)",
    "xs:date($o/{p}) + xs:dayTimeDuration('P1D')",
    "year-from-date(xs:date($o/{p}))",
    "xs:date('2024-02-29')",
)
PATHS = ("@a", "@b", "c", "c/text()", "d/e", "d/@f", "c//i", "*/e", "text()")
SHAPES = (
    "for $o in //o return map {{ 'x': {0}, 'y': {1} }}",
    "//o ! (let $o := . return map {{ 'x': {0}, 'y': {1} }})",
    "for $o in //o where $o/@a = '7' return map {{ 'x': {0}, 'y': {1} }}",
    "for $o in //o return if ($o/c = 'x') then map {{ 'x': {0} }} else map {{ 'x': {0}, 'z': {1} }}",
    "for $p in /r/g for $o in $p/o return map {{ 'x': {0}, 'g': string($p/@n), 'y': {1} }}",
    "for $o in //o return <o x='{{ {0} }}'><y>{{ {1} }}</y></o>",
    "for $o in //o return <o><x>{{ {0} }}</x> <y>{{ {1} }}</y></o>",
    "for $o in //o return {0}",
    "for $o in //o let $v := {1} return map {{ 'x': $v, 'y': {0} }}",
    "for $o in //o[c] return map {{ 'x': {0}, 'y': {1} }}",
)


def document(random: random.Random) -> bytes:
    texts = (*random.choice(KINDS), *random.choice(KINDS)) if random.random() < 0.2 else random.choice(KINDS)
    if random.random() < 0.1:
        texts += SELDOM
    usual = random.random() < 0.7

    def text() -> str:
        return random.choice(texts)

    def element() -> Iterator[str]:
        for name in "ab":
            if random.random() < 0.9:
                yield f' {name}="{text().replace("<i>", "").replace("</i>", "")}"'
        yield ">"
        for _ in range(1 if usual else random.randrange(3)):
            yield f"<c>{text()}</c>"
        for _ in range(1 if usual else random.randrange(3)):
            yield f"<d f='{random.randrange(9)}'><e>{text()}</e></d>"

    groups = (
        f"<g n='{number}'>" + "".join(f"<o{''.join(element())}</o>" for _ in range(random.randrange(6))) + "</g>"
        for number in range(4)
    )
    return f"<r>{''.join(groups)}</r>".encode()


def outcome(read: Any) -> Any:
    """The rows by column, or the code of the error."""
    try:
        table = read()
    except XylemError as error:
        return error.code
    return table.schema, table.to_pydict()


def over_a_tree(text: str, document: bytes) -> Any:
    query = xylem.compile(text)
    return lambda: arrow_reader(query.compiled, query.run(xylem.parse(document)).drawn()).read_all()


def written_rows(text: str, document: bytes) -> int:
    rows = xylem.compile(text).for_tables().stream(document).rows()
    return sum(row.rows for row in rows if isinstance(row, RowText))


@pytest.mark.parametrize("seed", range(2000 if turns.is_campaign() else 40))
def test_as_over_a_tree(seed: int) -> None:
    chance = random.Random(seed if turns.is_campaign() else turns.today() * 1000 + seed)
    values = [chance.choice(VALUES).format(p=chance.choice(PATHS)) for _ in range(2)]
    text = chance.choice(SHAPES).format(*values)
    for _ in range(4):
        data = document(chance)
        found = outcome(lambda data=data: xylem.compile(text).to_arrow(data, batch_rows=3).read_all())
        assert repr(found) == repr(outcome(over_a_tree(text, data))), (text, data)


needs_kernel = pytest.mark.skipif(not is_kernel_built(), reason="the scan writes rows in the kernel")


@needs_kernel
@pytest.mark.parametrize(
    "query",
    [
        "//o ! map { 'a': string(@a), 'n': xs:integer(@b), 'c': data(c) }",
        "for $o in //o return <o a='{ $o/@a }'><c>{ $o/c/text() }</c><n>{ xs:integer($o/@b) }</n></o>",
        "//o/string(c)",
        "//o/@a/string()",
        "for $o in //o return map { 'd': xs:date($o/@a), 'n': count($o/c), 'k': 'always' }",
        "//o ! map { 'n': string-length(c), 'u': upper-case(c), 'b': xs:integer(@b) * 2, 's': sum(@b) }",
        "for $o in //o return <o n='{ string-length($o/c) }'><b>{ $o/@b * 2 }</b></o>",
        "for $o in //o return $o/@b * 2",
        "//o ! map { 'size': if (@b > 7) then 'large' else 'small', 'k': xs:date('2024-01-01') }",
    ],
)
def test_the_scan_writes_what_is_plain(query: str) -> None:
    data = b"<r><o a='2024-01-02' b='7'><c>x</c></o><o a='2024-01-03' b='8'><c>y</c></o></r>"
    assert written_rows(query, data) == 2


@pytest.mark.parametrize(
    "text",
    [
        "for $o in //o return <o><t>{ xs:time($o/@a) }</t></o>",  # a type that no column of the scan has
        "for tumbling window $w in //o start at $s when 1 end at $e when $e > $s return <w n='{ count($w) }'/>",
    ],
)
def test_elements_that_the_scan_writes_as_xml_are_no_rows(text: str) -> None:
    data = b"<r><o a='01:02:03'/><o a='04:05:06'/></r>"
    found = outcome(lambda: xylem.compile(text).to_arrow(data).read_all())
    assert not isinstance(found, str)
    assert repr(found) == repr(outcome(over_a_tree(text, data)))


@needs_kernel
def test_a_value_of_another_type_is_the_error_of_the_query_at_its_place() -> None:
    query = "//o ! map { 'n': xs:integer(@a) }"
    reader = xylem.compile(query).to_arrow(b"<r><o a='1'/><o a='2'/><o a='x'/></r>", batch_rows=2)
    assert reader.read_next_batch().to_pydict() == {"n": [1, 2]}
    with pytest.raises(XylemError, match="FORG0001") as raised:
        reader.read_next_batch()
    assert raised.value.span is not None
    assert raised.value.span.column == 18
