"""A join of two streams that gets its input batch by batch, each batch in another run of its program.

    batch 1  ──▶ [ run ] ──▶ results      What waits, and what may still be a partner, is carried from each run
                    │ held rows           to the next. A process that starts again is given the items of these
    batch 2  ──▶ [ run ] ──▶ results      rows, and makes the same rows of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .disorder import Progress
from .live_side import LiveSide
from .sweep import Sweeping, SweptSide

PlainProgress = tuple[float, float, tuple[float, ...], int]


class HeldItem(NamedTuple):
    """An item with its arrival number."""

    number: int
    item: Any


@dataclass
class CarriedSide:
    """The state of one side between two runs."""

    taken: int = 0
    """Number of items that have arrived."""
    progress: PlainProgress | None = None
    items: Sequence[HeldItem] = ()
    """Items that another process held, before the first run of this one."""
    blocks: list[Any] = field(default_factory=list)
    """The rows held."""

    @property
    def numbers(self) -> Iterator[int]:
        """The items held, by number."""
        return (number for block in self.blocks for number in block.numbers)

    @property
    def late(self) -> int:
        return 0 if self.progress is None else self.progress[-1]


class CarriedSweep:
    """The state that a join keeps from one run to the next.

    Holds:  the rows of both sides that the sweep holds between two batches.
    """

    def __init__(self) -> None:
        self.sides: dict[str, CarriedSide] = {}
        """Keyed by the names of their variables, with a dollar."""
        self.given = 0
        """Number of held rows of the first side whose results are already out."""
        self.is_last = False
        """Whether the items of the next run are the last ones."""

    def side(self, name: str) -> CarriedSide:
        return self.sides.setdefault(name, CarriedSide())

    def go_on(self, name: str, live: LiveSide, swept: SweptSide, progress: Progress) -> None:
        """Restore the carried rows of a side."""
        known = self.side(name)
        if known.progress is not None:
            progress.go_on(*known.progress)
        if known.items:
            rows = live.again([item for _, item in known.items])
            swept.hold(rows, [number for number, _ in known.items])
        swept.blocks += known.blocks
        known.items, known.blocks = (), swept.blocks

    def tuples(
        self, names: Sequence[str], sides: Sequence[SweptSide], make: Callable[[int], Sweeping]
    ) -> Iterator[Any]:
        """The tuples of one run; the rows that it still holds at its end are carried over."""
        sweeping = make(self.given)
        yield from sweeping.tuples()
        sweeping.trim()
        self.given = sweeping.given
        for name, side in zip(names, sides, strict=True):
            known = self.side(name)
            known.blocks, known.progress = side.blocks, side.progress.plain()
