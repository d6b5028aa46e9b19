"""The directory that lets a continuous query go on where it stopped: which query it belongs to, and how far it is.

checkpoint/query             the queries, inputs and settings it belongs to; another query is refused
checkpoint/commit            the last batch whose results are out
checkpoint/state/            what the answers keep, as of that batch
checkpoint/source/           the log: the order of files, or the spool
checkpoint/spark/            Spark's own checkpoint: which part of the log each batch was begun with
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
    """What has been done: the last batch, whether the answer was completed after it, and what the sink must know."""

    batch: int = -1
    is_complete: bool = False
    sink: dict[str, Any] = field(default_factory=dict)
    totals: dict[str, int] = field(default_factory=dict)
    """Items, bytes, failures since the beginning."""
    began: dict[str, list[int]] = field(default_factory=dict)
    """Where in the spool of each input the present answer began; nothing for the beginning."""
    reached: dict[str, list[int]] = field(default_factory=dict)
    """And how far it has come."""
    states: dict[str, list[str]] = field(default_factory=dict)
    """By query, the files that make up its state (`state_files.py`)."""
    clocks: dict[str, int] = field(default_factory=dict)
    """Of windows by event time, the latest time that has come."""
    logs: dict[str, list[Any]] = field(default_factory=dict)
    """By input, how far its journal of files had grown (`run/durable_files.py`)."""
    offsets: str = ""
    """What Spark's offsets of the batch are known by (`spark_files.py`)."""

    def is_next(self, batch: int) -> bool:
        """Whether a batch is to be done: the last one comes again where Spark has not heard that it was.

        XYRT0030 where Spark is elsewhere: a part of the checkpoint is gone, and batches would be missing or done twice.
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
        """Where Spark keeps its own."""
        private_directory(self.spark_folder)
        return self.spark_folder.as_uri()

    @property
    def spark_folder(self) -> Path:
        return self.path / "spark"

    @cached_property
    def states(self) -> StateFiles:
        """What answers keep."""
        return StateFiles(self.path / "state")

    def source(self, number: int = 0) -> Path:
        """Where the log of an input is."""
        return self.path / ("source" if number == 0 else f"source-{number}")

    # --- whose it is

    @property
    def is_new(self) -> bool:
        """Whether it belongs to no query yet: nothing has been done for one."""
        if (self.path / QUERY).exists() or (self.path / _FIRST_FORMAT).exists():
            return False
        begun = _read(self.path / COMMIT, COMMIT)
        if begun is not None and begun != vars(Commit()):
            raise missing(self.path / QUERY)
        return True

    def claim(self, owner: Mapping[str, Any]) -> tuple[str, int]:
        """An identity and the time of the first start. XYRT0020 where it belongs to another query."""
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
        """It is the owner's from now on."""
        # First that nothing was done: from then on a commit that is not there has been lost.
        self.commit(Commit())
        identity = f"{time.time_ns():x}"
        started_ms = int(time.time() * 1000)
        content = {"id": identity, "started_ms": started_ms, "owner": dict(owner)}
        write_sealed(self.path / QUERY, QUERY, json.dumps(content, indent=1).encode())
        return identity, started_ms

    # --- how far it is

    def last_commit(self) -> Commit:
        """The last one there was."""
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
        """From now on the batch is done."""
        write_sealed(self.path / COMMIT, COMMIT, json.dumps(vars(commit)).encode())
        self.states.keep_only(commit.states.values())


def checkpoint_state(path: Path, query: str) -> tuple[dict[str, Any], list[bytes]]:
    """What a directory belongs to, and the state of a query in it, without opening it: a run may go on meanwhile.

    XYRT0033 where a file is missing, as when a run has just put others in the place of those that the commit named.
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
