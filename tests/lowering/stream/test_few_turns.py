"""Loops that look above themselves: the scan writes a few turns, and leaves many to code that looks things up."""

from __future__ import annotations

from typing import Any

import pytest
import xylem
from xylem.lowering.stream.few_turns import with_few_turns
from xylem.plan.kernel_expression import Call, EachNode, NodesOf
from xylem.plan.result_template import Characters, Copies, Each, PathStep, ValueOf, Values

A, B = (PathStep("", "a"),), (PathStep("", "b"),)


@pytest.mark.parametrize(
    ("parts", "are_few"),
    [
        ((Characters("x"),), False),
        ((Copies(B),), False),
        ((Copies(B, up=1),), True),
        ((Values((), ValueOf.STRING, up=1),), False),
        ((Each(B, (Copies(A, up=1),)),), False),
        ((Each(B, (Copies(A, up=2),)),), True),
    ],
)
def test_what_looks_above(parts: Any, are_few: bool) -> None:
    (loop,) = with_few_turns((Each(A, parts),))
    assert isinstance(loop, Each)
    assert loop.are_few == are_few


def test_loops_of_expressions() -> None:
    looks_above = EachNode(A, Call("count", (NodesOf(B, up=1),)))
    (loop,) = with_few_turns((Each(A, (Characters("x"),)),))
    assert not loop.are_few  # type: ignore[union-attr]
    made: Any = with_few_turns((looks_above,))  # type: ignore[arg-type]
    assert made[0].are_few


@pytest.mark.parametrize(
    "query",
    [
        "for $a in /r/g/a return <x>{ $a/k, $a/../h }</x>",
        "for $a in /r/g/a return <x h='{ $a/../h }'>{ count($a/../t[v = 7]) }</x>",
        "for $a in /r/g/a return exists($a/../t[v = $a/k])",
        "for $g in /r/g return <g>{ for $a in $g/a return ($g/t[3]/v, sum($g/t/v)) }</g>",
        "for $g in /r/g return <g>{ sum(for $a in $g/a return count($g/t[v = 2])) }</g>",
    ],
)
@pytest.mark.parametrize("size", [3, 255, 256, 257, 600])
def test_the_answer_is_that_of_the_tree(query: str, size: int) -> None:
    items = "".join(f"<a><k>{i % 9}</k></a><t><v>{i % 11}</v></t>" for i in range(size))
    text = f"<r><g><h>1</h>{items}</g><g><a/><h>2</h></g></r>"
    compiled = xylem.compile(query)
    written: list[bytes] = []
    compiled.stream([text.encode()]).write_to(written.append)
    assert b"".join(written).decode() == compiled.run(xylem.parse(text)).serialize()
