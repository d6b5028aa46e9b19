"""The states of answers on disk: one whole, and after it what each batch changed.

The chain of files that makes up a state is part of a commit; files in no chain are left over from batches that were not
committed, or have been superseded. A new whole state is written when the changes have become longer than it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from .durable_files import replace_file

LONGEST_CHAIN = 100
SMALL_BYTES = 1 << 16
"""A state that is written as a whole each time."""

Save = Callable[[bool], bytes]
"""Gives the state: all of it (True), or what has changed since it was last asked for (False)."""


class StateFiles:
    """The directory of the states."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, chain: Sequence[str]) -> list[bytes]:
        """The whole state and its changes, in their order."""
        return [(self._folder / name).read_bytes() for name in chain]

    def save(self, batch: int, name: str, chain: Sequence[str], save: Save) -> list[str]:
        """Write a state as of a batch; the chain that makes it up."""
        is_whole = not chain or len(chain) >= LONGEST_CHAIN or self._is_long(chain)
        state = save(is_whole)
        if is_whole and not state:
            return []
        place = f"{batch:012}-{name}.{'state' if is_whole else 'changes'}"
        replace_file(self._folder / place, state)
        return [place] if is_whole else [*chain, place]

    def _is_long(self, chain: Sequence[str]) -> bool:
        whole, *changes = (self._size(name) for name in chain)
        return whole <= SMALL_BYTES or sum(changes) > whole

    def _size(self, name: str) -> int:
        return (self._folder / name).stat().st_size

    def keep_only(self, chains: Iterable[Sequence[str]]) -> None:
        """Drop files that make up no state any more."""
        wanted = {name for chain in chains for name in chain}
        if self._folder.is_dir():
            for place in self._folder.iterdir():
                if place.name not in wanted:
                    place.unlink(missing_ok=True)
