"""The part of `explain` on passes: their number, the reasons, the state, and the consequences for each kind of input.

The data flow graph describes the needs of a query (`analysis/dataflow`), the plan its execution. If they differ the
plan counts: for example, a schema may reduce the needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from xylem.analysis.dataflow import Graph, Reason, Verdict
from xylem.errors import Span

from .bounds import GROWING
from .flux_plan import Buffered


@dataclass(frozen=True)
class DataFlow:
    """The graphs of a query: as written, and after all fusions, with the verdict on the latter."""

    written: Graph
    fused: Graph
    verdict: Verdict


@dataclass(frozen=True)
class Streamability:
    """The verdict on a plan."""

    passes: int
    """Number of passes over an input that can be read again."""
    is_bounded: bool
    """Whether the state then stays as small as items, windows and aggregates."""
    reasons: tuple[Reason, ...] = ()
    """Why one pass is not enough, or holds state proportional to the input."""
    earlier: tuple[tuple[str, ...], ...] = ()
    """The values computed by passes before those that write the answer."""
    gives: tuple[str, ...] = ()
    """The part of the answer from each of several answering passes."""
    kept_at_once: tuple[Buffered, ...] = ()
    """The state of a single pass that grows with the input."""
    trees: tuple[str, ...] = ()
    """Other documents that the query reads: they are kept as trees."""
    is_streamed: bool = True
    can_be_one_pass: bool = True
    """Whether there is a plan of one pass at all."""

    @property
    def is_single_pass(self) -> bool:
        """One pass in bounded memory."""
        return self.passes == 1 and self.is_bounded

    @property
    def verdict(self) -> str:
        """The verdict in a few words."""
        if not self.is_streamed:
            return "the whole tree is kept"
        if self.is_single_pass:
            return "single pass"
        if self.is_bounded:
            return f"{self.passes} passes"
        return "one pass, which keeps what grows with the input"

    def to_dict(self) -> dict[str, Any]:
        return {
            "single_pass": self.is_single_pass,
            "passes": self.passes,
            "bounded": self.is_bounded,
            "text": self.verdict,
            "reasons": [_reason_facts(reason) for reason in self.reasons],
            "trees": list(self.trees),
            "earlier_passes": [list(values) for values in self.earlier],
            "in_one_pass_keeps": [buffer.to_dict() for buffer in self.kept_at_once],
            "answering_passes": list(self.gives),
            "keeps_input_read_once": self.passes > 1,
        }

    def lines(self) -> Iterator[str]:
        """For people."""
        yield self.verdict
        for reason in self.reasons:
            yield from _reason_lines(reason)
        for number, values in enumerate(self.earlier, 1):
            yield f"pass {number} computes {', '.join(values)}"
        for number, text in enumerate(self.gives, len(self.earlier) + 1):
            yield f"pass {number} gives {text}"
        if self.earlier and not self.gives:
            yield f"pass {self.passes} gives the answer"
        if self.passes > 1:
            yield "an input that can be read only once is kept, within --buffer-limit, or on disk with --spill DIR"
        elif not self.is_bounded and self.is_streamed:
            yield "kept, within --buffer-limit:"
            yield from (f"  {', '.join(buffer.paths)}" for buffer in self.kept_at_once)
        if self.trees:
            yield f"kept as trees: {', '.join(self.trees)}"

    def in_one_task(self) -> Iterator[str]:
        """The state of a single task that reads the whole input once, as on Spark."""
        if not self.is_streamed or not self.can_be_one_pass:
            yield "it keeps the tree of the whole input"
        elif not self.is_single_pass:
            yield "it reads the input once, and keeps what grows with it:"
            yield from (f"  {', '.join(buffer.paths)}" for buffer in self.kept_at_once)
            if self.passes > 1:
                yield f"in one process, {self.passes} passes over a file would keep nothing that grows"


def streamability(
    flow: DataFlow,
    source: str,
    buffered: Sequence[Buffered],
    earlier: Sequence[Sequence[str]],
    gives: Sequence[str] = (),
    *,
    can_be_one_pass: bool,
) -> Streamability:
    """The verdict on a plan that streams `source`: `buffered` is what one pass keeps.

    `earlier`: values of passes before the answer; `gives`: the parts from several answering passes.
    """
    trees = tuple(stream for stream in flow.fused.streams if stream != source)
    growing = tuple(buffer for buffer in buffered if buffer.bound in GROWING)
    passes = len(earlier) + max(1, len(gives))
    if not growing and passes == 1:
        return Streamability(1, True, trees=trees)
    reasons = flow.verdict.reasons or tuple(
        Reason(0, f"${buffer.variable} keeps {', '.join(buffer.paths)} until {buffer.until}") for buffer in growing
    )
    told = tuple(tuple(values) for values in earlier)
    return Streamability(
        passes, passes > 1, reasons, told, tuple(gives), growing, trees, can_be_one_pass=can_be_one_pass
    )


def over_tree(why: str, span: Span | None) -> Streamability:
    """The verdict on a query that is answered from a tree."""
    reason = Reason(0, why, () if span is None else (span,))
    return Streamability(1, False, (reason,), is_streamed=False)


def _reason_lines(reason: Reason) -> Iterator[str]:
    yield reason.text
    for span in reason.spans:
        text = " ".join(span.source.text[span.start : span.end].split())
        yield f"  {span.line}:{span.column}  {text if len(text) <= 60 else text[:59] + '…'}"


def _reason_facts(reason: Reason) -> dict[str, Any]:
    places = [
        {"line": span.line, "column": span.column, "query": span.source.text[span.start : span.end]}
        for span in reason.spans
    ]
    return {"theorem": reason.theorem or None, "text": reason.text, "places": places}
