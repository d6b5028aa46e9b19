"""The extensions of Xylem as text."""

from __future__ import annotations

from .. import ast
from .lexical import name_text
from .types import node_test_text, type_declaration
from .writer import ANY, PATH, POSTFIX, PRIMARY, SINGLE, STEP, WINDOW, Writer, prints


@prints(PRIMARY, ast.ForseqClause)
def _forseq(out: Writer, node: ast.ForseqClause) -> None:
    out.put(f"forseq ${name_text(node.name)}{type_declaration(node.type)} in ")
    out.single(node.collection)
    if node.window is not None:
        out.put(" ")
        out.part(node.window)


@prints(PRIMARY, ast.ForseqWindow)
def _forseq_window(out: Writer, node: ast.ForseqWindow) -> None:
    out.put(f"{node.kind} window")
    out.indent()
    out.line()
    out.put("start")
    out.part(node.start)
    out.line()
    out.put("force end" if node.end.force else "end")
    out.part(node.end)
    out.dedent()


@prints(PRIMARY, ast.ForseqCondition)
def _forseq_condition(out: Writer, node: ast.ForseqCondition) -> None:
    if node.variables:
        out.put(" ")
        out.listed(node.variables)
    out.put(" when ")
    if node.when is None:
        out.put("newstart")
    else:
        out.single(node.when)


@prints(PRIMARY, ast.ForseqVariable)
def _forseq_variable(out: Writer, node: ast.ForseqVariable) -> None:
    out.put(f"{node.role} ${name_text(node.name)}{type_declaration(node.type)}")


@prints(WINDOW, ast.DataWindow)
def _data_window(out: Writer, node: ast.DataWindow) -> None:
    out.expr(node.base, PATH)
    out.put("|")
    if node.reference is not None:
        out.expr(node.reference, PATH)
        out.put(" ")
    out.put(node.kind + " ")
    out.part(node.size)
    if node.step is not None:
        out.put(" step ")
        out.part(node.step)
    out.put("|")


@prints(PRIMARY, ast.BestMatchClause)
def _best_match(out: Writer, node: ast.BestMatchClause) -> None:
    kind = "" if node.kind == "inner" else f"{node.kind} outer "
    best = "" if node.best == 1 else f"{node.best} "
    left, right = name_text(node.left.name), name_text(node.right.name)
    out.put(f"where ${left} {kind}{best}bestmatch join ${right} on ")
    out.listed(node.orders)


@prints(PRIMARY, ast.BestMatchOrder)
def _best_match_order(out: Writer, node: ast.BestMatchOrder) -> None:
    out.put("(")
    out.listed(node.operands)
    out.put(") " + (node.direction if node.function is None else name_text(node.function)))
    if node.limit is None:
        return
    out.put(" ")
    if isinstance(node.limit, _LIMITS):
        out.part(node.limit)
    else:
        out.bracketed(node.limit)


_LIMITS = ast.VarRef | ast.IntegerLiteral | ast.DecimalLiteral | ast.DoubleLiteral | ast.StringLiteral


# --- history


@prints(POSTFIX, ast.VersionProjection)
def _version(out: Writer, node: ast.VersionProjection) -> None:
    step = node.base
    if isinstance(step, ast.AxisStep) and step.axis == "child" and not step.predicates:
        # A bare name before `#1` would name a function, so the axis is written out.
        out.put(f"child::{node_test_text(step.test)}")
    else:
        out.expr(step, STEP)
    out.put("#")
    out.part(node.version)


@prints(POSTFIX, ast.VersionWindow)
def _version_window(out: Writer, node: ast.VersionWindow) -> None:
    out.expr(node.base, STEP)
    out.put("#[")
    out.part(node.version)
    out.put("]")


@prints(POSTFIX, ast.TimeProjection)
def _time(out: Writer, node: ast.TimeProjection) -> None:
    out.expr(node.base, STEP)
    out.put("?")
    out.part(node.seconds)


@prints(POSTFIX, ast.TimeWindow)
def _time_window(out: Writer, node: ast.TimeWindow) -> None:
    out.expr(node.base, STEP)
    out.put("?[")
    out.part(node.seconds)
    out.put("]")


# --- sequential execution


@prints(PRIMARY, ast.ExecutionDecl)
def _execution(out: Writer, node: ast.ExecutionDecl) -> None:
    out.put(f"declare execution {node.mode}")


@prints(SINGLE, ast.SetStatement)
def _set(out: Writer, node: ast.SetStatement) -> None:
    out.put(f"set ${name_text(node.name)} := ")
    out.single(node.value)


@prints(PRIMARY, ast.Block)
def _block(out: Writer, node: ast.Block) -> None:
    out.put("{ ")
    for index, statement in enumerate(node.statements):
        out.put("; " if index else "")
        out.expr(statement, ANY)
    out.put(" }")
