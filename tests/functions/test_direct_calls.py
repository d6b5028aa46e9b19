"""Functions written as Python expressions mean what the functions themselves do, to the type and the error."""

from __future__ import annotations

import pytest
import xylem
from xylem.errors import XylemError

_TEXTS = (
    "()",
    "''",
    "' '",
    "'tree'",
    "'a, b,c, '",
    "' Straße  und\tWeg\n'",
    "'&#x10000;𝔘b&#xA0;c'",
    "xs:token('to ken')",
    "xs:untypedAtomic('un, typed')",
    "xs:anyURI('http://x, y')",
    "<e>ele, ment</e>",
    "<e a='at, tribute'/>/@a",
    "(<r><n>one</n><n>two</n></r>/n)",
    "<r><n>one</n><n>two</n></r>/n[2]",
    "<r/>/n",
    "('x', 'y')",
    "12",
    "true()",
)
_OF_TEXT: tuple[tuple[str, ...], ...] = (
    ("upper-case",),
    ("lower-case",),
    ("string-length",),
    ("normalize-space",),
    ("substring", "2"),
    ("substring", "0"),
    ("substring", "3", "2"),
    ("substring", "0", "3"),
    ("substring", "3", "0"),
    ("substring", "0", "1"),
    ("substring", "2", "100000"),
    ("substring", "1.5", "2.5"),
    ("substring", "-1", "4"),
    ("substring", "2", "xs:double('NaN')"),
    ("tokenize", "','"),
    ("tokenize", "', '"),
    ("tokenize", "'\\s+'"),
    ("tokenize", "'\\.'"),
    ("tokenize", "'.'"),
    ("tokenize", "''"),
    ("tokenize", "'('"),
    ("replace", "'e'", "'E'"),
    ("replace", "'t.'", "'[$0]'"),
    ("replace", "'e'", "'\\$'"),
    ("replace", "'e'", "'$'"),
    ("replace", "''", "'x'"),
    ("replace", "'\\.'", "''"),
    ("matches", "'e'"),
    ("matches", "'^e'"),
    ("matches", "''"),
    ("contains", "'e'"),
    ("contains", "()"),
    ("starts-with", "' '"),
    ("ends-with", "xs:untypedAtomic('typed')"),
    ("string-join", "'+'"),
    ("sort",),
    ("count",),
)


def _outcome(query: str) -> str:
    """The items with their types, or the code of the error."""
    described = f"for $r in ({query}) return (string($r), $r instance of xs:string, $r instance of xs:integer)"
    try:
        return repr(list(xylem.compile(described).run()))
    except XylemError as error:
        return error.code


@pytest.mark.parametrize("call", _OF_TEXT, ids=" ".join)
def test_a_call_is_what_a_call_of_the_function_as_a_value_is(call: tuple[str, ...]) -> None:
    name, *rest = call
    for text in _TEXTS:
        arguments = ", ".join((text, *rest))
        dynamic = _outcome(f"let $f := {name}#{len(call)} return $f({arguments})")
        assert _outcome(f"{name}({arguments})") == dynamic, arguments


@pytest.mark.parametrize(
    "query",
    [
        "year-from-date({})",
        "month-from-date({})",
        "day-from-date({})",
        "year-from-date(min(({}, xs:date('2001-02-03'))))",
        "year-from-date(max({}))",
    ],
)
def test_parts_of_dates(query: str) -> None:
    name = query[: query.index("(")]
    for date in ("()", "xs:date('2024-02-29')", "xs:date('-0044-03-15Z')", "'2024-02-29'", "xs:date('0000-01-01')"):
        direct = query.format(date)
        assert _outcome(direct) == _outcome(f"let $f := {name}#1 return $f({direct[len(name) + 1 : -1]})")


@pytest.mark.parametrize(
    "text", ["2024-02-30", "2023-02-29", "24-01-01", "2024-1-01", " 2024-02-29 ", "2024-02-29Z", "-0001-01-01", "x", ""]
)
def test_dates_of_strings_are_cast_alike_everywhere(text: str) -> None:
    direct = _outcome(f"xs:date('{text}')")
    assert direct == _outcome(f"let $f := xs:date#1 return $f('{text}')")
    assert direct == _outcome(f"xs:date(<d>{text}</d>)")
    # The second time it is known already.
    assert direct == _outcome(f"'{text}' cast as xs:date")


@pytest.mark.parametrize(
    "items",
    ["()", "1, 3, 2", "'b', 'a'", "1, 2.5", "xs:double('NaN'), 1e0", "xs:byte(3), xs:short(-2)", "<a>3</a>, <a>2</a>"],
)
def test_extremes_and_order_keep_their_types(items: str) -> None:
    for name in ("min", "max", "sort"):
        kinds = "for $r in {} return ($r, $r instance of xs:integer, $r instance of xs:double, $r instance of xs:byte)"
        direct = list(map(str, xylem.compile(kinds.format(f"{name}(({items}))")).run()))
        dynamic = list(map(str, xylem.compile(f"let $f := {name}#1 " + kinds.format(f"$f(({items}))")).run()))
        assert direct == dynamic


def test_a_default_collation_is_obeyed() -> None:
    collation = "http://www.w3.org/2005/xpath-functions/collation/html-ascii-case-insensitive"
    prolog = f'declare default collation "{collation}"; '
    assert list(xylem.compile(prolog + "contains('TREE', 'e'), starts-with('Tree', 't')").run()) == [True, True]
    assert list(xylem.compile(prolog + "sort(('b', 'A', 'C'))").run()) == ["A", "b", "C"]


def test_steps_are_read_for_their_characters() -> None:
    query = """
        for $i in <r><i a="1"><n>x</n></i><i><n>y</n><n>z</n></i><i a="3"/></r>/i
        return (<o a="{ $i/@a }" n="{ $i/n }" t="{ $i/n/text() }"/>, string-length($i/@a), upper-case($i/@a))
    """
    assert xylem.compile(query).run().serialize() == (
        '<o a="1" n="x" t="x"/>1 1<o a="" n="y z" t="y z"/>0 <o a="3" n="" t=""/>1 3'
    )
    with pytest.raises(XylemError) as raised:
        list(xylem.compile("for $i in <i><n>y</n><n>z</n></i> return upper-case($i/n)").run())
    assert raised.value.code == "XPTY0004"
    with pytest.raises(XylemError) as raised:
        list(xylem.compile("for $i in <i><n>y</n><n>z</n></i> order by $i/n return 1").run())
    assert raised.value.code == "XPTY0004"


def test_loops_and_maps_in_place_see_their_variables() -> None:
    query = """
        for $a in 1 to 3
        let $b := for $x in 1 to $a where $x ne 2 return $x * $a
        let $c := ("x", "y") ! (. || $a)
        let $d := (for $y in $b order by -$y return $y)
        return string-join(($b, $c, $d, (1 to 2) ! (position() * $a + last())), ",")
    """
    assert list(xylem.compile(query).run()) == ["1,x1,y1,1,3,4", "2,x2,y2,2,4,6", "3,9,x3,y3,9,3,5,8"]
    assert list(xylem.compile("let $e := for $x in () return $x return count($e)").run()) == [0]
    assert list(xylem.compile("((1 to 1000000000) ! (. + 1))[2]").run()) == [3]
