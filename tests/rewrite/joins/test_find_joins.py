"""Joins are found in every spelling, and give what the nested loops give; where they must not be, they are not."""

from __future__ import annotations

import pytest
import xylem
from hypothesis import given, settings
from hypothesis import strategies as st
from xylem.api import Query
from xylem.errors import XylemError

from tests.reference import reference

P = "/r/p"
C = "/r/c"

SAME = [
    # where, in both directions, split, and with `let`
    f"for $p in {P} for $c in {C} where $c/@k = $p/@id return <m p='{{$p/@n}}' c='{{$c/@n}}'/>",
    f"for $p in {P} for $c in {C} where $p/@id = $c/@k return <m p='{{$p/@n}}' c='{{$c/@n}}'/>",
    f"for $p in {P}, $c in {C}[@k = $p/@id] return <m p='{{$p/@n}}' c='{{$c/@n}}'/>",
    f"for $p in {P} return {C}[@k = $p/@id] ! <m p='{{$p/@n}}' c='{{@n}}'/>",
    f"for $p in {P} return {C}[$p/@id = @k] ! <m p='{{$p/@n}}' c='{{@n}}'/>",
    f"for $p in {P} let $a := {C}[@k = $p/@id] for $c in $a return <m p='{{$p/@n}}' c='{{$c/@n}}'/>",
    f"let $all := {C} for $p in {P} for $c in $all where $c/@k = $p/@id return <m p='{{$p/@n}}' c='{{$c/@n}}'/>",
    f"for $p in {P} let $all := {C} for $c in $all[@k = $p/@id] return <m p='{{$p/@n}}' c='{{$c/@n}}'/>",
    f"for $p in {P} return for $c in {C} return if ($c/@k = $p/@id) then <m p='{{$p/@n}}' c='{{$c/@n}}'/> else ()",
    f"for $p in {P} for $c in filter({C}, function($c) {{ $c/@k = $p/@id }}) "
    "return <m p='{$p/@n}' c='{$c/@n}'/>",
    "declare function local:is($c, $p) { $c/@k = $p/@id }; "
    f"for $p in {P} for $c in {C} where local:is($c, $p) return <m p='{{$p/@n}}' c='{{$c/@n}}'/>",
    f"{P} ! (let $p := . return {C}[@k = $p/@id] ! <m p='{{$p/@n}}' c='{{@n}}'/>)",
    f"for $p in {P}, $c in {C} let $k := $c/@k where $k = $p/@id return <m p='{{$p/@n}}' c='{{$c/@n}}'/>",
    f"for $p in {P}, $c in {C} where some $k in $c/@k satisfies $k = $p/@id return <m p='{{$p/@n}}' c='{{$c/@n}}'/>",
    f"for $p in {P}, $c in {C} where exists($c/@k[. = $p/@id]) return <m p='{{$p/@n}}' c='{{$c/@n}}'/>",
    f"for $p in {P}, $c in {C} where $c[@k = $p/@id] return <m p='{{$p/@n}}' c='{{$c/@n}}'/>",
    f"for $p in {P}, $c in {C} where not(empty($c/@k[$p/@id = .])) return <m p='{{$p/@n}}' c='{{$c/@n}}'/>",
    f"for $p in {P}, $c in {C} where count($c/@k[. = $p/@id]) > 0 return <m p='{{$p/@n}}' c='{{$c/@n}}'/>",
    f"for $p as element() in {P}, $c as element(c) in {C} where $c/@k = $p/@id "
    "return <m p='{$p/@n}' c='{$c/@n}'/>",
    f"for $p in {P} for $c in {C} return (<m p='{{$p/@n}}' c='{{$c/@n}}'/>)[$c/@k = $p/@id]",
    f"for $p in {P}, $c in {C} where (if ($c/@k = $p/@id) then true() else false()) and $c "
    "return <m p='{$p/@n}' c='{$c/@n}'/>",
    "declare function local:not($p, $c) { if ($c/@k = $p/@id) then false() else true() }; "
    f"for $p in {P}, $c in {C} where not(local:not($p, $c)) return <m p='{{$p/@n}}' c='{{$c/@n}}'/>",
    f"for $p in {P} return /r/(c | d)[@k = $p/@id] ! <m p='{{$p/@n}}' c='{{@n}}'/>",
    f"for $p in {P} return /r/c/@k[. = $p/@id]/.. ! <m p='{{$p/@n}}' c='{{@n}}'/>",
    f"for $p in {P} for $c in {C}, $i in $p/@id where $c/@k = $i return <m p='{{$p/@n}}' c='{{$c/@n}}'/>",
]
"""All pairs with equal keys."""

