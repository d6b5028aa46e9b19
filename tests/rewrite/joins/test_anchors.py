"""What starts at a node that is the same for many turns: as the reference says, and in linear time."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import xylem
from xylem.pipeline import StaticEnvironment
from xylem.plan.operators import Bind
from xylem.query.compiled_query import CompiledQuery
from xylem.source.xml_reader import read_document

from tests.reference import reference
from tests.rewrite.joins.test_siblings import document, streamed
from tests.spellings.growth import growth

LOOKED_UP = [
    "for $t in //t return count($t/parent::g/t[v = $t/v])",
    "for $t in //t return count($t/ancestor::s//t[@k = 9][v = $t/v])",
    "for $t in //t return $t/ancestor::s/g[1]/t[@k = 9][v = $t/v][2]/@k/string()",
    "for $t in //t where some $u in $t/../../g/t satisfies $u/v = $t/@k return $t/v",
    "for $t in //t[@k = 9] for $u in $t/ancestor::s/g/t where $u/v = $t/@k return $u/v",
    "//t[ancestor::g/t/v = @k]/v",
    "for $t in //t where $t/@k = $t/ancestor::s//t/v return $t/v",
    "declare function local:f($d as node(), $k) { $d//t[v = $k][1]/@k/string() };"
    " for $t in //t return local:f(root($t), $t/v)",
    "declare function local:f($d, $k) { exists($d/s/g/t[@k = $k]) }; for $t in //t return local:f(/, $t/@k)",
    "let $f := function($d, $k) { count($d//t[v = $k]) } for $t in //t return $f(root($t), $t/v)",
]
SHARED = [
    "//t[v = max(../t/v)]/@k/string()",
    "for $t in //t where $t/v > avg($t/../t/v) return $t/@k/string()",
    "for $t in //t let $all := $t/../t return sum($all/v) - $t/v",
    "for $t in //t return sum(for $u in $t/ancestor::s/g/t where $u/v > 1 return $u/v * 2)",
    "for $t in //t return $t/../t[last()]/@k/string()",
    "for $t in //t return $t/../t[position() = last() - 1]/@k/string()",
    "for $t in //t return $t/../t[v > 1][1]/@k/string()",
    "for $t in //t return ($t/../t)[last()]/v",
    "for $t at $i in //t return $t/../t[$i + 1]/v",
    "for $t at $i in //t return subsequence($t/../t, $i, 1)/v",
    "for $t in //t return index-of($t/../t/@k, $t/@k)[1]",
    "for $t in //t return count($t/ancestor::*//t[v > 2])",
    "for $t in //t return (some $u in $t/../t satisfies $u/v > 99)",
    "for $t in //t return root($t)//t[last()]/v",
    "for $t in //t return /s//t[v > 99]/@k/string()",
    "for $t in //t[position() mod 2 = 0] return /s/g/t[position() = 5]/@k/string()",
    "for $t in //t return (for $u in //t where $u/v > 99 return $u/@k/string())",
    "for $t in //t return $t/../t[1]/v",
    "for $t in //t return ($t/../t)[2]/v",
    "for $t in //t return head($t/../t)/v",
    "for $t in //t return ($t/../t, 1)[1]",
    "for $t in //t return ($t/../t => tail())[1]/@k/string()",
    "for $t in //t return distinct-values($t/../t/v)[1]",
    "for $t in //t return ($t/v, $t/../x)",
    "for $t in /s/g/t return <a x='{ $t/../x }'>{ $t/v, /s/t[1]/@k/string() }</a>",
    "for $t in //t let $all := $t/../t return ($all[1]/v, count($all))",
    "for $t in //t let $all := $t/../t/v return max($all) - min($all)",
    "for $t in //t let $all := $t/../t for $u in $all where $u/v = concat('z', $t/v) return $u/v",
    "for $t in //t return <a>{ for $u in $t/../t where $u/v = concat('z', $t/v) return $u }</a>",
    "//t[../x = '']/v",
    "//t/concat(v, ../x, /s/t[last()]/@k)",
    "declare function local:m($t) { max($t/../t/v) }; for $t in //t where $t/v = local:m($t) return $t/@k/string()",
]
READ = [
    "for $t in //t return sum(for $t in $t/../t return $t/../t[1]/v)",
    "for $t in //t return sum($t/../t/v) + sum(($t/../t/v, $t/../../g/t/@k))",
    "for $t in (//t, <x><t><v>7</v></t><t><v>8</v></t></x>/t) return max($t/../t/v)",
    "for $t in //t return max($t/../t/(v, 'x'))",
    "for $t in (//t, <t><v>1</v></t>) return count($t/../t[v > 0])",
    "for $t in //t return count($t/../t ! <n/>)",
    "for $t in //t let $all := $t/../t return for $t in $all[1] return ($all[2]/v, $t/v)",
    "for $t in //t let $all := $t/../t group by $k := $t/@k return count($all)",
    "for $t in //t let $all := $t/../t order by $all[1]/v, $t/@k return $t/v",
    "//g/t/(let $all := ../t return $all[v = current-date()])",
    "for $t in //t return trace($t/../t)[1]/v",
    "for $t in //t return ($t/../t => subsequence(2, 1), $t => count())",
    "for $t in //t let $f := function($n) { $t/../t[$n] } return $f(2)/v",
    "for $t in //t return ($t/../t => filter(function($u) { $u is $t }))/v",
    "for $g in //g return $g/t/../t[position() = last() - 1]/@k/string()",
    "declare function local:f($d, $k) { for $x in $d//t where $x/v = $k return $x/@k/string() };"
    " for $t in //t return local:f(//g, $t/v)",
    "declare function local:f($d, $k) { $d//t/v = $k }; for $t in //t return local:f((//g)[1], $t/@k)",
    "declare function local:f($n, $k) { count($n//t[v = $k]) + sum(for $c in $n/* return local:f($c, $k)) };"
    " local:f(/, 3)",
    "declare function local:f($n, $k) { $n/a/b[@x = $k] }; local:f(1, 3)",
    "declare function local:f($n, $k) { $n//b[@x = $k] }; local:f((), 3)",
    "for $t in //t, $u in //t[1] return $t/../t[v = $u/v]/@k/string()",
    "for $t in //t return $t/ancestor-or-self::t//t[@k = $t/@k]/@k/string()",
    "for $t in //t return <a>{ <x><t><v>1</v></t><t><v>2</v></t></x>//t[v = $t/v] }</a>",
    "for $t in //t for $u in $t/../t[v = $t/v] return $u/../t[@k = $t/@k][@k = $u/@k]/v",
]


@pytest.mark.parametrize("query", [*LOOKED_UP, *SHARED, *READ])
def test_answers(query: str) -> None:
    tree = xylem.parse(document(12))
    expected = answer(lambda: reference(query).run(tree).serialize())
    assert answer(lambda: xylem.compile(query).run(tree).serialize()) == expected


@pytest.mark.parametrize("query", [*SHARED, *READ])
def test_answers_of_a_stream(query: str) -> None:
    text = document(12)
    expected = answer(lambda: reference(query).run(xylem.parse(text)).serialize())
    assert streamed(xylem.compile(query), text) in (expected, "XYST0004")


def answer(run: Callable[[], str]) -> str:
    """As text, or the code of an error."""
    try:
        return run()
    except xylem.XylemError as error:
        return error.code


@pytest.mark.parametrize("query", [*LOOKED_UP, *SHARED])
def test_time_is_linear(query: str) -> None:
    compiled = xylem.compile(query)

    def over(size: int) -> Callable[[], object]:
        tree = read_document(document(size), reader="python")
        return lambda: compiled.run(tree).serialize()

    assert growth(over) in ("linear", "between")


@pytest.mark.parametrize("query", [one for one in SHARED if "subsequence" not in one])
def test_time_of_a_stream_is_linear(query: str) -> None:
    compiled = xylem.compile(query)

    def over(size: int) -> Callable[[], object]:
        data = document(size).encode()
        return lambda: compiled.stream(data).write_to(lambda _: None)

    assert growth(over) in ("linear", "between")


def test_explain_shows_a_loop_that_is_evaluated_once() -> None:
    plan = CompiledQuery("for $t in //t return /s//t[v > 99]/@k/string()", StaticEnvironment()).stream_operators()
    assert [one.is_kept for one in plan.operators() if isinstance(one, Bind) and one.variable == "shared"] == [True]
