"""Places in an order that grows anywhere: two are compared in O(1), one is added beside another in O(log n), amortised.

A place carries an integer label, and labels ascend along a linked list. When no integer is left between two neighbours,
the labels of the smallest range around them that is thin enough are spread evenly: the list labelling of Bender, Cole,
Demaine, Farach-Colton and Zito, "Two Simplified Algorithms for Maintaining Order in a List" (2002), §3. There are no
fractions: nothing rounds, however often something is inserted at one spot.
"""

from __future__ import annotations

from typing import Any

__all__ = ["Order", "Place"]

_BITS = 60
_LIMIT = 1 << _BITS
_STRIDE = 1 << 16
"""Gap between neighbours that are appended, so that reading a document needs no relabelling."""
_OVERFLOW = 1.4
"""A range of 2^i labels is thin enough with fewer than (2 / 1.4)^i places."""


class Place(list[int]):
    """One place: a list of its label alone, so that Python compares places, and tuples of them, without a call."""

    __slots__ = ("after", "before")

    before: Place | None
    after: Place | None

    def __hash__(self) -> int:  # type: ignore[override]  # labels move, places stay what they are
        return id(self)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a place means nothing outside its order")


class Order:
    """The places of one order.

    Holds:  a label and two links for each place that is in it.
    """

    __slots__ = ("first", "last", "relabelled")

    def __init__(self) -> None:
        self.first = Place((0,))
        self.last = Place((_LIMIT,))
        self.first.before = None
        self.first.after = self.last
        self.last.before = self.first
        self.last.after = None
        self.relabelled = 0
        """Number of relabelled places, for the tests."""

    def append(self) -> Place:
        """Append a place at the end."""
        before = self.last.before
        assert before is not None
        return self.insert_after(before)

    def insert_before(self, place: Place) -> Place:
        assert place.before is not None, "nothing stands before the first place"
        return self.insert_after(place.before)

    def insert_after(self, place: Place) -> Place:
        after = place.after
        assert after is not None, "nothing stands behind the last place"
        low, high = place[0], after[0]
        if high - low < 2:
            self._spread(place)
            low, high = place[0], after[0]
        # If there is much room, use a fixed gap: most of the room stays free for later places.
        return self._insert(place, after, low + _STRIDE if high - low > 2 * _STRIDE else (low + high) // 2)

    def insert_far_after(self, place: Place) -> Place:
        """A place after another one, with as much room between them as after it."""
        after = place.after
        assert after is not None, "nothing stands behind the last place"
        return (
            self._insert(place, after, (place[0] + after[0]) // 2)
            if after[0] - place[0] > 1
            else self.insert_after(place)
        )

    @staticmethod
    def _insert(place: Place, after: Place, label: int) -> Place:
        made = Place((label,))
        made.before, made.after = place, after
        place.after = after.before = made
        return made

    def remove(self, place: Place) -> None:
        """Remove a place. It must not be compared any more."""
        before, after = place.before, place.after
        assert before is not None and after is not None
        before.after, after.before = after, before
        place.before = place.after = None

    def _spread(self, place: Place) -> None:
        """Respread the labels around a place, in a range with enough room."""
        first = last = place
        count, bits, capacity = 1, 0, 1.0
        while True:
            bits += 1
            capacity *= 2 / _OVERFLOW
            low = place[0] >> bits << bits
            high = low + (1 << bits)
            while first.before is not None and first.before[0] >= low:
                first, count = first.before, count + 1
            while last.after is not None and last.after[0] < high:
                last, count = last.after, count + 1
            # Any two neighbours must have room for one more, or spreading gains nothing.
            if count < capacity and (high - low) // (count + 1) >= 2:
                break
            assert bits < _BITS, "more places than labels"
        self.relabelled += count
        step = (high - low) // (count + 1)
        label = low
        current: Place | None = first
        for _ in range(count):
            assert current is not None
            current[0] = label
            label += step
            current = current.after
