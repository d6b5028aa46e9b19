"""Whether queries are answered from the answers of others: expected verdicts, and answers that cannot be told apart.

If B follows from A's answer, then two inputs for which A gives the same answer must have one answer of B. That is
looked for among small inputs: a pair that breaks it would be an unsound match, whatever words it was found by.
"""

from __future__ import annotations

import os
import random

import pytest
import xylem
from xylem.network.answer_matching import match_queries
from xylem.schema import load_schema
from xylem.syntax import parse

from tests.reference import reference

from .match_pairs import DTD, FLAT, NO_SCHEMA, ORDERS, ORDERS_DTD, OTHER_WORDS, SPELLINGS, WITH_SCHEMA

SCHEMA = load_schema(DTD)
ORDERS_SCHEMA = load_schema(ORDERS_DTD)
PAIRS = 9_000 if int(os.environ.get("XYLEM_CAMPAIGN", "0")) else 80
TIMES = [0, 10, 70, 130, 200]


@pytest.mark.parametrize(("own", "wanted", "expected"), WITH_SCHEMA + SPELLINGS + FLAT + OTHER_WORDS)
def test_verdicts(own: str, wanted: str, expected: bool) -> None:
    found = match_queries(parse(own), parse(wanted), SCHEMA)
    assert found.reuse is expected, found.why
    assert found.why


@pytest.mark.parametrize(("own", "wanted", "expected"), ORDERS)
def test_verdicts_over_orders(own: str, wanted: str, expected: bool) -> None:
    found = match_queries(parse(own), parse(wanted), ORDERS_SCHEMA)
    assert found.reuse is expected, found.why


@pytest.mark.parametrize(("own", "wanted", "expected"), NO_SCHEMA)
def test_verdicts_without_a_schema(own: str, wanted: str, expected: bool) -> None:
    found = match_queries(parse(own), parse(wanted))
    assert found.reuse is expected, found.why


def photon(draw: random.Random) -> str:
    def value() -> str:
        usual = draw.choice(["0", "1", "1", "1.5", "2", "2", "3", "4"])
        return draw.choice(["NaN", "INF", "-0", " 2 ", "1e0", "x", ""]) if draw.random() < 0.08 else usual

    phc = f"<phc>{value()}</phc>" if draw.random() < 0.5 else ""
    notes = "".join(f"<note>{value()}</note>" for _ in range(draw.choice([0, 0, 1, 2])))
    kind = f' kind="{draw.choice("xy")}"' if draw.random() < 0.4 else ""
    names = f'id="{draw.choice(["x", "xy", "xyz", "a", "ayx"])}"{kind}'
    values = f"<ra>{value()}</ra><dec>{value()}</dec><en>{value()}</en>{phc}{notes}"
    return f"<photon {names}>{values}<det_time>{draw.choice(TIMES)}</det_time></photon>"


def documents(draw: random.Random, number: int) -> list[str]:
    """Small inputs, most of which differ from another in one record: answers are often the same."""
    made: list[list[str]] = [[]]
    while len(made) < number:
        records = list(draw.choice(made))
        roll = draw.random()
        if records and roll < 0.25:
            records.pop(draw.randrange(len(records)))
        elif records and roll < 0.5:
            records[draw.randrange(len(records))] = photon(draw)
        elif roll < 0.6:
            draw.shuffle(records)
        elif len(records) < 4:
            records.insert(draw.randrange(len(records) + 1), photon(draw))
        made.append(records)
    return [f"<photons>{''.join(records)}</photons>" for records in made]


def answers(query: str, inputs: list[str]) -> list[str | None]:
    found: list[str | None] = []
    run = reference(query)
    for text in inputs:
        try:
            found.append(run.run(xylem.parse(text)).serialize())
        except xylem.XylemError:
            found.append(None)
    return found


@pytest.mark.timeout(3600)
def test_inputs_with_one_answer_of_a_have_one_answer_of_b() -> None:
    draw = random.Random("answers")
    inputs = documents(draw, 150 if PAIRS > 1_000 else 40)
    expected = [pair[2] for pair in WITH_SCHEMA]
    assert expected.count(True) > 100
    assert expected.count(False) > 60
    pairs = [(own, wanted) for own, wanted, is_so in WITH_SCHEMA + SPELLINGS + FLAT + OTHER_WORDS if is_so]
    # An average travels as a sum and a count, which its answer does not show.
    pairs = [(own, wanted) for own, wanted in pairs if "avg" not in own or "diff" not in own]
    queries = sorted({query for pair in pairs for query in pair})
    pairs = draw.sample(pairs, 40) + [(draw.choice(queries), draw.choice(queries)) for _ in range(PAIRS)]
    known: dict[str, list[str | None]] = {}
    tried = 0
    for own, wanted in pairs:
        if own == wanted or not match_queries(parse(own), parse(wanted), SCHEMA).reuse:
            continue
        for query in (own, wanted):
            if query not in known:
                known[query] = answers(query, inputs)
        first: dict[str, int] = {}
        for at, (answer, other) in enumerate(zip(known[own], known[wanted], strict=True)):
            if answer is not None and other is not None:
                before = first.setdefault(answer, at)
                tried += before != at
                assert known[wanted][before] == other, f"{wanted} from {own}: {inputs[before]} and {inputs[at]}"
    assert tried > 200
