"""The output of a reader of an update stream: operations, each a list of events that take place together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, NamedTuple, Protocol

from xylem.errors import InputError, InputPlace
from xylem.values.qname import QName

UPDATE_NAMESPACE = "urn:xylem:update"
OperationKind = Literal["base", "updates", "commit", "clock", "freeze", "run"]


class Start(NamedTuple):
    """An element begins; with an id it is a separate region."""

    name: QName
    attributes: Sequence[tuple[QName, str]] = ()
    declared: Mapping[str, str] | None = None
    id: str | None = None


class End(NamedTuple):
    """The innermost element ends."""


class Text(NamedTuple):
    value: str


class Leaf(NamedTuple):
    """A comment or processing instruction."""

    kind: int
    name: str
    value: str


class BeginRegion(NamedTuple):
    """`u:mutable`."""

    id: str | None = None


class EndRegion(NamedTuple):
    pass


Where = tuple[int, int, int]
"""Byte offset, line and column, for error messages."""


def place_of(where: Where | None) -> InputPlace | None:
    return None if where is None else InputPlace(*where)


PUT, DISCARD = "put", "discard"
"""Operations of feeds of keyed records: a reader cannot know which earlier records were skipped as too late."""


class BeginUpdate(NamedTuple):
    """replace, remove, insert-before or insert-after.

    put       replaces the region that `id` names; without one, inserts before `of`
    discard   removes the region that `of` names, if there is one that is not empty
    """

    kind: str
    of: str
    id: str | None = None
    where: Where | None = None


class EndUpdate(NamedTuple):
    pass


class Freeze(NamedTuple):
    of: str
    where: Where | None = None


Event = Start | End | Text | Leaf | BeginRegion | EndRegion | BeginUpdate | EndUpdate | Freeze


class WrittenNames(Protocol):
    """The meaning of the names in an update as written."""

    @property
    def elements(self) -> Mapping[str, QName]: ...

    @property
    def attributes(self) -> Mapping[str, QName]: ...

    @property
    def declared(self) -> Mapping[str, str] | None:
        """The namespaces that elements directly in an update declare."""


WrittenContent = tuple["str | WrittenElement", ...]
WrittenElement = tuple[str, tuple[tuple[str, str], ...], str | None, WrittenContent]
"""Its name, attributes, id and content."""


class WrittenUpdate(NamedTuple):
    """An update without inner updates, as read by the kernel: its content in tuples instead of events."""

    kind: str
    of: str
    id: str | None
    content: WrittenContent
    names: WrittenNames


class UnreadRun(Protocol):
    """Reads the updates of a run, now or when they are applied."""

    @property
    def told(self) -> tuple[bytes, list[bytes], tuple[int, int]]:
        """Facts for the kernel: the prefix of updates, other prefixes, and limits on depth and attributes."""

    @property
    def declared(self) -> Mapping[str, str] | None: ...

    def read(self, data: bytes, place: Where) -> tuple[list[Operation], int]: ...


@dataclass(slots=True)
class Operation:
    """Events that are applied together.

    base      more of the base; `commits` if it ends with this
    updates   an outermost update with all in it, or a batch of them
    commit    `u:commit`
    clock     `u:clock`: time has gone on
    freeze    the named regions are never updated again
    run       simple updates, clocks and commits one after another, unread: `simple` reads `data`
    """

    kind: OperationKind
    events: list[Event] = field(default_factory=list)
    time: Decimal | None = None
    """None: the time of its receipt."""
    commits: bool = True
    where: Where | None = None
    data: bytes = b""
    """Its bytes in the input, if known."""
    error: InputError | None = None
    """Why it cannot be applied, if its markup alone shows it."""
    update: WrittenUpdate | None = None
    """Instead of events: the only update of the operation."""
    simple: UnreadRun | None = None

    @property
    def place(self) -> InputPlace | None:
        return place_of(self.where)
