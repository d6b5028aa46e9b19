"""The base of all states of aggregates: adding values, merging, deferred errors, and the result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn, TypeAlias

from xylem.errors import InputError, XylemError

Plain: TypeAlias = Any
"""A state as plain data, which can be packed."""


class Failed(tuple[Any, ...]):
    """A result that is an error, raised only when it is read: the query may never read it."""

    error: XylemError

    @classmethod
    def with_error(cls, error: XylemError) -> Failed:
        made = cls()
        made.error = error
        return made

    def _raise(self, *arguments: object) -> NoReturn:
        raise self.error

    __iter__ = __len__ = __getitem__ = __bool__ = __contains__ = _raise


class AggregateState(ABC):
    """An aggregate of the values so far.

    `add` and `value` raise the errors of the function. `take`, `merge`, `begin` and `result` keep the first error as
    the result of the aggregate.
    """

    __slots__ = ("error", "held_bytes")

    def __init__(self) -> None:
        self.error: XylemError | None = None
        """The first error, if any. It is the result."""
        self.held_bytes = 0
        """Memory used by its values, beyond a few numbers."""

    @property
    def is_decided(self) -> bool:
        """Whether no further value can change the result."""
        return self.error is not None

    @abstractmethod
    def add(self, values: Iterable[Any]) -> None:
        """Add values after those so far."""

    def add_one(self, value: Any) -> None:
        self.add((value,))

    def settle(self) -> None:
        """Fold the values that wait to be folded together."""
        return

    @abstractmethod
    def value(self) -> Sequence[Any]:
        """The aggregate of the values so far, as a sequence."""

    # --- deferred errors

    def fail(self, error: XylemError) -> None:
        """A value could not be computed."""
        self.error = self.error or error

    def take(self, values: Iterable[Any]) -> None:
        """Add values; an error in them becomes the result. Malformed input still ends the run."""
        if self.error is None:
            try:
                self.add(values)
            except InputError:
                raise
            except XylemError as error:
                self.fail(error)

    def result(self) -> Sequence[Any]:
        """The value, or an object that raises its error when it is read."""
        if self.error is None:
            try:
                return self.value()
            except XylemError as error:
                return Failed.with_error(error)
        return Failed.with_error(self.error)

    # --- stretches of the input

    def begin(self) -> None:
        """Declare that no values precede those of this state."""
        return

    def merge(self, following: AggregateState) -> None:
        """Add the values of another state of this kind, which follow those of this one."""
        if self.is_decided:
            return
        if following.error is not None:
            self.fail(following.error)
            return
        try:
            self._merge(following)
        except XylemError as error:
            self.fail(error)

    def _merge(self, following: Any) -> None:
        raise NotImplementedError(f"{type(self).__name__} is never merged")

    # --- values computed by the scan

    def take_scanned(self, count: int, total: Any) -> None:
        """Take the number of values that the scan has seen before any record arrives, and their aggregate, if any."""
        raise NotImplementedError(f"{type(self).__name__} is never computed by the scan")
