"""A query run both ways: over the whole tree, and over parts of the document put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import xylem
from xylem.errors import XylemError
from xylem.pipeline import StaticEnvironment, compile_distributed
from xylem.plan.distribution import InputOf
from xylem.run.tasks.flat_items import NOT_FLAT
from xylem.run.tasks.in_process import run_in_process
from xylem.run.tasks.program import DistributedProgram
from xylem.source.byte_ranges import ByteRange, CutPoint, ranges
from xylem.source.cut_points import find_cuts
from xylem.source.kernel import find_cuts as kernel_cuts
from xylem.source.kernel import is_kernel_built
from xylem.source.limits import DEFAULT_LIMITS

SHOP = Path(__file__).parents[2] / "golden" / "distribution" / "shop.xml"


def distributed(query: str) -> DistributedProgram:
    return compile_distributed(query, StaticEnvironment())


def outcome(run: Callable[[], str]) -> str:
    """A text, or the code of the error that came instead."""
    try:
        return run()
    except XylemError as error:
        return f"error {error.code}"


def over_tree(query: str, document: Path) -> str:
    return outcome(lambda: str(xylem.compile(query).run(xylem.parse(document))))


def over_ranges(program: DistributedProgram, parts: list[ByteRange], broadcast_bytes: int | None = None) -> str:
    return outcome(lambda: run_in_process(program, parts, broadcast_bytes))


def as_one_task(query: str, document: Path) -> str:
    """What becomes of a query whose tasks found items inside each other."""
    program = compile_distributed(query, StaticEnvironment(), input_of=InputOf.WHOLE)
    assert not program.distribution.is_parallel
    return over_ranges(program, ranges(document, ()))


def divisions(program: DistributedProgram, document: Path, random: Random, number: int) -> Iterator[list[ByteRange]]:
    """The document whole, cut wherever it can be, and cut at some of these places."""
    yield ranges(document, ())
    cuts = _cuts(program, document)
    if cuts:
        yield ranges(document, cuts)
        for _ in range(number):
            share = random.random()
            yield ranges(document, [cut for cut in cuts if random.random() < share])


def _cuts(program: DistributedProgram, document: Path) -> list[CutPoint]:
    """Before every item, and in every few bytes between them."""
    if not program.cut_scopes:
        return []
    if not is_kernel_built():
        return find_cuts(document, program.scopes, 1)
    return kernel_cuts(str(document), program.cut_scopes, 1, DEFAULT_LIMITS, 1, 16, everywhere=True)


def assert_same(query: str, document: Path, random: Random, number: int = 3) -> DistributedProgram:
    """The answer over any division is that over the tree."""
    program = distributed(query)
    expected = over_tree(query, document)
    for parts in divisions(program, document, random, number):
        found = over_ranges(program, parts)
        if found == f"error {NOT_FLAT}":
            found = as_one_task(query, document)
        assert found == expected, f"{len(parts)} ranges:\n{query}"
        if program.keyed_parts:
            by_key = over_ranges(program, parts, broadcast_bytes=0)
            assert by_key in (expected, f"error {NOT_FLAT}"), f"{len(parts)} ranges, by key:\n{query}"
    return program
