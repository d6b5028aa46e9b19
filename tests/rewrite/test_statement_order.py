"""Programs with statements give, streamed and by tasks, what the reference gives, or keep the whole document."""

from __future__ import annotations

from pathlib import Path

import pytest
import xylem
from xylem.errors import XylemError
from xylem.pipeline import StaticEnvironment, compile_distributed
from xylem.run.tasks.in_process import run_in_process
from xylem.source.byte_ranges import ranges
from xylem.source.cut_points import find_cuts

from tests.reference import reference

HEAD = """
declare execution sequential;
declare variable $n as xs:integer := 0;
declare variable $m as map(*) := map { };
declare variable $t as map(xs:string, map(xs:string, xs:integer)) := map { };
declare variable $l := ();
declare variable $z := local:next();
declare function local:next() { { set $n := $n + 1; $n } };
declare function local:add($x) { { set $l := ($l, $x); count($l) } };
declare function local:two($x) { { set $n := $n + 1; $x } };
"""
RECORDS = [*(f'<r k="{number * 7 % 5}"/>' for number in range(11)), *(f'<s k="{number % 3}"/>' for number in range(5))]
INPUT = f"<l>{''.join(RECORDS)}</l>"
STREAMED = [
    "for $r in //r where $r/@k > 1 and not($r/x) return (local:next(), string($r/@k))",
    "for $r in //*[not(x)] return <e n='{ local:next() }'/>",
    "for $r in /l/r return { set $n := $n + 1; $n }",
    "count(for $r in /l/r return { set $n := $n + 1; $n })",
    "sum(for $r in /l/r return local:next())",
    "for $r in /l/r where local:next() mod 2 = 0 return string($r/@k)",
    "for $r in /l/r let $i := local:next() where $r/@k = '3' return $i",
    "for $r in /l/r let $i := local:next() order by $r/@k return $i",
    "for $r in /l/r order by local:next() descending return string($r/@k)",
    "for $r in /l/r group by $k := string($r/@k) return <g k='{$k}'>{count($r), local:next()}</g>",
    "for $r in /l/r let $i := local:next() group by $k := string($r/@k) return <g k='{$k}'>{sum($i)}</g>",
    "/l/r[local:next() mod 2 = 1]/string(@k)",
    "/l/r ! local:next()",
    "for-each(/l/r, function($r) { local:next() + number($r/@k) })",
    "filter(/l/r, function($r) { local:next() mod 3 = 0 })/@k/string()",
    "let $a := local:next() return for $r in /l/r return $a + $n",
    "for $r in /l/r return { let $old := $n return { set $n := $n + xs:integer($r/@k); ($old, $n) } }",
    "for $r in /l/r return <x>{ local:next() }{ $n }</x>",
    "for $r in /l/r return if (local:add(string($r/@k)) > 2) then $l[last()] else ()",
    "some $r in /l/r satisfies local:next() > 5",
    "fold-left(/l/r, 0, function($a, $r) { $a + local:next() })",
    "for $r in /l/r for $s in /l/s where $s/@k = $r/@k return local:next()",
    "for $r in /l/r let $c := count(/l/s[@k = $r/@k]) return ($c, local:next())",
    "for $r in /l/r return ($n, { set $n := $n + 1; () }, $n)",
    "for tumbling window $w in /l/r start at $i when true() end at $j when $j - $i = 2"
    " return <w>{ local:next(), count($w) }</w>",
    "for $r in /l/r let $k := string($r/@k) return { set $m := map:put($m, $k, ($m($k), 0)[1] + 1); $m($k) }",
    "(for $r in /l/r return { set $m := map:put($m, string($r/@k), 1); () }, map:size($m))",
    "for $r in /l/r let $k := string($r/@k), $b := $t($k) return { set $t := map:put($t, $k,"
    " map { 'n': ($b?n, 0)[1] + 1, 'last': $n }); set $n := $n + 1; ($b?n, $t($k)('last'), map:get($t($k), 'n')) }",
    "for $r in /l/* let $k := string($r/@k), $b := $t($k) return { if ($r/self::s) then set $t := map:remove($t, $k)"
    " else set $t := map:put($t, $k, map { 'n': count($b) + map:size($t) }); map:keys($t), $b?n }",
    "for $r in /l/r let $k := string($r/@k), $old := $t"
    " return { set $t := map:put($t, $k, map { 'n': map:size($old) }); deep-equal($old, $t), $old($k)?n, $t?*?n }",
    "<a>{ for $r in /l/r return { set $n := $n + 1; () } }<n>{ $n }</n></a>",
    "for $r in subsequence(/l/r, 2, 3) return local:next()",
    "head(for $r in /l/r return local:next())",
    "(for $r in /l/r return local:next())[position() <= 2]",
    "distinct-values(for $r in /l/r return local:next() mod 3)",
    "for $r at $p in /l/r return { set $n := $n + $p; $n }",
    "for $r in /l/r count $c return { set $n := $n + $c; $n }",
    "if (local:next() = 1) then for $r in /l/r return $n else ()",
    "for $r in /l/r return try { if (local:next() = 3) then error() else $n } catch * { -$n }",
    "string-join(for $r in /l/r return string(local:next()), ',')",
    "max(for $r in /l/r return { set $n := $n - 1; $n })",
    "reverse(for $r in /l/r return local:next())",
    "for $r in reverse(/l/r) return (local:next(), string($r/@k))",
    "sort(/l/r, (), function($r) { number($r/@k) + 0 * local:next() }) ! $n",
    "(/l/r/@k ! { set $n := $n + xs:integer(.); () }, $n)",
    "for $r in /l/r let $x := { set $n := $n + 1; () } return $n",
    "for $r in /l/r let $x := local:add($n) return { set $n := $n + $x; $n }",
    "for $r in /l/r return local:two($n)",
    "for $r in /l/r where $r/@k > 1 return (if ($n > 3) then 'x' else (), { set $n := $n + 1; () })",
    "let $f := function() { { set $n := $n + 1; $n } } return for $r in /l/r return ($f(), $f())",
    "let $f := function($r) { { set $n := $n + 1; $n } } return (for-each(/l/r, $f), $n)",
    "for $r in /l/r let $c := count($l) return { set $l := ($l, $c); sum($l) }",
    "for $r in /l/r return { set $l := ($l, $r)[position() > last() - 3]; string-join($l/@k, '-') }",
    "for $r in /l/r let $p := $n where $p < 5 return { set $n := $p + 1; $n }",
    "switch(local:next()) case 1 return for $r in /l/r return $n default return ()",
    "for $r in /l/r return switch($r/@k) case '1' return local:next() case '2' return -local:next() default return $n",
    "for $r in /l/r order by $r/@k return local:next()",
    "for $r in (for $x in /l/r order by $x/@k return $x) return (local:next(), string($r/@k))",
    "for $r in /l/r return (for $s in $r/@k return local:next())",
    "for $r in /l/*[self::r or self::s] return (name($r), local:next())",
    "for $r in //r return local:next()",
    "/l ! (for $r in r return local:next(), $n)",
    "for $l in /l for $r in $l/r return local:next()",
    "for $l in /l let $c := count($l/r) for $r in $l/r return (local:next(), $c)",
    "for $r in /l/r return element x { attribute n { local:next() }, $n, text { $n } }",
    "string-join(/l/r/@k ! string(local:next()), ' ')",
    "($z, for $r in /l/r return local:next())",
]
"""One part of each depends on statements and follows the stream."""
KEPT = [
    "(count(for $r in /l/r return { set $n := $n + 1; $n }), $n)",
    "let $a := local:next() let $b := local:next() return ($a, $b, $n)",
    "(let $a := $n return for $r in /l/r return { set $n := $n + 1; $a }, $n)",
    "(some $r in /l/r satisfies local:next() > 5, $n)",
    "((for $r in /l/r return local:next())[1], $n)",
    "for $k in distinct-values(/l/r/@k) return <g>{ $k, local:next(), count(/l/r[@k = $k]) }</g>",
    "(sum(for $r in /l/r return local:next()), sum(for $r in /l/r return local:next()))",
    "(for $r in /l/r return local:next(), sum(for $r in /l/r return local:next()))",
    "<a x='{sum(/l/r/@k)}'>{ count(for $r in /l/r return local:next()), count(/l/r[local:next() > 3]) }</a>",
    "(for $s in /l/s return local:next(), for $r in /l/r return local:next() * 100)",
    "(for $r in /l/r return (local:next(), 'r'), for $s in /l/s return (local:next(),'s'))",
    "(exists(/l/r[local:next() = 3]), $n)",
    "(every $r in /l/r satisfies local:next() < 3, $n)",
    "((/l/r[local:next() > 2])[1]/string(@k), $n)",
    "{ set $n := count(/l/r); for $r in /l/r return $n }",
    "{ set $n := sum(/l/s/@k); for $r in /l/r where $r/@k > $n div 2 return string($r/@k) }",
]
"""Taking turns would change what their parts see: the tree answers them."""


