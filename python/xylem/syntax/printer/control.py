"""Control expressions as text."""

from __future__ import annotations

from .. import ast
from .lexical import name_text
from .types import node_test_text, sequence_type_text, type_declaration
from .writer import PRIMARY, SINGLE, Writer, is_block, prints


@prints(SINGLE, ast.If)
def _if(out: Writer, node: ast.If) -> None:
    """A chain of `else if` is written by a loop."""
    otherwise: ast.Expr = node
    while isinstance(otherwise, ast.If):
        out.put("if ")
        _operand(out, otherwise.test)
        out.put(" then")
        _branch(out, otherwise.then)
        out.put("else")
        otherwise = otherwise.otherwise
        out.put(" " if isinstance(otherwise, ast.If) else "")
    out.below(otherwise)


def _branch(out: Writer, node: ast.Expr) -> None:
    out.below(node)
    if is_block(node):
        out.line()
    else:
        out.put(" ")


@prints(SINGLE, ast.Quantified)
def _quantified(out: Writer, node: ast.Quantified) -> None:
    out.put(node.kind + " ")
    out.listed(node.bindings)
    out.put(" satisfies ")
    out.single(node.satisfies)


@prints(PRIMARY, ast.QuantifiedBinding)
def _binding(out: Writer, node: ast.QuantifiedBinding) -> None:
    out.put(f"${name_text(node.name)}{type_declaration(node.type)} in ")
    out.single(node.collection)


def _operand(out: Writer, node: ast.Expr) -> None:
    """`(E)`, where the empty sequence needs its own brackets."""
    if isinstance(node, ast.SequenceExpr) and not node.items:
        out.put("(())")
    else:
        out.bracketed(node)


@prints(SINGLE, ast.Switch)
def _switch(out: Writer, node: ast.Switch) -> None:
    out.put("switch ")
    _operand(out, node.operand)
    out.indent()
    for case in node.cases:
        out.line()
        out.part(case)
    out.line()
    out.put("default return")
    out.below(node.default)
    out.dedent()


@prints(PRIMARY, ast.SwitchCase)
def _switch_case(out: Writer, node: ast.SwitchCase) -> None:
    for operand in node.operands:
        out.put("case ")
        out.single(operand)
        out.put(" ")
    out.put("return")
    out.below(node.result)


@prints(SINGLE, ast.Typeswitch)
def _typeswitch(out: Writer, node: ast.Typeswitch) -> None:
    out.put("typeswitch ")
    _operand(out, node.operand)
    out.indent()
    for case in node.cases:
        out.line()
        out.part(case)
    out.line()
    variable = f"${name_text(node.default_variable)} " if node.default_variable else ""
    out.put(f"default {variable}return")
    out.below(node.default)
    out.dedent()


@prints(PRIMARY, ast.TypeswitchCase)
def _typeswitch_case(out: Writer, node: ast.TypeswitchCase) -> None:
    variable = f"${name_text(node.variable)} as " if node.variable else ""
    types = " | ".join(sequence_type_text(wanted) for wanted in node.types)
    out.put(f"case {variable}{types} return")
    out.below(node.result)


@prints(SINGLE, ast.TryCatch)
def _try(out: Writer, node: ast.TryCatch) -> None:
    out.put("try ")
    out.braced(node.body)
    for clause in node.catches:
        out.put(" ")
        out.part(clause)


@prints(PRIMARY, ast.CatchClause)
def _catch(out: Writer, node: ast.CatchClause) -> None:
    tests = " | ".join(node_test_text(test) for test in node.tests)
    out.put(f"catch {tests} ")
    out.braced(node.body)


@prints(PRIMARY, ast.Shared)
def _shared(out: Writer, node: ast.Shared) -> None:
    out.part(node.value)


@prints(PRIMARY, ast.OrderingExpr)
def _ordering(out: Writer, node: ast.OrderingExpr) -> None:
    out.put(node.mode + " ")
    out.braced(node.body)
