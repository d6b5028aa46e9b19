"""Arrays (XDM 3.1 §2.8.3): immutable lists whose members are sequences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any


class XArray:
    """An immutable array; its members are sequences that can be read again, a single item being a 1-tuple.

    Python counts its members from 0, XQuery from 1. Arrays made by appending share one list, of which each
    sees its own length only; so a loop of array:append is linear.

    >>> a = XArray([(1,), (2, 3)])
    >>> len(a), a[1], list(a.appended(()))
    (2, (2, 3), [(1,), (2, 3), ()])
    """

    __slots__ = ("_length", "_members")

    def __init__(self, members: Sequence[Sequence[Any]] = ()) -> None:
        """Takes over the list or tuple, which must not be changed afterwards."""
        self._members = members
        self._length = len(members)

    def __len__(self) -> int:
        return self._length

    # An array is true as an object whatever its size: `if array` never means "if it has members".
    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Sequence[Any]]:
        return islice(self._members, self._length)

    def __getitem__(self, index: int) -> Sequence[Any]:
        """The member at a 0-based index; negative ones are refused as well as those beyond the end."""
        if 0 <= index < self._length:
            return self._members[index]
        raise IndexError(index)

    def __repr__(self) -> str:
        return f"array{{{', '.join(map(repr, self))}}}"

    def __reduce__(self) -> tuple[Any, ...]:
        return XArray, (self.members(),)

    def members(self, start: int = 0, end: int | None = None) -> list[Sequence[Any]]:
        """A new list of the members in a half-open range of indexes."""
        return list(self._members[start : self._length if end is None else min(end, self._length)])

    def appended(self, member: Sequence[Any]) -> XArray:
        """This array with one more member."""
        members, length = self._members, self._length
        if type(members) is _GrowingList and len(members) == length:
            members.append(member)
            # Another thread may have appended first; then this one starts a new list.
            if members[length] is member:
                return _seeing(members, length + 1)
        grown = _GrowingList(self.members())
        grown.append(member)
        return _seeing(grown, length + 1)


class _GrowingList(list[Sequence[Any]]):
    """A list shared by arrays of different lengths: it only ever grows at its end."""

    __slots__ = ()


def _seeing(members: Sequence[Sequence[Any]], length: int) -> XArray:
    array = XArray.__new__(XArray)
    array._members = members
    array._length = length
    return array
