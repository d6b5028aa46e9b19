"""Windows that the kernel forms over columns: the answers and the errors of the reference, whatever the values are."""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random

import pytest
import xylem
from xylem.errors import XylemError
from xylem.source.kernel import is_kernel_built

from tests.reference import reference

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here")

ROUNDS = 3000 if os.environ.get("XYLEM_CAMPAIGN") else 25
SEED = int(os.environ.get("XYLEM_SEED", "11"))

STARTS = (
    "true()", "true()", "true()", "$s/v > 2", "$sp mod 3 eq 1", "$s/@k ne $sprev/@k", "exists($s/v)", "$s/v",
    "number($s/v) lt number($snext/v)", "xs:integer($s/v) gt 1", "contains($s/@k, 'a')", "$s/v = (1, 2.5)",
    "empty($sprev) or $sprev/@k = 'b'", "not($s/v) or $s/@k = 'a'", "matches($s/@k, '^a')", "$s/xs:double(v) > 0",
)  # fmt: skip
ENDS = (
    "$ep - $sp eq 2", "$ep - $sp eq 3", "$ep - $sp ge 2", "$e/t - $s/t gt 3", "$e/t - $s/t ge 2.5", "true()",
    "number($e/t) gt number($s/t) + 2", "$e/@k eq 'b'", "$e/@k = $s/@k", "$e/v > 2 and $e/t > $s/t",
    "$enext/@k ne $e/@k", "empty($enext)", "xs:decimal($e/t) - xs:decimal($s/t) gt 1.5",
    "$s/@k eq $e/@k and $ep gt $sp", "$e/v = $s/v", "$e/v eq $s/v and $e/t - $s/t gt 1", "$e/@k = $s/@k and $e/v > 1",
    "xs:integer($e/v) eq xs:integer($s/v) and $e/@k ne 'b'", "number($e/v) mod 3 eq number($s/v) mod 3 and $ep ne $sp",
    "$s/v eq xs:integer($e/t)", "xs:date($e/@d) gt xs:date($s/@d)", "$e/t gt $s/t",
    "if ($e/v > 2) then true() else $ep - $sp ge 1",
)  # fmt: skip
VALUES = (
    "$w/v", "$w/xs:integer(v)", "$w/number(v)", "$w/xs:decimal(v)", "$w/t", "$w[v > 1]/v", "$w/string(@k)", "$w/@k",
    "$w/xs:date(@d)", "$w/(v * 2)", "$w/(if (v > 1) then 1 else 2.5)", "$w/xs:double(t)",
)  # fmt: skip
FUNCTIONS = ("count", "sum", "avg", "min", "max", "sum", "avg")
NASTY = ("1", "2", "3", "2.5", "0.1", "0.2", "", "NaN", "INF", "-INF", "-0", "1e3", "abc", "9223372036854775807", " 4 ",
         "0.12345678901234567890123", "&lt;&amp;", "é", "2147483648.5")  # fmt: skip
MILD = ("1", "2", "3", "4", "7", "10")
DECIMALS = ("1.5", "0.1", "2.25", "0.3", "1e-7", "3")


def aggregate(random: Random) -> str:
    return f"{random.choice(FUNCTIONS)}({random.choice(VALUES)})"


def body(random: Random) -> str:
    one, other = aggregate(random), aggregate(random)
    return random.choice(
        (
            f"return <w n='{{ count($w) }}' x='{{ {one} }}'/>",
            f"return <w>{{ {one} }}</w>",
            f"return <w>{{ {one}, {other} }}<n>{{ count($w) }}</n></w>",
            f"return {one}",
            f"return ({one}, {other})",
            f"where count($w) > 1 return <w s='{{ $s/t }}'>{{ {one} }}</w>",
            f"let $x := {one} where $x > 1 return <w>{{ $x, $x * 2 }}</w>",
            f"return if (count($w) > 2) then <many>{{ {one} }}</many> else <few k='{{ $e/@k }}'/>",
            "return <w from='{ $s/t }' to='{ $e/t }' k='{ $s/@k, $e/@k }'/>",
            f"return <w p='{{ $sp, $ep }}'>{{ string($w[1]/v[1]), {one} }}</w>",
            f"return string-join(($s/@k, string({one})), '-')",
            f"return <w>{{ $s/@k/string(), {one}, $e/v/string() }}</w>",
        )
    )