JOINED = [
    # sums with zeros
    f"for $p in {P} return sum(for $c in {C} return if ($c/@k = $p/@id) then $c/@v else 0)",
    f"for $p in {P} return sum({C} ! (if (not(@k = $p/@id)) then 0 else @n/number(.)))",
    f"for $p in {P} return 1 div sum(for $c in {C} return if ($c/@k = $p/@id) then xs:double('-0') else 0)",
    # numbers as keys
    f"for $p at $i in {P} for $c at $j in {C} where $j = $i return <m p='{{$p/@n}}' c='{{$c/@n}}'/>",
    f"for $p at $i in {P} for $c at $j in {C} where $j eq $i + 1 and $c/@k = $p/@id return $c/@n/string()",
    f"for $p in {P} for $c at $j in {C} where concat($c/@k, $j) = concat($p/@id, 1) return ($j, $c/@n/string())",
    f"for $p at $i in {P} return count(for $c at $j in {C} where $j < $i return $c)",
    # one of two conditions is the same at each turn
    f"for $p in {P} return {C}[@k = $p/@id or @n = '1']/@n/string()",
    f"for $p in {P}, $c in {C} where $c/@n = '0' or $p/@id = $c/@k return <m p='{{$p/@n}}' c='{{$c/@n}}'/>",
    # loops in another order than their conditions
    f"for $p in {P} where some $c in {C}, $d in $p/@id satisfies ($c/@k = $d and $c/@n > 1) return $p/@n/string()",
    f"{P}[some $c in {C}, $i in @id satisfies $c/@k = $i]/@n/string()",
    f"for $p in {P} for $c in {C}, $i in $p/@id, $d in {C} where $c/@k eq $i and $d/@n = $c/@n return $d/@n/string()",
    f"for $p in {P} for $c in {C} for $k in $c/@k where $k = $p/@id return $c/@n/string()",
    f"for $p in {P} for $c in {C}, $y in $c/x/y, $z in $p/z where $z eq $y return $c/@n/string()",
    f"for $p in {P} for $c in {C} for $y allowing empty at $i in $c/x/y where $y = $p/z return $i",
    f"for $p in {P} where some $c in {C}, $v in $c/@v satisfies $v = $p/@w return $p/@n/string()",
    # nodes above those that are found
    f"for $p in {P} return //@k[. = $p/@id]/../@n/string()",
    f"for $p in {P} return count({C}[@k = $p/@id]/../c[1])",
    f"{P} ! @id ! (let $i := . return count({C}[@k = $i]))",
    f"for $p in {P} return /r/c[position() < 3][@k = $p/@id]",
    f"for $p in {P} return /r/c[last() - 1][@k = $p/@id]/@k/string()",
    # grouping
    f"for $p in {P} let $a := for $t in {C} where $t/@k = $p/@id return $t return <i>{{count($a)}}</i>",
    f"for $p in {P} return count({C}[@k = $p/@id])",
    f"for $p in {P} return sum(for $t in {C} where $t/@k = $p/@id return 1)",
    f"for $p in {P} return sum({C}[@k = $p/@id]/@n ! number(.))",
    f"for $p in {P} return <o>{{ let $a := {C}[@k = $p/@id] return if (empty($a)) then 'none' else $a/@n }}</o>",
    # semi and anti
    f"for $p in {P} where {C}/@k = $p/@id return $p/@n/string()",
    f"for $p in {P} where some $c in {C} satisfies $c/@k = $p/@id return $p/@n/string()",
    f"for $p in {P} where some $c in {C}, $d in {C} satisfies ($c/@k = $p/@id and $d/@k = $p/@id) return $p/@n",
    f"{P}[@id = {C}/@k]/@n/string()",
    f"{P}[not(@id = {C}/@k)]/@n/string()",
    f"{P}[@id = reverse({C}/@k)]/@n/string()",
    f"for $p in {P} where $p/@id = tokenize(string-join({C}/@k, ' ')) return $p/@n/string()",
    f"for $p in {P} where exists({C}[@k = $p/@id]) return $p/@n/string()",
    f"for $p in {P} where {C}[@k = $p/@id] return $p/@n/string()",
    f"for $p in {P} where empty({C}[@k = $p/@id]) return $p/@n/string()",
    f"for $p in {P} where every $c in {C} satisfies $c/@k != $p/@id return $p/@n/string()",
    f"for $p in {P} where every $c in {C} satisfies not($c/@k = $p/@id) return $p/@n/string()",
    f"for $p in {P} where every $c in {C} satisfies ($c/@k != $p/@id or $c/@n > 3) return $p/@n/string()",
    f"for $p in {P} where not(some $c in {C} satisfies $c/@k = $p/@id) return $p/@n/string()",
    f"for $p in {P} return if ($p/@id = {C}/@k) then 'y' else 'n'",
    f"for $p in {P} let $all := {C}//@k where $p/@id = $all return $p/@n/string()",
    # order
    f"for $p in {P} return count(for $c in {C} where $p/@w > 2 * $c/@v return $c)",
    f"for $p in {P} return count({C}[@v < $p/@w])",
    f"for $p in {P} return exists({C}[@v >= $p/@w])",
    f"for $p in {P} for $c in {C} where number($c/@v) <= number($p/@w) return $c/@n/string()",
    f"for $p in {P} return {C}[@v < $p/@w and @k = $p/@id]/@n/string()",
    f"for $p in {P} return {C}[@k = $p/@id][@v < $p/@w]/@n/string()",
    f"for $p in {P} return ({C})[@k = $p/@id][1]/@n/string()",
    f"for $p in {P} return {C}[@k = $p/@id]/x/y/string()",
    f"for $p in {P} return //y[../../@k = $p/@id]/string()",
    f"for $p in {P} for $c at $i in {C} where $c/@k = $p/@id return $i",
    # the first of each parent
    f"for $p in {P} return {C}[@k = $p/@id][2]/@n/string()",
    f"for $p in {P} return {C}[@k = $p/@id][1]/@n/string()",
    "for $p in /r/p return //y[. = $p/z][1]/string()",
    "for $p in /r/p return /r/c/x[y = $p/z][1][y]/string()",
    f"for $p in {P}, $c in {C}[@k = $p/@id][1] where $c/@v = $p/@w return $c/@n/string()",
    # what is not so
    f"for $p in {P} return count({C}[@k != $p/@id])",
    f"for $p in {P} return {C}[not(@k = $p/@id)]/@n/string()",
    f"for $p in {P} return {C}[@k ne $p/@id]/@n/string()",
    f"for $p in {P} return exists({C}[not(@v < $p/@w)])",
    f"for $p in {P} where every $q in {P} satisfies number($p/@w) >= number($q/@w) return $p/@n/string()",
    f"for $p in {P} where every $q in {P} satisfies $p/@w >= $q/@w return $p/@n/string()",
    f"for $p in {P} where not({C}/@k != $p/@id) return $p/@n/string()",
    f"for $p in {P} where every $c in {C} satisfies $c/@k = $p/@id return $p/@n/string()",
    # several equalities
    f"for $p in {P}, $c in {C} where $c/@k = $p/@id and $c/@v = $p/@w return $c/@n/string()",
    f"for $p in {P}, $c in {C} where $c/@k = $p/@id where $p/@w = $c/@v return $c/@n/string()",
    f"for $p in {P}, $c in {C}[@k = $p/@id] where $c/@v = $p/@w return $c/@n/string()",
    f"for $p in {P} return {C}[@k = $p/@id and @v = $p/@w and @n > 1]/@n/string()",
    f"for $p in {P} return count({C}[x/y = $p/z and @k = $p/@id])",
    # a test that is the same at each turn comes first: positions count what passes both
    f"for $p in {P} return {C}[@k = $p/@id and @v][2]/@n/string()",
    f"for $p in {P} return {C}[number(@v) = $p/@w/number(.) and @k = $p/@id]/@n/string()",
    f"for $p in {P} return {C}[@k eq $p/@id and @v = $p/@w]/@n/string()",
    # several values, values that are typed
    f"for $p in {P} return {C}[x/y = $p/z]/@n/string()",
    f"for $p in {P} where $p/z = {C}/x/y return $p/@n/string()",
    f"for $i in 1 to 3 return {C}[number(@v) = $i]/@n/string()",
    f"for $i in ('1', 'a', '2.0') return {C}[@v = $i]/@n/string()",
    f"for $p in {P} return {C}[@k eq $p/@id]/@n/string()",
    f"for $p in {P} return {C}[string(@k) eq string($p/@id)]/@n/string()",
    f"for $p in {P} for $q in {P} for $c in {C} where $c/@k = $p/@id and $c/@v = $q/@w return $c/@n/string()",
    f"for $p in {P} return for $q in {P}[@id = $p/@id] return count({C}[@k = $q/@id and @n != $p/@n])",
    f"declare variable $all := {C}; for $p in {P} return count($all[@k = $p/@id])",
    f"declare variable $keys := {C}/@k; {P}[@id = $keys]/@n/string()",
    f"for $p in {P} return try {{ {C}[xs:integer(@v) = $p/z]/@n/string() }} catch * {{ 'failed' }}",
    f"for $p in {P} group by $w := $p/@w return count({C}[@v = $w])",
    f"for $p in {P} order by $p/@n descending return {C}[@k = $p/@id]/@n/string()",
    "/r/c[(for $i in ('1', 'a', 'b') return count(x/y[. = $i])) = 1]/@n/string()",
    "/r/*[(for $i in ('1', 'a', 'b') return count(*[. = $i])) = 1]/@n/string()",
    "/r ! (for $p in p return count(c[@k = $p/@id]))",
    "/r/p[for $i in ('1', 'a') return /r/c[@k = $i]]/@n/string()",
    f"({P}, {P}) ! (let $p := . return count({C}[@k = $p/@id]))",
]

