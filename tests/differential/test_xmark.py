"""The twenty XMark queries at scale 0.005: the answers of an independent processor, checked in and computed.

The checked-in ones serve where that processor is not installed; run as a program, this file writes them anew.
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


@pytest.fixture(scope="module")
def tree(document_path: Callable[[str], Path]) -> Any:
    return xylem.parse(document_path("xmark"))


@pytest.fixture(scope="module")
def saxon_tree(saxon: Saxon, document_path: Callable[[str], Path]) -> Any:
    return saxon.parse(document_path("xmark"))


@pytest.mark.parametrize("number", NUMBERS)
def test_expected_answer(number: int, tree: Any) -> None:
    answer = xylem.compile(query(number)).run(context=tree).serialize()
    assert canonical(answer) == (EXPECTED / f"q{number}.xml").read_text("utf-8").removesuffix("\n")


@pytest.mark.parametrize("number", NUMBERS)
def test_same_answer(number: int, saxon: Saxon, tree: Any, saxon_tree: Any) -> None:
    answer = xylem.compile(query(number)).run(context=tree).serialize()
    assert canonical(answer) == canonical(saxon.answer(query(number), saxon_tree))


def write_expected() -> None:
    """Write the checked-in answers."""
    saxon = Saxon()
    document = saxon.parse_text("".join(xmark.generate(scale=0.005, seed=1)))  # as in conftest.GENERATED
    EXPECTED.mkdir(exist_ok=True)
    for number in NUMBERS:
        answer = canonical(saxon.answer(query(number), document))
        (EXPECTED / f"q{number}.xml").write_text(answer + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_expected()
