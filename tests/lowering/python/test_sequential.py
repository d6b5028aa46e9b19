"""Variables that change: tables are changed in place, and nobody who has an earlier version notices."""

from __future__ import annotations

import pytest
import xylem
from xylem.errors import XylemError

HEAD = "declare execution sequential; declare variable $m as map(xs:integer, xs:integer) := map { 1: 10 };"


def answer(query: str) -> list[object]:
    return list(xylem.compile(query).run())


@pytest.mark.parametrize("size", [2, 200])
def test_an_earlier_version_stays_what_it_was(size: int) -> None:
    fill = f"for $i in 1 to {size} return set $m := map:put($m, $i, $i);"
    change = "let $old := $m return { set $m := map:put($m, 1, -1); ($old(1), $m(1), map:size($m)) }"
    assert answer(f"{HEAD} {{ {fill} {change} }}") == [1, -1, size]


@pytest.mark.parametrize("size", [2, 200])
def test_a_loop_over_a_table_that_changes_sees_it_as_it_was(size: int) -> None:
    fill = f"for $i in 1 to {size} return set $m := map:put($m, $i, $i);"
    change = "for $k in map:keys($m) return { set $m := map:put($m, $k + 1000, 0); $k }"
    assert answer(f"{HEAD} {{ {fill} ({change}, map:size($m)) }}") == [*range(1, size + 1), 2 * size]


def test_a_table_within_itself() -> None:
    head = "declare execution sequential; declare variable $m as map(*) := map { 'a': 1 };"
    assert answer(f"{head} {{ set $m := map:put($m, 'self', $m); ($m?self?a, count($m?self?self)) }}") == [1, 0]


def test_a_version_in_another_table() -> None:
    head = f"{HEAD} declare variable $kept as map(*)* := ();"
    changes = "set $kept := $m; set $m := map:put($m, 1, 11); set $m := map:put($m, 1, 12);"
    assert answer(f"{head} {{ {changes} ($kept ! .(1), $m(1)) }}") == [10, 12]


def test_a_million_changes_do_not_copy_the_table() -> None:
    query = f"{HEAD} {{ for $i in 1 to 100000 return set $m := map:put($m, $i, $i); (map:size($m), $m(70000)) }}"
    assert answer(query) == [100000, 70000]


@pytest.mark.parametrize(
    "statement",
    [
        "set $m := map:put($m, 1, 'x')",
        "set $m := map:put($m, 1, (1, 2))",
        "set $m := map:put($m, 'k', 1)",
        "set $m := map { 'k': 1 }",
        "set $m := ()",
    ],
)
def test_a_value_of_another_type_is_refused(statement: str) -> None:
    with pytest.raises(XylemError) as caught:
        answer(f"{HEAD} {{ {statement}; 1 }}")
    assert caught.value.code == "XPTY0004"


def test_functions_that_give_nothing_are_called_for_what_they_do() -> None:
    declared = "declare function local:f($i as xs:integer) as empty-sequence() { set $m := map:put($m, 1, $i) };"
    assert answer(f"{HEAD} {declared} {{ (for $i in 1 to 2 return local:f($i), $m(1)) }}") == [2]
    assert answer(f"{HEAD} {declared} {{ if ($m(1) eq 10) then local:f(5) else (); $m(1) }}") == [5]


def test_records_that_are_and_are_not_those_of_the_table() -> None:
    query = """
        declare execution sequential;
        declare variable $m as map(xs:integer, map(xs:string, xs:integer)) := map { 0: map { "b": 7 } };
        {
          for $i in 1 to 3 return set $m := map:put($m, $i, map { "a": $i, "b": -$i });
          for $i in 0 to 4 let $r := $m($i) return string-join(("r", $r?a, $r?b), ":")
        }"""
    assert answer(query) == ["r:7", "r:1:-1", "r:2:-2", "r:3:-3", "r"]
