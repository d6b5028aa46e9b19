"""What a benchmark shows while it runs and when it is done: steps on one line of the terminal, then tables."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

_WIDTH_WITHOUT_TERMINAL = 110


def on_the_terminal() -> Callable[[str], None]:
    """Steps shown on one line of the terminal; nothing where there is none."""
    if not sys.stderr.isatty():
        return lambda step: None
    return lambda step: print(f"\r\x1b[K{step} …", end="\r", file=sys.stderr, flush=True)


def console() -> Console:
    """Where tables go; files and pipes get lines of a fixed width."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else _WIDTH_WITHOUT_TERMINAL)
