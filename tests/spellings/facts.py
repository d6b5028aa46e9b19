"""What is known of a query before it runs: what is kept, how often the input is read, how it is spread."""

from __future__ import annotations

from xylem.plan.bounds import A_WINDOW, AN_ITEM, BY_GROUP, BY_QUERY, BY_TURN, THE_RESULTS, THE_STREAM, largest
from xylem.plan.distribution import Distribution, InputOf, Part, PartKind
from xylem.plan.explain import Explanation
from xylem.plan.stream_account import StreamAccount
from xylem.query.spreading import Spreading
from xylem.spark.continuous.modes import mode_of
from xylem.spark.continuous.subscription import Mode
from xylem.spark.shipped_query import ShippedQuery

from .spelled_query import SpelledQuery

TREE = "tree"
_BOUNDS = {
    AN_ITEM: "item",
    A_WINDOW: "window",
    BY_QUERY: "folded value",
    BY_TURN: "turns",
    BY_GROUP: "groups",
    THE_RESULTS: "results",
    THE_STREAM: "whole stream",
}
"""From small to large; between items and windows stand numbers of tuples, which are told as they are."""
_KINDS = {
    PartKind.MAP: "map",
    PartKind.AGGREGATE: "aggregate",
    PartKind.SORT: "sort",
    PartKind.GROUP: "group",
    PartKind.WINDOWS: "windows",
    PartKind.SEQUENTIAL: "one task",
}
_STATES = {
    PartKind.MAP: "nothing",
    PartKind.AGGREGATE: "aggregate",
    PartKind.SORT: "sorted rows",
    PartKind.GROUP: "groups",
}


def bound(explained: Explanation) -> str:
    """The largest of what is kept while the input streams by."""
    account = explained.stream
    if not isinstance(account, StreamAccount):
        return TREE
    found = [buffer.bound for buffer in account.buffered]
    if not found:
        return "aggregate" if account.aggregated else "nothing"
    found_largest = largest(*found)
    return _BOUNDS.get(found_largest, found_largest)


def passes(explained: Explanation) -> str:
    return str(explained.stream.passes) if isinstance(explained.stream, StreamAccount) else "-"


def on_spark(distribution: Distribution) -> str:
    """The kinds of the parts, one after the other."""
    if not distribution.is_parallel:
        return "one task"
    return ", ".join(_part(part) for part in distribution.parts)


def _part(part: Part) -> str:
    if not part.joins:
        return _KINDS[part.kind]
    return f"{_KINDS[part.kind]} {'join' if all(join.is_by_key for join in part.joins) else 'given all'}"


def state_in_stream(query: SpelledQuery) -> str:
    """What `xylem stream` keeps over one document without an end, and where."""
    shipped = ShippedQuery(query.compiled, Spreading(keeps_windows=True, input_of=InputOf.RUN))
    if mode_of(shipped, is_one_document=True) is Mode.IN_ORDER:
        return "in order, all" if query.waits_for_end else "in order"
    program = shipped.program()
    found = []
    for part in program.distribution.parts:
        windows = program.windows(part.number)
        if windows is None:
            found.append(_STATES[part.kind])
        else:
            assert windows.part.windowed is not None
            found.append("windows" if windows.part.windowed.key is None else "windows by key")
    has_windows = any(part.kind is PartKind.WINDOWS for part in program.distribution.parts)
    if has_windows and any(told.bound.startswith("none") for told in query.stream_windows()):
        found.append("unbounded")
    return ", ".join(found)
