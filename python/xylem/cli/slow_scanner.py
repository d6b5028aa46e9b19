"""The warning of a run over large inputs without the scan kernel: Python takes several times as long."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xylem.run.stream.progress import Progress

MUCH_INPUT_BYTES = 1_000_000
WARNING = (
    "warning: the scan kernel is not installed. Python reads the input instead, which takes several times as long.\n"
    "         Install a wheel for this platform, or Rust and then reinstall xylem. `xylem doctor` shows what is in use."
)


class SlowScanner:
    """Warns once, as soon as the input exceeds a megabyte."""

    def __init__(self, scanner: str, *, is_quiet: bool) -> None:
        # The library warns at any size; a command warns in its own words, and only for large inputs.
        warnings.filterwarnings("ignore", "the scan kernel is not built here", RuntimeWarning)
        self.is_silent = scanner != "auto" or is_quiet

    def tell_of_files(self, names: Iterable[str]) -> None:
        """Warn if the files of a run are large."""
        if not self.is_silent:
            self._tell(sum(path.stat().st_size for path in map(Path, names) if path.is_file()))

    def watch(self, progress: Progress) -> None:
        """Warn if a stream turns out to be long."""
        self._tell(progress.statistics.input_bytes)

    def _tell(self, input_bytes: int) -> None:
        if not self.is_silent and input_bytes > MUCH_INPUT_BYTES:
            # Only for large inputs: loading the kernel takes longer than many small runs.
            from xylem.source import kernel

            self.is_silent = True
            if not kernel.is_kernel_built():
                print(WARNING, file=sys.stderr)
