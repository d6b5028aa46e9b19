"""Split a query over windows: the values that it needs of each item, and its result from the aggregates of a window.

    for $w in /photons/photon|det_time diff 60 step 15| return <w n="{ count($w) }">{ max($w/en) }</w>

    items      for $record in /photons/photon return <i r="{ xs:double($record/det_time) }" v…="{ … }"/>
    windows    for $w in /windows/w return <w n="{ xs:integer($w/@count…) }">{ xs:double($w/@max…) }</w>

Gain:   subscriptions over the same items share the first part and form panes of it (`panes.py`).
Needs:  data windows by a reference value, of which only count, sum, avg, min and max are read; values of a known type:
        untyped, xs:double, xs:decimal, xs:integer; sizes that are exact as doubles.
Safe:   values are cast as the aggregates would cast them. If that fails, the query is answered as written.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.free_variables import free_in
from xylem.analysis.readable_names import with_readable_names
from xylem.analysis.resolved_module import resolved_module
from xylem.errors import XylemError
from xylem.functions.registry import FN, PREFIXES
from xylem.rewrite.inline_prolog import inline_prolog
from xylem.syntax import ast, parse, print_query

from .constants import constant_number
from .record_facts import RECORD, RecordFacts, is_path
from .window_properties import THE_ITEM, Aggregated, WindowReads

_FINEST = 1 << 20
_PREFIXES = {uri: prefix for prefix, uri in PREFIXES.items() if prefix != "fn"}
_FOCUS = (ast.Root, ast.ContextItem)


@dataclass(frozen=True)
class PaneValue:
    """The value kept for each item: values of one type, or their number."""

    name: str
    text: str
    """Its computation, in terms of `$record`."""
    kind: str
    """double, decimal, integer; or count."""


@dataclass(frozen=True)
class PaneAggregate:
    """An aggregate over the items of a window, as an attribute of it."""

    name: str
    function: str
    value: PaneValue | None
    """None for the number of items."""


@dataclass(frozen=True)
class PaneForm:
    """A query as windows over items that other queries may share."""

    items: str
    """The path to the items, with their conditions."""
    reference: str
    prolog: str
    size: Fraction
    step: Fraction
    aggregates: tuple[PaneAggregate, ...]
    windows: str
    """The query over the windows, `/windows/w`."""

    @property
    def key(self) -> tuple[str, str, str]:
        """Queries with equal keys have the same items with the same reference values."""
        return self.prolog, self.items, self.reference

    @property
    def values(self) -> frozenset[PaneValue]:
        return frozenset(one.value for one in self.aggregates if one.value is not None)


class NoPanes(Exception):
    """The reason why a query over windows does not share them."""


def items_query(form: PaneForm, values: frozenset[PaneValue]) -> str:
    """The query that computes the values that panes keep of each item."""
    kept = "".join(f' {one.name}="{{ {one.text} }}"' for one in sorted(values, key=lambda one: one.name))
    reference = f"xs:double({form.reference})"
    return f'{form.prolog}for $record in {form.items} return <i r="{{ {reference} }}"{kept}/>'


def has_windows(text: str) -> bool:
    """Whether a query may have data windows by a reference value; a quick look at its text."""
    return "|" in text and "diff" in text


def pane_form(text: str) -> PaneForm | None:
    """A query taken apart; None if it has no windows of this kind, or reads more than aggregates of them."""
    if not has_windows(text):
        return None
    try:
        return _taken_apart(text)
    except (NoPanes, XylemError):
        return None


def why_no_panes(text: str) -> str:
    """Why a query does not share windows with others; empty if it does, or has none by values."""
    if not has_windows(text):
        return ""
    try:
        _taken_apart(text)
    except NoPanes as reason:
        return str(reason)
    return ""


def _taken_apart(text: str) -> PaneForm:
    module = resolved_module(parse(text))
    if not isinstance(module, ast.MainModule):
        raise NoPanes("a library module has no answer")
    body = inline_prolog(module.body, list(module.prolog))
    loop, window = _loop(body)
    size, step = _length(window.size), _length(window.step or window.size)
    clause = loop.clauses[0]
    assert isinstance(clause, ast.ForClause)
    reads = WindowReads(clause.name, RecordFacts())
    if not reads.result(loop) or not reads.aggregates:
        raise NoPanes("it reads more of its windows than count, sum, avg, min and max")
    if window.reference is None:
        raise NoPanes("its windows go by their items and not by a path of these")
    known = {one.name.expanded for one in module.prolog if isinstance(one, ast.VariableDecl)}
    if (free_in(window.base) | free_in(window.reference)) - known:
        raise NoPanes("its windows depend on a loop around them")
    found: dict[str, PaneAggregate] = {}

    def of_window(node: ast.Node) -> ast.Node | None:
        aggregate = reads.aggregate(node)
        if aggregate is not None:
            return _read(clause.name, aggregate, found)
        return _WINDOWS if node is window else None

    made = replaced(body, of_window)
    if any(isinstance(node, _FOCUS) or _reads_input(node) for node in made.walk() if node is not _ROOT):
        raise NoPanes("it reads the stream, or a focus, beside its windows")
    if any(isinstance(one, ast.ContextItemDecl | ast.ModuleImport | ast.ExecutionDecl) for one in module.prolog):
        raise NoPanes("it imports modules, has statements or a context item of its own")
    prolog = _text(replace(module, body=ast.SequenceExpr(()))).rstrip().removesuffix("()")
    reference = ast.Path(THE_ITEM, window.reference)
    windows = _text(replace(module, body=made))
    return PaneForm(_text(window.base), _text(reference), prolog, size, step, tuple(found.values()), windows)


_ROOT = ast.Root()
_WINDOWS = ast.Path(
    ast.Path(_ROOT, ast.AxisStep("child", ast.NameTest(ast.Name("windows", None, "")))),
    ast.AxisStep("child", ast.NameTest(ast.Name("w", None, ""))),
)


def _loop(body: ast.Expr) -> tuple[ast.Flwor, ast.DataWindow]:
    windows = [node for node in body.walk() if isinstance(node, ast.DataWindow)]
    if len(windows) != 1 or windows[0].kind != "diff":
        raise NoPanes("it has no windows by a reference value, or several")
    for node in body.walk():
        if isinstance(node, ast.Flwor) and isinstance(node.clauses[0], ast.ForClause):
            first = node.clauses[0]
            if first.collection is windows[0] and first.position is None and first.type is None:
                return node, windows[0]
    raise NoPanes("its windows are not those of a loop")


def _length(expr: ast.Expr) -> Fraction:
    number = constant_number(expr)
    found = Fraction(0) if number is None or isinstance(number, float) else Fraction(number)
    if found <= 0 or found >= _FINEST * _FINEST or _FINEST % found.denominator:
        raise NoPanes("the size of its windows is no constant that a double has exactly")
    return found


def _read(window: ast.Name, aggregate: Aggregated, found: dict[str, PaneAggregate]) -> ast.Expr:
    """The type in which an aggregate is read from a window's attributes."""
    if aggregate.function == "count":
        value = None if aggregate.value == THE_ITEM else _counted(aggregate.value)
        return _cast("integer", _attribute(window, "count", value, found))
    value = _kept(aggregate)
    if aggregate.function == "avg" and value.kind != "double":
        count = _cast("integer", _attribute(window, "size", value, found))
        return ast.Arithmetic("div", _cast(value.kind, _attribute(window, "sum", value, found)), count)
    read = _cast(value.kind, _attribute(window, aggregate.function, value, found))
    if aggregate.function == "sum":
        # The sum of nothing is the integer 0, whatever the type of the values.
        given = ast.SequenceExpr((read, ast.IntegerLiteral(0)))
        return ast.FunctionCall(ast.Name("head", None, FN), (given,))
    return read


