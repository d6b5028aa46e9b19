"""How one query is divided into tasks: what each computes on its part of the input, and how the results are merged.

A query is a *frame* around *parts*. A part is an expression whose value over the whole input follows from its values
over ranges of it (`source/byte_ranges.py`); in the frame, a variable replaces it. A part may read the subtree of an
item and its ancestors with their attributes: exactly what a range has.

    <report n="{ count(//item) }">{ for $p in //person where $p/age > 30 return $p/name }</report>

    part 1, aggregate   count(//item)                                        each range counts, the counts are added up
    part 2, map         for $p in //person where … return $p/name            the answers are concatenated
    frame               <report n="{ $part1 }">{ $part2 }</report>           written once, by the driver

Parts may need the values of others (a captured header, the other side of a join): these are computed in an earlier
*stage* and passed to the tasks of the later one: all of them to every task, or to each only those that may match by an
equality (`Join`). A query of another form is one task over the whole input, and `why` gives the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from xylem.source.byte_ranges import Scope

BROADCAST_BYTES = 10 << 20
"""Default for the largest side of a join that is sent to every task: as for Spark's own joins
(`spark.sql.autoBroadcastJoinThreshold`)."""


class PartKind(StrEnum):
    """How the values of a part over the ranges combine to its value over the input."""

    MAP = "map"
    """Concatenated, in the order of the input."""
    AGGREGATE = "partial aggregate and merge"
    SORT = "sort and merge"
    """Sorted by each task, then merged by the driver, which writes the answer; rows of a DataFrame are shuffled
    instead.
    """
    GROUP = "shuffle by grouping key"
    WINDOWS = "windows, with state"
    """Streams only: tasks find the items; windows are formed where their key is placed."""
    SEQUENTIAL = "one task"
    """The whole input in one task, in order."""


class InputOf(StrEnum):
    """The input of a query."""

    RUN = "what the run is given"
    """The run's input; doc() reads additional documents."""
    NAMED = "the document it names"
    """The document named by doc(), if it reads no other; otherwise the run's input."""
    WHOLE = "what the run is given, in one task"
    """Used if tasks found that the query cannot be divided over this input."""
    NOTHING = "nothing"


@dataclass(frozen=True)
class Join:
    """How the tasks of a part receive the items of another."""

    part: int
    equalities: tuple[str, ...] = ()
    """The comparisons by which items are looked up; empty if every task receives all of them."""
    why: str = ""
    """Why every task receives all of them."""

    @property
    def is_by_key(self) -> bool:
        """Whether a task needs only items that may match: then large sides are shuffled by key, and small ones
        broadcast.
        """
        return bool(self.equalities)


@dataclass(frozen=True)
class Part:
    """One expression of the query that tasks compute."""

    number: int
    kind: PartKind
    text: str
    """The expression, as printed."""
    scopes: tuple[Scope, ...]
    """Its items: a document may be cut before each of them. Empty if it may not be cut."""
    stage: int = 0
    needs: tuple[int, ...] = ()
    """The parts of earlier stages whose values its tasks need."""
    why: str = ""
    """Why it is of this kind, for `explain`: what prevents dividing it further, if anything."""
    shuffles: tuple[str, ...] = ()
    """The keys by which rows are successively shuffled."""
    order: str = ""
    """The sort keys of rows."""
    joins: tuple[Join, ...] = ()
    """How its tasks receive the values they need."""
    line: int = 1
    column: int = 1
    is_divisible: bool = False
    """Whether its items could be divided themselves, if a document has too few of them."""
    cuts_anywhere: bool = False
    """Whether a document may be cut between any two tags, even inside items."""


@dataclass(frozen=True)
class Distribution:
    """The parts of a query in their order in the text, and the frame around them."""

    parts: tuple[Part, ...]
    frame: str
    """The query with a variable for each part, as printed."""
    ordered: bool = True
    """Off if the query says `unordered`: the items of maps may come in any order."""

    @property
    def is_parallel(self) -> bool:
        return any(part.kind is not PartKind.SEQUENTIAL for part in self.parts)
