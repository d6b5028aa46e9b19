"""Properties of the operators of a plan, derived bottom-up: their output, state, order and merges. The spelling of the
query does not matter here. A property of an operator follows from what it is and from the properties of its children:

    gives         the size of its output: one item, the content of an item, windows, groups, the input
    bound, why    the largest state it holds, and of what
    blocks        it has no output before its input has ended
    order         of its output: document order, by keys, or none
    passes        the passes over the input that it and all below it need
    merge         the law by which its values over parts of the input make its value over the whole
    partition     where the input may be cut: anywhere between items, by a key, or nowhere
    retracts      whether an item can be taken back from its state
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from xylem.functions.registry import FN
from xylem.functions.traits import MERGES

from .bounds import (
    A_GROUP,
    A_VALUE,
    A_WINDOW,
    AN_ITEM,
    BESIDE,
    BY_GROUP,
    BY_QUERY,
    BY_TURN,
    NOTHING,
    ONE_SIDE,
    THE_INPUT,
    THE_RANGE,
    THE_RESULTS,
    THE_STREAM,
)
from .operators.gathering import Aggregate, Fold, KeysOf, Sort, Window
from .operators.operator import Extent, Operator, Runs
from .operators.results import Construct, Leaf, Union
from .operators.sources import Scan, Step
from .operators.tuples import Bind, Join, Number, Select

DOCUMENT_ORDER = "document order"
NO_ORDER = "none"
_RETRACTED = frozenset({"count", "sum", "avg", "exists", "empty"})
_MAKES = (Aggregate, Construct, Fold, Leaf)
"""Operators with a separate output for each tuple."""
_TESTS = frozenset({"some", "every"})
_BOUND_OF = {
    Extent.ONE: A_VALUE,
    Extent.ITEM: AN_ITEM,
    Extent.WINDOW: A_WINDOW,
    Extent.TURNS: BY_TURN,
    Extent.GROUPS: BY_GROUP,
    Extent.BESIDE: BESIDE,
    Extent.RESULTS: THE_RESULTS,
    Extent.INPUT: THE_STREAM,
}


class Merge(StrEnum):
    """How values over parts of the input combine to the value over all of it."""

    MAP = "one after another"
    AGGREGATE = "states are merged"
    SORT = "sorted parts are merged"
    BY_KEY = "states of a key are merged"
    NONE = "none"


class Partition(StrEnum):
    """Where the input may be cut for the operator."""

    ANYWHERE = "between any two items"
    BY_KEY = "by key"
    ONE_PLACE = "nowhere"


@dataclass(frozen=True)
class Properties:
    """The derived properties of one operator."""

    gives: Extent
    bound: str
    why: str
    blocks: bool
    order: str
    passes: frozenset[int]
    """The numbers of the passes over the input."""
    merge: Merge
    partition: Partition
    retracts: bool
    is_tree: bool = False
    """Whether something below it is in memory anyway."""
    is_windows: bool = False
    """Whether its tuples are windows over the input."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "gives": self.gives.name.lower(),
            "keeps": self.bound,
            "why": self.why,
            "blocks": self.blocks,
            "order": self.order,
            "passes": len(self.passes),
            "merge": self.merge.value,
            "partition": self.partition.value,
            "retracts": self.retracts,
        }


def properties(operator: Operator) -> Properties:
    """The properties of an operator, which follow from those of its children."""
    known: Properties | None = operator.__dict__.get("_properties")
    if known is None:
        known = _derived(operator)
        # Operators are frozen, and so are their properties.
        operator.__dict__["_properties"] = known
    return known


def gives(operator: Operator) -> Extent:
    """The size of an operator's output."""
    return properties(operator).gives


def _derived(operator: Operator) -> Properties:
    below = [properties(child) for child in operator.children]
    bound, why = _state(operator)
    is_tree = any(child.is_tree for child in below) or (isinstance(operator, Scan) and operator.captured is None)
    if bound == THE_STREAM and operator.runs is Runs.TASK:
        bound = THE_RANGE
    elif bound == THE_STREAM and is_tree:
        bound = THE_INPUT
    merge = _merge(operator, below)
    partition = _partition(operator, merge, below)
    passes = frozenset[int]().union(*(child.passes for child in below))
    if isinstance(operator, Scan) and not operator.source:
        passes |= {operator.number}
    return Properties(
        gives=_gives(operator),
        bound=bound,
        why=why,
        blocks=_blocks(operator),
        order=_order(operator),
        passes=passes,
        merge=merge,
        partition=partition,
        retracts=_retracts(operator),
        is_tree=is_tree,
        is_windows=_is_windows(operator),
    )


# --- sizes


