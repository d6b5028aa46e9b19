"""How much a query buffers over a stream, with a schema and without: the thesis' tables C.1 and C.2 made again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .attribute_free import dtd_without_attributes, without_attributes
from .flux_queries import QUERIES, Claim, FluxQuery
from .xmark import DTD, generate
from .xmark_queries import query as xmark_query

BYTES_OF_SCALE_1 = 116_000_000
_ABOUT_A_TENTH = 0.2  # the thesis has 0.15 at 5 MB, 0.13 at 100 MB
_MOST_BYTES = {Claim.NONE: 0, Claim.CONSTANT: 199, Claim.WINDOW: 20 * 100}
"""A window has twenty elements at most; the thesis counts 91 bytes for each."""
_ORIGINALS = {1: Claim.NONE, 13: Claim.NONE, 20: Claim.NONE, 5: Claim.CONSTANT, 16: Claim.CONSTANT, 17: Claim.CONSTANT}
"""What holds of XMark's own queries if they do as the thesis' versions of them."""


@dataclass(frozen=True)
class Run:
    """One query over one document."""

    peak_bytes: int
    seconds: float
    records: int


@dataclass(frozen=True)
class QueryBuffers:
    """A query with and without the schema; an error stands where it cannot be streamed."""

    name: str
    query: FluxQuery | None
    """None for an original query of XMark, of which the thesis has no figure."""
    claim: Claim
    without_schema: Run | str
    with_schema: Run | str


@dataclass(frozen=True)
class Buffers:
    """All queries over a document of a size."""

    megabytes: float
    input_bytes: int
    thesis: list[QueryBuffers]
    originals: list[QueryBuffers]


def write_documents(folder: Path, megabytes: float, seed: int = 0) -> tuple[Path, Path]:
    """XMark as it is, and without attributes."""
    whole, bare = folder / "auction.xml", folder / "auction-without-attributes.xml"
    scale = megabytes * 1_000_000 / BYTES_OF_SCALE_1
    with whole.open("w", encoding="ascii") as first, bare.open("w", encoding="ascii") as second:
        for piece in generate(scale, seed):
            first.write(piece)
            second.writelines(without_attributes([piece]))
    return whole, bare


def run(
    folder: Path,
    megabytes: float,
    numbers: Sequence[int],
    seed: int = 0,
    progress: Callable[[str], None] = lambda step: None,
) -> Buffers:
    """Make the documents and run the queries of the thesis, and those of XMark that are asked for."""
    progress(f"{megabytes:g} MB of XMark")
    whole, bare = write_documents(folder, megabytes, seed)
    bare_dtd = dtd_without_attributes(DTD)
    thesis = []
    for query in QUERIES:
        progress(query.name)
        thesis.append(QueryBuffers(query.name, query, query.claim, *_both(query.text, bare, bare_dtd)))
    originals = []
    for number in numbers:
        progress(f"XMark {number}")
        found = _both(xmark_query(number), whole, DTD)
        originals.append(QueryBuffers(f"XMark {number}", None, _ORIGINALS.get(number, Claim.OPEN), *found))
    return Buffers(megabytes, bare.stat().st_size, thesis, originals)


def _both(text: str, document: Path, dtd: str) -> tuple[Run | str, Run | str]:
    return measured(text, document, None), measured(text, document, dtd)


def measured(text: str, document: Path, dtd: str | None) -> Run | str:
    """Run a query over a file, keeping nothing of its answer."""
    from xylem.errors import XylemError
    from xylem.lowering.stream.build import NotStreamable
    from xylem.pipeline import StaticEnvironment, compile_stream
    from xylem.run.stream.run import Statistics
    from xylem.schema.loading import load_schema
    from xylem.source.resources import FileResources

    statistics = Statistics()
    start = time.process_time()
    try:
        program = compile_stream(text, StaticEnvironment(), None if dtd is None else load_schema(dtd))
        for _ in program.write(document, FileResources(), Discarding(), statistics=statistics):
            pass
    except (NotStreamable, XylemError) as reason:
        return str(reason)
    return Run(statistics.peak_buffered_bytes, time.process_time() - start, statistics.records)


class Discarding:
    """An output that keeps nothing and counts nothing."""

    def start_element(self, *arguments: object) -> None:
        """Nothing."""

    attribute = text = item = start_element

    def end_element(self) -> None:
        """Nothing."""

    finish = end_element


def holds(measured_buffers: QueryBuffers, others: Sequence[QueryBuffers]) -> bool | None:
    """Whether a query does with the schema what the thesis says; None where it says nothing."""
    found, claim = measured_buffers.with_schema, measured_buffers.claim
    if claim is Claim.OPEN:
        return None
    if not isinstance(found, Run):
        return False
    if claim is Claim.TENTH:
        whole = next(other.with_schema for other in others if other.name == "Q8")
        return isinstance(whole, Run) and found.peak_bytes <= _ABOUT_A_TENTH * whole.peak_bytes
    return found.peak_bytes <= _MOST_BYTES[claim]
