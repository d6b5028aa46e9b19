"""A query answered from the stream of another, for real: both answers are the same, byte by byte."""

from __future__ import annotations

import random
from itertools import product

import pytest
import xylem
from xylem.network.filter_stream import filter_query, residual_query
from xylem.network.matching import match
from xylem.network.properties import Properties, properties_of
from xylem.schema import load_schema
from xylem.syntax import parse

from tests.reference import reference

from .random_conditions import DTD, record

TESTS = ["true()", "$r/a > 0", "$r/a > 1 and $r/b < 3", "$r/c or $r/d > 1", "not($r/c < 2)", "$r/s = ('x', 'y')"]
RESULTS = [
    "$r",
    "<x>{ $r/a, $r/b }</x>",
    "<x k='{ $r/@k }'>{ $r/d }</x>",
    "string($r/a)",
    "<x>{ $r/(b | a | d) }</x>",
    "if ($r/b > 1) then $r/c else ()",
]
WHOLE = [
    "<n>{ count(for $r in /rs/rec where TEST return $r/a) }</n>",
    "for $r at $n in /rs/rec[for $r in . return TEST] return <x n='{ $n }'>{ $r/a }</x>",
    "for $w in (for $r in /rs/rec where TEST return $r)|count 3 step 2| return <w>{ $w/b }</w>",
    "for $r in /rs/rec where TEST group by $k := string($r/s) order by $k return <g k='{ $k }'>{ count($r) }</g>",
    "(for $r in /rs/rec where TEST return $r)[2]/d",
    "for $r in /rs/rec where TEST order by string($r/b), string($r/a) return $r/*[1]",
]


def queries() -> list[str]:
    made = [f"for $r in /rs/rec where {test} return {result}" for test, result in product(TESTS, RESULTS)]
    return made + [query.replace("TEST", test) for query, test in product(WHOLE, TESTS)]


def answer(query: str, document: str) -> str | None:
    """The answer of the reference evaluator; None where it fails."""
    try:
        return reference(query).run(xylem.parse(document)).serialize()
    except xylem.DynamicError:
        return None


@pytest.mark.parametrize("with_schema", [True, False], ids=["schema", "no schema"])
def test_answers_from_a_shared_stream_are_the_same(with_schema: bool) -> None:
    draw = random.Random(f"streams {with_schema}")
    document = f"<rs>{''.join(record(draw) for _ in range(25))}</rs>"
    clean = "".join(f"<rec k='{n}'><a>{n % 4}</a><b>{n % 3}</b><d>{n % 5}</d><s>x</s></rec>" for n in range(12))
    schema = load_schema(DTD) if with_schema else None
    texts = queries()
    each: list[tuple[str, Properties]] = [(text, properties_of(parse(text), schema)) for text in texts]
    documents = (document, f"<rs>{clean}</rs>")
    direct = {text: [answer(text, one) for one in documents] for text in texts}
    reused = 0
    for own_text, own in draw.sample(each, 15):
        streams = [reference(filter_query(own)).run(xylem.parse(one)).serialize() for one in documents]
        assert all(stream.startswith("<rs") for stream in streams), own_text
        for text, wanted in draw.sample(each, 18):
            found = match(own, wanted)
            if found.reuse:
                reused += 1
                rest = residual_query(wanted, found.dropped)
                for stream, expected in zip(streams, direct[text], strict=True):
                    if expected is not None:
                        assert answer(rest, stream) == expected, f"{text} from the stream of {own_text}"
    assert reused > 8


def test_records_keep_the_order_of_their_elements() -> None:
    own = properties_of(parse("for $r in /rs/rec return ($r/b, $r/a)"))
    stream = reference(filter_query(own)).run(xylem.parse("<rs><rec k='1'><a>1</a><b>2</b><c>3</c></rec></rs>"))
    assert stream.serialize() == "<rs><rec><a>1</a><b>2</b></rec></rs>"


def test_a_test_that_cannot_be_made_does_not_hide_another() -> None:
    own = properties_of(parse("for $r in /rs/rec where $r/a > 1 or $r/b > 1 return $r"))
    document = xylem.parse("<rs><rec><a>?</a><b>2</b></rec><rec><a>?</a><b>0</b></rec></rs>")
    assert reference(filter_query(own)).run(document).serialize() == "<rs><rec><a>?</a><b>2</b></rec></rs>"
