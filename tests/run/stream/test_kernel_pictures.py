"""Pictures, tables of codes and errors that are caught, in results that the kernel writes."""

from __future__ import annotations

import pytest
import xylem
from xylem.errors import XylemError
from xylem.source.kernel import is_kernel_built

from .test_kernel_expressions import kernel_answers

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here")

ONE = "<d><r k='b' t='2024-02-29T13:05:09.25+01:00'><a>1234.565</a><b>7</b><b>x</b></r></d>"
TABLE = "map { 'a': 1, 'b': ('x', 2.5), 'c': () }"
ANSWERED = {
    "a number": "format-number($p/a, '#,##0.00')",
    "a number of another sign": "format-number(-$p/a, '#,##0.0;(#,##0.0)')",
    "a share": "format-number($p/b[1] div 9, '0.0%')",
    "no number": "format-number($p/zzz, '0')",
    "an integer": "format-integer($p/b[1], '000;o')",
    "a date": "format-date(xs:date(substring($p/@t, 1, 10)), '[FNn,3-3], [D1o] [MNn] [Y], [d], [W]')",
    "a moment": "format-dateTime($p/@t, '[Y01]/[M]/[D] [h]:[m01]:[s] [P] [f001] [z] [Z0]')",
    "a time": "format-time(xs:time(substring-after($p/@t, 'T')), '[H01][m01]')",
    "another zone": "adjust-dateTime-to-timezone($p/@t, xs:dayTimeDuration('-PT8H')), timezone-from-dateTime($p/@t)",
    "a day and a time": "dateTime(xs:date('2024-01-01'), xs:time('12:00:00Z')), hours-from-time(xs:time('12:00:00'))",
    "the first of two days": "min((xs:dateTime($p/@t), xs:dateTime('2024-01-01T00:00:00Z')))",
    "a table": f"{TABLE}($p/@k), map:get({TABLE}, 'c'), map:contains({TABLE}, $p/@k), {TABLE}?b, {TABLE}?($p/@k)",
    "an error of a cast": "try { xs:integer($p/b[2]) } catch * { 0 }, try { xs:integer($p/b[1]) } catch * { 0 }",
    "an error in a sum": "try { 1 + xs:double($p/b[2]) } catch * { 'none' }, $p/b[2] castable as xs:date",
    "a string with parts": "``[<`{ $p/b }`|`{ $p/@k }`>]``",
    "words and letters": "contains-token($p/b[1], '7'), string-to-codepoints($p/@k), codepoints-to-string((97, 98))",
    "places": "index-of(($p/b/string(), 'y'), string($p/b[2])), compare($p/@k, 'a'), 1 to $p/b[1]",
    "types": "$p/b/data() instance of xs:string, xs:integer($p/b[1]) instance of xs:decimal",
}


@pytest.mark.parametrize("name", ANSWERED)
def test_the_kernel_answers(name: str) -> None:
    assert kernel_answers(f"for $p in /d/r return <o>{{ {ANSWERED[name]} }}</o>", ONE)


@pytest.mark.parametrize(
    "expression",
    [
        "format-number('1', '0')",
        "format-date($p/@t, '[Y]')",
        "format-dateTime($p/@t, '[q]')",
        "format-date(xs:date('2024-01-01'), '[H]')",
        "map { 'a': 1 }($p/b)",
        "map { 'a': 1 }($p/zzz)",
        "(try { xs:integer($p/b) } catch * { 0 }) + xs:integer($p/b[2])",
        "adjust-date-to-timezone(xs:date('2024-01-01'), xs:dayTimeDuration('PT15H'))",
        "dateTime(xs:date('2024-01-01Z'), xs:time('12:00:00+01:00'))",
        "codepoints-to-string(0)",
    ],
)
def test_errors_are_those_of_the_query(expression: str) -> None:
    assert not kernel_answers(f"for $p in /d/r return\n<o>{{ {expression} }}</o>", ONE)


PROLOG = {
    "declare variable $t := map { 'b': 'two', 'x': (1, 2) };": "two 1 2",
    "declare variable $t := map:merge(for $n in ('b', 'x') return map:entry($n, upper-case($n)));": "B X",
    "declare variable $t := map:merge((map { 'b': 1 }, map { 'x': true() }));": "1 true",
    "declare variable $t := map { 'b': 1, 2: 'x' };": "1 none",
    "declare variable $t := map { 'b': xs:anyURI('u'), 'x': xs:date('2024-01-01') };": "u 2024-01-01",
}


@pytest.mark.parametrize("prolog", PROLOG)
def test_tables_of_the_prolog(prolog: str) -> None:
    text = f"{prolog} for $p in /d/r return <o>{{ $t($p/@k), if (map:contains($t, 'x')) then $t?x else 'none' }}</o>"
    out = bytearray()
    xylem.compile(text).stream(ONE.encode()).write_to(out.extend)
    assert out.decode() == f"<o>{PROLOG[prolog]}</o>"


def test_tables_that_are_given() -> None:
    text = "declare variable $t as map(*) external := map { 'b': 'here' }; for $p in /d/r return <o>{ $t($p/@k) }</o>"
    query = xylem.compile(text)
    for variables, expected in (({}, "here"), ({"t": {"b": "given"}}, "given"), ({"t": {"b": [1, 2]}}, "1 2")):
        out = bytearray()
        query.stream(ONE.encode(), variables).write_to(out.extend)
        assert out.decode() == f"<o>{expected}</o>"
    with pytest.raises(XylemError):
        query.stream(ONE.encode(), {"t": 5}).write_to(out.extend)


def test_decimal_formats_of_the_query() -> None:
    text = (
        "declare default decimal-format decimal-separator = ',' grouping-separator = '.'; "
        "declare decimal-format local:x NaN = '-'; declare decimal-format x minus-sign = '~'; "
        "for $p in /d/r return <o>{ format-number($p/a, '#.##0,0'), format-number(-$p/a, '0.0', 'x'), "
        "format-number($p/zzz, '0', 'local:x') }</o>"
    )
    out = bytearray()
    xylem.compile(text).stream(ONE.encode()).write_to(out.extend)
    assert out.decode() == "<o>1.234,6 ~1234.6 -</o>"
    assert xylem.compile(text).run(xylem.parse(ONE)).serialize() == out.decode()