NOT_JOINED = [
    # The place is one of the loop, not of what it looks through.
    f"{P}/(let $n := . return subsequence({C}, position(), 1)[@k = $n/@id])/@n/string()",
    # No loop repeats the sequence.
    f"for $c in {C} where $c/@k = 'a' return $c/@n/string()",
    f"count({C}[@k = 'a'])",
    # Each turn asks for the same.
    f"for $p in {P} return count({C}[@k = 'a'])",
    # It depends on the loop.
    f"for $p in {P} return count($p/z[. = $p/@id])",
    "for $g in /r return count($g/c[@k = $g/p/@id])",
    # New nodes are other nodes at each turn.
    f"for $p in {P} return (<c k='a'/>, <c k='b'/>)[@k = $p/@id]/count(.)",
    # Positions count before the condition.
    f"for $p in {P} return {C}[@k = $p/@id and position() = 2]/@n/string()",
    f"for $p in {P} return {C}[last()]/@n/string()",
    # Each tuple is numbered before the condition.
    f"for $p in {P} for $c in {C} count $i where $c/@k = $p/@id return $i",
]

SHARED = [
    # one value for each key that is looked up
    f"for $c in {C} return sum({C}[@k = $c/@k]/@n)",
    f"for $c in {C} return $c/@n div sum(for $d in {C} where $d/@v = $c/@v and $d/@n > 1 return $d/@n)",
    f"for $c in {C} where $c/@n = max({C}[@k eq $c/@k]/@n) return $c/@n/string()",
    f"for $c in {C} return count(distinct-values({C}[@k = $c/@k]/@v))",
    f"{C} ! (let $c := . return string-join({C}[@k = $c/@k]/@n, ','))",
    f"for $p in {P} return sum({C}[x/y = ($p/z, $p/@id)]/@n)",
    f"for $c in {C} return sum({C}[number(@v) = number($c/@v)]/@n)",
    f"for $p in {P} return count(for $c in {C} where $c/@k = $p/@id and $c/@v return $c)",
    f"{P}[@w = max({P}/@w)]/@n/string()",
    f"for $p in {P} where $p/@w > avg({P}/@w) return $p/@n/string()",
    f"for $p in {P} return count({C}) + count($p/z)",
    "for $g in /r for $p in $g/p return count($g/c) - count($p/z)",
    f"for $p in {P} return if ($p/@w) then sum({C}/@v) else 'none'",
    f"for $p in {P} return try {{ sum({C}/x/y) }} catch * {{ 'failed' }}",
    f"for $i in (1, 2) for $p in {P} return sum({C}[number(@v) = $i]/@v)",
]
"""Values that are the same at each turn."""

