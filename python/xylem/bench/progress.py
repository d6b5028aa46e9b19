"""What a benchmark shows while it runs and when it is done: steps on one line of the terminal, then tables."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

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


def tell(remarks: Iterable[str], verdicts: Iterable[tuple[bool, str]] = ()) -> None:
    """Sentences below a table, then which bars hold and which do not."""
    lines = [*remarks, *(f"{'holds      ' if holds else 'FALLS SHORT'}  {what}" for holds, what in verdicts)]
    for line in lines:
        console().print(line, markup=False, highlight=False, soft_wrap=True)


def save(
    json_file: Path | None, figures: Callable[[], Any], svg_file: Path | None = None, figure: Callable[[], str] = str
) -> None:
    """The figures and their drawing, each where there is a file for it."""
    if json_file is not None:
        json_file.write_text(json.dumps(figures(), indent=2) + "\n", encoding="utf-8")
    if svg_file is not None:
        svg_file.write_text(figure(), encoding="utf-8")
