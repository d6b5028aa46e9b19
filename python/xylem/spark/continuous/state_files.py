"""The states of answers on disk: one whole state, followed by the changes of each batch.

The chain of files that makes up a state is part of a commit; files in no chain are left over from uncommitted batches,
or superseded. A new whole state is written when the changes have become longer than it. Each file is sealed
(`run/sealed_file.py`), and its content is values of `values/state_codec.py`: reading it runs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from xylem.run.sealed_file import missing, private_directory, read_sealed, write_sealed

LONGEST_CHAIN = 100
KIND = "state"
SMALL_BYTES = 1 << 16
"""A smaller state is written as a whole each time."""

Save = Callable[[bool], bytes]
"""Returns the state: all of it (True), or the changes since the last call (False)."""


class StateFiles:
    """The directory of the states."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, chain: Sequence[str]) -> list[bytes]:
        """The whole state and its changes, in order."""
        return [self._content(self._folder / name) for name in chain]

    def _content(self, path: Path) -> bytes:
        try:
            return read_sealed(path, KIND)
        except FileNotFoundError:
            raise missing(path) from None

    def save(self, batch: int, name: str, chain: Sequence[str], save: Save) -> list[str]:
        """Write a state as of a batch; return the chain that makes it up."""
        is_whole = not chain or len(chain) >= LONGEST_CHAIN or self._is_long(chain)
        state = save(is_whole)
        if is_whole and not state:
            return []
        private_directory(self._folder)
        place = f"{batch:012}-{name}.{'state' if is_whole else 'changes'}"
        write_sealed(self._folder / place, KIND, state)
        return [place] if is_whole else [*chain, place]

    def _is_long(self, chain: Sequence[str]) -> bool:
        whole, *changes = (self._size(name) for name in chain)
        return whole <= SMALL_BYTES or sum(changes) > whole

    def _size(self, name: str) -> int:
        path = self._folder / name
        try:
            return path.stat().st_size
        except FileNotFoundError:
            raise missing(path) from None

    def keep_only(self, chains: Iterable[Sequence[str]]) -> None:
        """Remove files that belong to no state any more."""
        wanted = {name for chain in chains for name in chain}
        if self._folder.is_dir():
            for place in self._folder.iterdir():
                if place.name not in wanted:
                    place.unlink(missing_ok=True)
