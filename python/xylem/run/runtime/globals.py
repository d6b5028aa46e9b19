"""Global variables and the initial context item of one run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from sys import getrefcount
from typing import Any

from xylem.errors import DynamicError
from xylem.functions.context import RunPart
from xylem.values.conversion import convert
from xylem.values.map import XMap
from xylem.values.node import Node
from xylem.values.sequence_type import SequenceType


def _references_of_a_local() -> int:
    held = [object()]
    local = held.pop()
    return getrefcount(local)


_ALONE = _references_of_a_local()
"""Result of getrefcount() for a value that a single local variable refers to."""
_IN_ITS_VARIABLE = _ALONE + 1
"""The same for a value that a global variable refers to, too."""


class _NoValue:
    """Placeholder for an absent value; generated code looks there for a table of records."""

    _row_places = None


_UNSET = _NoValue()
_BUSY = _NoValue()


class Global:
    """A global variable: computed when first read, once per run."""

    __slots__ = ("_as_of", "_expected", "_external", "_initialiser", "_name", "_readers", "_run", "_value")

    def __init__(
        self,
        name: tuple[str, str],
        initialiser: Callable[[], Any] | None,
        external: bool,
        expected: SequenceType,
        run: RunPart,
        readers: int | None = 0,
    ) -> None:
        """`readers`: for an infinite value the number of readers, or None if unknown; 0 for a finite one."""
        self._readers = readers
        self._name = name
        self._initialiser = initialiser
        self._external = external
        self._expected = expected
        self._run = run
        self._value: Any = _UNSET
        if run.kept is not None:
            run.kept[name] = self
        self._as_of: dict[int, Any] = {}
        """Values at earlier commits of update streams."""

    def forget(self) -> None:
        """Forget the value, which may change from here on."""
        self._value = _UNSET

    def begin(self) -> None:
        """Begin another run: forget values computed from the previous document."""
        if not (self._external and self._name in self._run.variables):
            self._value = _UNSET

    def __call__(self) -> Any:
        history = self._run.history
        if history is not None and history.moment is not None and self._name not in self._run.variables:
            if history.moment not in self._as_of:
                self._as_of[history.moment] = self._compute()
            return self._as_of[history.moment]
        if self._value is _UNSET:
            self._value = _BUSY
            try:
                self._value = self._compute()
            except BaseException:
                self._value = _UNSET
                raise
        elif self._value is _BUSY:
            raise DynamicError("XQDY0054", f"${self._name[1]}")
        return self._value

    def _compute(self) -> Any:
        if self._readers != 0:
            return self._shared()
        if self._external and self._name in self._run.variables:
            return convert(self._run.variables[self._name], self._expected, f"${self._name[1]}")
        if self._initialiser is None:
            hint = f"give it a value: -v {self._name[1]}=…, or variables={{'{self._name[1]}': …}}"
            raise DynamicError("XPDY0002", f"the external variable ${self._name[1]} has no value", hint=hint)
        return self._initialiser()

    def _shared(self) -> Any:
        """An infinite value: its items are read on arrival, by any number of readers."""
        from .endless import SharedItems, external_items

        what = f"${self._name[1]}"
        if self._external and self._name in self._run.variables:
            items = external_items(self._run.variables[self._name], self._expected, what)
        elif self._initialiser is not None:
            items = self._initialiser()
        else:
            hint = f"give it a value: --items {self._name[1]}=FILE, or variables={{'{self._name[1]}': …}}"
            raise DynamicError("XPDY0002", f"the external variable {what} has no value", hint=hint)
        return SharedItems(items, self._readers, self._run.held_items, what)

    def put(self, key: Any, value: Sequence[Any]) -> None:
        """`set $x := map:put($x, …)`: in place, if nothing else can see this version of the map."""
        of = self()
        self._value = _BUSY
        if getrefcount(of) == _ALONE and self._run.history is None:
            changed = of.put_in_place(key, value)
        else:
            changed = of.put(key, value)
        self._value = changed

    def put_row(self, places: Mapping[str, int], key: Any, items: tuple[Any, ...]) -> None:
        """The same for a record at these places."""
        of = self._value
        if of._row_places is not places:
            of = self()
        if getrefcount(of) == _IN_ITS_VARIABLE and self._run.history is None:
            changed = of.put_row(places, key, items)
        else:
            changed = of.put(key, (XMap.record(places, items),))
        if changed is not of:
            self._value = changed

    def set(self, value: Any) -> None:
        """`set $x := …`: store a value in the form that the declared type implies."""
        self._value = value


class GlobalContextItem:
    """The initial context item, checked against its declaration when first read."""

    __slots__ = ("_checked", "_expected", "_initialiser", "_items", "_run")

    def __init__(
        self,
        items: Sequence[Any] | None,
        expected: Sequence[SequenceType],
        initialiser: Callable[[], Any] | None,
        run: RunPart,
    ) -> None:
        self._run = run
        self._items = items
        self._expected = expected
        self._initialiser = initialiser
        self._checked: Any = _UNSET

    def begin(self, items: Sequence[Any]) -> None:
        """Begin another run with another item."""
        self._items = items
        self._checked = _UNSET

    def __call__(self) -> Any:
        if self._checked is _UNSET:
            self._checked = _BUSY
            try:
                self._checked = self._compute()
            except BaseException:
                self._checked = _UNSET
                raise
        elif self._checked is _BUSY:
            raise DynamicError("XQDY0054", "the context item")
        history = self._run.history
        if history is not None and history.moment is not None and isinstance(self._checked, Node):
            moved = history.moved(self._checked, history.moment)
            if moved is None:
                raise DynamicError("XPDY0002", "the context item was not there at that time")
            return moved
        return self._checked

    def _compute(self) -> Any:
        from xylem.values.description import describe

        items = self._items
        if items is None:
            if self._initialiser is None:
                hint = "give the query an input: -i FILE, or run(context=…)"
                raise DynamicError("XPDY0002", "there is no context item", hint=hint)
            items = self._initialiser()
        if len(items) != 1:
            raise DynamicError("XPTY0004", f"the context item must be one item, found {describe(items)}")
        for expected in self._expected:
            if not expected.matches(items):
                raise DynamicError("XPTY0004", f"the context item must be {expected}, found {describe(items)}")
        return items[0]
