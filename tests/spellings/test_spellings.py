"""Spellings that mean the same give the same answer in every way to run them, and cost what the table says.

`python -m tests.spellings.table` writes the table anew; how to read it stands in golden/spellings/README.md.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from xylem.bench.answers import canonical
from xylem.bench.peers import Saxon
from xylem.pipeline import StaticEnvironment, compile_distributed
from xylem.plan.distribution import InputOf
from xylem.run.deep_stack import with_deep_stack
from xylem.run.tasks.flat_items import NOT_FLAT
from xylem.run.tasks.in_process import run_in_process
from xylem.source.byte_ranges import ranges
from xylem.source.cut_points import find_cuts
from xylem.source.xml_reader import read_document

from .documents import ODD, PLAIN, VARIANTS, document, variables
from .growth import class_of, costs_of_items
from .spelled_query import ANSWER_SIZE, SpelledQuery, outcome, spelled_query
from .spelling_files import Block, Spelling, blocks
from .table import golden_sections, section

BLOCKS = blocks()
CUTS = 3


@pytest.fixture(scope="module", params=BLOCKS, ids=[block.title for block in BLOCKS])
def block(request: pytest.FixtureRequest) -> Block:
    """Each block; all tests of one follow each other, so that its queries are compiled once."""
    found: Block = request.param
    return found


@pytest.mark.share(2)
def test_table(block: Block) -> None:
    assert section(block) == golden_sections()[block.title]


def test_table_has_nothing_else() -> None:
    assert list(golden_sections()) == [block.title for block in BLOCKS]
    texts = [spelling.text for block in BLOCKS for spelling in block.spellings]
    assert len(set(texts)) == len(texts)


@pytest.mark.share(8)
def test_same_answer(block: Block) -> None:
    for variant in VARIANTS:
        answers: dict[str, list[str]] = {}
        for spelling in block.spellings:
            if variant == PLAIN or not spelling.is_plain:
                found = spelled_query(block, spelling).answer(variant)
                answers.setdefault(found, []).append(spelling.text)
        assert len(answers) <= 1, f"{variant}: {answers}"
        assert not any(answer.startswith("error") or not answer for answer in answers)


@pytest.mark.share(8)
def test_streams_and_tasks_give_the_answer_of_the_tree(block: Block, tmp_path: Path) -> None:
    with_deep_stack(lambda: _assert_same_in_all_ways(block, tmp_path))


def _assert_same_in_all_ways(block: Block, folder: Path) -> None:
    differences = []
    for spelling in block.spellings:
        query = spelled_query(block, spelling)
        for variant in VARIANTS:
            expected = query.answer(variant)
            if query.is_streamed:
                found = outcome(query.over_stream(ANSWER_SIZE, variant))
                differences += _told("stream", spelling, variant, found, expected)
            as_written = outcome(query.over_tree(ANSWER_SIZE, variant, method=None))
            found = _by_tasks(query, variant, folder)
            differences += _told("tasks", spelling, variant, found, as_written)
    assert not differences, "\n".join(differences)


def _told(way: str, spelling: Spelling, variant: str, found: str, expected: str) -> list[str]:
    if found == expected:
        return []
    return [f"{way}, {variant}: {spelling.text}\n  {found}\n  {expected}"]


def _by_tasks(query: SpelledQuery, variant: str, folder: Path) -> str:
    """The answer over parts of a document. Where keys are odd, the sides of joins are brought together by key."""
    program = query.distributed
    file = folder / f"{variant}.xml"
    file.write_text(document(query.kind, ANSWER_SIZE, variant), encoding="utf-8")
    cuts = find_cuts(file, program.scopes, 1) if program.cut_scopes else []
    some = Random(query.text).sample(cuts, min(CUTS, len(cuts)))
    parts = ranges(file, sorted(some, key=lambda cut: cut.offset))
    given = {("", name): [read_document(text)] for name, text in variables(query.kind, ANSWER_SIZE, variant).items()}
    broadcast_bytes = 0 if variant == ODD and program.keyed_parts else None
    found = outcome(lambda: run_in_process(program, parts, broadcast_bytes, variables=given))
    if found == f"error {NOT_FLAT}":
        # Tasks have found items inside each other: then one task answers.
        whole = compile_distributed(query.text, StaticEnvironment(), input_of=InputOf.WHOLE)
        found = outcome(lambda: run_in_process(whole, ranges(file, ()), variables=given))
    return found


@pytest.fixture(scope="module")
def saxon() -> Saxon:
    pytest.importorskip("saxonche", reason="saxonche, the processor compared with, is not installed")
    return Saxon()


@pytest.mark.share(8)
def test_saxon_gives_the_answer_of_the_tree(block: Block, saxon: Saxon) -> None:
    for variant in VARIANTS:
        context = saxon.parse_text(document(block.document, ANSWER_SIZE, variant))
        for spelling in block.spellings:
            expected = spelled_query(block, spelling).answer(variant)
            found = _of_saxon(saxon, spelling, context, variables(block.document, ANSWER_SIZE, variant))
            assert _compared(found, block) == _compared(expected, block), f"{variant}: {spelling.text}"


def _compared(answer: str, block: Block) -> str | list[str]:
    return sorted(answer.splitlines()) if block.any_order else canonical(answer)


def _of_saxon(saxon: Saxon, spelling: Spelling, context: Any, given: dict[str, str]) -> str:
    from saxonche import PySaxonApiError

    query = spelling.query
    for name, text in given.items():
        query = query.replace(f"${name} external;", f"${name} := document {{ {text} }};", 1)
    try:
        answer = saxon.answer(query, context, **{"method": "adaptive", "omit-xml-declaration": "yes"})
    except PySaxonApiError as error:
        return "error " + next(code for code in ("XPTY0004", "FORG0001", "FORG0006") if code in str(error))
    return answer.strip()


def test_growth_of_loops() -> None:
    def loops(depth: int, size: int) -> Callable[[], object]:
        def run(left: int = depth) -> None:
            for _ in range(size if left else 0):
                run(left - 1)

        return run

    ratios = [costs_of_items(lambda size, depth=depth: loops(depth, size)) for depth in (1, 2, 3)]  # type: ignore[misc]
    assert [class_of(ratio) for ratio in ratios] == ["linear", "quadratic", "cubic"]
