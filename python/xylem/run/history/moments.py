"""The states of update streams that one evaluation may ask for: the last commit, and all before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

from xylem.errors import InputError
from xylem.values.node import Node

from .commits import History, Stream
from .state_tree import StateTree

_MOST_TREES = 500
"""Number of trees kept for states at earlier commits."""


class StateTrees:
    """The trees of streams as of commits, built on request; a past state never changes."""

    def __init__(self, history: History, *, keeps_states: bool = True) -> None:
        """Without `keeps_states`, only the last state is requested."""
        self.history = history
        self._most = _MOST_TREES if keeps_states else max(len(history.streams), 1)
        self._trees: dict[tuple[str, int], StateTree] = {}

    def tree(self, stream: Stream, commit: int) -> StateTree:
        key = stream.name, commit
        found = self._trees.get(key)
        if found is None:
            if len(self._trees) >= self._most:
                del self._trees[next(iter(self._trees))]
            found = self._trees[key] = StateTree(self.history, stream, commit)
        return found


class Moments:
    """Implements `functions.context.Moments` for an evaluation as of a commit."""

    def __init__(self, trees: StateTrees, commit: int, timelines: dict[object, Any]) -> None:
        """`timelines`: cached facts about values of this program, from earlier evaluations."""
        self._trees = trees
        self._history = trees.history
        self._commit = commit
        self.moment: int | None = None
        self.timelines = timelines

    @property
    def _here(self) -> int:
        return self._commit if self.moment is None else self.moment

    @property
    def now(self) -> Decimal:
        return self._history.time_of(self._here) if self._here else Decimal(0)

    @property
    def commits(self) -> Sequence[int]:
        return range(1, self._here + 1)

    def time_of(self, commit: int) -> Decimal:
        return self._history.time_of(commit)

    def document(self, name: str) -> Node:
        streams = self._history.streams
        found = streams.get(name)
        if found is None:
            # A single input without a name matches any name in the query.
            found = streams.get("") if len(streams) == 1 else None
        if found is None:
            there = ", ".join(f'"{known}"' for known in streams)
            raise InputError("XYIN0030", f'"{name}"; there is {there}' if there else f'"{name}"')
        return self._trees.tree(found, self._here).document

    @contextmanager
    def at(self, commit: int) -> Iterator[None]:
        before = self.moment
        self.moment = commit
        try:
            yield
        finally:
            self.moment = before

    def key_of(self, node: Node) -> object:
        return node.tree.key_of(node.pre) if isinstance(node.tree, StateTree) else None

    def moved(self, node: Node, commit: int) -> Node | None:
        tree = node.tree
        if not isinstance(tree, StateTree) or tree.commit == commit:
            return node
        other = self._trees.tree(tree.stream, commit)
        row = tree.counterpart(node.pre, other)
        return None if row is None else Node(other, row)
