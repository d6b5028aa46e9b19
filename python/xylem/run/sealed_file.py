"""Files of a checkpoint: private, replaced as a whole, and with a first line that vouches for the content.

    xylem-checkpoint 2 state 1234 9f86d081884c7d65…
    content

The line has the version of the format, what kind of file it is, how many bytes follow, and a SHA-256 digest of all that
and of the name of the file. If a file was changed, cut short, swapped with another or written by another version, the
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
"""Of files; 1 were those that had no seal."""
_MAGIC = b"xylem-checkpoint "
_LINE = re.compile(rb"xylem-checkpoint (\d{1,9}) ([a-z-]{1,40}) (\d{1,18}) ([0-9a-f]{64})\n")
_LONGEST_LINE = 200


def write_sealed(path: Path, kind: str, content: bytes) -> None:
    """The file has the old content or the new, whenever the machine stops. OSError where it cannot be written."""
    pending = path.with_name(f".{path.name}.pending")
    # Of an attempt that was interrupted, maybe with other rights.
    pending.unlink(missing_ok=True)
    try:
        with open(os.open(pending, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(_line(path.name, kind, content))
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(pending, path)
    except OSError:
        # A disk that is full has no room for what is of no use.
        with suppress(OSError):
            pending.unlink()
        raise
    sync_directory(path.parent)


def read_sealed(path: Path, kind: str) -> bytes:
    """What was written, or XYRT0033; XYRT0020 for files of another version; FileNotFoundError where there is none."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as reason:
        raise InputError("XYIN0002", f"{path}: {reason.strerror or reason}") from reason
    found = _LINE.match(data[:_LONGEST_LINE])
    if found is None:
        if data[:1] in (b"{", b"\x80"):
            # Of JSON, or of a pickle: what the first format had.
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
    """XYRT0033 for a file that must be there."""
    return damaged(path, "it is missing")


def other_version(path: Path, written: int) -> DynamicError:
    """XYRT0020 for a file of another format."""
    return DynamicError(
        "XYRT0020",
        f"{path} was written by another version of Xylem, in format {written}; this version reads format {FORMAT}",
    )


def private_directory(path: Path) -> None:
    """A directory for its owner alone; one that is there already, with something in it, is left as it is."""
    is_new = not path.is_dir() or not any(path.iterdir())
    path.mkdir(parents=True, exist_ok=True)
    if is_new:
        path.chmod(0o700)


def private_file(path: Path, flags: int) -> int:
    """Open a file that only its owner can read, and make it if need be; its descriptor."""
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
