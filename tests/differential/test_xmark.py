"""The twenty XMark queries: answers that were checked in, and the same answers as an independent processor at scale 0.005.

The checked-in answers are an independent processor's for scale 0.001 and seed 1; `make_expected` writes them anew.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import xylem
from xylem.bench import xmark
from xylem.bench.answers import canonical
from xylem.bench.peers import Saxon
from xylem.bench.xmark_queries import NUMBERS, query

EXPECTED = Path(__file__).parents[1] / "golden" / "xmark" / "expected"


def small_document() -> str:
    return "".join(xmark.generate(scale=0.001, seed=1))


@pytest.fixture(scope="module")
def small() -> Any:
    return xylem.parse(small_document())


@pytest.fixture(scope="module")
def trees(saxon: Saxon, document_path: Callable[[str], Path]) -> tuple[Any, Any]:
    path = document_path("xmark")
    return xylem.parse(path), saxon.parse(path)


@pytest.mark.parametrize("number", NUMBERS)
def test_expected_answer(number: int, small: Any) -> None:
    answer = xylem.compile(query(number)).run(context=small).serialize()
    assert canonical(answer) == (EXPECTED / f"q{number}.xml").read_text("utf-8").removesuffix("\n")


@pytest.mark.parametrize("number", NUMBERS)
def test_same_answer(number: int, saxon: Saxon, trees: tuple[Any, Any]) -> None:
    answer = xylem.compile(query(number)).run(context=trees[0]).serialize()
    assert canonical(answer) == canonical(saxon.answer(query(number), trees[1]))


def make_expected() -> None:
    """Write the checked-in answers, with the independent processor."""
    saxon = Saxon()
    document = saxon.parse_text(small_document())
    EXPECTED.mkdir(exist_ok=True)
    for number in NUMBERS:
        answer = canonical(saxon.answer(query(number), document))
        (EXPECTED / f"q{number}.xml").write_text(answer + "\n", encoding="utf-8")


if __name__ == "__main__":
    make_expected()
