"""The function conversion rules, for calls that are replaced by the function's body (XQuery 3.1 §3.1.5.2)."""

from __future__ import annotations

from xylem.analysis.facts.value_class import XS, Known, Scope, Values, classify, declared_class
from xylem.syntax import ast

from ..query_rule import QueryFacts

_FITTING: dict[Values, tuple[Values, ...]] = {Values.DECIMAL: (Values.INTEGER, Values.DECIMAL)}


def fits(expr: ast.Expr, kind: ast.SequenceTypeNode | None, scope: Scope) -> bool:
    """Whether an expression is known to have a type without conversion."""
    if kind is None or (isinstance(kind.item, ast.AnyItemType) and kind.occurrence == "*"):
        return True
    match kind.item:
        case ast.ElementTest() | ast.AnyKindTest():
            return kind.occurrence == "*" and _is_element_path(expr, kind.item)
        case ast.MapType(key=None, value=None):
            return isinstance(expr, ast.MapConstructor)
        case ast.AtomicType(name=ast.Name(local=local, uri=uri)) if uri == XS:
            if local not in ("integer", "decimal", "double", "string", "boolean"):
                return False
    wanted, found = declared_class(kind), classify(expr, scope)
    if wanted.values is Values.UNKNOWN or found.values not in _FITTING.get(wanted.values, (wanted.values,)):
        return False
    # Nodes with untyped values are excluded by their class.
    return (found.some or not wanted.some) and (found.single or not wanted.single)


def _is_element_path(expr: ast.Expr, kind: ast.ItemTypeNode) -> bool:
    """Whether an expression is a path to elements, with the name of the type if it has one."""
    while isinstance(expr, ast.Filter):
        expr = expr.base
    if isinstance(expr, ast.Flwor):
        # for $q in E where … return $q
        match expr:
            case ast.Flwor(clauses=(ast.ForClause() as loop, *rest), result=ast.VarRef(name=read)):
                name, collection = loop.name, loop.collection
                if read.expanded == name.expanded and all(isinstance(c, ast.WhereClause) for c in rest):
                    return _is_element_path(collection, kind)
        return False
    step = expr.right if isinstance(expr, ast.Path) else expr
    if not isinstance(step, ast.AxisStep) or step.axis not in ("child", "descendant", "descendant-or-self"):
        return False
    if not isinstance(step.test, (ast.NameTest, ast.Wildcard, ast.ElementTest)):
        return False
    if isinstance(kind, ast.AnyKindTest):
        return True
    if not isinstance(kind, ast.ElementTest) or kind.type is not None:
        return False
    return kind.name is None or (isinstance(step.test, ast.NameTest) and step.test.name.expanded == kind.name.expanded)


def converted(expr: ast.Expr, kind: ast.SequenceTypeNode | None, scope: Scope, facts: QueryFacts) -> ast.Expr:
    """The expression converted to a type, as an argument or as the result of a function with that type."""
    if fits(expr, kind, scope):
        return expr
    assert kind is not None
    wanted = declared_class(kind)
    if wanted.values is Values.DOUBLE and isinstance(expr, (ast.IntegerLiteral, ast.DecimalLiteral)):
        return ast.DoubleLiteral(float(expr.value), span=expr.span)
    if wanted == Known(Values.DOUBLE, True, True) and _is_one_number(classify(expr, scope)):
        return ast.FunctionCall(ast.Name("double", "xs", XS), (expr,), span=expr.span)
    # (function($value as T) { $value })(E)
    value = facts.fresh("value")
    identity = ast.InlineFunction((), (ast.Parameter(value.name, kind),), None, value, span=expr.span)
    return ast.DynamicCall(identity, (expr,), span=expr.span)


def _is_one_number(known: Known) -> bool:
    return known.values.is_numeric and known.is_one
