"""Functions and global variables put where they are used: what can be, what cannot, and that the answer stays."""

from __future__ import annotations

import pytest
from xylem.pipeline import StaticEnvironment, compile_query
from xylem.plan.flux_printer import print_flux
from xylem.rewrite.safety import unsafe_places
from xylem.run.deep_stack import with_deep_stack

from tests.spellings.growth import calls

from .flux_interpreter import answer
from .plain_tree import parsed
from .planned import expected, planned, prolog_of

DOCUMENT = "<bib><book id='1'><title>T</title><author>A</author></book><book id='2'><title>U</title></book></bib>"

INLINED = {
    "declare variable $z := /bib; for $i in $z/book return $i/title": "for $i in $bib/book",
    "declare variable $y := $z/book; declare variable $z := /bib; for $i in $y return $i/title": "for $i in $bib/book",
    "declare function local:f($b) { <b>{ $b/title }</b> }; for $b in /bib/book return local:f($b)": "in $b/title",
    "declare function local:f($b as element(book)) as element(b) { <b>{ $b/title }</b> };"
    "for $b in /bib/book return local:f($b)": "in $b/title",
    "declare function local:g($x) { $x/title }; declare function local:f($x) { <f>{ local:g($x) }</f> };"
    "for $b in /bib/book return local:f($b)": "in $b/title",
    "declare function local:f($d) { for $b in $d/bib/book return $b/title }; local:f(/)": "in $bib/book",
    "declare function local:f($x, $y) { for $b in $x/book return ($b/title, $y/book/author) };"
    "for $b in /bib return local:f($b, $b)": "for $b2 in $b/book",
    "declare function local:f($x) { count($x/author) }; for $b in /bib/book where local:f($b) > 0 return $b/title": (
        "count($b/author) > 0"
    ),
    "declare function local:f($b as element(book)) as xs:boolean { $b/@id > 1 };"
    "for $b in /bib/book where local:f($b) return $b/title": "$b/@id > 1",
    "declare variable $x := 5; declare function local:f($b) { $b/title, <x>{ $x }</x> };"
    "for $x in /bib/book return local:f($x)": "for $x2 in $bib/book",
}

LEFT = {
    "a type that must be checked": (
        "declare function local:f($b as element(book)+) { $b/title }; <a>{ local:f(/bib/book) }</a>"
    ),
    "a result that must be checked": (
        "declare function local:f($b) as element()+ { $b/title }; for $b in /bib/book return local:f($b)"
    ),
    "recursion": (
        "declare function local:f($n) { if ($n = 0) then () else (<n>{ $n }</n>, local:f($n - 1)) };"
        "for $b in /bib/book return local:f(xs:integer($b/@id))"
    ),
    "recursion by another": (
        "declare function local:g($n) { local:f($n - 1) }; declare function local:f($n) { if ($n > 0) then local:g($n)"
        " else <z/> }; for $b in /bib/book return local:f(xs:integer($b/@id))"
    ),
}


@pytest.mark.parametrize("query", INLINED)
def test_is_inlined(query: str) -> None:
    text = print_flux(planned(query).normal_form)
    assert INLINED[query] in text
    assert "local:" not in text


@pytest.mark.parametrize("why", LEFT)
def test_is_left(why: str) -> None:
    assert "local:f(" in print_flux(planned(LEFT[why]).normal_form)


@pytest.mark.parametrize("query", [*INLINED, *LEFT.values()])
def test_the_answer_stays(query: str) -> None:
    program = planned(query).program
    assert unsafe_places(program) == []
    assert answer(program, parsed(DOCUMENT), None, prolog_of(query)) == expected(query, DOCUMENT)


def test_functions_that_call_each_other_compile_in_linear_time() -> None:
    def query(size: int) -> str:
        called = ("$x", *(f"local:f{number}($x, $y)" for number in range(size)))
        bodies = (f"$x/a[@k = $y/@k], {called[number]}" for number in range(size))
        declared = (f"declare function local:f{number}($x, $y) {{ {body} }};" for number, body in enumerate(bodies))
        return "".join(declared) + "//a"

    def cost(size: int) -> int:
        text = query(size)
        return with_deep_stack(lambda: calls(lambda: compile_query(text, StaticEnvironment())))

    cost(2)
    few, some, many = (cost(size) for size in (10, 20, 40))
    assert many - some < 3 * (some - few)
