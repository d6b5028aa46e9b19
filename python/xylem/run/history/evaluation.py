"""The answer after each commit, computed from scratch: the oracle for every other way of running.

    run = Reevaluation(program, history)
    run.follow(history.commit())
    run.display

The query is evaluated by the reference evaluator over the trees of all streams as of the commit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

from xylem.functions.context import Resources
from xylem.sink.default_parameters import chosen_parameters, has_xml_text
from xylem.sink.display_edits import Edits, Part
from xylem.sink.serialize import serialize

from ..program import Program
from .commits import Commit, History
from .moments import Moments, StateTrees
from .retention import Retention


@dataclass(frozen=True)
class Display:
    """An answer."""

    text: str = ""


@dataclass(frozen=True)
class Answer:
    """The answer after a commit."""

    commit: Commit
    display: Display
    is_changed: bool
    """Whether it differs from the previous one; the first differs from no answer."""


class HistoryRun(Protocol):
    """A query over update streams, notified of each commit."""

    def follow(self, commit: Commit) -> bool:
        """Follow a commit; return whether the answer may have changed. Each commit comes once, in order."""

    @property
    def edits(self) -> Edits:
        """The edits to the answer's parts at the last commit."""

    def parts(self) -> list[Part]:
        """The answer after the last commit, part by part."""

    @property
    def display(self) -> Display:
        """The answer after the last commit."""


@dataclass(frozen=True)
class Surroundings:
    """The environment of a query apart from its streams."""

    resources: Resources
    variables: Mapping[tuple[str, str], Sequence[Any]]
    environment: Mapping[str, str] | None = None
    output: Mapping[str, Any] | None = None
    """Serialization parameters; they override those of the query."""


class Reevaluation:
    """Implements `HistoryRun` by evaluating the query anew."""

    def __init__(
        self,
        program: Program,
        history: History,
        around: Surroundings,
        retention: Retention | None = None,
        trees: StateTrees | None = None,
    ) -> None:
        """With a `retention`, versions that the query cannot ask for are dropped, and only the last state is known.

        `trees`: those of others that read the same states. The caller drops versions then.
        """
        self._program = program
        self._history = history
        self._around = around
        self._retention = retention
        self._trees = StateTrees(history, keeps_states=retention is None) if trees is None else trees
        self._timelines: dict[object, Any] = {}
        self._texts: tuple[str, ...] = ()
        self.truncated = 0
        """Number of versions dropped."""

    def follow(self, commit: Commit) -> bool:
        if self._retention is not None:
            self.truncated += self._retention.truncate(self._history, commit)
        before, self._texts = self._texts, self._parts(commit.number)
        return before != self._texts

    def parts(self) -> list[Part]:
        return [(text, 0) for text in self._texts]

    @property
    def edits(self) -> Edits:
        return tuple((text, 0) for text in self._texts)

    @property
    def display(self) -> Display:
        return Display("".join(self._texts))

    def as_of(self, commit: int) -> Display:
        """The answer as of any commit."""
        return Display("".join(self._parts(commit)))

    def _parts(self, commit: int) -> tuple[str, ...]:
        return parts_of(self.items(commit), self._program.output, self._around.output or {})

    def items(self, commit: int) -> list[Any]:
        moments = Moments(self._trees, commit, self._timelines)
        streams = list(self._history.streams)
        context = [moments.document(streams[0])] if len(streams) == 1 else None
        return self._program.evaluate(
            self._around.resources,
            context=context,
            variables=self._around.variables,
            environment=self._around.environment,
            history=moments,
        )


def parts_of(items: Sequence[Any], output: Mapping[str, str], given: Mapping[str, Any]) -> tuple[str, ...]:
    """The text of an answer, split into items: each with its separator from the item before."""
    if not items:
        return ()
    parameters = chosen_parameters(output, given, lambda: has_xml_text(items[0]))
    whole = serialize(items, parameters)
    if len(items) == 1:
        return (whole,)
    parts = [serialize(items[:1], parameters)]
    for before, item in pairwise(items):
        both, first = serialize([before, item], parameters), serialize([before], parameters)
        if not both.startswith(first):
            return (whole,)
        parts.append(both[len(first) :])
    # Methods that wrap all items report one edit.
    return tuple(parts) if "".join(parts) == whole else (whole,)
