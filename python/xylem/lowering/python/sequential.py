"""`declare execution sequential`: statements in their order, and prolog variables that can be set (after XQueryP).

    set $m := map:put($m, K, V)                    →     g.put(K, V)
    set $m := map:put($m, K, map { "a": A, … })    →     g.put_row(places, K, (A, …))

Gain:   each item changes one entry of a dict, however large the table is.
Needs:  map:put reads the same variable that `set` assigns; K and V are computed first.
Safe:   the dict changes in place only if the variable alone refers to the map; any other reference keeps its version
        (`run/runtime/globals.py`).
"""

from __future__ import annotations

from xylem.errors import StaticError
from xylem.functions.registry import PREFIXES
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values.sequence_type import AtomicItem, FunctionItemType, ItemType, MapItem, SequenceType

from .code import EMPTY, Code, Shape, one
from .compiler import Compiler, Sink, compiles, pushes, tails
from .control import Finish
from .flwor import checked
from .maps import places_of

_ONE_KEY = SequenceType(AtomicItem(at.ANY_ATOMIC))


@compiles(ast.SetStatement)
def compile_set(c: Compiler, node: ast.SetStatement) -> Code:
    """`set $x := E`: its own value is empty."""
    if node.name.expanded in c.scope.variables:
        raise StaticError("XYST0011", f"${node.name} is bound by a clause or a parameter", span=node.span)
    current = c.functions.global_variable(c, ast.VarRef(node.name, span=node.name.span))
    if current is None:
        raise StaticError("XPST0008", f"${node.name}", span=node.name.span)
    if _puts(c, node, current):
        return EMPTY
    value = c.compile(node.value)
    if current.endless or value.endless:
        raise StaticError("XYST0011", f"${node.name} is infinite", span=node.span)
    c.writer.line(f"{_holder(current)}.set({_assigned(c, value, current, f'${node.name}')})")
    return EMPTY


def _holder(current: Code) -> str:
    return current.text.removesuffix("()")


def _assigned(c: Compiler, value: Code, current: Code, what: str) -> str:
    """The value in the shape of the variable, converted to its type unless it is known to have it."""
    expected = current.type
    if value.item.within(expected.item) and not isinstance(expected.item, FunctionItemType):
        shaped = c.shaped(value, expected, what)
        if shaped is not None:
            return shaped.text
    from xylem.run.runtime.endless import assigned

    return f"{c.rt(assigned)}({c.as_sequence(value)}, {c.type_constant(expected)}, {what!r})"


def _puts(c: Compiler, node: ast.SetStatement, current: Code) -> bool:
    """Write `set $m := map:put($m, K, V)` as a change of the variable; False for anything else."""
    kind = current.item
    match node.value:
        case ast.FunctionCall(name=name, arguments=(ast.VarRef(name=of), key, value)):
            if name.expanded != (PREFIXES["map"], "put") or of.expanded != node.name.expanded:
                return False
        case _:
            return False
    if not isinstance(kind, MapItem) or not current.is_one:
        return False
    key_code = c.bind(c.converted(c.compile(key), _ONE_KEY, "argument 2 of put()"))
    value_code = c.sequence(c.compile(value))
    is_key = kind.key is None or key_code.item.within(kind.key)
    is_record = isinstance(value, ast.MapConstructor) and value_code.row_items
    if is_key and is_record and (kind.value is None or value_code.type.within(kind.value)):
        places = places_of(c, value_code.fields)
        c.writer.line(f"{_holder(current)}.put_row({places}, {key_code.text}, {value_code.row_items})")
        return True
    value_code = c.bind(value_code)
    if kind.value is not None and not value_code.type.within(kind.value):
        # The map already has its type: only the value needs a check.
        value_code = c.bind(checked(c, value_code, kind.value, f"a value of ${node.name}"))
    values = c.as_sequence(value_code)
    if is_key:
        c.writer.line(f"{_holder(current)}.put({key_code.text}, {values})")
    else:
        made = one(f"{current.text}.put({key_code.text}, {values})", MapItem())
        c.writer.line(f"{_holder(current)}.set({_assigned(c, made, current, f'${node.name}')})")
    return True


@compiles(ast.Block)
def compile_block(c: Compiler, node: ast.Block) -> Code:
    _carry_out(c, node)
    return c.compile(node.statements[-1])


@tails(ast.Block)
def tail_block(c: Compiler, node: ast.Block, finish: Finish) -> None:
    _carry_out(c, node)
    c.tail(node.statements[-1], finish)


@pushes(ast.Block)
def push_block(c: Compiler, node: ast.Block, sink: Sink) -> ItemType:
    """Execute the statements; the last one gives the value."""
    _carry_out(c, node)
    return c.push(node.statements[-1], sink)


def _carry_out(c: Compiler, node: ast.Block) -> None:
    """Execute all statements but the last, for their effects."""
    for statement in node.statements[:-1]:
        code = c.compile(statement)
        if code.shape is Shape.ITERABLE:
            c.writer.line(f"for _ in {code.text}: pass")
        elif not code.simple:
            c.writer.line(code.text)
