"""Projections in the spellings people use: what each is of, and that equal ones are planned alike."""

from __future__ import annotations

import pytest
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