def query(random: Random) -> str:
    kind = random.choice(("tumbling", "sliding", "sliding"))
    start, end = random.choice(STARTS), random.choice(ENDS)
    result = body(random)
    if random.random() < 0.5:
        forced = random.choice(("", "force "))
        kind = random.choice((kind, "landmark"))
        start = random.choice((start, start, "$sp eq 2"))
        end = random.choice((end, "newstart"))
        roles = "curItem ${0}, position ${0}p, prevItem ${0}prev, nextItem ${0}next"
        sides = [roles.format(side) if f"${side}next" in f"{start}{end}" else roles.format(side).rsplit(",", 1)[0]
                 for side in "se"]  # fmt: skip
        head = f"forseq $w in /log/e {kind} window start {sides[0]} when {start} {forced}end {sides[1]} when {end}"
    else:
        only = random.choice(("", "only "))
        next_of = {side: f" next ${side}next" if f"${side}next" in f"{start} {end}" else "" for side in "se"}
        head = (
            f"for {kind} window $w in /log/e start $s at $sp previous $sprev{next_of['s']} when {start} "
            f"{only}end $e at $ep previous $eprev{next_of['e']} when {end}"
        )
    return f"<out>{{ {head} {result} }}</out>"


def item(random: Random, values: tuple[str, ...], time: float) -> str:
    found = "".join(f"<v>{random.choice(values)}</v>" for _ in range(random.choice((1, 1, 1, 1, 1, 0, 2))))
    if values is not NASTY:
        found = f"<v>{random.choice(values)}</v>"
    t = f"<t>{time:g}</t>" if values is not NASTY or random.random() < 0.9 else ""
    return f"<e k='{random.choice('aab')}' d='2024-01-{random.randint(1, 28):02}'>{found}{t}</e>"


def document(random: Random) -> bytes:
    values = random.choice((MILD, MILD, DECIMALS, NASTY))
    time, items = 0.0, []
    for _ in range(random.choice((0, 1, 3, 8, 20, 40))):
        time += random.choice((0, 1, 0.1, 0.7, 2)) if random.random() < 0.95 else -1
        items.append(item(random, values, round(time, 3)))
    return f"<log>{''.join(items)}</log>".encode()


def streamed(compiled: xylem.Query, data: bytes, size: int) -> tuple[str, str, object]:
    """The answer, or the code of the error and its place."""
    pieces: list[bytes] = []
    try:
        compiled.stream(data[start : start + size] for start in range(0, len(data), size)).write_to(pieces.append)
    except XylemError as error:
        return "", error.code, error.span and (error.span.line, error.span.column)
    return b"".join(pieces).decode(), "", None


def expected_of(text: str, data: bytes) -> tuple[str, str]:
    try:
        return str(reference(text).run(xylem.parse(data))), ""
    except XylemError as error:
        return "", error.code


DATA_WINDOWS = (
    "count 3", "count 3 step 1", "count 2 step 5", "count 5 step 2", "count 1", "count 4 step 3", "count 50",
    "t diff 3", "t diff 3 step 1", "t diff 1.5 step 4", "t diff 2 step 0.5", "@k diff 1", "v diff 2",
    "t diff 1e1 step 3",
)  # fmt: skip


def data_query(random: Random) -> str:
    one, other = aggregate(random), aggregate(random)
    result = random.choice(
        (
            f"<w n='{{ count($w) }}' x='{{ {one} }}'/>",
            f"<w>{{ {one}, {other} }}<n>{{ count($w) }}</n></w>",
            f"if (count($w) > 2) then <many>{{ {one} }}</many> else ()",
            f"({one}, {other})",
            one,
        )
    )
    where = random.choice(("", "", "where count($w) > 1 "))
    loop = f"for $w in /log/e|{random.choice(DATA_WINDOWS)}| {where}return {result}"
    return random.choice((f"<out>{{ {loop} }}</out>", loop))


@pytest.mark.parametrize("make", [query, data_query])
def test_random_windows(make: Callable[[Random], str]) -> None:
    random = Random(SEED)
    formed = answered = 0
    for number in range(ROUNDS):
        text = make(random)
        compiled = xylem.compile(text)
        formed += "WindowsByKernel" in compiled.stream(b"<log/>")._program.handlers.code
        for _ in range(4):
            data = document(random)
            expected = expected_of(text, data)
            answered += not expected[1]
            for size in (100_000, 300, 7):
                found = streamed(compiled, data, size)
                # Of several values that are wrong, another one may be told first.
                assert (found[0], bool(found[1])) == (expected[0], bool(expected[1])), f"{number}: {text}\n{data!r}"
                assert (found[2] is None) == (not expected[1])
    # Both would be easy to have if the kernel formed none, or if all of them were errors.
    assert formed > 0.7 * ROUNDS, formed
    assert answered > ROUNDS


def test_a_gap_is_full_of_empty_windows() -> None:
    """They are written on the way, however many they are."""
    data = b"<log><e><t>0</t></e><e><t>20000</t></e></log>"
    found = xylem.compile("<o>{ for $w in /log/e|t diff 1 step 1| return <w>{ count($w) }</w> }</o>").stream(data)
    written: list[bytes] = []
    found.write_to(written.append)
    assert b"".join(written) == b"<o><w>1</w>" + b"<w>0</w>" * 19999 + b"<w>1</w></o>"
    assert len(written) > 1
