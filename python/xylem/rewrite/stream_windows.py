"""Windows over a stream: a window clause receives its items as they pass, wherever the clause is in the query.

    <out>{ forseq $w in /log/entry[status = 500] tumbling window … return … }</out>

    →   <out>
        { open-windows: forseq $w in $items tumbling window … return … }
        { for $e in $ROOT/log/entry return { if ($e/status = 500) then { give $e } } }
        { close-windows }
        </out>

Gain:   the buffer holds only the items of open windows, and results come as windows end (windows paper, 6.2).
Needs:  a loop can read the items of the clause from the stream; no expression looks outside an item.
Safe:   the clause receives the items in their order, so its tuples are the same; the brackets are written in their
        place like tags, with nothing else between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.event_order_call import event_order_call
from xylem.analysis.facts.standard_calls import is_call
from xylem.analysis.facts.value_expressions import gives_values
from xylem.analysis.free_variables import free_in
from xylem.analysis.keyed_input import keyed_over, numbered_keys
from xylem.analysis.projection import NotProjectable, Projection, project
from xylem.analysis.streamable_paths import is_counting
from xylem.functions.registry import FN, PREFIXES
from xylem.functions.traits import AROUND, standard
from xylem.plan import flux
from xylem.plan.flux import ITEMS, Copy, Flux, For, GiveItem, If, Leaf
from xylem.plan.symbols import is_element_step
from xylem.syntax import ast

from .fresh_names import Names
from .let_values import is_worth_inlining

_BEYOND_ITEMS = AROUND | standard("collection doc function-lookup load-xquery-module")
"""Looks at more than the items of windows: at their surroundings, or at other documents."""
ADD_TIMESTAMP = PREFIXES["xylem"], "add-timestamp"
"""Constructs a new element for each one."""
WindowLike = ast.WindowClause | ast.ForseqClause | ast.ForClause


def window_index(clauses: Sequence[ast.Clause]) -> int | None:
    """The index of a clause over windows or their results that follows only `let` clauses."""
    for index, clause in enumerate(clauses):
        if numbered_keys(clauses, index) is not None:
            return index
        match clause:
            case ast.WindowClause() | ast.ForseqClause():
                return index
            case ast.ForClause(collection=ast.DataWindow(), position=None):
                return index
            case ast.ForClause(collection=collection, allowing_empty=False) if gives_windows(collection):
                return index
            case ast.LetClause():
                continue
        return None
    return None


def binds_data_windows(clause: ast.Clause) -> bool:
    """for $w in π|count 20|."""
    return isinstance(clause, ast.ForClause) and isinstance(clause.collection, ast.DataWindow)


def collection_of(clauses: Sequence[ast.Clause], index: int) -> ast.Expr | None:
    """The sequence of its windows; None if it reads a variable of an earlier `let`."""
    clause = clauses[index]
    assert isinstance(clause, WindowLike)
    keyed = numbered_keys(clauses, index)
    if keyed is not None:
        return keyed.collection
    collection = clause.collection.base if isinstance(clause.collection, ast.DataWindow) else clause.collection
    order = event_order_call(collection)
    # Items are given as they pass, and put in order there.
    collection = collection if order is None else order.items
    bound = {let.name.expanded for let in clauses[:index] if isinstance(let, ast.LetClause)}
    return None if bound & set(free_in(collection)) else collection


def over_items(whole: ast.Flwor, clauses: Sequence[ast.Clause], index: int, result: ast.Expr) -> ast.Flwor:
    """The expression with its windows over `ITEMS`."""
    clause = clauses[index]
    assert isinstance(clause, WindowLike)
    items: ast.Expr = ast.VarRef(ITEMS, span=clause.collection.span)
    keyed = numbered_keys(clauses, index)
    if keyed is not None:
        behind = index + keyed.length
        own = keyed_over(clauses[index:behind], keyed, items)
        return replace(whole, clauses=(*clauses[:index], *own, *clauses[behind:]), result=result)
    is_data_window = isinstance(clause.collection, ast.DataWindow)
    order = event_order_call(clause.collection.base if is_data_window else clause.collection)  # type: ignore[attr-defined]
    items = items if order is None else order.over(items)
    if isinstance(clause.collection, ast.DataWindow):
        items = replace(clause.collection, base=items)
    given = replace(clause, collection=items)
    return replace(whole, clauses=(*clauses[:index], given, *clauses[index + 1 :]), result=result)


def over_results(expr: ast.Expr) -> tuple[ast.Expr, ast.Expr] | None:
    """The windows inside an expression, and the expression over `ITEMS` in their place; None if it has none."""
    found = [operand for operand in _operands(expr) if gives_windows(operand)]
    if len(found) != 1:
        return None
    results = ast.VarRef(ITEMS, span=found[0].span)
    return found[0], replaced(expr, lambda node: results if node is found[0] else None)


def _operands(expr: ast.Expr) -> Sequence[ast.Expr]:
    """The operands that an expression evaluates once, in its own scope."""
    match expr:
        case ast.FunctionCall(name=name, arguments=arguments):
            is_partial = any(isinstance(argument, ast.ArgumentPlaceholder) for argument in arguments)
            is_data = name.local == "data" and len(arguments) == 1
            return () if name.uri != FN or name.expanded in _BEYOND_ITEMS or is_partial or is_data else arguments
        case ast.Filter(base=base, predicate=predicate) if is_counting(predicate) or is_call(predicate, "last"):
            return (base,)
        case ast.If(test=test):
            return (test,)
        case ast.Switch(operand=operand) | ast.Typeswitch(operand=operand):
            return (operand,)
        case ast.DirectElement(attributes=attributes):
            return [part.body for attribute in attributes for part in attribute.parts if not isinstance(part, str)]
        case ast.Quantified(bindings=(first, *_)):
            return (first.collection,)
        case ast.Flwor(clauses=(ast.LetClause(value=value) as let, *rest), result=result):
            # A value that is read once is inlined.
            return () if let.type is None and is_worth_inlining(let, rest, result) else (value,)
    if isinstance(expr, _STRICT):
        return [child for child in expr.children() if isinstance(child, ast.Expr)]
    return ()


_STRICT = (
    *(ast.Arithmetic, ast.Unary, ast.GeneralComparison, ast.ValueComparison, ast.And, ast.Or, ast.StringConcat),
    *(ast.Range, ast.CastAs, ast.CastableAs, ast.InstanceOf, ast.TreatAs, ast.CurlyArray, ast.SquareArray),
    ast.Lookup,
    *(ast.ComputedAttribute, ast.ComputedText, ast.ComputedComment, ast.ComputedPI),
)


def gives_windows(expr: ast.Expr) -> bool:
    """Whether an expression may contain windows, judged by its form."""
    match expr:
        case ast.Flwor(clauses=clauses, result=result) if window_index(clauses) is not None or gives_windows(result):
            return True
        case ast.SimpleMap(left=left):
            return gives_windows(left)
        case ast.FunctionCall(name=ast.Name(local="data", uri=uri), arguments=(items,)) if uri == FN:
            return gives_windows(items)
        case ast.Path(left=base) | ast.Filter(base=base) if gives_windows(base):
            return True
        case ast.Flwor(clauses=(ast.LetClause(value=value), *_)):
            return gives_windows(value)
    return any(map(gives_windows, _operands(expr)))


def are_windows(body: Flux) -> bool:
    """Whether all its items come from windows over the stream."""
    match body:
        case flux.Sequence(parts=(flux.OpenWindows(), *_, flux.CloseWindows())):
            return True
        case For(body=inner, window=None) | If(body=inner):
            return are_windows(inner)
    return False


def by_arrival(
    clause: ast.ForClause, rest: Sequence[ast.Clause], result: ast.Expr, names: Names
) -> tuple[tuple[ast.Clause, ...], ast.Expr] | None:
    """for $e in add-timestamp(π) … → for $x in π for $e in add-timestamp($x) …: each on arrival."""
    call = clause.collection
    match call:
        case ast.FunctionCall(name=name, arguments=(items,)) if name.expanded == ADD_TIMESTAMP:
            if clause.position is not None or isinstance(items, ast.VarRef):
                return None
            each = ast.Name(names.invent("arrived"), None, "")
            one = replace(call, arguments=(ast.VarRef(each, span=items.span),))
            outer = ast.ForClause(each, None, items, span=clause.span)
            return (outer, replace(clause, collection=one), *rest), result
    return None


def given(body: Flux, expression: ast.Flwor, names: Names) -> Flux | None:
    """The source of the items, with its copies passed to the windows; None if order or identity could be lost."""
    if are_windows(body):
        return body
    match body:
        case Copy(variable=variable, path=()):
            return GiveItem(variable, expression)
        case Copy(variable=variable, path=path):
            bound = names.invent(path[-1].name)
            return For(bound, variable, path, GiveItem(bound, expression))
        case For(body=inner, window=None, path=path) if any(step.axis == "descendant" for step in path):
            # Nodes below nested matches come in another order.
            return body if _gives_new_items(inner) else None
        case For(body=inner, window=None) | If(body=inner):
            made = given(inner, expression, names)
            return None if made is None else replace(body, body=made)
    return body if _gives_new_items(body) else None


def _gives_new_items(body: Flux) -> bool:
    """Whether no node of the stream is among the items."""
    match body:
        case For(body=inner) | If(body=inner):
            return _gives_new_items(inner)
        case Leaf(expression=ast.FunctionCall(name=name)) if name.expanded == ADD_TIMESTAMP:
            return True
        case Leaf(expression=value):
            return gives_values(value)
        case flux.Sequence(parts=parts):
            return _makes_one_element(parts)
    return False


def _makes_one_element(parts: Sequence[Flux]) -> bool:
    """Whether the parts are the start tag, the content and the end tag of one element: a new node each time."""
    depth = 0
    for number, part in enumerate(parts):
        if isinstance(part, (flux.OpenWindows, flux.CloseWindows)) and not depth:
            return False
        if isinstance(part, flux.Opening) or (isinstance(part, flux.Fixed) and part.opens and not part.closes):
            if not depth and number:
                return False
            depth += 1
        elif isinstance(part, flux.Fixed) and part.closes and not part.opens:
            depth -= 1
        elif not depth:
            return False
    return depth == 0


def follows_stream(body: Flux) -> bool:
    """Whether it takes anything from the stream as it passes."""
    match body:
        case For():
            return True
        case If(body=inner):
            return follows_stream(inner)
        case flux.Sequence(parts=parts):
            return any(map(follows_stream, parts))
    return False


def gives_elements(body: Flux) -> bool:
    """Whether all items are elements of the stream."""
    match body:
        case For(path=path, body=GiveItem(source=None)):
            return is_element_step(path[-1])
        case For(body=inner) | If(body=inner):
            return gives_elements(inner)
    return False


def stand_alone(expression: ast.Flwor) -> bool:
    """Whether each item can be a separate tree: nothing looks around it."""
    seen = Projection()
    try:
        project(expression, {ITEMS.expanded: seen})
    except NotProjectable:
        return False
    return seen.above is None and not any(map(_looks_around, expression.walk()))


def _looks_around(node: ast.Node) -> bool:
    match node:
        case ast.Root():
            return True
        case ast.FunctionCall(name=name) | ast.NamedFunctionRef(name=name):
            return name.expanded in _BEYOND_ITEMS
    return False
