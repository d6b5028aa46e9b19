"""Infinite sequences: what blocks is a static error with its cause; what does not runs, and keeps little."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import count, islice
from typing import Any

import pytest
import xylem
from xylem.analysis.boundedness.function_table import READINGS, Reading
from xylem.errors import DynamicError, StaticError
from xylem.functions.library import load_all

S = "declare variable $s as xs:integer** external; "
X = "declare variable $x as element(x)** external; "


def numbers() -> Iterator[int]:
    yield from count(1)


def nodes() -> Iterator[Any]:
    for number in count(1):
        yield next(iter(xylem.compile("/x").run(xylem.parse(f"<x v='{number}' k='{number % 3}'><y>{number}</y></x>"))))


def first(query: str, wanted: int, **streams: Any) -> list[Any]:
    result = xylem.compile(query).run(variables=streams)
    return [getattr(item, "string_value", item) for item in islice(result, wanted)]


# --- the table


def test_every_function_of_sequences_is_in_the_table() -> None:
    taking = {
        key
        for key, builtin in load_all().items()
        if any(kind[-1] in "*+" and not kind.startswith("function") for kind in builtin.parameters)
    }
    assert taking == set(READINGS)


def test_what_does_not_block_is_read_lazily() -> None:
    builtins = load_all()
    for key, readings in READINGS.items():
        for index, reading in enumerate(readings):
            if reading is not Reading.BLOCKS:
                assert index in builtins[key].lazy, key


def test_the_table_has_an_entry_for_each_sequence_argument() -> None:
    for key, builtin in load_all().items():
        for index, kind in enumerate(builtin.parameters):
            if kind[-1] in "*+" and not kind.startswith("function"):
                assert index < len(READINGS[key]), (key, index)


# --- blocking

BLOCKING = [
    ("count($s)", "count($s) ← $s is infinite"),
    ("let $avg := avg($s) return $avg", "$avg ← avg($s) ← $s is infinite"),
    ("let $a := $s[. gt 3] return let $b := sum($a) return $b", "$b ← sum($a) ← $a ← $s[. gt 3] ← $s is infinite"),
    ("for $x in $s order by $x return $x", "order by ← $s is infinite"),
    ("for $x in $s group by $k := $x mod 2 return count($x)", "group by ← $s is infinite"),
    ("$s[last()]", "last() ← $s is infinite"),
    ("$s[position() lt last()]", "last() ← $s is infinite"),
    ("reverse($s)", "reverse($s) ← $s is infinite"),
    ("sort($s)", "sort($s) ← $s is infinite"),
    ("string-join($s)", "string-join($s) ← $s is infinite"),
    ("fold-left($s, 0, function($a, $b) { $a + $b })", "fold-left("),
    ("$s => max()", "$s => max() ← $s is infinite"),
    ("$s + 1", "$s + 1 ← $s is infinite"),
    ("$s instance of xs:integer*", "← $s is infinite"),
    ("for $i in 1 to 2 return <a>{ $s }</a>", "<a>{ $s }</a> ← $s is infinite"),
    ("let $e := <a>{ $s }</a> return $e", "$e ← <a>{ $s }</a> ← $s is infinite"),
    ("try { $s } catch * { 0 }", "← $s is infinite"),
    ("map { 'a': $s }", "← $s is infinite"),
    ("let $f := count#1 return $f($s)", "← $s is infinite"),
    ("switch ($s) case 1 return 1 default return 2", "switch ← $s is infinite"),
    ("switch (1) case $s return 1 default return 2", "switch ← $s is infinite"),
    ("count(switch (1) case 1 return $s default return 2)", "← $s is infinite"),
    ("typeswitch ($s) case xs:integer return 1 default return 2", "typeswitch ← $s is infinite"),
    ("max(for $x in $s return $x * 2)", "max("),
    ("count((1, 2, $s))", "← $s is infinite"),
    ("let $t as xs:integer* := $s return $t", "$t ← $s is infinite"),
]


@pytest.mark.parametrize(("query", "chain"), BLOCKING, ids=[query for query, _ in BLOCKING])
def test_blocking_is_a_static_error_with_its_cause(query: str, chain: str) -> None:
    with pytest.raises(StaticError) as caught:
        xylem.compile(S + query)
    assert caught.value.code == "XYST0010"
    assert caught.value.span is not None
    assert chain in str(caught.value)
    assert caught.value.hint


def test_the_place_is_the_operation() -> None:
    with pytest.raises(StaticError) as caught:
        xylem.compile(S + "\nlet $a := 1\nreturn (2, max($s))")
    span = caught.value.span
    assert span is not None
    assert (span.line, span.column) == (3, 12)


def test_nodes_of_a_stream_have_no_neighbours() -> None:
    for axis in ("..", "following::y", "preceding-sibling::x"):
        with pytest.raises(StaticError) as caught:
            xylem.compile(f"{X} $x/{axis}")
        assert caught.value.code == "XYST0010"
    with pytest.raises(StaticError):
        xylem.compile(f"{X} $x | <a/>")


def test_functions_say_what_they_take_and_give() -> None:
    with pytest.raises(StaticError) as caught:
        xylem.compile(S + "declare function local:f($a) { head($a) }; local:f($s)")
    assert caught.value.code == "XYST0010"
    assert "$a as item()**" in caught.value.hint
    with pytest.raises(StaticError) as caught:
        xylem.compile(S + "declare function local:f() as xs:integer* { $s }; local:f()[1]")
    assert caught.value.code == "XYST0010"
    with pytest.raises(StaticError):
        xylem.compile("declare function local:f($a as xs:integer**) { count($a) }; 1")


# --- what runs

RUNNING = [
    ("$s[3]", [3]),
    ("head($s)", [1]),
    ("subsequence($s, 3, 2)", [3, 4]),
    ("subsequence($s, 3)", [3, 4, 5]),
    ("tail($s)", [2, 3, 4]),
    ("$s[position() le 2]", [1, 2]),
    ("$s[position() = 2 to 3]", [2, 3]),
    ("count($s[position() = (2, 4)])", [2]),
    ("count($s[position() gt 2 and 5 ge position()])", [3]),
    ("count($s[position() lt 6 and . mod 2 eq 0])", [2]),
    ("count($s[position() le 0])", [0]),
    ("$s[position() ge 2][position() lt 3]", [2, 3]),
    ("$s[. mod 2 eq 0]", [2, 4, 6]),
    ("for $x at $i in $s where $x gt 3 return $x * $i", [16, 25, 36]),
    ("for $x in $s let $y := $x + 1 count $c where $c mod 2 eq 0 return ($y, $c)", [3, 2, 5]),
    ("distinct-values($s ! (. idiv 3))", [0, 1, 2]),
    ("exists($s)", [True]),
    ("empty($s)", [False]),
    ("not($s)", None),
    ("some $x in $s satisfies $x gt 5", [True]),
    ("every $x in $s satisfies $x lt 5", [False]),
    ("$s = 7", [True]),
    ("7 = $s", [True]),
    ("10 < $s", [True]),
    ("index-of($s, 4)", [4]),
    ("insert-before($s, 2, (0, 0))", [1, 0, 0]),
    ("remove($s, 1)", [2, 3, 4]),
    ("for-each($s, function($x) { -$x })", [-1, -2, -3]),
    ("filter($s, function($x) { $x gt 2 })", [3, 4, 5]),
    ("for-each-pair($s, 1 to 2, function($a, $b) { $a + $b })", [2, 4]),
    ("$s ! string()", ["1", "2", "3"]),
    ("(0, $s)", [0, 1, 2]),
    ("if (1 lt 2) then $s else ()", [1, 2, 3]),
    ("switch (head($s)) case 1 return $s default return ()", [1, 2, 3]),
    ("for $x in (typeswitch (head($s)) case xs:string return () default return $s) return -$x", [-1, -2, -3]),
    ("let $t := $s[. gt 2] return $t", [3, 4, 5]),
    ("let $t := $s return ($t[2], $t[1], head($t))", [2, 1, 1]),
    ("data($s)", [1, 2, 3]),
    ("unordered($s)", [1, 2, 3]),
    ("one-or-more($s)", [1, 2, 3]),
    ("for tumbling window $w in $s start at $i when true() end at $j when $j - $i eq 1 return sum($w)", [3, 7, 11]),
    ("for sliding window $w in $s start at $i when true() end at $j when $j - $i eq 1 return sum($w)", [3, 5, 7]),
    ("forseq $w in $s landmark window start position $i when $i eq 1 end when true() return sum($w)", [1, 3, 6]),
    ("forseq $w in $s tumbling window start when true() end when false() return $w[1]", [1]),
    ("forseq $w in $s tumbling window start when true() end when false() return for $x in $w return $x", [1, 2, 3]),
]


@pytest.mark.parametrize(("query", "expected"), RUNNING, ids=[query for query, _ in RUNNING])
def test_what_does_not_block_runs(query: str, expected: list[Any] | None) -> None:
    if expected is None:
        # The effective boolean value of two numbers is an error, and two are read.
        with pytest.raises(DynamicError):
            first(S + query, 1, s=numbers())
        return
    # No more is asked for than is expected: some would look for another one for ever.
    assert first(S + query, len(expected), s=numbers()) == expected


def test_paths_over_infinite_nodes() -> None:
    assert first(X + "$x/y", 3, x=nodes()) == ["1", "2", "3"]
    assert first(X + "$x/@v", 3, x=nodes()) == ["1", "2", "3"]
    assert first(X + "$x[@k = 0]/y/string()", 2, x=nodes()) == ["3", "6"]
    assert first(X + "$x//y[. > 2]", 2, x=nodes()) == ["3", "4"]
    assert first(X + "$x[y = 5]/@v", 1, x=nodes()) == ["5"]
    assert first(X + "distinct-values($x/@k)", 3, x=nodes()) == ["1", "2", "0"]


def test_functions_over_infinite_arguments() -> None:
    declared = "declare function local:odd($a as xs:integer**) as xs:integer** { $a[. mod 2 eq 1] }; "
    assert first(S + declared + "local:odd($s)", 3, s=numbers()) == [1, 3, 5]
    assert first(S + declared + "subsequence(local:odd(tail($s)), 1, 2)", 3, s=numbers()) == [3, 5]


def test_named_streams() -> None:
    query = xylem.compile("for $t in stream('ticks') where $t mod 3 eq 0 return $t")
    assert list(islice(query.run(streams={"ticks": numbers()}), 2)) == [3, 6]
    with pytest.raises(DynamicError) as caught:
        list(query.run(streams={"other": [1]}))
    assert caught.value.code == "XYIN0030"
    assert "other" in str(caught.value)


def test_results_come_before_more_is_read() -> None:
    read: list[int] = []

    def watched() -> Iterator[int]:
        for number in count(1):
            read.append(number)
            yield number

    text = S + "for tumbling window $w in $s start at $i when true() end at $j when $j - $i eq 1 return <w>{ $w }</w>"
    result = iter(xylem.compile(text).run(variables={"s": watched()}))
    next(result)
    assert read == [1, 2]
    next(result)
    assert read == [1, 2, 3, 4]


def test_an_item_that_does_not_fit_is_an_error_when_it_comes() -> None:
    result = iter(xylem.compile(S + "$s").run(variables={"s": [1, "a"]}))
    assert next(result) == 1
    with pytest.raises(DynamicError) as caught:
        next(result)
    assert caught.value.code == "XPTY0004"


# --- windows by key

KEYED = """
    declare variable $log as element(e){} external;
    for $u in distinct-values($log/@k)
    forseq $w in $log[@k eq $u] {} window
      start curItem $s, position $i when {}
      {} end curItem $e, position $j when {}
    return concat($u, ' ', $i, '-', $j, ' ', sum($w/@v), ' ', $s/@k)"""


def keyed(rng: random.Random) -> list[str]:
    kind = rng.choice(("tumbling", "sliding", "landmark"))
    start = rng.choice(("true()", "$s/@v > 3", "$i mod 2 eq 1"))
    end = rng.choice(("$j - $i eq 1", "$e/@v > $s/@v", "$e/@v = 5 and $u ne 'c'", "false()"))
    return [kind, start, rng.choice(("", "force")), end]


def test_windows_by_key_are_those_of_each_key() -> None:
    """Over an infinite log windows of all keys come as they end; those of one key are the ones of the finite query."""
    rng = random.Random("keys")
    for _ in range(150):
        parts = keyed(rng)
        entries = "".join(f"<e k='{rng.choice('abc')}' v='{rng.randint(0, 6)}'/>" for _ in range(rng.randint(0, 15)))
        log = list(xylem.compile("/l/e").run(xylem.parse(f"<l>{entries}</l>")))
        finite = list(xylem.compile(KEYED.format("*", *parts)).run(variables={"log": log}))
        infinite = list(xylem.compile(KEYED.format("**", *parts)).run(variables={"log": iter(log)}))
        assert sorted(infinite, key=lambda text: text[0]) == sorted(finite, key=lambda text: text[0]), (parts, entries)


def test_windows_by_key_never_wait() -> None:
    query = (
        X
        + "for $k in distinct-values($x/@k) forseq $w in $x[@k eq $k] tumbling window start when true() "
        + ("end position $j when $j mod 2 eq 0 return concat($k, ':', string-join($w/@v, '+'))")
    )
    assert first(query, 4, x=nodes()) == ["1:1+4", "2:2+5", "0:3+6", "1:7+10"]
    result = xylem.compile(query.replace("@k", "@v")).run(variables={"x": nodes()}, held_items=20)
    with pytest.raises(DynamicError) as caught:
        list(result)
    assert caught.value.code == "XYDY0010"
    assert "windows by key" in xylem.compile(query).explain().to_text()


# --- limits and warnings


def test_what_grows_is_capped() -> None:
    query = xylem.compile(S + "distinct-values($s)")
    result = query.run(variables={"s": numbers()}, held_items=100)
    with pytest.raises(DynamicError) as caught:
        list(result)
    assert caught.value.code == "XYDY0010"
    query = xylem.compile(S + "for $x in 1 to 2 return $s[. gt 1000]")
    with pytest.raises(DynamicError) as caught:
        list(query.run(variables={"s": numbers()}, held_items=100))
    assert caught.value.code == "XYDY0010"


def test_two_readers_share_what_they_read_together() -> None:
    query = xylem.compile(S + "for-each-pair($s, tail($s), function($a, $b) { $a * $b })")
    assert list(islice(query.run(variables={"s": numbers()}, held_items=5), 1000))[-1] == 1000 * 1001


def test_explain_tells_what_grows_and_what_may_not_end() -> None:
    text = xylem.compile(S + "distinct-values($s)[1], some $x in $s satisfies $x gt 5").explain().to_text()
    assert "keeps every different value" in text
    assert "which may be never" in text
    text = xylem.compile(S + "for $a in 1 to 2 for $b in $s return $b").explain().to_text()
    assert "never ends" in text


def test_explain_tells_how_windows_are_kept() -> None:
    query = (
        "forseq $w in 1 to 9 sliding window start position $s when true() "
        "end position $e when $e - $s ge 2 return sum($w)"
    )
    text = xylem.compile(query).explain().to_text()
    assert "window index" in text
    assert "kept as items pass" in text
    assert "no item of a window is kept" in text


# --- sequential programs


def test_set_is_for_variables_of_the_prolog() -> None:
    assert list(
        xylem.compile("declare execution sequential; declare variable $x := 1; set $x := $x + 1; $x").run()
    ) == [2]
    with pytest.raises(StaticError) as caught:
        xylem.compile("declare execution sequential; let $x := 1 return { set $x := 2; $x }")
    assert caught.value.code == "XYST0011"
    with pytest.raises(StaticError) as caught:
        xylem.compile("declare execution sequential; set $y := 2")
    assert caught.value.code == "XPST0008"


def test_statements_are_carried_out_in_order() -> None:
    query = """declare execution sequential; declare variable $n as xs:integer := 0;
               for $x in (5, 3, 4) order by $x return { set $n := $n + $x; $n }"""
    assert list(xylem.compile(query).run()) == [3, 7, 12]
    assert list(xylem.compile(query).run()) == [3, 7, 12]


def test_a_variable_keeps_its_type() -> None:
    query = "declare execution sequential; declare variable $x as xs:int := 0; set $x := 'a'; $x"
    with pytest.raises(DynamicError) as caught:
        list(xylem.compile(query).run())
    assert caught.value.code == "XPTY0004"
