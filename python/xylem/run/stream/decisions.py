"""Decide conditions early: true or false as soon as the input so far allows it (XQPull §4).

        [title = "x" and not(draft)]     true at the end of the element at the earliest, false at its first draft

A condition over an open element consists of facts known at its start tag and of aggregates over its content.
`exists(…)` can only become true, `empty(…)` only false; other aggregates are unknown before the end tag.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..aggregates.state import Failed
from .accumulator import Accumulator

Verdict = bool | None
"""None while undecided."""


@dataclass(frozen=True)
class Decision:
    """A condition that is decided on the way; `kind` is and, or, not, exists, empty, known or late."""

    kind: str
    parts: tuple[Decision, ...] = ()
    number: int = 0
    """Number of the aggregate for exists and empty, of the fact for known."""

    def verdict(self, aggregates: Sequence[Accumulator], facts: Sequence[bool]) -> Verdict:
        """The decision so far."""
        match self.kind:
            case "known":
                return facts[self.number]
            case "exists":
                return True if _has_found(aggregates[self.number]) else None
            case "empty":
                return False if _has_found(aggregates[self.number]) else None
            case "not":
                inner = self.parts[0].verdict(aggregates, facts)
                return None if inner is None else not inner
            case "and" | "or":
                return self._joined([part.verdict(aggregates, facts) for part in self.parts])
        return None

    def _joined(self, verdicts: list[Verdict]) -> Verdict:
        decisive = self.kind == "or"
        if decisive in verdicts:
            return decisive
        return None if None in verdicts else not decisive


def _has_found(aggregate: Accumulator) -> bool:
    """Whether there is an item. A failed aggregate counts as decided, and the test raises its error at the end tag."""
    return aggregate.is_decided and not isinstance(aggregate.result(), Failed)
