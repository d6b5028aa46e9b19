"""The temporary directory of Spark on this machine: one for each driver, removed with it, or at the next start.

Spark and its JVM leave directories and libraries behind if they are killed, and some even if not. All of them are in
one directory of the driver, below one of the user, with a lock that the driver holds while it lives:

    /tmp/xylem-spark-1000/driver-4711-x2f9/     lock, spark-…, blockmgr-…, liblz4-…

A start removes those whose lock nobody holds; the last driver to end removes the user's. Nothing else is touched:
neither other files there, nor links.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import stat
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

LOCK = "lock"
_PREFIX = "driver-"


@cache
def scratch_directory() -> Path:
    """The directory of this process, created on first use; leftovers of ended drivers are removed."""
    made = _made()
    held = os.open(made / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(held, fcntl.LOCK_EX)
    atexit.register(_remove, made, held, os.getpid())
    return made


def _made() -> Path:
    while True:
        place = _place_of_user()
        sweep(place)
        # Another driver may be ending, and remove the directory.
        with suppress(FileNotFoundError):
            return Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=place))


def sweep(place: Path) -> list[Path]:
    """Remove the directories of ended drivers; return them."""
    removed = []
    for one in place.glob(f"{_PREFIX}*"):
        if one.is_symlink() or not _is_abandoned(one):
            continue
        shutil.rmtree(one, ignore_errors=True)
        removed.append(one)
    return removed


def _is_abandoned(directory: Path) -> bool:
    """Whether the lock exists and nobody holds it. A directory under construction has none yet."""
    try:
        held = os.open(directory / LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(held)
    return True


def _place_of_user() -> Path:
    """The directory that all drivers of a user share; another one if somebody else has taken its name."""
    place = Path(tempfile.gettempdir()) / f"xylem-spark-{os.getuid()}"
    try:
        place.mkdir(mode=0o700, exist_ok=True)
        found = place.lstat()
    except OSError:
        return Path(tempfile.mkdtemp(prefix="xylem-spark-"))
    is_ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
    return place if is_ours else Path(tempfile.mkdtemp(prefix="xylem-spark-"))


def _remove(directory: Path, held: int, owner: int) -> None:
    if os.getpid() != owner:
        # A process forked from the driver ends before it.
        return
    shutil.rmtree(directory, ignore_errors=True)
    os.close(held)
    # If another driver lives, it is not empty.
    with suppress(OSError):
        directory.parent.rmdir()
