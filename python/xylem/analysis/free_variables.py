"""The free variables of an expression: those it reads and does not bind itself."""

from __future__ import annotations

from collections.abc import Iterable

from xylem.syntax import ast
from xylem.syntax.ast.facts import kept_with_node

ExpandedName = tuple[str, str]
Names = frozenset[ExpandedName]
NONE: Names = frozenset()


@kept_with_node
def free_in(node: ast.Node) -> Names:
    """The variables that must be bound around a node for it to have a value, including global ones."""
    match node:
        case ast.VarRef(name=name):
            return frozenset({name.expanded})
        case ast.Flwor(clauses=clauses, result=result):
            return _flwor(clauses, result)
        case ast.Quantified(bindings=bindings, satisfies=satisfies):
            found = free_in(satisfies)
            for binding in reversed(bindings):
                found = (found - _names(binding.name)) | free_in(binding.collection)
            return found
        case ast.FunctionDecl(parameters=parameters, body=body):
            return NONE if body is None else free_in(body) - _names(*(parameter.name for parameter in parameters))
        case ast.InlineFunction(parameters=parameters, body=body):
            return free_in(body) - _names(*(parameter.name for parameter in parameters))
        case ast.TypeswitchCase(variable=variable, result=result):
            return free_in(result) - _names(variable)
        case ast.Typeswitch(operand=operand, cases=cases, default_variable=variable, default=default):
            return _all((operand, *cases)) | (free_in(default) - _names(variable))
    return _all(node.children())


def _all(nodes: Iterable[ast.Node]) -> Names:
    found = NONE
    for node in nodes:
        found |= free_in(node)
    return found


def _names(*names: ast.Name | None) -> Names:
    return frozenset(name.expanded for name in names if name is not None)


def _flwor(clauses: tuple[ast.Clause, ...], result: ast.Expr) -> Names:
    """From the result outwards: each clause binds for the clauses after it."""
    found = free_in(result)
    for clause in reversed(clauses):
        match clause:
            case ast.ForClause(name=name, position=position, collection=collection):
                found = (found - _names(name, position)) | free_in(collection)
            case ast.JoinClause(name=name, position=position):
                found = (found | _all(test.key for test in clause.tests)) - _names(name, position)
                found |= free_in(clause.collection) | _all(test.probe for test in clause.tests)
            case ast.LetClause(name=name, value=value):
                found = (found - _names(name)) | free_in(value)
            case ast.CountClause(name=name):
                found -= _names(name)
            case ast.GroupByClause(specs=specs):
                given = [spec for spec in specs if spec.value is not None]
                found = (found - _names(*(spec.name for spec in given))) | _all(
                    spec.value for spec in given if spec.value
                )
                # Without a value, the earlier variable of that name is the key.
                found |= _names(*(spec.name for spec in specs if spec.value is None))
            case ast.WindowClause():
                found = _window(clause, found)
            case ast.ForseqClause():
                found = _forseq(clause, found)
            case _:
                found |= _all(clause.children())
    return found


def _window(clause: ast.WindowClause, after: Names) -> Names:
    found = after - _names(clause.name)
    for condition in (clause.end, clause.start):
        if condition is not None:
            bound = condition.variables
            found |= free_in(condition.when)
            found -= _names(bound.current, bound.position, bound.previous, bound.next)
    return found | free_in(clause.collection)


def _forseq(clause: ast.ForseqClause, after: Names) -> Names:
    found = after - _names(clause.name)
    if clause.window is not None:
        for condition in (clause.window.end, clause.window.start):
            found |= free_in(condition.when) if condition.when is not None else NONE
            found -= _names(*(variable.name for variable in condition.variables))
    return found | free_in(clause.collection)