def _attribute(
    window: ast.Name, function: str, value: PaneValue | None, found: dict[str, PaneAggregate]
) -> ast.Expr:
    name = function if value is None else f"{function}-{value.name}"
    found.setdefault(name, PaneAggregate(name, function, value))
    return ast.Path(ast.VarRef(window), ast.AxisStep("attribute", ast.NameTest(ast.Name(name, None, ""))))


def _counted(value: ast.Expr) -> PaneValue:
    return _named(_text(ast.FunctionCall(ast.Name("count", None, FN), (value,))), "count")


def _kept(aggregate: Aggregated) -> PaneValue:
    value = aggregate.value
    if is_path(value) or value == THE_ITEM:
        # Untyped values count as doubles in sums and comparisons of numbers.
        return _named(_text(ast.SimpleMap(value, _cast("double", ast.ContextItem()))), "double")
    kind = _type(value)
    if kind is None:
        raise NoPanes(f"{aggregate}: the type of these values is not known beforehand")
    return _named(_text(value), kind)


def _type(value: ast.Expr) -> str | None:
    match value:
        case ast.FunctionCall(name=ast.Name(local="double" | "decimal" | "integer" as local, uri=uri)):
            return local if uri == PREFIXES["xs"] else None
        case ast.CastAs(type=kind) if kind.name.uri == PREFIXES["xs"]:
            return kind.name.local if kind.name.local in ("double", "decimal", "integer") else None
        case ast.SimpleMap(right=right):
            return _type(right)
    return None


def _named(text: str, kind: str) -> PaneValue:
    return PaneValue(f"v{sha256(f'{kind} {text}'.encode()).hexdigest()[:12]}", text, kind)


def _cast(kind: str, value: ast.Expr) -> ast.Expr:
    return ast.FunctionCall(ast.Name(kind, "xs", PREFIXES["xs"]), (value,))


def _reads_input(node: ast.Node) -> bool:
    if not isinstance(node, ast.FunctionCall | ast.NamedFunctionRef):
        return False
    return node.name.uri == FN and node.name.local in ("doc", "collection", "root", "position", "last", "stream")


def _text(node: ast.Node) -> str:
    def named(part: ast.Node) -> ast.Node | None:
        if not isinstance(part, ast.Name):
            return None
        if part == RECORD:
            return ast.Name("record")
        # Rewritten parts have names without prefixes.
        return replace(part, prefix=_PREFIXES[part.uri]) if part.prefix is None and part.uri in _PREFIXES else None

    return print_query(with_readable_names(replaced(node, named)))
