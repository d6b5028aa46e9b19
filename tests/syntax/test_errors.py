"""Each kind of fault is reported once, at its place, with a way out: golden/errors.txt holds what users see.

After a change of wording, write the file anew and read the difference:

    XYLEM_REWRITE_GOLDEN=1 pytest tests/syntax/test_errors.py
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

import pytest
from xylem.errors import StaticError
from xylem.syntax import parse

GOLDEN = Path(__file__).with_name("golden") / "errors.txt"
_BLOCK = re.compile("^=== ", re.MULTILINE)


class Case(NamedTuple):
    name: str
    query: str
    shown: str


def _cases() -> list[Case]:
    found = []
    for block in _BLOCK.split(GOLDEN.read_text(encoding="utf-8"))[1:]:
        name, _, rest = block.partition("\n")
        query, _, shown = rest.partition("--- error\n")
        found.append(Case(name, query[:-1], shown.strip("\n")))
    return found


def _shown(query: str) -> str:
    with pytest.raises(StaticError) as caught:
        parse(query)
    return caught.value.render()


CASES = _cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_error(case: Case) -> None:
    if "XYLEM_REWRITE_GOLDEN" in os.environ:
        pytest.skip("the golden file is being written anew")
    assert _shown(case.query) == case.shown


@pytest.mark.skipif("XYLEM_REWRITE_GOLDEN" not in os.environ, reason="only to write the golden file anew")
def test_rewrite_golden() -> None:
    head = _BLOCK.split(GOLDEN.read_text(encoding="utf-8"))[0]
    blocks = [f"=== {case.name}\n{case.query}\n--- error\n{_shown(case.query)}\n\n" for case in CASES]
    GOLDEN.write_text(head + "".join(blocks), encoding="utf-8")
