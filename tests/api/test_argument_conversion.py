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
