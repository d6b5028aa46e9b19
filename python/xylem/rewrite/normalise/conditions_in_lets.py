"""Take the variables of a condition into its comparisons.

    let $x := . return $x/@k = $p/@id                       →   ./@k = $p/@id
    for $x in . return $x/@k = $p/@id                       →   ./@k = $p/@id
    some $x in . satisfies $x/@k = $p/@id                   →   ./@k = $p/@id
    let $a := f(@k) let $b := f($p) return $a = $b          →   f(@k) = f($p)
    let $a := f(@k) return $a = $p and ($a, 1) = $q         →   f(@k) = $p and (let $a := f(@k) return ($a, 1)) = $q

Conditions have this form where functions have been put in.

Gain:   the search for joins and scan tests sees comparisons whose sides it can tell apart.
Needs:  `let` clauses, and `for` clauses and quantifiers over one item. Each variable with a type is read in a
        comparison, which still checks the type. Other conditions take in only what is as cheap as a variable.
Safe:   comparisons read values, not identities, and a variable has the same value wherever it is read. For one item,
        `some` and `every` are the condition itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.bound_names import bound_in, read_variables
from xylem.analysis.facts.standard_calls import argument_of
from xylem.analysis.facts.truth_values import is_condition
from xylem.analysis.focus import nodes_in_same_focus, reads_focus
from xylem.analysis.free_variables import free_in
from xylem.syntax import ast

from ..let_values import is_cheap
from ..substitution import Substitution


def without_variables(test: ast.Expr) -> ast.Expr:
    """The condition with its variables taken into its comparisons; the very same object if that cannot be done."""
    match test:
        case ast.And(left=left, right=right) | ast.Or(left=left, right=right):
            sides = without_variables(left), without_variables(right)
            return test if sides[0] is left and sides[1] is right else replace(test, left=sides[0], right=sides[1])
        case ast.Flwor(clauses=clauses, result=result):
            lets = _as_lets(clauses)
            made: ast.Expr | None = None if lets is None else without_variables(result)
            for let in reversed(lets or ()):
                made = None if made is None else _taken_in(let, made)
            return test if made is None else made
        case ast.Quantified(bindings=(binding,), satisfies=result) if isinstance(binding.collection, ast.ContextItem):
            if not is_condition(result):
                # A number would become a position.
                return test
            let = ast.LetClause(binding.name, binding.type, binding.collection, span=binding.span)
            return _taken_in(let, without_variables(result)) or test
    return test


def _as_lets(clauses: Sequence[ast.Clause]) -> list[ast.LetClause] | None:
    """The clauses, if each binds one variable to one value."""
    lets: list[ast.LetClause] = []
    for clause in clauses:
        match clause:
            case ast.LetClause():
                lets.append(clause)
            case ast.ForClause(collection=ast.ContextItem() as item, position=None, allowing_empty=False):
                lets.append(ast.LetClause(clause.name, clause.type, item, span=clause.span))
            case _:
                return None
    return lets


def _taken_in(let: ast.LetClause, test: ast.Expr) -> ast.Expr | None:
    """The condition with one variable taken in; None if it must stay around."""
    name = let.name.expanded
    if name not in free_in(test):
        return test if let.type is None else None
    put_in = _put_in(let, test)
    if put_in is not None:
        return put_in
    match test:
        case ast.And(left=left, right=right) | ast.Or(left=left, right=right):
            sides = [_taken_in(let, side) if name in free_in(side) else side for side in (left, right)]
            return None if sides[0] is None or sides[1] is None else replace(test, left=sides[0], right=sides[1])
        case ast.GeneralComparison(left=left, right=right) | ast.ValueComparison(left=left, right=right):
            return replace(test, left=_bound_around(let, left), right=_bound_around(let, right))
        case ast.FunctionCall(arguments=(inner,)) if argument_of(test, "not") is not None:
            made = _taken_in(let, inner)
            return None if made is None else replace(test, arguments=(made,))
    return None


def _put_in(let: ast.LetClause, test: ast.Expr) -> ast.Expr | None:
    """The condition with the value in the place of the variable, where that is the same."""
    name, value = let.name.expanded, let.value
    if let.type is not None or not is_cheap(value):
        return None
    if read_variables(value) & bound_in(test):
        return None
    if reads_focus(value) and _times_read(name, nodes_in_same_focus(test)) < _times_read(name, test.walk()):
        return None
    return replaced(Substitution({name: value}).apply(test), _from_here)


def _times_read(name: tuple[str, str], nodes: Iterable[ast.Node]) -> int:
    return sum(1 for node in nodes if isinstance(node, ast.VarRef) and node.name.expanded == name)


def _from_here(node: ast.Node) -> ast.Node | None:
    """./@k  as  @k"""
    match node:
        case ast.Path(left=ast.ContextItem(), right=ast.AxisStep() as step):
            return step
    return None


def _bound_around(let: ast.LetClause, side: ast.Expr) -> ast.Expr:
    """One side of a comparison, with the variable that it reads."""
    if let.name.expanded not in free_in(side):
        return side
    if side == ast.VarRef(let.name) and let.type is None:
        return let.value
    match side:
        case ast.Flwor(clauses=clauses, result=result) if all(isinstance(one, ast.LetClause) for one in clauses):
            return replace(side, clauses=(let, *clauses), result=result)
    return ast.Flwor((let,), side, span=side.span)
