"""Saved states of answers: a restarted site resumes from them instead of reading its log again.

A state belongs to a position of the stream: the counts and aggregates of the run, its place in the output, and the
number of answer bytes. An answer depends only on the records, so later bytes of the file are skipped when they are
computed again. The states of a stream are one file, which is replaced as a whole, after the answers.

Runs with windows or buffered input have no state that can be saved. Their answers are recomputed from their first
record; so are all answers if another version of Xylem wrote the file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from xylem.run.sealed_file import damaged, private_directory, read_sealed, write_sealed
from xylem.run.stream.saved_scopes import ScopeStates
from xylem.values.state_codec import CannotSave, DamagedState
from xylem.values.state_values import decoded, encoded
from xylem.version import VERSION

STATE_BYTES = 16 << 20
"""States are saved after this many bytes of a stream."""
IDLE_SECONDS = 60.0
"""Or after this time, if nothing more arrives."""
_KIND = "answer-states"
_MOST_BYTES = 1 << 20
"""A larger state is not saved: recomputing it may be faster."""


@dataclass(frozen=True)
class RunState:
    """The state of one run between two records."""

    scopes: ScopeStates
    place: tuple[bool, bool, bool]
    """In the output."""


@dataclass(frozen=True)
class AnswerState:
    """The state of one answer."""

    position: int
    size: int
    """Size of the answer in bytes."""
    run: RunState


class AnswerStates:
    """The states of the answers of one stream, by the names of their files."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.found: dict[str, AnswerState] = self._read()
        """States of an earlier process."""

    def _read(self) -> dict[str, AnswerState]:
        """XYRT0033 for a file that was changed."""
        try:
            content = read_sealed(self._path, _KIND)
        except FileNotFoundError:
            return {}
        try:
            version, states = decoded(content)
            if version != VERSION:
                return {}
            return {name: _answer_state(state) for name, state in states.items()}
        except (DamagedState, ValueError, TypeError) as reason:
            raise damaged(self._path, str(reason)) from reason

    def write(self, states: Mapping[str, AnswerState]) -> None:
        """Replace the file. The answers themselves must already be on disk."""
        kept: dict[str, bytes] = {}
        for name, state in states.items():
            try:
                content = encoded((state.position, state.size, state.run.scopes, state.run.place))
            except CannotSave:
                continue
            if len(content) <= _MOST_BYTES:
                kept[name] = content
        private_directory(self._path.parent)
        write_sealed(self._path, _KIND, encoded((VERSION, kept)))

    def remove(self) -> None:
        """Remove the states of a stream that is gone."""
        if self._path.exists():
            os.unlink(self._path)


def _answer_state(content: bytes) -> AnswerState:
    position, size, scopes, place = decoded(content)
    return AnswerState(position, size, RunState(scopes, place))
