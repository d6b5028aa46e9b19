"""How each query is evaluated over a stream, or why it cannot be.

A path from the root is evaluated for each document of a stream separately; ``collection()`` returns all its documents.
Over one endless document both mean that document.
"""

from __future__ import annotations

from xylem.analysis.input_functions import COLLECTION
from xylem.errors import DynamicError
from xylem.functions.registry import PREFIXES
from xylem.plan.distribution import PartKind
from xylem.run.tasks.program import DistributedProgram
from xylem.syntax import ast

from ..shipped_query import ShippedQuery
from .document_answers import DocumentAnswers
from .subscription import Mode

_ADD_TIMESTAMP = (PREFIXES["xylem"], "add-timestamp")


def mode_of(query: ShippedQuery, *, is_one_document: bool) -> Mode:
    """The mode of a query; XYRT0021 with the reason if it cannot be evaluated over a stream."""
    if not is_one_document and not asks_for_all(query.compiled.resolved):
        return Mode.EACH
    if query.replay is not None and asks_for_arrivals(query.compiled.resolved):
        if not is_one_document:
            raise DynamicError("XYRT0021", "several documents cannot read the clock of a replay")
        # The clock shows the latest arrival, whichever task reads it.
        return Mode.IN_ORDER
    program = query.program()
    if is_one_document:
        by_tasks = is_spread(program) and program.scopes and flows(query) and not _may_nest(program)
        return Mode.SPREAD if by_tasks else Mode.IN_ORDER
    if is_spread(program):
        return Mode.SPREAD
    raise DynamicError("XYRT0021", _why(program))


def is_spread(program: DistributedProgram) -> bool:
    """Whether tasks over parts of the stream can compute the whole query in one pass."""
    parts = program.distribution.parts
    return program.stages == 1 and bool(parts) and all(part.kind is not PartKind.SEQUENTIAL for part in parts)


def _may_nest(program: DistributedProgram) -> bool:
    """Whether tasks may find nested items when it is too late for a single task to see everything."""
    return any(program.must_be_flat(part.number) for part in program.distribution.parts)


def flows(query: ShippedQuery) -> bool:
    """Whether rows of tasks are written on arrival, or windows keep only the minimal state.

    A map whose items are gathered first is better answered in order; so are windows of which only the first results are
    needed.
    """
    program = query.program()
    parts = program.distribution.parts
    if any(part.kind is PartKind.MAP and not program.is_text(part.number) for part in parts):
        return False
    return program.windows_go_on(lambda: query.once(DocumentAnswers).waits_for_end)


def asks_for_all(module: ast.Module) -> bool:
    """Whether a query needs all documents of the stream together."""
    for node in module.walk():
        match node:
            case ast.FunctionCall(name=called, arguments=()) | ast.NamedFunctionRef(name=called, arity=0):
                if called.expanded == COLLECTION:
                    return True
    return False


def asks_for_arrivals(module: ast.Module) -> bool:
    """Whether a query reads the arrival times of items."""
    for node in module.walk():
        match node:
            case ast.FunctionCall(name=called) | ast.NamedFunctionRef(name=called):
                if called.expanded == _ADD_TIMESTAMP:
                    return True
    return False



def _why(program: DistributedProgram) -> str:
    if program.stages > 1:
        return "it must go over the whole input more than once"
    reasons = [part.why for part in program.distribution.parts if part.kind is PartKind.SEQUENTIAL and part.why]
    return reasons[0] if reasons else "it does not ask for items one by one"