def _taken(operator: Operator) -> Extent:
    """The size of its input, if it is evaluated once."""
    return max((gives(each) for each in operator.inputs), default=Extent.ONE)


def _gives(operator: Operator) -> Extent:
    if operator.over is None:
        return _gives_once(operator)
    around = gives(operator.over)
    if around is Extent.INPUT and isinstance(operator, _MAKES) and properties(operator.over).is_windows:
        around = Extent.RESULTS
    return max(around, _gives_once(operator))


def _gives_once(operator: Operator) -> Extent:
    match operator:
        case Scan(gives=extent):
            return extent
        case Step(gives=extent):
            return max(extent, _taken(operator)) if operator.inputs else extent
        case Leaf(gives=extent):
            return max(extent, _taken(operator))
        case Aggregate(keys=(), keeps_items=True):
            return _taken(operator)
        case Aggregate(keys=keys, keys_of=keys_of):
            if not keys or _taken(operator) is Extent.ONE:
                return Extent.ONE
            if _taken(operator) < Extent.GROUPS:
                return _taken(operator)
            return Extent.GROUPS if keys_of is KeysOf.GROUPS else Extent.TURNS
        case Fold() | Construct():
            return Extent.ONE
        case Sort(limit=limit):
            return min(Extent.ITEM, _taken(operator)) if limit else _taken(operator)
        case Bind(how="let"):
            return Extent.ONE
        case Bind() if not operator.inputs:
            return Extent.ITEM
        case Select() if not operator.inputs:
            return Extent.ONE
        case Select() if operator.over is not None:
            # Its inputs are part of the condition.
            return Extent.ONE
    return _taken(operator)


def _is_windows(operator: Operator) -> bool:
    """Whether its output consists of windows, or of tuples that contain windows."""
    if isinstance(operator, Window):
        return _taken(operator) is Extent.INPUT
    if isinstance(operator, (Bind, Select, Join)):
        return operator.over is not None and properties(operator.over).is_windows
    if isinstance(operator, (Number, Sort)):
        return any(properties(child).is_windows for child in operator.inputs)
    return False


# --- state


def _state(operator: Operator) -> tuple[str, str]:
    """The bound of its state, and what the state is."""
    match operator:
        case Bind(held=held, until=until, is_all=is_all) if held:
            until = f" until {until}" if until else ""
            return THE_STREAM if is_all else AN_ITEM, f"{', '.join(held)}{until}"
        case Bind(is_kept=True):
            return _of(_taken(operator)), "its items, once for all turns"
        case Select(waiting=waiting, until=until, is_all=is_all) if waiting:
            return THE_STREAM if is_all else AN_ITEM, f"{', '.join(waiting)} until {until}"
        case Aggregate():
            return _aggregate_state(operator)
        case Fold(grows=grows):
            if grows and _taken(operator) is Extent.INPUT:
                return THE_STREAM, "a value that grows with each item"
            return BY_QUERY, "the value folded so far"
        case Sort(runs=Runs.MERGE):
            return AN_ITEM, "the next row of each task, where rows wait on disk"
        case Sort(limit=limit) if limit:
            return limit, "as many as are asked for"
        case Sort():
            return _of(_taken(operator)), "all of them, since the last may come first"
        case Number(last=last) if last is not None:
            return AN_ITEM if last == 1 else f"{last} items", "those that may be the last"
        case Join():
            return _join_state(operator)
        case Window():
            return _window_state(operator)
        case Union(is_set=True):
            return _of(_taken(operator)), "its nodes, to give each once in document order"
    return NOTHING, ""


def _of(extent: Extent) -> str:
    return NOTHING if extent is Extent.ONE else _BOUND_OF[extent]


def _aggregate_state(operator: Aggregate) -> tuple[str, str]:
    taken = _taken(operator)
    if operator.keys and operator.runs is Runs.MERGE:
        return A_GROUP, "what tasks found of it, one key after another"
    if operator.keeps_items:
        what = "the items of each group" if operator.keys else "its items"
        return _of(taken), what
    if not operator.keys:
        if operator.grows:
            return _of(taken), "what it has read, which makes its value"
        return A_VALUE, "one state for each function" if len(operator.functions) > 1 else ""
    if taken is Extent.ONE:
        return A_VALUE, "one state for each function"
    if not operator.functions:
        # The distinct values are the whole state of a group.
        return _of(taken), "each different value"
    if operator.grows and taken is Extent.INPUT:
        return THE_STREAM, "states that grow, for each group"
    told = "one state for each function and group"
    if operator.keys_of is KeysOf.GROUPS:
        return BY_GROUP, told
    if operator.keys_of is KeysOf.RECORDS and taken is Extent.INPUT:
        return THE_STREAM, "one state for each function and key, whether or not it is asked for"
    return BY_TURN, told


