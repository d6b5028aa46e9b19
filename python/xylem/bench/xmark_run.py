"""The XMark benchmark: twenty queries over one document, by every processor that is installed.

Times are medians of several repetitions in one process and one run, so that what is compared had the same machine. A
slow query is not repeated for ever: once it has taken its budget, what has been measured must do.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from .answers import same_answer
from .peers import Peer
from .xmark_queries import query

TOLERATED = 3.0  # a query is slow when it takes more than this many times what the peer needs, parsing included


@dataclass(frozen=True)
class QueryTimes:
    """One query: seconds by processor, and whether the answers agree. An error stands in place of a time."""

    number: int
    seconds: dict[str, float]
    errors: dict[str, str] = field(default_factory=dict)
    agree: bool | None = None

    def ratio(self, peer: str) -> float | None:
        """How many times the peer's time Xylem takes."""
        if "Xylem" not in self.seconds or peer not in self.seconds:
            return None
        return self.seconds["Xylem"] / self.seconds[peer]


@dataclass(frozen=True)
class XMarkTimes:
    """A whole run."""

    document: Path
    size_bytes: int
    versions: dict[str, str]
    parse_seconds: dict[str, float]
    queries: list[QueryTimes]

    def from_file(self, times: QueryTimes, name: str) -> float:
        """What a processor needs from the file to the answer."""
        return self.parse_seconds[name] + times.seconds[name]

    def slow(self, peer: str = "Saxon") -> list[int]:
        """The queries that take, from file to answer, more than three times as long as the peer does."""
        return [
            times.number
            for times in self.queries
            if "Xylem" in times.errors
            or (times.ratio(peer) and self.from_file(times, "Xylem") > TOLERATED * self.from_file(times, peer))
        ]


@dataclass(frozen=True)
class Effort:
    """How often a measurement is repeated: so many times, but not beyond so many seconds in all."""

    repetitions: int = 5
    budget_seconds: float = 10.0

    def measure(self, action: Callable[[], Any]) -> tuple[float, Any]:
        """The median time of the action, and its last result."""
        times: list[float] = []
        result = None
        while len(times) < self.repetitions and sum(times) < self.budget_seconds:
            result = None  # two results at once would measure the memory too
            gc.collect()
            start = time.perf_counter()
            result = action()
            times.append(time.perf_counter() - start)
        return median(times), result


def run(
    document: Path,
    numbers: Sequence[int],
    peers: Sequence[Peer],
    effort: Effort,
    progress: Callable[[str], None] = lambda step: None,
) -> XMarkTimes:
    """Parse the document with each processor, then let them answer each query in turn."""
    parse_seconds, trees = {}, {}
    for peer in peers:
        progress(f"{peer.name} parses")
        # Fewer times than a query: a tree of Python objects takes a while to be freed, too.
        seconds, trees[peer.name] = Effort(min(3, effort.repetitions), effort.budget_seconds).measure(
            lambda peer=peer: peer.parse(document)  # type: ignore[misc]
        )
        parse_seconds[peer.name] = seconds
    return XMarkTimes(
        document=document,
        size_bytes=document.stat().st_size,
        versions={peer.name: peer.version for peer in peers},
        parse_seconds=parse_seconds,
        queries=list(_queries(numbers, peers, trees, effort, progress)),
    )


def _queries(
    numbers: Sequence[int],
    peers: Sequence[Peer],
    trees: dict[str, Any],
    effort: Effort,
    progress: Callable[[str], None],
) -> Iterator[QueryTimes]:
    for number in numbers:
        text = query(number)
        seconds: dict[str, float] = {}
        errors: dict[str, str] = {}
        answers: list[str] = []
        for peer in peers:
            progress(f"Q{number}: {peer.name}")
            try:
                seconds[peer.name], answer = effort.measure(
                    lambda peer=peer, text=text: peer.answer(text, trees[peer.name])  # type: ignore[misc]
                )
                answers.append(answer)
            except Exception as reason:
                # Whatever a processor says is that processor's result; the others go on.
                errors[peer.name] = f"{type(reason).__name__}: {reason}".strip()
        agree = all(same_answer(answers[0], other) for other in answers[1:]) if len(answers) == len(peers) > 1 else None
        yield QueryTimes(number, seconds, errors, agree)
