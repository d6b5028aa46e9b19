"""Move steps from the results of windows into the windows, so that no window waits for the others.

    (for tumbling window $w in /log/e … return $w[@k])/x/@y   →   for tumbling window $w in /log/e … return $w[@k]/x/@y
    (for sliding window $w in /log/e start $s … return $s)/x  →   for sliding window $w in /log/e start $s … return $s/x

Gain:   results come as windows end, and a buffer keeps only the nodes of an item that the steps select.
Needs:  items in document order, none inside another; a result that stays at or below the items of its window; downward
        steps without a position among all results.
Safe:   a path sorts its nodes and removes duplicates. Tumbling windows share no item and come in the order of their
        items, so the nodes below one precede the nodes below the next; for sliding windows of XQuery this holds for
        their first items. Not for `forseq … sliding`, which orders windows by their last items, and several windows may
        have the same last item; nor after `order by` and `group by`.
Errors: none can arise from a result that is not a node: `stays_below` accepts nodes only.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.bound_names import bound_names
from xylem.analysis.event_order_call import event_order_call
from xylem.analysis.facts.value_expressions import gives_values
from xylem.analysis.focus import uses_position
from xylem.analysis.free_variables import free_in
from xylem.analysis.streamable_paths import is_test
from xylem.analysis.window_collection import window_collection
from xylem.functions.registry import FN, PREFIXES
from xylem.functions.traits import PICKS, UNSTEADY
from xylem.syntax import ast

from .window_results import is_down, makes_elements

Names = frozenset[tuple[str, str]]
_PICKS = PICKS - UNSTEADY
"""Inside a window, functions are called more often than over all window results, which `trace` would reveal."""
_REVERSE = (FN, "reverse")
_NEW_ELEMENTS = (PREFIXES["xylem"], "add-timestamp")
_FIRST = ast.VarRef(ast.Name("first", None, "urn:xylem:windows"))
"""The first item of a window."""
_GATHERING = (ast.OrderByClause, ast.GroupByClause, ast.CountClause)


def path_of_each_window(path: ast.Path, streams: Container[str]) -> ast.Flwor | None:
    """The path as an expression over windows, with its last step inside; None if order or identity could be lost."""
    flwor = windows_of(path.left, streams)
    if flwor is None or not _may_step(path.right) or _captures(flwor, path.right):
        return None
    outer, rest = _split(flwor.clauses)
    windows = _Windows.of(outer, streams)
    if windows is None or any(isinstance(clause, _GATHERING) for clause in rest):
        return None
    result = ast.Flwor(rest, flwor.result, span=flwor.span) if rest else flwor.result
    if not stays_below(windows.seen(result), windows.below):
        return None
    if windows.may_nest and not (is_some_of(windows.seen(result), windows.items) and _stays_at(path.right)):
        return None
    return replace(flwor, clauses=outer, result=ast.Path(result, path.right, span=path.span))


def windows_of(expr: ast.Expr, streams: Container[str]) -> ast.Flwor | None:
    """A FLWOR expression over windows with the same items: steps and tests are moved into its result."""
    match expr:
        case ast.Flwor(clauses=clauses) if any(map(_forms_windows, clauses)):
            return expr
        case ast.Path():
            return path_of_each_window(expr, streams)
        case ast.Filter(base=base, predicate=part) if is_test(part):
            flwor = windows_of(base, streams)
            if flwor is not None and not _captures(flwor, part):
                return replace(flwor, result=replace(expr, base=flwor.result))
        case ast.SimpleMap(left=left, right=part) if not uses_position(part):
            flwor = windows_of(left, streams)
            if flwor is not None and not _captures(flwor, part):
                return replace(flwor, result=replace(expr, left=flwor.result))
    return None


def gives_items_in_order(expr: ast.Expr, streams: Container[str]) -> bool:
    """Whether windows return items of their input in document order, each once and none inside another."""
    match expr:
        case ast.Flwor(clauses=clauses, result=result):
            outer, rest = _split(clauses)
            windows = _Windows.of(outer, streams)
            if windows is None or windows.may_nest or rest:
                return False
            return is_some_of(windows.seen(result), windows.items)
        case ast.Filter(base=base):
            return gives_items_in_order(base, streams)
        case ast.FunctionCall(name=name, arguments=(items, *_)):
            return name.expanded in _PICKS and gives_items_in_order(items, streams)
    return False


def is_one_node(expr: ast.Expr) -> bool:
    """Whether an expression selects at most one node from window results: `(forseq … return $w)[3]`."""
    match expr:
        case ast.Filter(base=base, predicate=ast.IntegerLiteral()):
            return _are_nodes(base)
        case ast.Filter(base=base, predicate=ast.FunctionCall(name=ast.Name(local="last", uri=uri), arguments=())):
            return uri == FN and _are_nodes(base)
        case ast.FunctionCall(name=ast.Name(local="head", uri=uri), arguments=(base,)):
            return uri == FN and _are_nodes(base)
    return False


def _are_nodes(expr: ast.Expr) -> bool:
    match expr:
        case ast.Path(right=ast.AxisStep()):
            return True
        case ast.Filter(base=base):
            return _are_nodes(base)
        case ast.Flwor(clauses=clauses, result=result):
            return _gives_nodes(clauses, result)
    return False


def _gives_nodes(clauses: tuple[ast.Clause, ...], result: ast.Expr) -> bool:
    """Whether a result consists of nodes at or below the items that windows of any kind range over."""
    place = next((place for place, clause in enumerate(clauses) if _forms_windows(clause)), None)
    collection = None if place is None else window_collection(clauses[place])
    if place is None or not isinstance(collection, ast.Path) or not isinstance(collection.right, ast.AxisStep):
        return False
    if any(isinstance(clause, ast.GroupByClause) for clause in clauses):
        return False
    return stays_below(ast.Flwor(clauses[place + 1 :], result), frozenset({_name_of(clauses[place]).expanded}))


# --- the clauses


def _forms_windows(clause: ast.Clause) -> bool:
    return window_collection(clause) is not None


def _name_of(clause: ast.Clause) -> ast.Name:
    assert isinstance(clause, (ast.WindowClause, ast.ForseqClause, ast.ForClause))
    return clause.name


def _split(clauses: tuple[ast.Clause, ...]) -> tuple[tuple[ast.Clause, ...], tuple[ast.Clause, ...]]:
    """The window clause with the clauses that only read its tuples one by one, and the rest."""
    end = next((place + 1 for place, clause in enumerate(clauses) if _forms_windows(clause)), len(clauses))
    while end < len(clauses) and isinstance(clauses[end], (ast.WhereClause, ast.LetClause, ast.CountClause)):
        end += 1
    return clauses[:end], clauses[end:]


@dataclass(frozen=True)
class _Windows:
    """Windows whose results can be concatenated, and the facts known after their clause."""

    items: Names
    """Variables bound to items of a single window, in document order."""
    below: Names
    """The same, and variables bound to nodes at or below them."""
    may_nest: bool
    first_of: ast.Name | None
    """The variable of which only the first item belongs to a single window."""

    @staticmethod
    def of(outer: tuple[ast.Clause, ...], streams: Container[str]) -> _Windows | None:
        """The facts known after some clauses; None if windows share items, or if order is lost."""
        place = next((place for place, clause in enumerate(outer) if _forms_windows(clause)), None)
        if place is None or not all(isinstance(clause, ast.LetClause) for clause in outer[:place]):
            return None
        found = _items_of(outer[place])
        collection = window_collection(outer[place])
        may_nest = None if collection is None else _may_nest(collection, streams)
        if found is None or may_nest is None:
            return None
        names, first_of = found
        items = below = names | {_FIRST.name.expanded}
        for clause in outer[place + 1 :]:
            bound = frozenset(name.expanded for name in bound_names(clause))
            if first_of is not None and first_of.expanded in bound:
                first_of = None
            items -= bound
            is_below = isinstance(clause, ast.LetClause) and stays_below(_seen(clause.value, first_of), below)
            below = below | bound if is_below else below - bound
        return _Windows(items, below, may_nest, first_of)

    def seen(self, result: ast.Expr) -> ast.Expr:
        """A result with the first item of a window as a variable of its own."""
        return _seen(result, self.first_of)


def _seen(result: ast.Expr, first_of: ast.Name | None) -> ast.Expr:
    if first_of is None or any(
        name.expanded == first_of.expanded for node in result.walk() for name in bound_names(node)
    ):
        return result

    def first(node: ast.Node) -> ast.Node | None:
        match node:
            case ast.Filter(base=ast.VarRef(name=name), predicate=ast.IntegerLiteral(value=1)):
                return _FIRST if name.expanded == first_of.expanded else None
            case ast.FunctionCall(name=ast.Name(local="head", uri=uri), arguments=(ast.VarRef(name=name),)) if (
                uri == FN
            ):
                return _FIRST if name.expanded == first_of.expanded else None
        return None

    return replaced(result, first)


def _items_of(clause: ast.Clause) -> tuple[Names, ast.Name | None] | None:
    """The variables bound to items of one window only, and the variable for which this holds only of its first item."""
    names: list[ast.Name | None]
    first_of = None
    match clause:
        case ast.WindowClause(kind="tumbling", name=name, start=start, end=end):
            names = [name, start.variables.current, None if end is None else end.variables.current]
        case ast.WindowClause(name=name, start=start):
            names, first_of = [start.variables.current], name
        case ast.ForseqClause(name=name, window=ast.ForseqWindow(kind="tumbling") as window):
            variables = (*window.start.variables, *window.end.variables)
            names = [name, *(variable.name for variable in variables if variable.role == "curItem")]
        case ast.ForClause(name=name, collection=ast.DataWindow(step=None, kind="count"), position=None):
            names = [name]
        case _:
            return None
    return frozenset(name.expanded for name in names if name is not None), first_of


def _may_nest(collection: ast.Expr, streams: Container[str]) -> bool | None:
    """Whether items may be nested; None if they may be out of document order."""
    order = event_order_call(collection)
    if order is not None or makes_elements(collection):
        # Copies and newly constructed elements are separate trees.
        return False
    match collection:
        case ast.FunctionCall(name=name, arguments=(_,)) if name.expanded == _NEW_ELEMENTS:
            return False
        case ast.VarRef(name=name):
            return False if not name.uri and name.local in streams else None
        case ast.Root():
            return False
        case ast.Filter(base=base):
            return _may_nest(base, streams)
        case ast.Path(left=left, right=ast.AxisStep(axis=axis)):
            before = _may_nest(left, streams)
            if before is None or axis not in ("child", "attribute", "descendant", "descendant-or-self", "self"):
                return None
            return before or axis.startswith("descendant")
    return False if gives_items_in_order(collection, streams) else None


def _captures(flwor: ast.Flwor, right: ast.Expr) -> bool:
    """Whether a variable of the step would mean another one inside."""
    return any(_bound_in(clause) & free_in(right) for clause in flwor.clauses)


def _bound_in(node: ast.Node) -> Names:
    return frozenset(name.expanded for part in node.walk() for name in bound_names(part))


# --- results


def stays_below(expr: ast.Expr, names: Names, has_focus: bool = False) -> bool:
    """Whether all items are nodes at or below those of some variables, or of the focus."""
    match expr:
        case ast.VarRef(name=name):
            return name.expanded in names
        case ast.ContextItem():
            return has_focus
        case ast.AxisStep():
            return has_focus and is_down(expr)
        case ast.Path(left=left, right=right) | ast.SimpleMap(left=left, right=right):
            return stays_below(left, names, has_focus) and stays_below(right, names, True)
        case ast.Filter(base=base):
            return stays_below(base, names, has_focus)
        case ast.SequenceExpr(items=items):
            return all(stays_below(item, names, has_focus) for item in items)
        case ast.SetOperation(left=left, right=right):
            return stays_below(left, names, has_focus) and stays_below(right, names, has_focus)
        case ast.If(then=then, otherwise=otherwise):
            return stays_below(then, names, has_focus) and stays_below(otherwise, names, has_focus)
        case ast.FunctionCall(name=name, arguments=(items, *_)):
            return (name.expanded in _PICKS or name.expanded == _REVERSE) and stays_below(items, names, has_focus)
        case ast.Flwor(clauses=clauses, result=result):
            return _stays_below_clauses(clauses, result, names, has_focus)
    return False


def _stays_below_clauses(clauses: Iterable[ast.Clause], result: ast.Expr, names: Names, has_focus: bool) -> bool:
    for clause in clauses:
        kept = names - _bound_in(clause)
        match clause:
            case ast.ForClause(name=name, collection=value) | ast.LetClause(name=name, value=value):
                if stays_below(value, names, has_focus):
                    kept |= {name.expanded}
            case ast.WindowClause(name=name, collection=value) | ast.ForseqClause(name=name, collection=value):
                if stays_below(value, names, has_focus):
                    kept |= {name.expanded}
        names = kept
    return stays_below(result, names, has_focus)


def is_some_of(expr: ast.Expr, names: Names) -> bool:
    """Whether all items are those of a variable, or their attributes, in order and each once."""
    match expr:
        case ast.VarRef(name=name):
            return name.expanded in names
        case ast.Filter(base=base) | ast.Path(left=base, right=ast.AxisStep(axis="attribute" | "self")):
            return is_some_of(base, names)
        case ast.If(then=then, otherwise=otherwise):
            return is_some_of(then, names) and is_some_of(otherwise, names)
        case ast.FunctionCall(name=name, arguments=(items, *_)):
            return name.expanded in _PICKS and is_some_of(items, names)
        case ast.SequenceExpr(items=()):
            return True
    return False


# --- steps


def _may_step(right: ast.Expr) -> bool:
    if isinstance(right, ast.AxisStep):
        return is_down(right)
    if uses_position(right):
        return False
    return gives_values(right) or stays_below(right, frozenset(), True)


def _stays_at(right: ast.Expr) -> bool:
    """Whether nothing below the items is returned: for nested items, that would come in another order."""
    if isinstance(right, ast.AxisStep):
        return right.axis in ("attribute", "self")
    return gives_values(right)
