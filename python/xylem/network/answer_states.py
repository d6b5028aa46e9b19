"""What answers have come to, on disk: a site that is started again goes on from there instead of reading its log again.

A state belongs to a position of the stream: what the run has counted and added up, where it is in its output, and how
many bytes of the answer there were. An answer follows from the records alone, so what the file has beyond these bytes
is left out when it comes again. The states of a stream are one file, which is replaced as a whole, behind the answers.

Not all runs have a state that can be saved: windows and parts of the input that are kept do not. Their answers are
computed again from their first record, as are all where another version of Xylem wrote the file.
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
"""States are saved after so much of a stream."""
IDLE_SECONDS = 60.0
"""Or, where nothing more comes, after this time."""
_KIND = "answer-states"
_MOST_BYTES = 1 << 20
"""A state that is larger is not saved: to compute it again may take less."""


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
    """Of the answer, in bytes."""
    run: RunState


class AnswerStates:
    """The states of the answers of one stream, by the names of their files."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.found: dict[str, AnswerState] = self._read()
        """Those of another process, before this one."""

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
        """Replace the file. The answers themselves must be on disk before."""
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
        """The stream is gone."""
        if self._path.exists():
            os.unlink(self._path)


def _answer_state(content: bytes) -> AnswerState:
    position, size, scopes, place = decoded(content)
    return AnswerState(position, size, RunState(scopes, place))
