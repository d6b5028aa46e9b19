"""Projections in the spellings people use: what each is of, and that equal ones are planned alike."""

from __future__ import annotations

import pytest
import xylem
from xylem.errors import StaticError
from xylem.pipeline import StaticEnvironment, compile_history, compile_query

OVER_UPDATES = StaticEnvironment(over_updates=True)


def kept(query: str) -> set[tuple[str, int, str | None]]:
    """(path, versions, seconds) of what operators keep for a query."""
    plan = compile_history(query, OVER_UPDATES).plan
    assert not plan.whole, plan.whole
    return {(one.path, one.versions, one.seconds) for one in plan.kept}


@pytest.mark.parametrize(
    ("query", "path", "versions", "seconds"),
    [
        ("//t/q#1#1", "//t/q", 3, None),
        ("(//t/q#1)#1", "//t/q", 3, None),
        ("(//t/q)#1", "//t/q", 2, None),
        ("//t/q?30?30", "//t/q", 0, "60"),
        ("for $t in //t let $q := $t/q where $q > $q#1 return $q", "//t/q", 2, None),
        ("for $t in //t let $q := $t/q let $p := $q#1 where $q > $p#1 return $t/n", "//t/q", 3, None),
        ("//t[q#1 < q]/n", "//t/q", 2, None),
        ("count(//t[q#2])", "//t/q", 3, None),
        ("for $t in //t where exists($t[q#1 = 2]) return $t/n", "//t/q", 2, None),
    ],
)
def test_what_is_kept(query: str, path: str, versions: int, seconds: str | None) -> None:
    assert (path, versions, seconds) in kept(query)


def test_a_mixture_is_the_history_of_a_value() -> None:
    assert compile_history("//t/q?30#1", OVER_UPDATES).plan.whole


@pytest.mark.parametrize(
    "query",
    [
        "for-each(//t, qq#1)",
        "qq#1(//t)",
        "declare default function namespace 'urn:f'; //t[qq#1 = 2]",
        "//t[p:qq#1 = 2]",
    ],
)
def test_what_is_meant_as_a_function_stays_one(query: str) -> None:
    with pytest.raises(StaticError):
        compile_query(query, OVER_UPDATES)


def test_a_function_of_the_name_goes_before_a_child() -> None:
    compile_query("declare function local:f($x) { $x }; //t ! local:f#1(.), for-each(//t, name#1)", OVER_UPDATES)
    with pytest.raises(StaticError):
        compile_query("//t[q#1 = 2]", StaticEnvironment())


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("let $f := <b/>/name#0 return <a/>/$f()", ["b"]),
        ("[7, 8]?2", [8]),
        ("<a><b/></a>/child::b#0 ! name(.)", ["b"]),
    ],
)
def test_without_update_streams_the_standard_holds(query: str, expected: list[object]) -> None:
    assert list(xylem.compile(query).run()) == expected


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("(1 to 10)?1", "XPTY0004"),
        ("(<x>1</x>, <y>2</y>) / .?1", "XPTY0004"),
        ("(<x>1</x>, <y>2</y>) / ?1", "XPTY0004"),
        ("(['a', 'b'])[.?1.0 = 'a']", "XPST0003"),
        ("<a><b/></a>/b#0", "XPST0017"),
    ],
)
def test_without_update_streams_what_the_standard_forbids_is_an_error(query: str, code: str) -> None:
    with pytest.raises(xylem.XylemError) as caught:
        list(xylem.compile(query).run())
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("query", "displays"),
    [
        ("/a/name#1", ["", "<name>1</name>"]),  # a function has the name
        ("/a/name#1[. = '1']/string()", ["", "1"]),
        ("for $a in /a return $a/name#[1] ! string()", ["1", "2 1"]),
        ("let $m := [5, 6] return ($m?2, /a/name ! .?4)", ["6", "6<name>1</name>"]),
        ("/a/name/?4", ["", "<name>1</name>"]),
    ],
)
def test_over_update_streams_what_stands_behind_a_slash_is_a_version(query: str, displays: list[str]) -> None:
    stream = (
        b"<u:stream xmlns:u='urn:xylem:update'><a><name u:id='i'>1</name></a>"
        b"<u:replace of='i' t='5'><name>2</name></u:replace></u:stream>"
    )
    assert [answer.display.text for answer in xylem.history_query(query).answers(stream)] == displays
