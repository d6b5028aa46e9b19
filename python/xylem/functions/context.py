"""The surroundings of a function: the static context of its call and the dynamic context of its run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from xylem.values.at_hand import RecordsAtHand
    from xylem.values.datetimes import DateTime
    from xylem.values.node import Node
    from xylem.values.paged_tree import TreePages

    from .decimal_format import DecimalFormat

CODEPOINT_COLLATION = "http://www.w3.org/2005/xpath-functions/collation/codepoint"


class Resources(Protocol):
    """Documents and texts by absolute URI, from allowed places only; the same URI gives the same node."""

    def document(self, uri: str) -> Node:
        """The document at a URI, or an error FODC0002 / FODC0005 / XYIN…."""

    def collection(self, uri: str | None) -> list[Any]:
        """The items of a collection, the default one for None, or an error FODC0002 / FODC0004."""

    def collection_uris(self, uri: str | None) -> list[str]:
        """The URIs of the documents of a collection, or an error FODC0002 / FODC0004."""

    def text(self, uri: str, encoding: str | None) -> str:
        """The text at a URI, or an error FOUT1170 / FOUT1190 / FOUT1200."""

    def entity(self, uri: str) -> bytes | None:
        """An external entity or DTD of a document, None if those are not read: the default."""

    def module_text(self, uri: str) -> str:
        """The text of a library module at a location, or an error XQST0059."""


class Moments(Protocol):
    """The states of update streams that a run may read, and the current one."""

    moment: int | None
    """The commit for a computation inside a run; None: that of the run."""

    @property
    def now(self) -> Decimal:
        """The latest time of all streams at the moment."""

    @property
    def commits(self) -> Sequence[int]:
        """The commits up to the moment."""

    def time_of(self, commit: int) -> Decimal:
        """The time of a commit."""

    def document(self, name: str) -> Node:
        """The value of stream("name") at the moment, or an error XYIN0030."""

    def at(self, commit: int) -> AbstractContextManager[None]:
        """A context manager that changes the moment."""

    def moved(self, node: Node, commit: int) -> Node | None:
        """The same node at another commit; None if it did not exist then."""

    def key_of(self, node: Node) -> object:
        """Identifies a node across commits; None for one that is new in each evaluation."""

    timelines: dict[object, Any]
    """Values already computed at commits: a past state never changes."""


@dataclass(frozen=True)
class StaticPart:
    """The static context, as far as functions see it."""

    base_uri: str | None = None
    namespaces: Mapping[str, str] = field(default_factory=dict)
    """Statically known namespaces; '' is the default element namespace, absent when there is none."""
    default_collation: str = CODEPOINT_COLLATION
    decimal_formats: Mapping[tuple[str, str], DecimalFormat] = field(default_factory=dict)
    """By (uri, local); ('', '') is the default format."""
    default_language: str = "en"
    late_items: Any = None
    """A `LateItems` that receives items too late for event time; None: they are only dropped."""


class Context:
    """The static part of one place in a query with the dynamic part of one run."""

    __slots__ = ("run", "static")

    def __init__(self, static: StaticPart, run: RunPart) -> None:
        self.static = static
        self.run = run


@dataclass
class RunPart:
    """The dynamic context: one per run of a query, shared by all its modules."""

    resources: Resources
    now: DateTime
    """current-dateTime(), fixed for the whole run; its timezone is the implicit one."""
    environment: Mapping[str, str] | None = None
    """Environment variables, None unless the user allowed them."""
    variables: dict[tuple[str, str], Any] = field(default_factory=dict)
    streams: dict[str, Any] = field(default_factory=dict)
    """The sources of stream(), by name: iterables of items."""
    held_items: int = 1_000_000
    """Number of items or values that an operation on an infinite sequence may keep."""
    clock: Callable[[], DateTime | None] | None = None
    """The clock for arrival times: that of a replay, or None for that of this machine."""
    kept: dict[tuple[str, str], Any] | None = None
    """For an interruptible run: its prolog variables by name, as they are computed."""
    load_module: Callable[..., Any] | None = None
    """fn:load-xquery-module: set by the compiler."""
    history: Moments | None = None
    """For a run over update streams: the states at each commit."""
    left_out: Counter[str] | None = None
    """Number of items left out of best-match joins because a value is missing: by variable, on request."""
    pages: TreePages | None = None
    """The spill file for trees of windows that do not fit in memory."""
    at_hand: RecordsAtHand | None = None
    """For a run over a stream: the records of the current batch."""
    sweep: Any = None
    """A `CarriedSweep` of a join of two streams, if a run gets only the input so far."""
    writes_text: bool = False
    """Whether the answer is wanted as text, from a program that can write it (`Program.can_write`)."""
    trace: Callable[[str, str], None] = lambda label, value: None
    """fn:trace and fn:message output: (label, serialised value)."""

    @property
    def implicit_timezone_minutes(self) -> int:
        return self.now.timezone_minutes or 0
