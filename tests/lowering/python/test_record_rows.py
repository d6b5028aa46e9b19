"""Tables of records are read by rows: the answers are those of a variable of which nothing is known."""

from __future__ import annotations

import pytest
import xylem
from xylem.errors import XylemError
from xylem.pipeline import StaticEnvironment, compile_query

BODY = """
declare function local:add($k as xs:integer, $by as xs:integer) as xs:integer {
  let $was := $t($k)
  let $n as xs:integer := if (empty($was)) then $by else $was?n + $by
  return { set $t := map:put($t, $k, map { "n": $n, "last": $by }); $n }
};
declare function local:n($r as map(*)?) { $r?n };
declare function local:record($k) { $t($k) };
"""
HEAD = "declare execution sequential; declare variable $t as map(xs:integer, map(xs:string, xs:integer)) := map { };"
TYPED = f"{HEAD} {BODY}"
PLAIN = f"declare execution sequential; declare variable $t as item()* := map {{ }}; {BODY}"
FILLED = "for $i in 1 to 9 return local:add($i mod 4, $i);"
OTHER = 'set $t := map:put($t, 7, map { "last": 5, "n": 6, "more": 8 });'
SHORT = 'set $t := map:put($t, 8, map { "last": 5 });'
PROGRAMS = [
    "for $i in (1, 2, 1, 1, 2) return local:add($i, 10)",
    f"{{ {FILLED} let $r := $t(1) return ($r?n, $r('last'), map:get($r, 'n'), $r?more, empty($r), count($r)) }}",
    f"{{ {FILLED} let $r := $t(99) return ($r?n, empty($r), exists($r), count($r)) }}",
    f"{{ {FILLED} (map:get($t, 1)?n, $t?1?n, $t?(1)?n, $t(1)('n'), map:get($t(1), 'n'), $t(1) ! ?n) }}",
    f"{{ {FILLED} for $k in 0 to 5 return ($t($k)?n, -1)[1] }}",
    f"{{ {FILLED} {OTHER} for $k in (1, 7) let $r := $t($k) return ($r?n, $r?last, $r?more, map:size($r)) }}",
    f"{{ {OTHER} {FILLED} for $k in (1, 7) let $r := $t($k) return ($r?n, $r?last, $r?more, map:size($r)) }}",
    f"{{ {FILLED} {SHORT} let $r := $t(8) return (empty($r?n), $r?last, map:keys($r)) }}",
    f"{{ {FILLED} {OTHER} {SHORT} map:for-each($t, function($k, $r) {{ ($k, sort($r?*)) }}) }}",
    f"{{ {FILLED} {OTHER} for $k in map:keys($t) return local:add($k, 100) }}",
    f"{{ {FILLED} let $r := $t(1) return (local:n($r), map:keys($r), $r?*, deep-equal($r, $t(1))) }}",
    f"{{ {FILLED} let $f := function($x) {{ $x?n }} for $k in 0 to 3 let $r := $t($k) return $f($r) }}",
    f"{{ {FILLED} for $k in 0 to 3 let $r := $t($k) return (function() {{ $r?n + $r?last }})() }}",
    f"{{ {FILLED} let $all := for $k in 0 to 5 let $r := $t($k) where $r?n gt 9 return $r return $all?n }}",
    f"{{ {FILLED} let $r := local:record(2) return ($r?n, local:record(99)?n) }}",
    f"{{ {FILLED} let $r as map(xs:string, xs:integer) := $t(1) return ($r?n, $r?last) }}",
    f"{{ {FILLED} let $r as map(*)? := $t(1) return ($r?n, $r?last) }}",
    f"{{ {FILLED} let $r as item()* := $t(1) return ($r?n, $r?last) }}",
    f"{{ {FILLED} let $r as map(xs:string, xs:integer) := $t(99) return $r?n }}",
    f"{{ {FILLED} let $r as xs:integer := $t(1) return $r }}",
    f"{{ {FILLED} let $r as array(*) := $t(1) return $r }}",
    f"{{ {FILLED} let $r := $t(1) return $r + 1 }}",
    f"{{ {FILLED} let $r := $t(1) return if ($r) then 1 else 2 }}",
    f"{{ {FILLED} $t((1, 2))?n }}",
    f"{{ {FILLED} $t(())?n }}",
    f"{{ {FILLED} $t('1')?n }}",
    f"{{ {FILLED} ($t(1.0)?n, $t(1e0)?n, $t(xs:short(1))?n) }}",
    f"{{ {FILLED} set $t := map:put($t, xs:short(1), map {{ 'n': 3, 'last': 4 }});"
    " for $k in map:keys($t) return ($k instance of xs:short, $t($k)?n) }",
    f"{{ {FILLED} let $old := $t return {{ local:add(1, 1000); ($old(1)?n, $t(1)?n) }} }}",
    f"{{ {FILLED} let $old := $t(1) return {{ local:add(1, 1000); ($old?n, $t(1)?n) }} }}",
    f"{{ {FILLED} for $k in map:keys($t) return {{ local:add($k + 50, 1); $k }}, map:size($t) }}",
    f"{{ {FILLED} (map:for-each($t, function($k, $r) {{ local:add($k + 50, 1) }}), map:size($t)) }}",
    f"{{ {FILLED} set $t := map:remove($t, 2); local:add(2, 5); (map:keys($t), $t(2)?n) }}",
    f"{{ {FILLED} (map:size(map:remove($t, 2)), local:add(2, 5), map:contains($t, 2), map:contains($t, 77)) }}",
    f"{{ {FILLED} set $t := map:merge(($t, map {{ 40: map {{ 'n': 1, 'last': 2 }} }}));"
    " (local:add(40, 1), local:add(1, 1)) }",
    f"{{ {FILLED} set $t := map {{ }}; (map:size($t), local:add(1, 2), map:size($t)) }}",
    f"{{ {FILLED} serialize($t, map {{ 'method': 'json' }}), serialize($t, map {{ 'method': 'adaptive' }}) }}",
    f"{{ {FILLED} let $r := map {{ 'n': 4, 'last': 5 }} return {{ set $t := map:put($t, 1, $r); $t(1)?n, $r?n }} }}",
    f"{{ {FILLED} set $t := map:put($t, 1, map:put($t(1), 'n', 0)); ($t(1)?n, $t(1)?last, local:add(1, 7)) }}",
    f"{{ {FILLED} let $a := $t(1), $b := $t(2) return ($a?n lt $b?n and $a?last gt 0, $a?x eq 1 or $b?n eq 8) }}",
    f"{{ {FILLED} let $a := $t(1), $b := $t(55) return ($a?n idiv $a?last, $b?n idiv 2, $a?n mod -4, -$a?n idiv 2) }}",
    f"{{ {FILLED} not($t(1)?n eq 3) and (($t(1)?n, $t(70)?n) = 15), boolean($t(70)?n gt 1), $t(70)?n gt 1 }}",
]


