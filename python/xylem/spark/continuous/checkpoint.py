"""The directory that lets a continuous query resume: the query it belongs to, its progress and state.

checkpoint/query             the queries, inputs and settings it belongs to; another query is refused
checkpoint/commit            the last batch whose results are out
checkpoint/state/            the states of the answers as of that batch
checkpoint/source/           the log: the order of files, or the spool
checkpoint/spark/            Spark's own checkpoint: the part of the log for each batch begun
checkpoint/lock              held while a query runs

All files but those of Spark are sealed (`sealed_file.py`, `durable_files.py` in `run/`), and only their owner can read
them.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from xylem.errors import DynamicError, InputError
from xylem.run.sealed_file import (
    damaged,
    missing,
    other_version,
    private_directory,
    private_file,
    read_sealed,
    write_sealed,
)

from .state_files import StateFiles

QUERY, COMMIT = "query", "commit"
_FIRST_FORMAT = "query.json"
_TOLD = {"queries": "queries (or modules, functions, variables, output parameters of theirs)"}


@dataclass(frozen=True)
class Commit:
    """The committed progress: the last batch, whether the answer was completed after it, and the state of the sink."""

    batch: int = -1
    is_complete: bool = False
    sink: dict[str, Any] = field(default_factory=dict)
    totals: dict[str, int] = field(default_factory=dict)
    """Items, bytes, failures since the beginning."""
    began: dict[str, list[int]] = field(default_factory=dict)
    """Where in the spool of each input the current answer began; empty for the beginning."""
    reached: dict[str, list[int]] = field(default_factory=dict)
    """Where it has reached."""
    states: dict[str, list[str]] = field(default_factory=dict)
    """The files that make up the state of each query (`state_files.py`)."""
    clocks: dict[str, int] = field(default_factory=dict)
    """For windows by event time: the latest time so far."""
    logs: dict[str, list[Any]] = field(default_factory=dict)
    """The size of each input's journal of files (`run/durable_files.py`)."""
    offsets: str = ""
    """Digest of Spark's offsets of the batch (`spark_files.py`)."""

    def is_next(self, batch: int) -> bool:
        """Whether to process a batch: the last one comes again if Spark missed its completion.

        XYRT0030 if Spark is at another batch: a part of the checkpoint is gone, and batches would be missing or
        repeated.
        """
        if not self.batch <= batch <= self.batch + 1:
            told = f"Spark is at batch {batch}, and the answer at batch {self.batch}"
            raise DynamicError("XYRT0030", f"{told}: files of the checkpoint were changed or deleted")
        return batch > self.batch


class Checkpoint:
    """One such directory, opened by one process at a time."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).absolute()
        try:
            private_directory(self.path)
            self._lock = os.fdopen(private_file(self.path / "lock", os.O_WRONLY), "w")
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as reason:
            self._lock.close()
            raise DynamicError("XYRT0024", str(self.path)) from reason
        except OSError as reason:
            raise InputError("XYIN0002", f"{self.path}: {reason.strerror}") from reason

    def close(self) -> None:
        self._lock.close()

    @property
    def spark(self) -> str:
        """Spark's own directory."""
        private_directory(self.spark_folder)
        return self.spark_folder.as_uri()

    @property
    def spark_folder(self) -> Path:
        return self.path / "spark"

    @cached_property
    def states(self) -> StateFiles:
        """The states of answers."""
        return StateFiles(self.path / "state")

    def source(self, number: int = 0) -> Path:
        """The log of an input."""
        return self.path / ("source" if number == 0 else f"source-{number}")

    # --- ownership

    @property
    def is_new(self) -> bool:
        """Whether it belongs to no query yet, so nothing has been done for one."""
        if (self.path / QUERY).exists() or (self.path / _FIRST_FORMAT).exists():
            return False
        begun = _read(self.path / COMMIT, COMMIT)
        if begun is not None and begun != vars(Commit()):
            raise missing(self.path / QUERY)
        return True

    def claim(self, owner: Mapping[str, Any]) -> tuple[str, int]:
        """Claim it for an identity; return the time of the first start. XYRT0020 if it belongs to another query."""
        if (self.path / _FIRST_FORMAT).exists():
            raise other_version(self.path / _FIRST_FORMAT, 1)
        place = self.path / QUERY
        known = None if self.is_new else _read(place, QUERY)
        if known is None:
            return self._claimed(owner)
        try:
            before, identity, started_ms = dict(known["owner"]), str(known["id"]), int(known["started_ms"])
        except (KeyError, TypeError, ValueError) as reason:
            raise damaged(place, f"{type(reason).__name__}: {reason}") from reason
        changed = [name for name, value in owner.items() if before.get(name) != value]
        if changed:
            listed = _listed([_TOLD.get(name, name) for name in changed])
            raise DynamicError("XYRT0020", f"{self.path}: other {listed} than when it was made")
        return identity, started_ms

    def _claimed(self, owner: Mapping[str, Any]) -> tuple[str, int]:
        """It belongs to the query from now on."""
        # First an empty commit: from then on a missing commit means that it was lost.
        self.commit(Commit())
        identity = f"{time.time_ns():x}"
        started_ms = int(time.time() * 1000)
        content = {"id": identity, "started_ms": started_ms, "owner": dict(owner)}
        write_sealed(self.path / QUERY, QUERY, json.dumps(content, indent=1).encode())
        return identity, started_ms

    # --- progress

    def last_commit(self) -> Commit:
        """The last commit."""
        place = self.path / COMMIT
        known = _read(place, COMMIT)
        if known is None:
            if self.is_new:
                return Commit()
            raise missing(place)
        try:
            return Commit(**known)
        except TypeError as reason:
            raise damaged(place, f"{type(reason).__name__}: {reason}") from reason

    def commit(self, commit: Commit) -> None:
        """Commit: from now on the batch is done."""
        write_sealed(self.path / COMMIT, COMMIT, json.dumps(vars(commit)).encode())
        self.states.keep_only(commit.states.values())


def checkpoint_state(path: Path, query: str) -> tuple[dict[str, Any], list[bytes]]:
    """The owner of a directory, and the state of a query in it, without opening it: a run may continue meanwhile.

    XYRT0033 if a file is missing, for example because a run has just replaced those that the commit named.
    """
    claimed, commit = _read(path / QUERY, QUERY), _read(path / COMMIT, COMMIT)
    if claimed is None or commit is None:
        raise missing(path / (QUERY if claimed is None else COMMIT))
    return claimed, StateFiles(path / "state").load(commit.get("states", {}).get(query, []))


def _read(place: Path, kind: str) -> dict[str, Any] | None:
    try:
        found = json.loads(read_sealed(place, kind))
    except FileNotFoundError:
        return None
    except ValueError as reason:
        raise damaged(place, f"{type(reason).__name__}: {reason}") from reason
    if not isinstance(found, dict):
        raise damaged(place, "no object")
    return found


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
