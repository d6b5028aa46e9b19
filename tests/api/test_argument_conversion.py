"""Arguments that need no conversion at run time are converted as all others are (XQuery 3.1 §3.1.5.2)."""

from __future__ import annotations

import pytest
import xylem
from xylem.errors import DynamicError

DOCUMENT = "<r><one>  some   text </one><two>a</two><two>b</two><n>4.5</n><p a='x'/><!--c--></r>"


def answer(query: str) -> str:
    return xylem.compile(query).run(context=xylem.parse(DOCUMENT)).serialize(method="text")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("normalize-space(/r/one)", "some text"),
        ("concat('[', normalize-space(/r/none), ']')", "[]"),
        ("upper-case(/r/p/@a)", "X"),
        ("upper-case(/r/one/text())", "  SOME   TEXT "),
        ("string-length(/r/comment())", "1"),
        ("substring(/r/n, 2, 1)", "."),
        ("substring('12345', 1.5, 2.6)", "234"),
        ("substring('12345', 0)", "12345"),
        ("substring('12345', 123456789012345678)", ""),
        ("substring('12345', -42, 1 div 0e0)", "12345"),
        ("math:sqrt(16) instance of xs:double", "true"),
        ("abs(7) instance of xs:integer", "true"),
        ("declare function local:f($x as xs:double) { $x instance of xs:double }; local:f(3)", "true"),
        ("declare function local:f($x as xs:string?) { $x instance of xs:string }; local:f(/r/one)", "true"),
        ("declare function local:f($x as xs:string?) { empty($x) }; local:f(/r/none)", "true"),
    ],
)
def test_conversion(query: str, expected: str) -> None:
    assert answer(query) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('<a b="{ /r/one }"/>/@b', "  some   text "),
        ('<a b="{ /r/two }"/>/@b', "a b"),
        ('concat("[", <a b="{ /r/none }"/>/@b, "]")', "[]"),
        ('<a b="x{ /r/comment() }{ /r/p/@a }"/>/@b', "xcx"),
        ("string-join(sort(('b', 'B', 'a', '\U0001f600', '\uff5e')))", "Bab\uff5e\U0001f600"),
        ("sort(('b', 'a'), 'http://www.w3.org/2005/xpath-functions/collation/html-ascii-case-insensitive')", "a b"),
        ("sort((3, 1.5, 2e0))", "1.5 2 3"),
        ("sort(/r/two)", "a b"),
        ("min((/r/n)) instance of xs:double", "true"),
        ("max(xs:date('2024-01-02'))", "2024-01-02"),
        ("min((xs:float('NaN'))) instance of xs:float", "true"),
        ("max(xs:anyURI('u')) instance of xs:anyURI", "true"),
    ],
)
def test_values_that_are_alone_or_of_one_kind(query: str, expected: str) -> None:
    assert answer(f"string-join(({query}) ! string(), ' ')") == expected


@pytest.mark.parametrize("query", ["max(xs:QName('a'))", "min(map {})", "max(/r/one)", "sort(('a', 1))"])
def test_what_has_no_order(query: str) -> None:
    with pytest.raises(DynamicError):
        answer(query)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("normalize-space(/r/two)", "argument 1 of normalize-space()"),
        ("declare function local:f($x as xs:string) { $x }; local:f(/r/none)", "local:f"),
        ("declare function local:f($x as xs:string) { $x }; local:f(/r/two)", "local:f"),
    ],
)
def test_as_many_as_expected(query: str, said: str) -> None:
    with pytest.raises(DynamicError, match="XPTY0004") as raised:
        answer(query)
    assert said in str(raised.value)
