"""`declare execution sequential`: statements in their order, and prolog variables that can be set (after XQueryP)."""

from __future__ import annotations

from xylem.errors import StaticError
from xylem.syntax import ast
from xylem.values.sequence_type import ItemType

from .code import EMPTY, Code, Shape
from .compiler import Compiler, Sink, compiles, pushes


@compiles(ast.SetStatement)
def compile_set(c: Compiler, node: ast.SetStatement) -> Code:
    """`set $x := E`: its own value is empty."""
    if node.name.expanded in c.scope.variables:
        raise StaticError("XYST0011", f"${node.name} is bound by a clause or a parameter", span=node.span)
    current = c.functions.global_variable(c, ast.VarRef(node.name, span=node.name.span))
    if current is None:
        raise StaticError("XPST0008", f"${node.name}", span=node.name.span)
    value = c.compile(node.value)
    if current.endless or value.endless:
        raise StaticError("XYST0011", f"${node.name} is infinite", span=node.span)
    from xylem.run.runtime.endless import assigned

    text = f"{c.rt(assigned)}({c.as_sequence(value)}, {c.type_constant(current.type)}, {f'${node.name}'!r})"
    name = current.text.removesuffix("()")
    c.writer.line(f"{name}.set({text})")
    return EMPTY


@compiles(ast.Block)
def compile_block(c: Compiler, node: ast.Block) -> Code:
    return c.generator(node, "block")


@pushes(ast.Block)
def push_block(c: Compiler, node: ast.Block, sink: Sink) -> ItemType:
    """The statements are carried out, the last one gives the value."""
    for statement in node.statements[:-1]:
        code = c.compile(statement)
        if code.shape is Shape.ITERABLE:
            c.writer.line(f"for _ in {code.text}: pass")
        elif not code.simple:
            c.writer.line(code.text)
    return c.push(node.statements[-1], sink)
