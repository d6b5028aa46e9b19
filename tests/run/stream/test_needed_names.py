"""Elements whose names a handler gives nothing for: the scan passes over them, and the answer is the tree's."""

from __future__ import annotations

from random import Random

import pytest
from xylem.pipeline import StaticEnvironment, compile_stream
from xylem.plan.scan_plan import NameTest

from .compare import SCANNERS, from_stream, from_tree, stream_program

DOCUMENT = (
    b"<r xmlns:p='u'><a k='1'>x<b/></a><b>7<a/></b><c><a>y</a></c><p:a k='2'>z</p:a><a xmlns='u'>v</a>"
    b"<d>no number</d><p:b/><b k='3'/></r>"
)
PROLOG = "declare namespace p = 'u'; "
CONDITIONS = (
    "$e/self::a",
    "$e/self::p:a",
    "$e/self::*:a",
    "$e/self::p:*",
    "$e/self::element(b)",
    "$e/self::*",
    "name($e) = 'a'",
    "'p:a' = name($e)",
    "local-name($e) = ('a', 'b')",
    "local-name($e) eq 'b'",
    "$e instance of element(p:b)",
    "$e instance of element()",
    "not($e/self::a)",
    "$e/@k = 1",
    "$e/@k",
    "$e/a",
    "true()",
)
RESULTS = ("()", "$e", "<o>{ string($e) }</o>", "string($e)", "count($e/*)", "$e/@k/string()")
TYPES = ("element(a)", "element(p:a)", "element(b)", "element(c)", "element()", "text()", "element(b)?", "element(zz)+")


def condition(random: Random, depth: int) -> str:
    if depth == 0 or random.random() < 0.5:
        return random.choice(CONDITIONS)
    word = random.choice(("and", "or"))
    return f"({condition(random, depth - 1)} {word} {condition(random, depth - 1)})"


def result(random: Random, depth: int) -> str:
    if depth == 0 or random.random() < 0.2:
        return random.choice(RESULTS)
    inner = [result(random, depth - 1) for _ in range(3)]
    # Most have nothing to say of what is left, or nothing would be narrow.
    rest = random.choice(("()", "()", "()", inner[2]))
    match random.randrange(4):
        case 0:
            types = random.sample(TYPES, 3)
            return (
                f"typeswitch ($e) case {types[0]} return {inner[0]} case {types[1]} | {types[2]} return {inner[1]}"
                f" default return {rest}"
            )
        case 1:
            function = random.choice(("name", "local-name"))
            return (
                f"switch ({function}($e)) case 'a' return {inner[0]} case 'p:a' case 'b' return {inner[1]}"
                f" default return {rest}"
            )
        case 2:
            return f"(if ({condition(random, 2)}) then {inner[0]} else {rest})"
    return f"({inner[0]}, {inner[1]})"


@pytest.mark.turns("random kernel code")
@pytest.mark.parametrize("scanner", SCANNERS)
def test_random_choices_by_name(scanner: str) -> None:
    random = Random(f"names {scanner}")
    narrowed = 0
    for number in range(60):
        loop = random.choice(("/r/*", "//*", "/r/node()", "/r/*[not(self::c)]", "/r/*[2]"))
        text = f"{PROLOG}for $e in {loop} return {result(random, 3)}"
        text = random.choice((text, f"{PROLOG}<o>{{ {text.removeprefix(PROLOG)} }}</o>"))
        program = stream_program(text)
        assert program is not None, text
        narrowed += any(isinstance(test, NameTest) for step in program.scan.steps for test in step.tests)
        for size in (len(DOCUMENT), 7):
            chunks = [DOCUMENT[at : at + size] for at in range(0, len(DOCUMENT), size)]
            found, expected = from_stream(program, chunks, scanner), from_tree(text, DOCUMENT)
            assert found == expected, f"{number}: {text}\n{found}\n{expected}"
    assert narrowed > 15


def name_tests(query: str) -> list[set[tuple[str | None, str | None]]]:
    steps = compile_stream(query, StaticEnvironment()).scan.steps
    return [set(test.names) for step in steps for test in step.tests if isinstance(test, NameTest)]


@pytest.mark.parametrize(
    "choice",
    [
        "typeswitch ($e) case element(a) return <x/> case $b as element(b) return $b/@k default return ()",
        "if ($e/self::a) then <x/> else if ($e instance of element(b)) then $e else ()",
        "typeswitch ($e) case element(c) return () case element(a) | element(b) return $e default return ()",
        "(typeswitch ($e) case element(a) return 1 default return (), if ($e/self::b) then 2 else ())",
    ],
)
def test_all_spellings_are_narrowed(choice: str) -> None:
    assert name_tests(f"<o>{{ for $e in /r/* return {choice} }}</o>") == [{("", "a"), ("", "b")}]


def test_a_name_with_prefix_may_have_any_namespace() -> None:
    query = "for $e in /r/* return switch (name($e)) case 'q:a' return $e default return ()"
    assert name_tests(query) == [{(None, "a")}]


@pytest.mark.parametrize(
    "query",
    [
        "for $e in /r/* return typeswitch ($e) case element(a) return $e default return string($e)",
        # Another collation may hold other names for equal.
        "declare default collation 'http://www.w3.org/2005/xpath-functions/collation/html-ascii-case-insensitive';"
        " for $e in /r/* return switch (name($e)) case 'A' return $e default return ()",
        # An error of the condition is told, whatever the name.
        "for $e in /r/* return <x/>[if ($e * 1 > 0) then true() else $e/self::a]",
        "for $e at $i in /r/* return typeswitch ($e) case element(a) return $i default return ()",
    ],
)
def test_what_other_elements_give_is_not_lost(query: str) -> None:
    program = stream_program(query)
    assert program is not None
    assert name_tests(query) == []
    for scanner in SCANNERS:
        assert from_stream(program, [DOCUMENT], scanner) == from_tree(query, DOCUMENT)
