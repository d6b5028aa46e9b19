"""Tables of accumulators by key: one for each range, merged cell by cell (`rewrite/distribute/tables.py`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from xylem.functions.context import Context
from xylem.plan.spread import SpreadPart
from xylem.syntax import ast

from ..aggregates.choose_state import FOLD_FEW, aggregate_state
from ..aggregates.state import AggregateState
from .aggregate_task import AggregateTask, StateChoice
from .packed_state import StateKind
from .part_query import PartCompiler, PartQuery, RunOptions
from .rows import Row
from .table_state import TableState


class TableTask(AggregateTask):
    """One table.

    Holds:  the cells of one range, with all summands for sums of doubles.
    """

    def __init__(self, part: SpreadPart, compiler: PartCompiler) -> None:
        super().__init__(part, compiler)
        self._query = PartQuery(compiler, part.body)
        self._choice = _TableChoice(part, compiler)

    def make(self, source: Any, range_number: int, run: RunOptions, context: Context, each_item: bool) -> Iterator[Row]:
        yield self.folded(self._choice.kind(run, context), self._query.items(source, run), range_number)


class _TableChoice(StateChoice):
    def __init__(self, part: SpreadPart, compiler: PartCompiler) -> None:
        super().__init__("groups", (), compiler)
        self._table = part.body if isinstance(part.body, ast.FunctionCall) else _inner(part.body)

    def _maker(self, run: RunOptions, context: Context) -> Callable[[bool], AggregateState]:
        _, keys, aggregates = self._table.arguments
        assert isinstance(keys, ast.SquareArray) and isinstance(aggregates, ast.SquareArray)
        parts = []
        for aggregate in aggregates.members:
            assert isinstance(aggregate, ast.InlineFunction) and isinstance(aggregate.body, ast.FunctionCall)
            name, (_, *more) = aggregate.body.name.local.split("-of-")[0], aggregate.body.arguments
            arguments = [[literal.value] for literal in more if isinstance(literal, ast.StringLiteral)]
            parts.append(StateKind(_makes(name, context, arguments)))
        kinds = [_kind(key) for key in keys.members]
        return lambda is_first: TableState(kinds, parts, is_first)


def _makes(name: str, context: Context, arguments: list[list[str]]) -> Callable[[bool], AggregateState]:
    return lambda is_first: aggregate_state(name, context, arguments, is_first=is_first, fold_at=FOLD_FEW)


def _inner(body: ast.Expr) -> ast.FunctionCall:
    """The table inside bindings of the frame."""
    while isinstance(body, ast.Flwor):
        body = body.result
    assert isinstance(body, ast.FunctionCall)
    return body


def _kind(key: ast.Expr) -> str:
    assert isinstance(key, ast.SquareArray) and isinstance(key.members[0], ast.StringLiteral)
    return key.members[0].value.removesuffix(", one")
