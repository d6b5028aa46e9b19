"""The progress of an interrupted run: the last cut point up to which all results are in the output, and the length of
the output.

A checkpoint is a small file of JSON under a seal (`run/sealed_file.py`) that is replaced in one step, after the output
is safely on the disk, so it never claims more than the disk holds. It names the query with all its parameters, and the
input. A resumed run cuts the output to the noted length and writes the rest again.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xylem.errors import InputError, StaticError
from xylem.source.byte_ranges import CutPoint
from xylem.version import VERSION

from ..sealed_file import damaged, read_sealed, write_sealed

KIND = "run"
_HEAD_BYTES = 1 << 16


@dataclass(frozen=True)
class Checkpoint:
    """The position that a run has reached."""

    query: str
    """A digest of the query and of everything else that its answer depends on, except the input."""
    input: dict[str, Any]
    """The identity of the input."""
    now: str
    """The time of the run, which the resumed run sees too."""
    cut: CutPoint
    output_bytes: int
    output_flags: int
    """How the text of the answer ends, and whether there is any: see `answer_text.py`."""
    has_text: bool

    def save(self, path: Path) -> None:
        """Replace the file; XYIN0002 if it cannot be written."""
        fields = {**self.__dict__, "version": VERSION, "cut": _cut_fields(self.cut)}
        try:
            write_sealed(path, KIND, json.dumps(fields).encode())
        except OSError as error:
            raise InputError("XYIN0002", f"{path}: {error.strerror or error}") from error


def load_checkpoint(path: Path) -> Checkpoint | None:
    """The checkpoint in a file; None without a file, XYRT0033 if it is damaged, XYRT0020 if of another version."""
    try:
        fields = json.loads(read_sealed(path, KIND))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise damaged(path, f"{error}") from error
    try:
        version = fields.pop("version")
        if version != VERSION:
            raise StaticError("XYRT0020", f"{path} was written by version {version} of Xylem; this is {VERSION}")
        cut = fields.pop("cut")
        opening, closing = (base64.b64decode(cut[name]) for name in ("opening", "closing"))
        return Checkpoint(cut=CutPoint(cut["offset"], cut["line"], opening, closing), **fields)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise damaged(path, f"it is no checkpoint: {type(error).__name__}: {error}") from error


def input_identity(path: Path) -> dict[str, Any]:
    """The identity of a file: length, modification time, and first bytes. XYIN0002 if there is no file."""
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            head = hashlib.sha256(file.read(_HEAD_BYTES)).hexdigest()
    except OSError as error:
        raise InputError("XYIN0002", f"{path}: {error.strerror or error}") from error
    return {"path": str(path.absolute()), "bytes": status.st_size, "changed_ns": status.st_mtime_ns, "head": head}


def digest(*parts: object) -> str:
    """A digest of plain values, equal only for equal values."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=repr).encode()).hexdigest()


def _cut_fields(cut: CutPoint) -> dict[str, Any]:
    return {
        "offset": cut.offset,
        "line": cut.line,
        "opening": base64.b64encode(cut.opening).decode("ascii"),
        "closing": base64.b64encode(cut.closing).decode("ascii"),
    }
