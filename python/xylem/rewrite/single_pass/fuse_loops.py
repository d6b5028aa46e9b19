"""Pass selected items on directly, instead of collecting them first (vertical fusion).

    let $b := for $i in E where P($i) return $i     →     let $b := E[P(.)]
    for $j in (for $i in E where P return F)        →     for $i in E where P for $j in F
    for $j in E ! F                                 →     for $i in E for $j in F($i)
    (for $i in E return $i/a)/b                     →     E/a/b
    (E)[P]                                          →     E[P]

Gain:   the scan follows a path and passes it on item by item; the result of a loop would be kept.
Needs:  no positions, no `order by`, `group by` or `count`; the condition reads the variable only where its focus is
        that item. A loop bound by `let` is inlined where a loop reads it once.
Safe:   both sides return the same items in the same order. A path sorts its result, whatever order its left side has.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.bound_names import bound_in, read_variables
from xylem.analysis.focus import reads_focus, uses_position
from xylem.analysis.streamable_paths import is_test
from xylem.functions.registry import FN
from xylem.syntax import ast

from ..let_values import times_read
from ..query_rule import QueryFacts, QueryRule
from ..renaming import renamed_apart
from ..substitution import FocusInTheWay, Substitution

_PLAIN = (ast.ForClause, ast.LetClause, ast.WhereClause)

_ASKED = (ast.LetClause, ast.ForClause, ast.Path, ast.Filter, ast.Flwor)


class FuseLoops(QueryRule):
    name = "fuse_loops"
    paper = "§4.3.2"
    told = "what is selected flows on, instead of being collected"

    def apply(self, body: ast.Expr, facts: QueryFacts) -> ast.Expr:
        while True:
            made = replaced(body, lambda node: _fused(node, facts), _ASKED)
            if made is body:
                return body
            body = made


def _fused(node: ast.Node, facts: QueryFacts) -> ast.Node | None:
    match node:
        case ast.LetClause(value=ast.Flwor() as loop) if (selected := _as_selection(loop)) is not None:
            return replace(node, value=selected)
        case ast.ForClause(collection=ast.Flwor() as loop) if (selected := _as_selection(loop)) is not None:
            return replace(node, collection=selected)
        case ast.Path(left=ast.Flwor() as loop) if (selected := _as_selection(loop)) is not None:
            return replace(node, left=selected)
        case ast.Filter(base=base, predicate=test) if _is_path(base) and is_test(test) and not uses_position(test):
            return _with_predicates(base, [test])
        case ast.Flwor():
            return _spliced(node, facts)
        case ast.Path(left=ast.Flwor() as loop, right=ast.AxisStep()):
            return _as_path(loop, node)
    return None


def _as_selection(loop: ast.Flwor) -> ast.Expr | None:
    """for $i in E where P($i) return $i  as  E[P(.)]."""
    first, *rest = loop.clauses
    if not isinstance(first, ast.ForClause) or first.position or first.allowing_empty or first.type is not None:
        return None
    if isinstance(first.collection, ast.DataWindow):
        # Only a loop can bind data windows.
        return None
    if not isinstance(loop.result, ast.VarRef) or loop.result.name.expanded != first.name.expanded:
        return None
    tests: list[ast.Expr] = []
    for clause in rest:
        test = _of_focus(clause.test, first.name) if isinstance(clause, ast.WhereClause) else None
        if test is None:
            return None
        tests.append(test if is_test(test) else _boolean(test))
    if not tests:
        return first.collection
    if not _is_path(first.collection):
        return None
    return _with_predicates(first.collection, tests)


def _is_path(expr: ast.Expr) -> bool:
    return isinstance(expr, ast.AxisStep) or (isinstance(expr, ast.Path) and isinstance(expr.right, ast.AxisStep))


def _with_predicates(path: ast.Expr, tests: list[ast.Expr]) -> ast.Expr:
    if isinstance(path, ast.Path) and isinstance(path.right, ast.AxisStep):
        return replace(path, right=replace(path.right, predicates=(*path.right.predicates, *tests)))
    assert isinstance(path, ast.AxisStep)
    return replace(path, predicates=(*path.predicates, *tests))


def _boolean(test: ast.Expr) -> ast.Expr:
    """The effective boolean value: a number would be a position."""
    return ast.FunctionCall(ast.Name("boolean", "fn", FN), (test,), span=test.span)


def _of_focus(test: ast.Expr, name: ast.Name) -> ast.Expr | None:
    """A condition on a variable as one on the context item; None if that differs anywhere inside."""
    if reads_focus(test):
        return None
    if name.expanded in bound_in(test):
        return None

    def put_in(node: ast.Node) -> ast.Node | None:
        match node:
            case ast.Path(left=ast.VarRef(name=read), right=ast.AxisStep() as step) if read.expanded == name.expanded:
                return None if name.expanded in read_variables(step) else step
            case ast.VarRef(name=read) if read.expanded == name.expanded:
                return ast.ContextItem(span=node.span)
            case ast.Path(left=left, right=right):
                return None if name.expanded in read_variables(right) else replace(node, left=replaced(left, put_in))
            case ast.SimpleMap(left=left, right=right):
                return None if name.expanded in read_variables(right) else replace(node, left=replaced(left, put_in))
        return None

    if any(_reads_in_other_focus(node, name) for node in test.walk()):
        return None
    return replaced(test, put_in)


def _reads_in_other_focus(node: ast.Node, name: ast.Name) -> bool:
    match node:
        case ast.Path(right=part) | ast.SimpleMap(right=part) | ast.Filter(predicate=part):
            return name.expanded in read_variables(part)
        case ast.InlineFunction(body=part):
            return name.expanded in read_variables(part)
        case ast.AxisStep(predicates=parts):
            return any(name.expanded in read_variables(part) for part in parts)
    return False


def _as_path(loop: ast.Flwor, whole: ast.Path) -> ast.Expr | None:
    """(for $i in E return $i/a)/b  as  E/a/b."""
    match loop:
        case ast.Flwor(clauses=(ast.ForClause() as first,), result=ast.Path() as result):
            if first.position or first.allowing_empty or first.type is not None or not _is_path(first.collection):
                return None
            made: ast.Expr = first.collection
            steps: list[ast.AxisStep] = []
            base: ast.Expr = result
            while isinstance(base, ast.Path) and isinstance(base.right, ast.AxisStep):
                steps.append(base.right)
                base = base.left
            is_own = isinstance(base, ast.VarRef) and base.name.expanded == first.name.expanded
            if not is_own or any(first.name.expanded in read_variables(each) for each in steps):
                return None
            for each in reversed(steps):
                made = ast.Path(made, each, span=each.span)
            return replace(whole, left=made)
    return None


def _spliced(flwor: ast.Flwor, facts: QueryFacts) -> ast.Expr | None:
    """The clauses of a loop in place of the loop over its result."""
    if not all(isinstance(clause, _PLAIN) for clause in flwor.clauses):
        return None
    flwor = _loop_for_let(flwor) or flwor
    for index, clause in enumerate(flwor.clauses):
        if not isinstance(clause, ast.ForClause) or clause.position or clause.allowing_empty or clause.type is not None:
            continue
        inner = _clauses_of(clause.collection, facts)
        if inner is None:
            continue
        clauses, result = inner
        last = replace(clause, collection=result)
        return replace(flwor, clauses=(*flwor.clauses[:index], *clauses, last, *flwor.clauses[index + 1 :]))
    return None


def _clauses_of(collection: ast.Expr, facts: QueryFacts) -> tuple[tuple[ast.Clause, ...], ast.Expr] | None:
    """A loop as its clauses and its result; E ! F in the same form."""
    match collection:
        case ast.Flwor() if all(isinstance(clause, _PLAIN) for clause in collection.clauses):
            loop = renamed_apart(collection, facts)
            return loop.clauses, loop.result
        case ast.SimpleMap(left=left, right=right) if _is_path(left) and not uses_position(right):
            item = facts.fresh("item")
            try:
                result = Substitution({}, item).apply(right)
            except FocusInTheWay:
                return None
            return (ast.ForClause(item.name, None, left, span=left.span),), result
    return None


def _loop_for_let(flwor: ast.Flwor) -> ast.Flwor | None:
    """let $b := E for $j in $b  as  for $j in E, if $b is read nowhere else."""
    for index, clause in enumerate(flwor.clauses):
        if not isinstance(clause, ast.LetClause) or clause.type is not None:
            continue
        if not isinstance(clause.value, (ast.Flwor, ast.SimpleMap)):
            continue
        rest = flwor.clauses[index + 1 :]
        name = clause.name.expanded
        after = (*rest, flwor.result)
        if any(name in bound_in(part) for part in after):
            continue
        reads = sum(times_read(clause.name, part) for part in after)
        at = next((i for i, c in enumerate(rest) if isinstance(c, ast.ForClause)), len(rest))
        loop = rest[at] if at < len(rest) else None
        # Another loop in between would recompute it at each turn.
        if reads != 1 or not isinstance(loop, ast.ForClause) or not _reads(loop.collection, name):
            continue
        if any(bound_in(between) & read_variables(clause.value) for between in rest[:at]):
            continue
        moved = replace(loop, collection=clause.value)
        return replace(flwor, clauses=(*flwor.clauses[:index], *rest[:at], moved, *rest[at + 1 :]))
    return None


def _reads(expr: ast.Expr, name: tuple[str, str]) -> bool:
    return isinstance(expr, ast.VarRef) and expr.name.expanded == name
