"""What is derived of operators agrees with what the runners do: bounds and passes of a stream, kinds of parts in tasks.

All spellings and XMark are walked; a sample of the spellings, unless XYLEM_CAMPAIGN is set.
"""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest
from xylem.errors import StaticError
from xylem.lowering.operator_plans.of_tasks import part_operators
from xylem.lowering.stream.account import account_of_all
from xylem.pipeline import StaticEnvironment
from xylem.plan.bounds import (
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
    THE_STREAM,
    largest,
)
from xylem.plan.distribution import PartKind
from xylem.plan.operators import Aggregate, Bind, Extent, Fold, Join, KeysOf, Number, Operator, Runs, Scan, Sort, Window
from xylem.plan.properties import Merge, Partition, properties
from xylem.query.compiled_query import CompiledQuery
from xylem.query.spreading import Spreading

from tests.spellings.spelling_files import blocks

XMARK = Path(__file__).parents[1] / "golden" / "xmark"
SAMPLE = 150
_NOT_OF_THE_STREAM = (A_VALUE, ONE_SIDE, BESIDE)
"""What the account of a stream does not tell: single values, and what is held of what is held already or elsewhere."""
_LAWS = {
    PartKind.MAP: {Merge.MAP},
    # States by key are merged where rows meet, or cell by cell.
    PartKind.AGGREGATE: {Merge.AGGREGATE, Merge.BY_KEY},
    PartKind.SORT: {Merge.SORT},
    PartKind.GROUP: {Merge.BY_KEY},
}


def queries() -> list[str]:
    spelled = [spelling.query for block in blocks() for spelling in block.spellings]
    if "XYLEM_CAMPAIGN" not in os.environ:
        spelled = Random(13).sample(spelled, SAMPLE)
    return [*spelled, *(file.read_text(encoding="utf-8") for file in sorted(XMARK.glob("*.xq")))]


QUERIES = queries()


@pytest.mark.parametrize("text", QUERIES)
def test_what_a_stream_keeps_and_how_often_it_is_read(text: str) -> None:
    query = CompiledQuery(text, StaticEnvironment())
    try:
        passes = query.stream_passes()
    except StaticError:
        pytest.skip("it is answered from a tree")
    told = account_of_all([*(earlier.program for earlier in passes.earlier), *passes.answering])
    derived = [properties(operator) for operator in query.stream_operators().operators()]
    bounds = [each.bound for each in derived if each.bound not in _NOT_OF_THE_STREAM]
    assert largest(*bounds) == largest(*(buffer.bound for buffer in told.buffered))
    assert len(frozenset[int]().union(*(each.passes for each in derived))) == passes.number


@pytest.mark.parametrize("text", QUERIES)
def test_the_law_of_each_part_is_what_tasks_do(text: str) -> None:
    query = CompiledQuery(text, StaticEnvironment())
    program = query.distributed(Spreading())
    for part in program.spread.parts:
        law = properties(part_operators(part.source)).merge
        is_counted = part.is_by_range or part.is_first_only
        # One task may be for nodes that are told apart or looked around, which no operator says.
        if part.kind is not PartKind.SEQUENTIAL and not is_counted:
            assert law in _LAWS[part.kind]
    derived = properties(query.task_operators(Spreading()).root)
    if program.distribution.is_parallel:
        assert len(derived.passes) == program.stages


# --- operator by operator


def scan(extent: Extent = Extent.INPUT) -> Scan:
    return Scan(path="//a", captured=("b",), gives=extent, runs=Runs.SCAN)


