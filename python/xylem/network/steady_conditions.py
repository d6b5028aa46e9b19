"""Conditions that can be compared between queries: in one spelling, and with equal results for equal records."""

from __future__ import annotations

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.facts.conjuncts import conjunction, conjuncts
from xylem.analysis.focus import reads_focus, uses_position
from xylem.analysis.free_variables import free_in
from xylem.analysis.streamable_paths import is_test
from xylem.functions.library import look_up
from xylem.functions.registry import FN, PREFIXES
from xylem.functions.traits import AROUND, CONSTRUCTS, UNSTEADY, standard
from xylem.rewrite.substitution import FocusInTheWay, Substitution
from xylem.syntax import ast

from .record_facts import RECORD


def spelled_out(condition: ast.Expr) -> ast.Expr:
    """A condition without `let`, arrows and maps, which other expressions replace, and without prefixes of names."""

    def spelled(node: ast.Node) -> ast.Node | None:
        match node:
            case ast.Name(prefix=str(), uri=str(), local=local):
                return ast.Name(local, None, node.uri, span=node.span)
            case ast.Flwor(clauses=clauses, result=result) if all(map(_let_value, clauses)):
                put_in = Substitution({})
                for clause in clauses:
                    value = _let_value(clause)
                    assert isinstance(clause, ast.LetClause) and value is not None
                    values = {**put_in.variables, clause.name.expanded: put_in.apply(value)}
                    put_in = Substitution(values)
                try:
                    return spelled_out(put_in.apply(result))
                except FocusInTheWay:
                    return None
            case ast.Quantified(kind=kind, bindings=(first, *more), satisfies=test) if more:
                inner = ast.Quantified(kind, tuple(more), test, span=node.span)
                return spelled_out(ast.Quantified(kind, (first,), inner, span=node.span))
            case ast.Quantified(kind="some", bindings=(only,), satisfies=test):
                return _apart(node, only, test)
            case ast.Path(left=left, right=ast.Filter(base=ast.ContextItem(), predicate=predicate)) if (
                _gives_each_once(left) and is_test(predicate) and not uses_position(predicate)
            ):
                return spelled_out(ast.Filter(left, predicate, span=node.span))
            case ast.Path(left=left, right=ast.ContextItem()) | ast.Path(
                left=left, right=ast.AxisStep(axis="self", test=ast.AnyKindTest(), predicates=())
            ) if _gives_each_once(left):
                return spelled_out(left)
            case ast.SimpleMap(left=left, right=ast.AxisStep() as step) if _is_child_path(left):
                return spelled_out(ast.Path(left, step, span=node.span))
        return None

    return replaced(condition, spelled)


def _let_value(clause: ast.Clause) -> ast.Expr | None:
    """What a variable may be replaced by; None if its type converts or tests the value in another way.

        let $v as xs:double := xs:double(en)  →  en cast as xs:double, which fails as well if there is none
    """
    if not isinstance(clause, ast.LetClause) or clause.type is None:
        return clause.value if isinstance(clause, ast.LetClause) else None
    match clause.type.item, clause.value:
        case ast.AtomicType(name=kind), ast.FunctionCall(name=name, arguments=(argument,)) if (
            name.uri == PREFIXES["xs"] and name.expanded == kind.expanded and clause.type.occurrence in (None, "", "?")
        ):
            is_optional = clause.type.occurrence == "?"
            return ast.CastAs(argument, ast.SingleType(kind, is_optional), span=clause.value.span)
    return None


def _apart(node: ast.Quantified, binding: ast.QuantifiedBinding, test: ast.Expr) -> ast.Expr | None:
    """some $m in E satisfies A and B($m)  →  A and (some $m in E satisfies B($m)).

    Within the items of another loop, so that each condition is on the items that it reads.
    """
    inner = test
    if not isinstance(inner, ast.Quantified) or inner.kind != "some" or len(inner.bindings) != 1:
        return None
    name = inner.bindings[0].name.expanded
    if name == binding.name.expanded or binding.name.expanded in free_in(inner.bindings[0].collection):
        return None
    outside = [one for one in conjuncts(inner.satisfies) if name not in free_in(one)]
    inside = conjunction([one for one in conjuncts(inner.satisfies) if name in free_in(one)])
    if inside is None or any(binding.name.expanded in free_in(one) for one in conjuncts(inside)):
        return None
    rest = ast.Quantified("some", inner.bindings, inside, span=node.span)
    own = conjunction(outside)
    made = ast.FunctionCall(ast.Name("exists", None, FN), (binding.collection,))
    first: ast.Expr = made if own is None else ast.Quantified("some", (binding,), own, span=node.span)
    return spelled_out(ast.And(first, rest, span=node.span))


def _gives_each_once(expr: ast.Expr) -> bool:
    return isinstance(expr, ast.Path) or expr == ast.VarRef(RECORD)


def _is_child_path(expr: ast.Expr) -> bool:
    while isinstance(expr, (ast.Path, ast.SimpleMap)):
        if not (isinstance(expr.right, ast.AxisStep) and expr.right.axis in ("child", "attribute")):
            return False
        expr = expr.left
    return isinstance(expr, ast.VarRef)


_CONSTRUCTORS = (
    ast.DirectElement, ast.ComputedElement, ast.ComputedAttribute, ast.ComputedText, ast.ComputedComment,
    ast.ComputedDocument, ast.NamedFunctionRef, ast.InlineFunction, ast.DynamicCall, ast.NodeComparison,
    ast.TryCatch, ast.ExtensionNode,
)  # fmt: skip
_BY_RUN = standard(
    """available-environment-variables collection current-date current-dateTime current-time default-collation
    default-language doc doc-available document environment-variable function-lookup implicit-timezone json-doc
    static-base-uri stream unparsed-text unparsed-text-available unparsed-text-lines uri-collection"""
)
"""Functions whose value depends on the run, and not on the arguments."""

_PLACES = standard("last position")


def is_steady(condition: ast.Expr) -> bool:
    """Whether a condition has the same value for equal records, whenever and wherever it is evaluated."""
    for node in condition.walk():
        if isinstance(node, _CONSTRUCTORS):
            return False
        if isinstance(node, ast.FunctionCall) and node.name.uri != PREFIXES["xs"]:
            name = node.name.expanded
            if name in _PLACES and not node.arguments:
                # In a predicate of the condition: what counts the records themselves reads the focus, and is none.
                continue
            if look_up(*name, len(node.arguments)) is None or name in _BY_RUN | AROUND | CONSTRUCTS | UNSTEADY:
                return False
    return True


def is_constant(value: ast.Expr) -> bool:
    """Whether a value is the same wherever it is computed."""
    return (
        not reads_focus(value)
        and is_steady(value)
        and not any(isinstance(node, (ast.Root, ast.ContextItem)) for node in value.walk())
    )
