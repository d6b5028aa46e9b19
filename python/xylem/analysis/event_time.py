"""Event time for a whole query: its windows over the input see items in the order of the times they carry.

    declare option xylem:event-time "@time";        forseq $w in xylem:event-order(/log/entry,
    declare option xylem:watermark "10s";       →       function($item) { $item ! @time }, "10s", "drop") …
    declare option xylem:late "drop";
    forseq $w in /log/entry …

The options of the prolog, or of the caller, become calls of the function that implements them. Windows over the input
are those over a path from the document, stream() or collection(), or over an external variable; a `let` in between is
resolved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xylem.errors import StaticError
from xylem.functions.event_order import LARGEST_DELAY, Late, bound_of, policy_of
from xylem.functions.registry import FN, PREFIXES
from xylem.syntax import ast, parse

from .ast_replacement import replaced
from .event_order_call import NAME
from .input_functions import COLLECTION, STREAMS
from .keyed_input import keyed_at, keyed_over
from .stream_order import joins_streams
from .window_collection import window_collection, with_collection

_ORDERED = ast.Name("items in order", None)
"""No query can have a variable of this name."""
_OPTIONS = {(PREFIXES["xylem"], local) for local in ("event-time", "watermark", "late")}
_INPUTS = STREAMS | {COLLECTION, (FN, "doc"), (FN, "document")}


@dataclass(frozen=True)
class EventTime:
    """The path to the times of items, the bound on their disorder, and the treatment of late ones."""

    path: str
    watermark: str = LARGEST_DELAY
    late: str = Late.DROP


def with_event_time(module: ast.Module, given: EventTime | None) -> ast.Module:
    """A module with resolved names whose windows over the input use event time, if the module or the caller requests
    it.
    """
    if not isinstance(module, ast.MainModule):
        return module
    wanted = _wanted(module, given)
    if wanted is None:
        return module
    ordering = _Ordering(wanted, module)
    body = replaced(module.body, ordering.change)
    if not ordering.count:
        if joins_streams(module.body):
            # The join itself declares the order of its streams.
            return module if given is None else replace(module, prolog=(*module.prolog, *_declared(given)))
        raise StaticError("XYST0014", "the query has no windows over its input")
    bound_of(wanted.watermark)
    policy_of(wanted.late)
    prolog = tuple(one for one in module.prolog if not _is_option(one))
    return replace(module, body=body, prolog=prolog)


def _wanted(module: ast.MainModule, given: EventTime | None) -> EventTime | None:
    options = [one for one in module.prolog if isinstance(one, ast.OptionDecl) and _is_option(one)]
    declared = {one.name.local: one.value for one in options}
    path = given.path if given is not None else declared.get("event-time")
    if path is None:
        if declared and not joins_streams(module.body):
            raise StaticError("XYST0014", f"xylem:{min(declared)} has no effect without xylem:event-time")
        return None
    said = given or EventTime(path, declared.get("watermark", LARGEST_DELAY), declared.get("late", Late.DROP))
    return replace(said, path=path)


def _declared(given: EventTime) -> list[ast.OptionDecl]:
    """The caller's options in the form of the query's."""
    said = (("event-time", given.path), ("watermark", given.watermark), ("late", str(given.late)))
    return [ast.OptionDecl(ast.Name(name, "xylem", PREFIXES["xylem"]), value) for name, value in said]


def _is_option(declaration: ast.Declaration) -> bool:
    return isinstance(declaration, ast.OptionDecl) and declaration.name.expanded in _OPTIONS


class _Ordering:
    """Wraps the input of windows."""

    def __init__(self, wanted: EventTime, module: ast.MainModule) -> None:
        self._wanted = wanted
        self._time = _parsed(wanted.path)
        self._external = {
            one.name.expanded for one in module.prolog if isinstance(one, ast.VariableDecl) and one.external
        }
        self.count = 0

    def change(self, node: ast.Node) -> ast.Node | None:
        if not isinstance(node, ast.Flwor):
            return None
        clauses = self._clauses(node.clauses)
        if clauses is None:
            return None
        self.count += 1
        return replace(node, clauses=clauses)

    def _clauses(self, clauses: Sequence[ast.Clause]) -> tuple[ast.Clause, ...] | None:
        """The clauses with the input of their first windows in order; None unless these range over the input."""
        lets: dict[tuple[str, str], int] = {}
        for index, clause in enumerate(clauses):
            if isinstance(clause, ast.LetClause):
                lets[clause.name.expanded] = index
                continue
            keyed = keyed_at(clauses, index, ast.SequenceExpr())
            source = window_collection(clause) if keyed is None else keyed.collection
            if isinstance(source, ast.VarRef) and source.name.expanded in lets:
                return self._in_let(clauses, lets[source.name.expanded])
            if source is None or not self._is_input(source):
                return None
            after = index + (1 if keyed is None else keyed.length)
            ordered = self._ordered(source)
            if keyed is None:
                return (*clauses[:index], with_collection(clause, ordered), *clauses[after:])
            # Read for each key, ordered once.
            let = ast.LetClause(_ORDERED, None, ordered, span=source.span)
            own = keyed_over(clauses[index:after], keyed, ast.VarRef(_ORDERED, span=source.span))
            return (*clauses[:index], let, *own, *clauses[after:])
        return None

    def _in_let(self, clauses: Sequence[ast.Clause], place: int) -> tuple[ast.Clause, ...] | None:
        let = clauses[place]
        assert isinstance(let, ast.LetClause)
        if not self._is_input(let.value):
            return None
        return (*clauses[:place], replace(let, value=self._ordered(let.value)), *clauses[place + 1 :])

    def _is_input(self, expr: ast.Expr) -> bool:
        while isinstance(expr, (ast.Path, ast.Filter)):
            expr = expr.left if isinstance(expr, ast.Path) else expr.base
        match expr:
            case ast.Root() | ast.AxisStep() | ast.ContextItem():
                return True
            case ast.FunctionCall(name=name):
                return name.expanded in _INPUTS
            case ast.VarRef(name=name):
                return name.expanded in self._external
        return False

    def _ordered(self, source: ast.Expr) -> ast.Expr:
        item = ast.Name("item", None)
        body = ast.SimpleMap(ast.VarRef(item, span=source.span), self._time, span=source.span)
        time = ast.InlineFunction((), (ast.Parameter(item),), None, body, span=source.span)
        said = (self._wanted.watermark, str(self._wanted.late))
        bound, late = (ast.StringLiteral(text, span=source.span) for text in said)
        return ast.FunctionCall(NAME, (source, time, bound, late), span=source.span)


def _parsed(path: str) -> ast.Expr:
    module = parse(path, "event-time")
    assert isinstance(module, ast.MainModule)
    return module.body
