"""Items of a stream that come in one batch are looked up together, and each has what it would have alone."""

from __future__ import annotations

import random
from typing import Any

import pytest
import xylem
from xylem.errors import XylemError
from xylem.run.best_match import numeric_index
from xylem.source.kernel import is_kernel_built

from .oracle import Case, distance, document_of, pairs_of

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="batches with many items come from the kernel")
JOIN = "declare variable $o external; for $r in /d/r for $s EMPTY in $o/d/s WHERE where $r left outer bestmatch join $s"
NEAR = "on (abs($r/@x - $s/@x)) min 1.5 return $r/@i || ' ' || $s/@i"


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many items each lookup was for."""
    found: list[int] = []
    original = numeric_index.NumericIndex.pairs

    def pairs(index: Any, coming: Any) -> Any:
        found.append(len(coming))
        return original(index, coming)

    monkeypatch.setattr(numeric_index.NumericIndex, "pairs", pairs)
    return found


def many(items: int = 400) -> Case:
    chance = random.Random(items)
    left, right = ([{"x": chance.randint(0, 900) / 3} for _ in range(size)] for size in (items, 150))
    return Case(left, right, [distance("x", "min", 1.5)], "left")  # type: ignore[arg-type]


def asked(document: str, where: str = "", empty: str = "", other: str = "") -> list[Any]:
    text = f"{JOIN} {NEAR}".replace("WHERE", where).replace("EMPTY", empty)
    variables = {"o": xylem.parse(other or document)}
    return list(xylem.compile(text).stream(document.encode(), variables))


def test_a_batch_is_looked_up_in_few_calls(calls: list[int]) -> None:
    case = many()
    assert asked(document_of(case)) == [f"{i} {j}" for i, j in pairs_of(case)]
    assert len(calls) < 20
    assert sum(calls) < 800


def test_items_without_partner_come_with_it(calls: list[int]) -> None:
    case = many()
    pairs = pairs_of(case)
    alone = set(range(400)) - {i for i, _ in pairs}
    assert alone
    wanted = sorted([(i, f"{i} {j}") for i, j in pairs] + [(i, f"{i} ") for i in alone], key=lambda one: one[0])
    assert asked(document_of(case), empty="allowing empty") == [text for _, text in wanted]
    assert len(calls) < 20


def test_conditions_leave_out_what_was_looked_up(calls: list[int]) -> None:
    case = many(2000)
    wanted = [f"{i} {j}" for i, j in pairs_of(case) if i % 100 == 7]
    assert asked(document_of(case), where="where $r/@i mod 100 = 7") == wanted
    assert sum(calls) < 1000, "where few are asked about, few are looked up"


def test_partners_of_every_pair_that_is_near(calls: list[int]) -> None:
    """Many pairs for each item: few items are looked up together."""
    case = many()
    text = f"{JOIN.replace('left outer', 'left outer 1000')} on ($s/@x) min return $r/@i || ' ' || $s/@i"
    query = xylem.compile(text.replace("WHERE", "").replace("EMPTY", ""))
    document = document_of(case)
    found = list(query.stream(document.encode(), {"o": xylem.parse(document)}))
    assert found == [f"{i} {j}" for i in range(400) for j in range(150)]
    assert max(calls) < 400


def test_a_wrong_value_is_told_in_its_turn() -> None:
    case = many(60)
    good = document_of(case)
    bad = good.replace('<r i="40" x="', '<r i="40" x="wrong')
    text = f"{JOIN} {NEAR}".replace("WHERE", "").replace("EMPTY", "")
    results = iter(xylem.compile(text).stream([bad.encode()], {"o": xylem.parse(good)}))
    found: list[Any] = []
    with pytest.raises(XylemError, match="FORG0001"):
        found.extend(results)
    assert found == [f"{i} {j}" for i, j in pairs_of(case) if i < 40]
