"""Random queries of every kind: the tree with all rules, streams and tasks give what the reference gives."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from xylem.run.deep_stack import with_deep_stack

from tests import turns

from .every_way import EveryWay
from .random_wide import WideQueries

BLOCK = 20
SEEDS = range(200) if turns.is_everything_asked_for() else range(turns.today() * 2, turns.today() * 2 + 2)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_answer_is_the_same(seed: int, tmp_path: Path) -> None:
    assert with_deep_stack(lambda: _compare(seed, tmp_path / "document.xml")) > BLOCK


def _compare(seed: int, file: Path) -> int:
    made, random = WideQueries(seed), Random(seed)
    answered = 0
    for _ in range(BLOCK):
        way = EveryWay(made.query())
        for document in [made.document().encode() for _ in range(3)]:
            expected = way.expected(document)
            if expected is not None:
                assert not way.differences(document, expected, random, file), (way.text, document.decode(), expected)
                answered += 1
    return answered


CASES = {
    "groups of what is below the items of a scan": "for $v in /r/(a|b)/a group by $k := count($v/c) return"
    " <g k='{ $k }'>{ sum($v/@n), string-join($v/@n, ','), count($v/text()) }</g>",
    "nodes inside others, of copies": "outermost(//a), innermost(//a)",
    "the same by name": "apply(outermost#1, [//a])",
    "an error of a group is caught": "try { for $b in //a group by $k := 1 return <g>{ sum($b/string()) }</g> }"
    " catch * { <err/> }",
    "an error of a group that is not asked for": "if (//z) then (for $b in //a group by $k := 1 return"
    " <g>{ sum($b/string()) }</g>) else 5",
}


@pytest.mark.parametrize("name", CASES)
def test_what_was_found(name: str, tmp_path: Path) -> None:
    document = b"<r><a>1<a n='1'>x</a></a><b><a n='2'/></b><a/></r>"
    way = EveryWay(CASES[name])
    expected = way.expected(document)
    assert expected
    assert not way.differences(document, expected, Random(name), tmp_path / "document.xml")
