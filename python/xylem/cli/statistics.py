"""The report of `--stats` after a run: a table for people, or one line of JSON, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from xylem.errors import StaticError
from xylem.run.stream.buffer import ROW_BYTES
from xylem.values.growing_tree import held_characters
from xylem.values.node import Node

from .query_source import InputDocument

if TYPE_CHECKING:
    from xylem.result import Result
    from xylem.stream_result import StreamResult

Facts = dict[str, Any]


def of_stream(result: StreamResult, scanner: str) -> Facts:
    """The facts of a run that streamed."""
    measured = result.statistics
    progress = result.progress
    return {
        "streamed": True,
        "passes": measured.passes,
        "scanner": scanner,
        "input_bytes": measured.input_bytes,
        "seconds": round(progress.seconds, 3),
        "records": measured.records,
        "results": progress.written.results if progress.written is not None else None,
        "peak_buffered_bytes": measured.peak_buffered_bytes,
        "peak_window_items": measured.peak_window_items,
        "buffers": _buffers(measured.peak_by_variable),
        "peak_rss_bytes": peak_rss_bytes(),
        "operators": result.operators().to_dict(),
    }


def of_trees(documents: Sequence[InputDocument], refused: StaticError | None, result: Result) -> Facts:
    """The facts of a run over trees: all input counts as buffered."""
    held = sum(_tree_bytes(document.node) for document in documents)
    return {
        "streamed": False,
        "reason": "" if refused is None else refused.why,
        "line": None if refused is None or refused.span is None else refused.span.line,
        "passes": 1,
        "input_bytes": sum(document.input_bytes for document in documents),
        "records": 0,
        "peak_buffered_bytes": held,
        "buffers": _buffers({"ROOT": held} if documents else {}),
        "peak_rss_bytes": peak_rss_bytes(),
        "operators": result.operators().to_dict(),
    }


def _tree_bytes(document: Node) -> int:
    tree = document.tree
    return held_characters(tree, 0, len(tree)) + ROW_BYTES * len(tree)


def _buffers(peaks: dict[str, int]) -> list[dict[str, Any]]:
    return [{"variable": name, "peak_bytes": size} for name, size in sorted(peaks.items())]


def peak_rss_bytes() -> int | None:
    """The peak memory of this process; None if the system does not say."""
    try:
        import resource
    except ImportError:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def report(facts: Facts, style: str) -> None:
    """Write the facts to standard error, as the last thing there."""
    report_as(facts, _rows, style)


def report_as(facts: Facts, rows: Callable[[Facts], Iterable[tuple[str, str]]], style: str) -> None:
    """Write facts to standard error: one line of JSON, or a table with these rows."""
    sys.stdout.flush()
    if style == "json":
        import json

        print(json.dumps(facts), file=sys.stderr)
    else:
        for name, value in rows(facts):
            print(f"{name:<18} {value}", file=sys.stderr)


def _rows(facts: Facts) -> Iterator[tuple[str, str]]:
    if facts["streamed"]:
        passes = _number(facts["passes"], "pass", "passes")
        yield "streamed", f"yes, in {passes}, scanned by {'the kernel' if facts['scanner'] == 'kernel' else 'Python'}"
    else:
        place = f" (line {facts['line']})" if facts["line"] else ""
        yield "streamed", f"no: {facts['reason'] or 'not asked for'}{place}"
    speed = ""
    if facts.get("seconds"):
        speed = f" in {facts['seconds']:.3g} s, {facts['input_bytes'] / 1e6 / facts['seconds']:,.1f} MB/s"
    inputs = f" of {facts['inputs']:,} inputs" if "inputs" in facts else ""
    yield "input", _number(facts["input_bytes"], "byte", "bytes") + inputs + speed
    if facts.get("resumed_at_byte"):
        yield "gone on from", f"byte {facts['resumed_at_byte']:,}"
    if facts["streamed"]:
        yield "records", f"{facts['records']:,}"
        if facts["results"] is not None:
            yield "results", f"{facts['results']:,}"
    if "malformed" in facts:
        from .malformed_option import words_of

        yield "left out", words_of(facts["malformed"])
    yield from left_out_rows(facts)
    yield "buffered at most", _number(facts["peak_buffered_bytes"], "byte", "bytes")
    if facts.get("peak_window_items"):
        yield "in windows at most", _number(facts["peak_window_items"], "item", "items")
    for buffer in facts["buffers"]:
        yield f"  ${buffer['variable']}", _number(buffer["peak_bytes"], "byte", "bytes")
    if facts["peak_rss_bytes"] is not None:
        yield "memory at most", f"{facts['peak_rss_bytes'] / 1e6:,.1f} MB"
    yield from operator_rows(facts)


def left_out_rows(facts: Facts) -> Iterator[tuple[str, str]]:
    """Items without a part in best-match joins."""
    for name, number in facts.get("items_without_value", {}).items():
        yield f"left out of ${name}", _number(number, "item", "items") + " without a number that an order compares"


def operator_rows(facts: Facts) -> Iterator[tuple[str, str]]:
    """A row for each operator, with the number it has in `explain`."""
    for operator in facts.get("operators", ()):
        yield f"operator {operator['id']:>3}", _operator_text(operator)


def _operator_text(operator: dict[str, Any]) -> str:
    from xylem.plan.operator_counts import OperatorCount

    counts = OperatorCount(*(operator[name] for name in ("items_in", "items_out", "peak_bytes", "entries")))
    words = ", ".join(counts.words())
    return f"{operator['text']}: {words}" if words else operator["text"]


def _number(value: int, one: str, many: str) -> str:
    return f"{value:,} {one if value == 1 else many}"