def outcome(query: str) -> object:
    try:
        return list(xylem.compile(query).run())
    except XylemError as error:
        return error.code


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_means_the_same_whatever_is_known_of_its_table(program: str) -> None:
    expected = outcome(f"{PLAIN} {program}")
    assert outcome(f"{TYPED} {program}") == expected
    # The key is not known to be an integer in the type of the table.
    changed = TYPED.replace("xs:integer, map", "xs:anyAtomicType, map")
    assert outcome(f"{changed} {program}") == expected


def test_a_record_of_a_table_is_read_by_its_place() -> None:
    put = "set $t := map:put($t, 1, map { 'n': 1, 'last': 2 });"
    query = f"{HEAD} {{ {put} let $r := $t(1) return (empty($r), $r?n, $r('last'), map:get($r, 'n'), $t(2)?last) }}"
    code = compile_query(query, StaticEnvironment()).code
    assert "record_of_row(" not in code
    assert "item_at(" not in code
    assert code.count("put_row(") == 1


@pytest.mark.parametrize("key", ["$i", "string($i)"])
def test_a_table_is_changed_in_place(key: str) -> None:
    kind = "xs:integer" if key == "$i" else "xs:string"
    head = f"declare execution sequential; declare variable $t as map({kind}, map(xs:string, xs:integer)) := map {{ }};"
    put = f"set $t := map:put($t, {key}, map {{ 'n': ($t({key})?n, 0)[1] + 1 }})"
    query = f"{head} {{ for $i in (1 to 50000, 1 to 50000) return {put}; (map:size($t), sum($t?*?n)) }}"
    assert outcome(query) == [50000, 100000]
