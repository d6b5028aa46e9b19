"""Files of a checkpoint: private, replaced as a whole, and with a first line that authenticates the content.

    xylem-checkpoint 2 state 1234 9f86d081884c7d65…
    content

The line contains the format version, the kind of file, the number of bytes that follow, and a SHA-256 digest of all
that and of the file name. If a file was changed, cut short, swapped with another or written by another version, the
error names its path, and its content is not used. Only the owner can read the file and its directory.
"""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from pathlib import Path

from xylem.errors import DynamicError, InputError

FORMAT = 2
"""Format of the files; format 1 had no seal."""
_MAGIC = b"xylem-checkpoint "
_LINE = re.compile(rb"xylem-checkpoint (\d{1,9}) ([a-z-]{1,40}) (\d{1,18}) ([0-9a-f]{64})\n")
_LONGEST_LINE = 200


def write_sealed(path: Path, kind: str, content: bytes) -> None:
    """Replace a file: it has the old or the new content, whenever the machine stops. OSError if writing fails."""
    pending = path.with_name(f".{path.name}.pending")
    # Left over from an interrupted attempt, perhaps with other permissions.
    pending.unlink(missing_ok=True)
    try:
        with open(os.open(pending, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(_line(path.name, kind, content))
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(pending, path)
    except OSError:
        # A full disk has no room for a useless file.
        with suppress(OSError):
            pending.unlink()
        raise
    sync_directory(path.parent)


def read_sealed(path: Path, kind: str) -> bytes:
    """The content, or XYRT0033; XYRT0020 for files of another version; FileNotFoundError if there is none."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as reason:
        raise InputError("XYIN0002", f"{path}: {reason.strerror or reason}") from reason
    found = _LINE.match(data[:_LONGEST_LINE])
    if found is None:
        if data[:1] in (b"{", b"\x80"):
            # The start of JSON or of a pickle: files of the first format.
            raise other_version(path, 1)
        raise damaged(path, "it does not begin as its kind does")
    if int(found[1]) != FORMAT:
        raise other_version(path, int(found[1]))
    content = data[found.end() :]
    if found[2] != kind.encode() or found[0] != _line(path.name, kind, content):
        raise damaged(path, _why(found, kind, content))
    return content


def _why(found: re.Match[bytes], kind: str, content: bytes) -> str:
    if len(content) != int(found[3]):
        return f"it has {len(content):,} bytes where {int(found[3]):,} were written"
    return "what is in it is not what was written"


def _line(name: str, kind: str, content: bytes) -> bytes:
    head = f"{FORMAT} {kind} {len(content)}".encode()
    digest = hashlib.sha256(b"%s %s\n" % (head, name.encode("utf-8", "surrogateescape")))
    digest.update(content)
    return _MAGIC + head + b" " + digest.hexdigest().encode() + b"\n"


def damaged(path: Path, why: str) -> DynamicError:
    """XYRT0033 for a file of a checkpoint."""
    return DynamicError("XYRT0033", f"{path}: {why}")


def missing(path: Path) -> DynamicError:
    """XYRT0033 for a required file that is missing."""
    return damaged(path, "it is missing")


def other_version(path: Path, written: int) -> DynamicError:
    """XYRT0020 for a file of another format."""
    return DynamicError(
        "XYRT0020",
        f"{path} was written by another version of Xylem, in format {written}; this version reads format {FORMAT}",
    )


def private_directory(path: Path) -> None:
    """Create a directory for its owner alone; an existing directory with content is left unchanged."""
    is_new = not path.is_dir() or not any(path.iterdir())
    path.mkdir(parents=True, exist_ok=True)
    if is_new:
        path.chmod(0o700)


def private_file(path: Path, flags: int) -> int:
    """Open a file that only its owner can read, creating it if need be; return its descriptor."""
    return os.open(path, flags | os.O_CREAT, 0o600)


def sync_directory(path: Path) -> None:
    """Let a new name in a directory survive a crash of the machine; not every system can."""
    try:
        number = os.open(path, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(number)
    except OSError:
        pass
    finally:
        os.close(number)