@pytest.mark.parametrize(
    ("operator", "bound"),
    [
        (scan(), NOTHING),
        (Bind(variable="a", inputs=(scan(),)), NOTHING),
        (Bind(variable="a", inputs=(scan(),), held=("b",)), AN_ITEM),
        (Bind(variable="a", inputs=(scan(),), held=("b",), is_all=True), THE_STREAM),
        (Aggregate(functions=("sum",), inputs=(scan(),)), A_VALUE),
        (Aggregate(functions=("string-join",), inputs=(scan(),)), THE_STREAM),
        (Aggregate(functions=("string-join",), inputs=(scan(Extent.ITEM),)), AN_ITEM),
        (Aggregate(functions=("sum",), keys=("b",), inputs=(scan(),)), BY_GROUP),
        (Aggregate(functions=("sum",), keys=("b",), keys_of=KeysOf.TURNS, inputs=(scan(),)), BY_TURN),
        (Aggregate(functions=("sum",), keys=("b",), keys_of=KeysOf.RECORDS, inputs=(scan(),)), THE_STREAM),
        (Aggregate(functions=("sum",), keys=("b",), inputs=(scan(),), runs=Runs.MERGE), A_GROUP),
        (Sort(keys=("b",), inputs=(scan(),)), THE_STREAM),
        (Sort(keys=("b",), inputs=(scan(),), runs=Runs.TASK), THE_RANGE),
        (Sort(keys=("b",), inputs=(Scan(path="//a"),)), THE_INPUT),
        (Sort(keys=("b",), inputs=(scan(Extent.ITEM),)), AN_ITEM),
        (Sort(keys=("b",), limit="3 tuples", inputs=(scan(),)), "3 tuples"),
        (Number(last=1, test="last()", inputs=(scan(),)), AN_ITEM),
        (Number(last=4, test="the last 4", inputs=(scan(),)), "4 items"),
        (Join(variable="b", equalities=("b = $c",), inputs=(scan(),)), ONE_SIDE),
        (Fold(function="f", inputs=(scan(),)), BY_QUERY),
        (Fold(function="f", grows=True, inputs=(scan(),)), THE_STREAM),
        (Window(variable="w", form="tumbling", inputs=(scan(),)), A_WINDOW),
        (Window(variable="w", form="tumbling", holds_items=False, inputs=(scan(),)), A_VALUE),
        (Window(variable="w", form="landmark", holds_all=True, inputs=(scan(),)), THE_STREAM),
        (Window(variable="w", form="sliding", key="@k", inputs=(scan(),)), BY_GROUP),
    ],
)
def test_bounds(operator: Operator, bound: str) -> None:
    assert properties(operator).bound == bound


def test_order_and_blocking() -> None:
    bound = Bind(variable="a", inputs=(scan(),))
    in_order = Sort(keys=("$a/b",), inputs=(bound,))
    assert properties(bound).order == "document order"
    assert not properties(bound).blocks
    assert properties(in_order).order == "by $a/b"
    assert properties(in_order).blocks
    numbered = Number(variable="n", inputs=(in_order,))
    assert properties(numbered).order == "by $a/b"


def test_laws_and_partitions() -> None:
    bound = Bind(variable="a", inputs=(scan(),))
    total = Aggregate(functions=("sum",), inputs=(bound,))
    groups = Aggregate(functions=("sum",), keys=("$a/b",), inputs=(bound,))
    windows = Window(variable="w", form="tumbling", inputs=(bound,))
    # An aggregate that is taken anew for each tuple is where the tuple is.
    for_each = Aggregate(functions=("count",), over=bound)
    laws = [properties(each).merge for each in (bound, total, groups, windows, for_each)]
    assert laws == [Merge.MAP, Merge.AGGREGATE, Merge.BY_KEY, Merge.NONE, Merge.MAP]
    places = [properties(each).partition for each in (bound, groups, windows)]
    assert places == [Partition.ANYWHERE, Partition.BY_KEY, Partition.ONE_PLACE]


def test_what_can_be_taken_back() -> None:
    assert properties(Aggregate(functions=("sum", "count"), inputs=(scan(),))).retracts
    assert not properties(Aggregate(functions=("max",), inputs=(scan(),))).retracts
    assert not properties(Fold(function="f", inputs=(scan(),))).retracts