GROUPED = [
    f"for $p in {P} let $all := {C} group by $w := $p/@w return count($all[@k = $w])",
    f"let $all := {C} for $p in {P} group by $w := $p/@w return (count($all), count($all[@v = $w]))",
    f"for $p in {P} let $m := max({C}/@v) group by $w := $p/@w return count($m)",
    f"for $p in {P} let $k := {C}/@k group by $w := $p/@w return count($p[@id = $k])",
]
"""Variables that a `group by` makes the values of all tuples of a group."""

KEYS = st.sampled_from(["a", "b", "c", "1", "01", "2", "1.0", " 1", "NaN", ""])


@st.composite
def documents(draw: st.DrawFn) -> str:
    def element(name: str, number: int, key: str) -> str:
        attributes = "".join(
            f' {attribute}="{draw(values)}"'
            for attribute, values in ((key, KEYS), ("v" if name == "c" else "w", st.integers(0, 3)))
            if draw(st.booleans())
        )
        inner = "".join(f"<z>{value}</z>" for value in draw(st.lists(KEYS, max_size=2))) if name == "p" else ""
        if name == "c":
            inner = "".join(f"<x><y>{value}</y></x>" for value in draw(st.lists(KEYS, max_size=2)))
        return f'<{name} n="{number}"{attributes}>{inner}</{name}>'

    names = draw(st.lists(st.sampled_from("pc"), max_size=9))
    return "<r>" + "".join(element(name, i, "id" if name == "p" else "k") for i, name in enumerate(names)) + "</r>"


