"""A command that the registry of a project knows: it is listed while it runs, and notes how it ended.

The console that started it may have ended by then.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .registry import METRICS, Asked, Registry


@contextmanager
def listed_in(project: Path, asked: Asked, metrics: Path | None) -> Iterator[Path]:
    """List the command that runs here in a project; returns the file for its figures, which the console reads."""
    registry = Registry(project.resolve())
    number = registry.add(asked)
    registry.began(number, os.getpid())
    own = registry.place(number) / METRICS
    if metrics is not None:
        own.symlink_to(metrics.absolute())
    with noted_end(registry, number):
        yield metrics or own


@contextmanager
def noted_end(registry: Registry, number: str) -> Iterator[None]:
    """Note the exit code of a command."""
    code = 1
    try:
        yield
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        raise
    finally:
        registry.ended(number, code)
