"""How one query is spread over many tasks: what each computes of its part of the input, and how that is put together.

A query is a *frame* around *parts*. A part is an expression whose value over the whole input follows from its values
over ranges of it (`source/byte_ranges.py`); in the frame a variable stands in its place. What a part may see
of an item is its subtree and its ancestors with their attributes: that is what a range has exactly.

    <report n="{ count(//item) }">{ for $p in //person where $p/age > 30 return $p/name }</report>

    part 1, aggregate   count(//item)                                        each range counts, the counts are added
    part 2, map         for $p in //person where … return $p/name            the answers stand one after another
    frame               <report n="{ $part1 }">{ $part2 }</report>           written once, by the driver

Parts may need the values of others (a captured header, the other side of a join): these are computed in an earlier
*stage* and given to the tasks of the later one: all of them to every task, or to each what may match, where an equality
tells (`Join`). What fits none of this is one task over the whole input, and `why` says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from xylem.source.byte_ranges import Scope

BROADCAST_BYTES = 10 << 20
"""How large a side of a join is given to every task, where nothing else is said: what Spark's own joins take
(`spark.sql.autoBroadcastJoinThreshold`)."""


class PartKind(StrEnum):
    """How the values of a part over the ranges make its value over the input."""

    MAP = "map"
    """One after another, in the order of the input."""
    AGGREGATE = "partial aggregate and merge"
    SORT = "sort and merge"
    """By each task, then merged by the driver, which writes the answer; rows of a DataFrame are shuffled instead."""
    GROUP = "shuffle by grouping key"
    WINDOWS = "windows, with state"
    """Of a stream alone: items from tasks, windows where their key has its place."""
    SEQUENTIAL = "one task"
    """Whole input in one task, in its order."""


class InputOf(StrEnum):
    """What the input of a query is."""

    RUN = "what the run is given"
    """doc() is a document beside it."""
    NAMED = "the document it names"
    """By doc(), if it reads no other; else what the run is given."""
    WHOLE = "what the run is given, in one task"
    """Where tasks found that the query cannot be spread over this input."""
    NOTHING = "nothing"


@dataclass(frozen=True)
class Join:
    """How the tasks of a part are given the items of another."""

    part: int
    equalities: tuple[str, ...] = ()
    """The comparisons by which they are asked for; none where every task is given all of them."""
    why: str = ""
    """Why every task is given all of them."""

    @property
    def is_by_key(self) -> bool:
        """Whether a task needs only what may match: then large sides are shuffled by key, and small ones broadcast."""
        return bool(self.equalities)


@dataclass(frozen=True)
class Part:
    """One expression of the query that is computed by tasks."""

    number: int
    kind: PartKind
    text: str
    """The expression, as printed."""
    scopes: tuple[Scope, ...]
    """Its items: a document may be cut before each of them. Empty where it may not be cut."""
    stage: int = 0
    needs: tuple[int, ...] = ()
    """The parts of earlier stages whose values its tasks are given."""
    why: str = ""
    """Why it is of this kind, for `explain`: what keeps it from being spread further, if anything does."""
    shuffles: tuple[str, ...] = ()
    """By what rows are brought together, one after another."""
    order: str = ""
    """By what rows are sorted."""
    joins: tuple[Join, ...] = ()
    """How its tasks are given what they need."""
    line: int = 1
    column: int = 1
    is_divisible: bool = False
    """Its items could be divided themselves, where a document has too few of them."""
    cuts_anywhere: bool = False
    """A document may be cut between any two tags, also inside of its items."""


@dataclass(frozen=True)
class Distribution:
    """The parts of a query in their order in the text, and the frame around them."""

    parts: tuple[Part, ...]
    frame: str
    """The query with a variable for each part, as printed."""
    ordered: bool = True
    """Off where the query says `unordered`: the items of maps may come in any order."""

    @property
    def is_parallel(self) -> bool:
        return any(part.kind is not PartKind.SEQUENTIAL for part in self.parts)