def answer_of(query: str) -> str:
    return reference(HEAD + query).run(xylem.parse(INPUT)).serialize()


def outcome(query: str) -> str:
    try:
        return answer_of(query)
    except XylemError as error:
        return error.code


def streamed(query: str) -> str:
    written: list[bytes] = []
    xylem.compile(HEAD + query).stream(INPUT.encode()).write_to(written.append)
    return b"".join(written).decode()


@pytest.mark.parametrize("query", STREAMED)
def test_it_streams_in_the_order_of_its_statements(query: str) -> None:
    assert streamed(query) == answer_of(query)


@pytest.mark.parametrize("query", KEPT)
def test_it_is_not_streamed_in_another_order(query: str) -> None:
    with pytest.raises(XylemError) as caught:
        streamed(query)
    assert caught.value.code == "XYST0004"


@pytest.mark.parametrize("query", [*STREAMED, *KEPT])
def test_the_tree_agrees_with_the_reference(query: str) -> None:
    try:
        made = xylem.compile(HEAD + query).run(xylem.parse(INPUT)).serialize()
    except XylemError as error:
        made = error.code
    assert made == outcome(query)


@pytest.mark.parametrize("query", STREAMED[::4])
def test_it_is_one_task(query: str, tmp_path: Path) -> None:
    file = tmp_path / "input.xml"
    file.write_text(INPUT)
    program = compile_distributed(HEAD + query, StaticEnvironment())
    assert not program.distribution.is_parallel
    cuts = find_cuts(file, program.scopes, 1) if program.cut_scopes else []
    assert run_in_process(program, ranges(file, cuts[2:4])) == answer_of(query)
