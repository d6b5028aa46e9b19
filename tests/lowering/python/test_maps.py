"""Maps whose types are known: the same answers, whatever is known of them before the run."""

from __future__ import annotations

import pytest
import xylem
from xylem.errors import XylemError

CASES = {
    "a record": ('let $m := map { "a": 1, "b": "x" } return ($m?a, $m?b, $m?c, $m("a"), map:size($m))', [1, "x", 1, 2]),
    "not one item": ("let $m := map { 'a': (1, 2), 'b': () } return (count($m?a), count($m?b), exists($m?c))",
                     [2, 0, False]),
    "either of two": ("for $i in 1 to 2 let $m := if ($i = 1) then map { 'a': 1 } else map { 'a': 'x', 'b': 2 }"
                      "return ($m?a, $m?b)",
                      [1, "x", 2]),
    "no map at all": ("let $m := if (1 = 2) then map { 'a': 1 } else () return (1, $m?a)", [1]),
    "typed parameter": ("declare function local:f($m as map(xs:string, xs:integer)) { $m?a + $m?b };"
                        "local:f(map { 'a': 1, 'b': 2 }), local:f(map:put(map { 'a': 1 }, 'b', 5))", [3, 6]),
    "many values": ("declare function local:f($m as map(xs:integer, xs:integer*)) { count($m(1)), sum($m(2)) };"
                    "local:f(map { 1: (1, 2), 2: (3, 4) })", [2, 7]),
    "empty map": ("let $m := map { } return (count($m?a), map:size(map:put($m, 1, 'x')), map:put($m, 1, 'x')(1))",
                  [0, 1, "x"]),
    "merged": ("let $m := map:merge(for $i in 1 to 3 return map:entry($i, $i * 2)) return $m(2) + $m(3)", [10]),
    "another key of the same number": ("let $m := map { 1: 'x' } return ($m(1.0), $m(1e0), count($m(true())))",
                                       ["x", "x", 0]),
    "keys that are computed": ("let $k := 'a' return map { $k: 1, 'b': 2 }?a", [1]),
    "removed": ("let $m := map:remove(map { 'a': 1, 'b': 2 }, 'a') return (count($m?a), $m?b)", [0, 2]),
}  # fmt: skip


TYPED = "declare function local:f($m as map(xs:string, xs:integer)) { $m?a };"


@pytest.mark.parametrize("name", CASES)
def test_answer(name: str) -> None:
    query, answer = CASES[name]
    assert list(xylem.compile(query).run()) == answer


@pytest.mark.parametrize(
    ("query", "code"),
    [
        (f"{TYPED} local:f(map {{ 'a': 'x' }})", "XPTY0004"),
        (f"{TYPED} local:f(map {{ 'a': (1, 2) }})", "XPTY0004"),
        ("map { 'a': 1, 'a': 2 }", "XQDY0137"),
        ("let $x as xs:integer := map { 'a': 1 }?b return $x", "XPTY0004"),
        ("let $x as xs:integer := map { 'a': 'y' }?a return $x", "XPTY0004"),
    ],
)
def test_error(query: str, code: str) -> None:
    with pytest.raises(XylemError) as caught:
        list(xylem.compile(query).run())
    assert caught.value.code == code
