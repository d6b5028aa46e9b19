"""A file that another process writes: whoever asks for it is told why it could not be written."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from xylem.errors import InputError
from xylem.run.background_save import BackgroundSave
from xylem.values.state_codec import CannotSave


def _full_disk() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "state")


def _no_memory() -> None:
    raise MemoryError


def _killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _long_story() -> None:
    raise InputError("XYIN0002", "far " * 100_000)


@pytest.mark.parametrize(
    ("write", "why"),
    [
        (_full_disk, "state: No space left on device"),
        (_no_memory, "state: there is not enough memory to write it"),
        (_killed, "state: what writes it was killed"),
        (_long_story, "far far"),
    ],
)
def test_why_it_was_not_written(write: Callable[[], None], why: str) -> None:
    save = BackgroundSave("state")
    save.start(write)
    with pytest.raises(InputError) as told:
        save.finish()
    assert told.value.code == "XYIN0002"
    assert why in told.value.message


def test_one_after_another(tmp_path: Path) -> None:
    open_before = len(os.listdir("/proc/self/fd"))
    save = BackgroundSave("state")
    for number in range(20):
        save.start(lambda number=number: (tmp_path / "state").write_text(str(number)))  # type: ignore[misc]
        save.finish()
        assert (tmp_path / "state").read_text() == str(number)
    assert len(os.listdir("/proc/self/fd")) == open_before


def test_what_cannot_be_saved_is_no_error() -> None:
    def write() -> None:
        raise CannotSave("a function")

    save = BackgroundSave("state")
    save.start(write)
    save.finish()
    assert save.is_impossible
