"""What each step of a scan is for: the records of a step all play one role in the program."""

from __future__ import annotations

from dataclasses import dataclass, field

from xylem.schema.automaton_constraints import AutomatonConstraints


@dataclass(frozen=True)
class AggregateRole:
    """An aggregate of a scope."""

    slot: int
    function: str
    parameter: str = ""
    """The separator of string-join."""
    zero: str | None = None
    """The function that gives the value fold-left begins with."""


@dataclass(eq=False)
class ScopeRole:
    """An element whose children are processed as a stream.

    Holds:  what `keeps_children` says: the children that handlers read later than they pass.
    Order:  handlers fire in the order of the program: on-first handlers where the schema says that their symbols are
            past (`early_firing.py`), before an on-handler all in front of it, at the end the remaining ones.
    """

    step: int
    variable: str
    slot: int
    """Where the variable's node stands in the environment."""
    parent: ScopeRole | None
    position: int
    """Its place among the handlers of its parent."""
    bodies: list[str | None] = field(default_factory=list)
    """The function of each on-first handler, None at the place of an on-handler."""
    at_start: int = 0
    """How many handlers in front wait for nothing."""
    is_single: bool = True
    """Whether there is one such element in a document, at most."""
    keeps_children: bool = False
    aggregates: list[AggregateRole] = field(default_factory=list)
    """The aggregates over this stream."""


@dataclass(eq=False)
class ItemRole:
    """A record that a handler takes whole."""

    step: int
    scope: ScopeRole
    position: int
    slot: int
    body: str
    nested: bool = False
    """Records may contain each other, so that results wait for the record around them."""
    held_as: str | None = None
    """The variable whose buffer the record is, where the handler needs it whole; None where it could be written as
    it passes, so that nothing but the scan's own batch holds it."""
    counter: int | None = None
    """Where the number of records so far goes, if a positional variable asks for it."""
    outermost: bool = False
    """Records inside another one are part of it, and not taken by themselves."""
    at_start: bool = False
    """The handler needs no more than the start tag, and fires there."""
    limit: int | None = None
    """So many records of one scope matter, and none after them."""


@dataclass(eq=False)
class WindowRole:
    """Records that are collected into data windows (§3.8.2).

    Holds:  the items of the open window.
    """

    step: int
    scope: ScopeRole
    position: int
    slot: int
    body: str
    cursor: str
    """The function that makes the cursor of one scope."""
    aggregates: list[tuple[int, str, str]] = field(default_factory=list)
    """(slot, function, feeder) of aggregates over the window. With any, no item is held: they are all that is read."""


@dataclass(frozen=True)
class Readers:
    """The handlers of a scope that read something: the place of the first and of the last of them."""

    first: int = 0
    last: int = 0


@dataclass(eq=False)
class KeepRole:
    """A record that is kept in the buffer of the stream it is a child of.

    Holds:  a copy of it, until the last handler that reads it has fired.
    """

    step: int
    scope: ScopeRole
    readers: Readers
    test: tuple[str | None, str | None]
    """(uri, local) of the children it is about, None for any."""
    sought: tuple[tuple[str | None, str | None], ...] = ()
    """Children of any name are kept for elements of these names in them: one without any is of no use to anyone."""


@dataclass(eq=False)
class FeedRole:
    """A record that feeds an aggregate; `body` None: it is only counted, by the scan itself."""

    step: int
    scope: ScopeRole
    slot: int
    aggregate: int
    body: str | None
    readers: Readers = Readers()
    at_start: bool = False
    """What is taken of a record is known at its start tag."""
    nested: bool = False
    """Records may contain each other, and their order matters."""


@dataclass(eq=False)
class FiringRole:
    """A record with whose end on-first handlers fire, and which they read as it passes (`immediate.py`)."""

    step: int
    scope: ScopeRole
    last: int
    """The last of the handlers that fire."""
    held_as: str | None = None
    """As for `ItemRole`."""


@dataclass(eq=False)
class TriggerRole:
    """A child whose start or end tag makes on-first handlers fire (`early_firing.py`)."""

    step: int
    scope: ScopeRole
    last: int
    """The last of the handlers that fire."""
    at_end: bool


@dataclass(eq=False)
class TrackRole:
    """Every child of an element, whose automaton tells when handlers fire (`PastTracker`)."""

    step: int
    scope: ScopeRole
    constraints: AutomatonConstraints
    sets: tuple[frozenset[str] | None, ...]
    """For each handler what must be past."""


Role = ScopeRole | ItemRole | WindowRole | KeepRole | FeedRole | FiringRole | TriggerRole | TrackRole
