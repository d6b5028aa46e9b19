"""The file of malformed records: JSON lines, or XML by the name of the file, one entry for each record. An entry has
the source, the kind of part, its offset, line and size, the code and reason of the error with its own place, and the
bytes themselves: as text if they are UTF-8, otherwise in base64. For a huge record the first bytes are kept, with the
flag `truncated`. Each entry is flushed to the system, so a killed run loses none.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import IO, Any
from xml.sax.saxutils import escape, quoteattr

from xylem.errors import InputError
from xylem.source.malformed import MalformedRecord, MalformedTally, OnMalformed

_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class DeadLetters:
    """A file for malformed records. It is created at the start, so that an unwritable place is detected early."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._is_xml = path.suffix.lower() == ".xml"
        try:
            self._file: IO[bytes] | None = path.open("wb")
            self._write("<?xml version='1.0' encoding='UTF-8'?>\n<dead-letters>\n" if self._is_xml else "")
        except OSError as error:
            raise self._failed(error) from error

    def tell(self, record: MalformedRecord) -> None:
        """Write an entry."""
        entry = entry_of(record)
        try:
            self._write(_xml(entry) if self._is_xml else json.dumps(entry, ensure_ascii=False) + "\n")
        except OSError as error:
            raise self._failed(error) from error

    def close(self) -> None:
        if self._file is None:
            return
        try:
            self._write("</dead-letters>\n" if self._is_xml else "")
        except OSError as error:
            raise self._failed(error) from error
        finally:
            self._file.close()
            self._file = None

    def __enter__(self) -> DeadLetters:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _write(self, text: str) -> None:
        if self._file is None:
            raise ValueError("the file of dead letters is closed")
        self._file.write(text.encode("utf-8", "surrogatepass"))
        self._file.flush()

    def _failed(self, error: OSError) -> InputError:
        return InputError("XYIN0002", f"{self.path}: {error.strerror or error}")


def malformed_tally(
    policy: str | MalformedTally, dead_letters: str | PathLike[str] | Callable[[MalformedRecord], object] | None = None
) -> MalformedTally | None:
    """The count of records that a policy skips; None if it skips none."""
    if isinstance(policy, MalformedTally):
        return policy
    chosen = OnMalformed(policy)
    if (chosen is OnMalformed.DEAD_LETTER) != (dead_letters is not None):
        raise ValueError("dead letters and their place go together: on_malformed='dead-letter', dead_letters=…")
    if chosen is OnMalformed.STOP:
        return None
    if not isinstance(dead_letters, (str, PathLike)):
        return MalformedTally(dead_letters)
    letters = DeadLetters(Path(dead_letters))
    return MalformedTally(letters.tell, letters.close)


def entry_of(record: MalformedRecord) -> dict[str, Any]:
    """A record as plain values."""
    place = record.error.place
    entry: dict[str, Any] = {
        "source": record.error.source or None,
        "kind": record.kind,
        "byte_offset": record.byte_offset,
        "line": record.line,
        "size": record.size,
        "code": record.error.code,
        "reason": record.error.detail,
        "error_byte_offset": None if place is None else place.byte_offset,
        "error_line": None if place is None else place.line,
        "error_column": None if place is None else place.column,
        "path": None if place is None else place.path,
        "truncated": record.size > len(record.data),
    }
    try:
        entry["text"] = record.data.decode()
    except UnicodeDecodeError:
        entry["base64"] = base64.b64encode(record.data).decode("ascii")
    return entry


def _xml(entry: dict[str, Any]) -> str:
    text = entry.pop("text", None)
    if text is not None and _NOT_XML.search(text):
        entry["base64"] = base64.b64encode(text.encode()).decode("ascii")
        text = None
    encoded = entry.pop("base64", None)
    if text is None:
        entry["encoding"], text = "base64", encoded
    told = (f"{name.replace('_', '-')}={_quoted(value)}" for name, value in entry.items() if value is not None)
    return f"<record {' '.join(told)}>{escape(text, {chr(13): '&#13;'})}</record>\n"


def _quoted(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return quoteattr(_NOT_XML.sub("\ufffd", text))
