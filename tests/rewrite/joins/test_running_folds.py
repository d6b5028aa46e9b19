"""Aggregates of the first items of many: the answers of the reference in every spelling, in linear time."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product

import pytest
import xylem

from tests.reference import reference
from tests.spellings.growth import growth

SPELLINGS = {
    "siblings": "for $o in //o return {f}($o/preceding-sibling::o/v{cast})",
    "siblings and oneself": "for $o in //o return {f}(($o/preceding-sibling::o, $o)/v{cast})",
    "siblings or oneself": "for $o in //o return {f}(($o | $o/preceding-sibling::o[@k = 'a'])/v{cast})",
    "siblings and context": "//o/{f}((preceding-sibling::*, .)/v{cast})",
    "siblings with a test": "for $o in //o return {f}($o/preceding-sibling::o[@k = 'a']/v{cast})",
    "siblings in a loop": "for $o in //o return {f}(for $p in $o/preceding-sibling::o return $p/v{cast})",
    "siblings by context": "//o/{f}(preceding-sibling::o/v{cast})",
    "places": "for $o at $i in //o return {f}(//o[position() <= $i]/v{cast})",
    "places in all": "for $o at $i in //o return {f}((//o)[position() lt $i]/v{cast})",
    "a range of places": "for $i in 0 to count(//o) return {f}((//o)[position() = 1 to $i]/v{cast})",
    "a variable": "let $all := //o for $o at $i in $all return {f}($all[position() <= $i]/v{cast})",
    "values": "let $all := //o/v{cast} for $i in 1 to count($all) return {f}($all[position() <= $i])",
    "subsequence": "let $all := //o/v{cast} for $i in 1 to count($all) return {f}(subsequence($all, 1, $i))",
    "subsequence, odd": "let $all := //o/v{cast} for $i in 1 to count($all) return {f}(subsequence($all, 1, $i - 0.4))",
    "document order": "for $o in //o return {f}(//o[. << $o]/v{cast})",
    "document order behind": "for $o in //o return {f}(//o[. >> $o]/v{cast})",
    "a key": "for $o in //o return {f}(//o[@t <= $o/@t]/v{cast})",
    "a key, loop": "for $o in //o return {f}(for $p in //o where number($p/@t) < number($o/@t) return $p/v{cast})",
    "a key, behind": "for $o in //o return {f}(for $p in //o where $p/@n >= number($o/@n) return $p/v{cast})",
    "a key, and a test":
        "for $o in //o return {f}(for $p in //o where $p/@n <= number($o/@n) and $p/@k = 'a' return $p/v{cast})",
    "map": "for $o in //o return {f}(//o[@n <= number($o/@n)] ! v{cast})",
}
FUNCTIONS = ("sum", "avg", "min", "max", "count")
CASTS = ("", "/number(.)", "/xs:decimal(.)", "/xs:integer(.)", "/string(.)")
CASES = list(product(FUNCTIONS, CASTS))
VALUES = {
    "whole": ["1", "2", "3", "40", "0", "-7"],
    "parts": ["1.5", "2.25", "-0.5", "0.0", "1e3"],
    "rounding": ["0.1", "0.2", "0.7", "1e16", "-1e16", "3.3"],
    "odd": ["NaN", "INF", "-INF", "-0", "0", "1"],
    "wrong": ["1", "2", "3", "x", "5"],
}


def document(values: list[str], number: int, random_: random.Random, *, nested: bool = False) -> str:
    parts = []
    for n in range(number):
        found = "".join(f"<v>{random_.choice(values)}</v>" for _ in range(random_.choice((1, 1, 1, 0, 2))))
        inner = f"<o n='{n}.5' t='{n}' k='b'>{found}</o>" if nested and n % 3 == 0 else ""
        time = random_.choice((n, n, random_.randint(0, 9)))
        parts.append(f"<o n='{n}' t='{time}' k='{random_.choice('ab')}'>{inner}{found}</o>")
    return f"<r>{''.join(parts)}</r>"


def told(query: xylem.Query, source: str, *, streamed: bool = False) -> object:
    """The answer, or the code of the error."""
    try:
        if streamed:
            return [repr(item) for item in query.stream(source.encode())]
        return [repr(item) for item in query.run(xylem.parse(source))]
    except xylem.XylemError as error:
        return error.code


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_gives_the_answer_of_the_reference(spelling: str) -> None:
    draw = random.Random(spelling)
    for kind, values in VALUES.items():
        for nested in (False, True):
            source = document(values, 9, draw, nested=nested)
            for function, cast in draw.sample(CASES, 4):
                text = SPELLINGS[spelling].format(f=function, cast=cast)
                expected = told(reference(text), source)
                assert told(xylem.compile(text), source) == expected, (kind, nested, text, source)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_streams_give_the_same(spelling: str) -> None:
    draw = random.Random(spelling)
    for values in (VALUES["rounding"], VALUES["wrong"]):
        source = document(values, 7, draw)
        query = xylem.compile(SPELLINGS[spelling].format(f="sum", cast=""))
        assert told(query, source, streamed=True) == told(query, source), source


LINEAR = [spelling for spelling in SPELLINGS if spelling != "a key, and a test"]


@pytest.mark.parametrize("spelling", LINEAR)
def test_a_turn_does_not_fold_all_items_again(spelling: str) -> None:
    query = xylem.compile(SPELLINGS[spelling].format(f="sum", cast="/xs:integer(.)"))

    def run_of(size: int) -> Callable[[], object]:
        rows = "".join(f"<o n='{n}' t='{n}' k='a'><v>{n}</v></o>" for n in range(100, 100 + 4 * size))
        tree = xylem.parse(f"<r>{rows}</r>")
        return lambda: list(query.run(tree))

    assert growth(run_of) == "linear"


def test_explain_names_the_running_value() -> None:
    query = xylem.compile("for $o in //o return sum($o/preceding-sibling::o/v)")
    assert "running value" in str(query.explain())
