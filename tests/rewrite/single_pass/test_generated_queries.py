"""Generated loops and recursions: the same answer in one pass as from the tree, by both scanners, for any data."""

from __future__ import annotations

import random

import pytest
from xylem.source.kernel import is_kernel_built

from .two_ways import from_tree, program_of, streamed

SCANNERS = ("python", "kernel") if is_kernel_built() else ("python",)
NUMBERS = ["0", "1", "2", "3", " 2 ", "1.0", "2.5", "-1", "+3", "1e0", "007", "-0", "123456789012345678901"]
ODD = [*NUMBERS, "NaN", "INF", "x", ""]


def document(choose: random.Random, is_odd: bool) -> str:
    """Records with values that may be missing, repeated, or of any form."""
    texts = ODD if is_odd else NUMBERS[:11]

    def values(name: str, most: int) -> str:
        number = choose.choice([1, 1, 1, 1, most, 0]) if is_odd else choose.choice([1, 1, 1, 1, 1, 0])
        return "".join(f"<{name}>{choose.choice(texts)}</{name}>" for _ in range(number))

    records = []
    for _ in range(choose.randrange(12)):
        attribute = choose.choice(["", f' a="{choose.randrange(3)}"'])
        records.append(f"<p{attribute}>{values('x', 2)}{values('y', 2)}{values('v', 2)}</p>")
    return f"<s>{''.join(records)}</s>"


ITEMS = ["1 to 3", "0 to 2", "(2, 1, 2)", "('1', '2', 'x')", "(1.0, 2.5)", "(1e0, 2e0)", "$n to 3", "3 to 1"]
KEYS = ["x = {0}", "{0} = x", "@a = {0}", "y = {0} + 1", "x * 2 = {0}", "number(v) eq {0}"]
KEYS += ["xs:integer(y) idiv 2 = {0}"]
OTHERS = ["", "", "[v > 1]", "[@a = 1]", "[y]", "[not(v = 3)]"]
AGGREGATES = [
    "count({0})", "sum({0}/v)", "min({0}/v)", "max({0}/v)", "avg({0}/v)", "exists({0}/y)", "empty({0})",
    "string-join({0}/v, '-')", "distinct-values({0}/x)", "sum({0} ! (v * 2 - y))", "max({0} ! (x div y))",
    "count({0}/v)", "sum(for $q in {0} where $q/v > 1 return xs:integer($q/y))", "max({0} ! (-number(v)))",
    "fold-left({0}, 0, function($a, $q) {{ $a * 2 + count($q/v) }})", "min({0} ! xs:integer(x))", "sum({0} ! 3)",
]  # fmt: skip


def loop(choose: random.Random) -> str:
    """A query with one or two loops, keys, other conditions and aggregates."""
    items = [choose.choice(ITEMS) for _ in range(choose.choice([1, 1, 2]))]
    keys = [choose.choice(KEYS).format(f"$i{place}") for place in range(len(items))]
    condition = "".join(f"[{key}]" for key in keys) if choose.random() < 0.5 else f"[{' and '.join(keys)}]"
    # Of two conditions the scan may try the second first, and never meet an error in the other one.
    before, behind = choose.choice([(choose.choice(OTHERS), ""), ("", choose.choice(OTHERS))])
    path = f"{choose.choice(['/s/p', '//p', 's/p'])}{before}{condition}{behind}"
    loops = " ".join(f"for $i{place} in {each}" for place, each in enumerate(items))
    parts = ", ".join(aggregate.format("$p") for aggregate in choose.sample(AGGREGATES, choose.choice([1, 2, 3])))
    return f"let $n := 1 {loops} let $p := {path} return <r>{{ {parts} }}</r>"


def agree(query: str, text: str) -> None:
    expected = from_tree(query, text)
    for scanner in SCANNERS:
        found = streamed(query, text, scanner)
        # Where several errors are possible, either may be raised first.
        if is_error(expected) and is_error(found):
            continue
        assert found == expected, (query, text, scanner)


def is_error(text: str) -> bool:
    return len(text) == 8 and text[:4].isalpha() and text[4:].isdigit()


@pytest.mark.parametrize("seed", range(25))
def test_loops_by_key(seed: int) -> None:
    choose = random.Random(seed)
    query = loop(choose)
    for number in range(3):
        agree(query, document(choose, is_odd=number == 2))


STEPS = [
    "max(({F}, {R}))", "min(({R}, {F}))", "min(({F}, {R}))", "{F} + {R}", "{R} + {F}", "{F} * {R}", "({F}, {R})",
    "concat({F}, '|', {R})", "({F} || {R})", "{F} and {R}", "{R} or {F}", "(if ($h/x = 1) then {F} + {R} else {R})",
    "(if ({F} > {R}) then {F} else {R})", "{F} - {R}",
]  # fmt: skip
VALUES = ["xs:integer($h/v)", "$h/v", "string-length($h)", "count($h/x)", "$h/v * 2", "string($h/y)", "$h/x = 2", "1"]
ENDS = ["0", "()", "''", "true()", "false()", "1.5", "0e0", "'z'", "(1, 2)"]
TYPES = ["", "", " as xs:integer", " as xs:double", " as xs:string", " as xs:boolean", " as item()*", " as xs:integer?"]
TAILS = ["tail($p)", "subsequence($p, 2)", "$p[position() > 1]", "remove($p, 1)", "$p[position() ge 2]"]
TESTS = ["empty($p)", "not(exists($p))", "count($p) = 0", "count($p) lt 1", "0 eq count($p)"]


def recursion(choose: random.Random) -> str:
    rest = f"local:f({choose.choice(TAILS)})"
    step = choose.choice(STEPS).replace("{F}", choose.choice(VALUES)).replace("{R}", rest)
    head = choose.choice(["$p[1]", "head($p)", "subsequence($p, 1, 1)"])
    body = f"let $h := {head} return if ({choose.choice(TESTS)}) then {choose.choice(ENDS)} else {step}"
    return f"declare function local:f($p){choose.choice(TYPES)} {{ {body} }}; local:f(/s/p)"


@pytest.mark.parametrize("seed", range(25))
def test_recursions(seed: int) -> None:
    choose = random.Random(seed)
    for number in range(3):
        agree(recursion(choose), document(choose, is_odd=number == 2))


CARRIED = ["$a + 1", "($a, string($p[1]/v))", "$a * 2 + count($p[1]/x)", "max(($a, $p[1]/v))", "concat($a, $p[1]/y)"]


@pytest.mark.parametrize("seed", range(15))
def test_values_carried_along(seed: int) -> None:
    choose = random.Random(seed)
    kind = choose.choice(["", " as xs:integer", " as item()*", " as xs:string", " as xs:double?"])
    step, end = choose.choice(CARRIED), choose.choice(["$a", "count($a)", "($a, 'end')"])
    zero = choose.choice(["0", "()", "'a'", "1.5"])
    query = (
        f"declare function local:f($p, $a{kind}) {{ if (empty($p)) then {end} else "
        f"local:f({choose.choice(TAILS)}, {step}) }}; local:f(/s/p, {zero})"
    )
    for number in range(3):
        agree(query, document(choose, is_odd=number == 2))


def test_most_generated_loops_are_one_table() -> None:
    """If nothing were rewritten, all of the above would pass too."""
    queries = [loop(random.Random(seed)) for seed in range(25)]
    roles = [program_of(query).roles for query in queries]
    grouped = sum(any(a.table for role in own for a in getattr(role, "aggregates", [])) for own in roles)
    assert grouped > 12