def joins(query: Query) -> list[str]:
    return [note.topic for note in query._program.notes if note.topic.endswith("join")]


def answer(query: Query, document: str) -> tuple[str, ...]:
    try:
        return tuple(str(item) for item in query.run(xylem.parse(document)).serialize(item_separator="|").split("|"))
    except XylemError as error:
        return (error.code,)


def streamed(query: Query, document: str) -> tuple[str, ...]:
    out: list[bytes] = []
    try:
        query.stream(document.encode()).write_to(out.append, item_separator="|")
    except XylemError as error:
        return (error.code,)
    return tuple(b"".join(out).decode().split("|"))


QUERIES = {text: xylem.compile(text) for text in (*SAME, *JOINED, *SHARED, *GROUPED, *NOT_JOINED)}
REFERENCES = {text: reference(text) for text in QUERIES}


@pytest.mark.parametrize("text", [*SAME, *JOINED])
def test_found(text: str) -> None:
    assert joins(QUERIES[text])
    assert not joins(REFERENCES[text])


@pytest.mark.parametrize("text", SHARED)
def test_computed_once(text: str) -> None:
    assert any(note.topic == "computed once" for note in QUERIES[text]._program.notes)
    assert not any(note.topic == "computed once" for note in REFERENCES[text]._program.notes)


@pytest.mark.parametrize("text", NOT_JOINED)
def test_not_found(text: str) -> None:
    assert not joins(QUERIES[text])


DOCUMENT = (
    '<r><p n="0" id="a"/><c n="1" k="a" v="1"><x><y>1</y></x></c><p n="2" id="1" w="2"><z>01</z><z>b</z></p>'
    '<c n="3" k="01"/><c n="4" k="a" v="2"/><c n="5"/><p n="6" w="3"/><c n="7" k="1" v="3"><x><y>b</y></x></c></r>'
)


def test_spellings_have_one_answer() -> None:
    assert len({answer(QUERIES[text], DOCUMENT) for text in SAME}) == 1


@pytest.mark.parametrize("text", [*SAME, *JOINED, *SHARED, *GROUPED, *NOT_JOINED])
@settings(max_examples=5)
@given(document=documents())
def test_as_nested_loops(text: str, document: str) -> None:
    expected = answer(REFERENCES[text], document)
    assert answer(QUERIES[text], document) == expected
    assert streamed(QUERIES[text], document) == expected


def test_an_index_that_failed_is_built_again() -> None:
    text = (
        "for $p in /r/p return try { count(/r/c[xs:integer(@k) = xs:integer($p/@id)]) } catch err:FORG0001 { 'no' }"
    )
    query = xylem.compile(text)
    assert joins(query)
    document = xylem.parse("<r><p id='1'/><p id='2'/><c k='1'/><c k='x'/></r>")
    assert list(query.run(document)) == ["no", "no"]


def test_what_is_never_asked_raises_nothing() -> None:
    query = xylem.compile("for $p in /r/p[@id] return count(/r/c[xs:integer(@k) = xs:integer($p/@id)])")
    assert joins(query)
    assert list(query.run(xylem.parse("<r><p/><c k='x'/></r>"))) == []
    either = xylem.compile("for $p in /r/p return ($p/@id = 'a' or exists(/r/c[xs:integer(@k) = xs:integer($p/@w)]))")
    assert joins(either)
    assert list(either.run(xylem.parse("<r><p id='a'/><c k='x'/></r>"))) == [True]


def test_several_trees_have_roots_of_their_own() -> None:
    """A leading / in a predicate is the root of each item, which need not be that of the input."""
    query = xylem.compile("declare variable $docs external; for $d in $docs return $d//p[@id = /r/c/@k]/@n/string()")
    one, two = (xylem.parse(text) for text in ("<r><p n='1' id='a'/><c k='a'/></r>", "<r><p n='2' id='a'/></r>"))
    assert list(query.run(variables={"docs": [one, two]})) == ["1"]


def test_collations_and_sequential_queries_have_none() -> None:
    text = f"for $p in {P} return count({C}[@k = $p/@id])"
    collation = "declare default collation 'http://www.w3.org/2005/xpath-functions/collation/html-ascii-case-insensitive';"
    assert not joins(xylem.compile(collation + text))
    sequential = xylem.compile(f"declare execution sequential; declare variable $x := 1; set $x := 2; {text}")
    assert not joins(sequential)