def _join_state(operator: Join) -> tuple[str, str]:
    taken = _taken(operator)
    if taken <= Extent.ITEM:
        return _of(taken), "an index of what is inside an item"
    return ONE_SIDE, "an index of its input by key"


def _window_state(operator: Window) -> tuple[str, str]:
    taken = _taken(operator)
    if operator.holds_all:
        return _of(taken), "all items, since each may begin another window"
    if operator.key and not operator.forgets_keys:
        return BY_GROUP, "open windows for each key"
    if operator.holds_items:
        return (_of(taken) if taken < Extent.WINDOW else A_WINDOW), "the items of open windows"
    return A_VALUE, "the aggregates of open windows" if operator.aggregates else "no item of a window"


# --- order, blocking


def _blocks(operator: Operator) -> bool:
    match operator:
        case Sort() | Fold() | Union(is_set=True):
            return True
        case Aggregate(functions=functions):
            return not set(functions) <= {"exists", "empty", "some", "every"} or bool(operator.keys)
        case Number(last=last):
            return last is not None
        case Bind(held=held, is_all=is_all):
            return bool(held) and is_all
    return False


def _order(operator: Operator) -> str:
    match operator:
        case Sort(keys=keys):
            return f"by {', '.join(keys)}"
        case Scan() | Union(is_set=True):
            return DOCUMENT_ORDER
        case Step() if not operator.inputs and operator.over is None:
            return DOCUMENT_ORDER
        case Aggregate(keys=keys) if keys:
            return "of the first of each group"
    main = operator.inputs[0] if _is_pipe(operator) and operator.inputs else operator.over
    return properties(main).order if main is not None else NO_ORDER


def _is_pipe(operator: Operator) -> bool:
    """Whether it passes items or tuples of its first input on, some or all of them."""
    if isinstance(operator, (Number, Step)):
        return True
    if isinstance(operator, Bind):
        return operator.how != "let" and operator.over is None
    return isinstance(operator, Select) and operator.over is None


# --- parts


def _merge(operator: Operator, below: list[Properties]) -> Merge:
    if isinstance(operator, Scan) or not any(child.passes for child in below):
        return Merge.MAP
    main = _main(operator)
    if main is None:
        # Its inputs are combined where it runs: they may be parts, each by its own law.
        laws = {child.merge for child in below if child.passes}
        # Nodes that scans find in one part all come before those of the next.
        is_map = isinstance(operator, Union) and (not operator.is_set or _only_scans(operator))
        return Merge.MAP if is_map and laws == {Merge.MAP} else Merge.NONE
    law = properties(main).merge
    if main is operator.over:
        # It is evaluated for each tuple, wherever that is, whatever it does.
        return law if law is not Merge.AGGREGATE else Merge.NONE
    match operator:
        case Aggregate(keys=keys, functions=functions):
            can_merge = all((FN, function) in MERGES or function in _TESTS for function in functions)
            if law is not Merge.MAP or not can_merge:
                return Merge.NONE
            return Merge.BY_KEY if keys else Merge.AGGREGATE
        case Sort():
            return Merge.SORT if law in (Merge.MAP, Merge.SORT) else law if law is Merge.BY_KEY else Merge.NONE
        case Fold() | Window():
            return Merge.NONE
    # Operators on single items work part by part; on merged items, where those are.
    return law if law is not Merge.AGGREGATE else Merge.NONE


def _only_scans(operator: Operator) -> bool:
    return all(isinstance(child, Scan) for child in operator.inputs)


def _main(operator: Operator) -> Operator | None:
    """The child whose items or tuples it takes one by one; other inputs are shared by all of them."""
    over = operator.over
    if over is not None and properties(over).passes and gives(over) is not Extent.ONE:
        return over
    if isinstance(operator, (Union, Construct, Leaf)) or (isinstance(operator, Bind) and operator.how == "let"):
        return None
    return next((child for child in operator.inputs if properties(child).passes), None)


def _partition(operator: Operator, merge: Merge, below: list[Properties]) -> Partition:
    if merge is Merge.NONE:
        return Partition.ONE_PLACE
    return Partition.BY_KEY if merge is Merge.BY_KEY else Partition.ANYWHERE


def _retracts(operator: Operator) -> bool:
    match operator:
        case Aggregate(functions=functions, keeps_items=keeps_items):
            return keeps_items or set(functions) <= _RETRACTED
        case Sort(limit=limit):
            return not limit
        case Fold() | Window() | Number():
            return False
    return True
