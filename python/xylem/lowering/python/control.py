"""Conditionals, quantifiers, switch, typeswitch, try/catch, ordering and extension expressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from xylem.analysis.static_context import ERR
from xylem.analysis.types import sequence_type
from xylem.errors import StaticError
from xylem.run.runtime import control as rt
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values.sequence_type import ANY_SEQUENCE, AtomicItem, ItemType, Occurrence, SequenceType

from .code import Code, Shape, boolean, one, shape_of, union_item, union_type
from .compiler import Compiler, Sink, compiles, pushes, tails
from .operators import default_collation

Finish = Callable[[Code], None]

# --- if


@compiles(ast.If)
def compile_if(c: Compiler, node: ast.If) -> Code:
    if c.is_endless(node):
        return c.generator(node, "cases")
    if c.is_indented_far or _number_of_cases(node) > _CASES_IN_LINE:
        return c.branching(node, "cases")
    test = c.truth(node.test)
    with c.buffered() as then_lines:
        then = c.compile(node.then)
    with c.buffered() as else_lines:
        otherwise = c.compile(node.otherwise)
    shape = _common_shape(then, otherwise)
    with c.buffered(then_lines):
        then_text = _in_shape(c, then, shape)
    with c.buffered(else_lines):
        else_text = _in_shape(c, otherwise, shape)
    result = Code("", shape, union_type(then.type, otherwise.type), ordered=then.ordered and otherwise.ordered)
    if not then_lines and not else_lines:
        return replace(result, text=f"({then_text} if {test} else {else_text})")
    name = c.writer.fresh("t")
    c.writer.line(f"if {test}:")
    c.paste(then_lines)
    with c.writer.indented():
        c.writer.line(f"{name} = {then_text}")
    c.writer.line("else:")
    c.paste(else_lines)
    with c.writer.indented():
        c.writer.line(f"{name} = {else_text}")
    return replace(result, text=name, simple=shape is not Shape.ITERABLE)


_CASES_IN_LINE = 4
"""A longer chain of conditions becomes a function of its own: each `else` is one level deeper than the one before."""


def _number_of_cases(node: ast.If) -> int:
    number, rest = 1, node.otherwise
    while isinstance(rest, ast.If):
        number, rest = number + 1, rest.otherwise
    return number


def _common_shape(a: Code, b: Code) -> Shape:
    shapes = {a.shape, b.shape}
    if shapes == {Shape.ONE}:
        return Shape.ONE
    if all(code.shape in (Shape.ONE, Shape.OPTIONAL) or code.is_empty for code in (a, b)):
        return Shape.OPTIONAL
    return Shape.ITERABLE if Shape.ITERABLE in shapes else Shape.SEQUENCE


def _in_shape(c: Compiler, code: Code, shape: Shape) -> str:
    if shape is Shape.ONE:
        return code.text
    if shape is Shape.OPTIONAL:
        return c.as_optional(code, "")
    return c.as_iterable(code)


@pushes(ast.If)
def push_if(c: Compiler, node: ast.If, sink: Sink) -> ItemType:
    if c.is_indented_far:
        return c.push_code(c.branching(node, "cases"), sink)
    c.writer.line(f"if {c.truth(node.test)}:")
    with c.writer.indented(), c.scoped():
        then = c.push(node.then, sink)
    if isinstance(node.otherwise, ast.SequenceExpr) and not node.otherwise.items:
        return then
    c.writer.line("else:")
    with c.writer.indented(), c.scoped():
        return union_item(then, c.push(node.otherwise, sink))


@tails(ast.If)
def tail_if(c: Compiler, node: ast.If, finish: Finish) -> None:
    rest: ast.Expr = node
    while isinstance(rest, ast.If):
        with c.writer.at(rest.span):
            c.writer.line(f"if {c.truth(rest.test)}:")
            with c.writer.indented():
                c.tail(rest.then, finish)
        rest = rest.otherwise
    c.tail(rest, finish)


# --- some, every


@compiles(ast.Quantified)
def compile_quantified(c: Compiler, node: ast.Quantified) -> Code:
    return boolean(_quantifier(c, node, list(node.bindings)))


def _quantifier(c: Compiler, node: ast.Quantified, bindings: list[ast.QuantifiedBinding]) -> str:
    """A call of a function that loops over the bindings and returns at the first answer."""

    def write() -> None:
        _quantify(c, node, bindings)
        c.writer.line(f"return {node.kind == 'every'}")

    return c.writer.call(c.lifted(node.kind, [], c.describe(node), write))


def _quantify(c: Compiler, node: ast.Quantified, bindings: list[ast.QuantifiedBinding]) -> None:
    if not bindings:
        test = c.truth(node.satisfies)
        c.writer.line(f"if {test}: return True" if node.kind == "some" else f"if not {test}: return False")
        return
    binding = bindings[0]
    if c.writer.frame.blocks >= 15:
        # Python allows twenty nested loops in one function.
        call = _quantifier(c, node, bindings)
        c.writer.line(f"if {call}: return True" if node.kind == "some" else f"if not {call}: return False")
        return
    collection = c.compile(binding.collection)
    name = c.fresh_name(binding.name)
    c.writer.line(f"for {name} in {c.as_iterable(collection)}:")
    with c.writer.indented(block=True):
        item = collection.item
        if binding.type is not None:
            item = check_binding(c, name, item, binding.type, f"${binding.name}")
        c.declare(binding.name.expanded, one(name, item, simple=True), loops=True)
        _quantify(c, node, bindings[1:])


def check_binding(c: Compiler, name: str, item: ItemType, declared: ast.SequenceTypeNode, what: str) -> ItemType:
    """Write the check of a declared type on a loop variable; return the resulting type."""
    expected = sequence_type(declared)
    if SequenceType(item).within(expected):
        return item
    c.writer.line(f"{c.rt(rt.check_type)}(({name},), {c.type_constant(expected)}, {what!r})")
    return expected.item


# --- switch, typeswitch


@compiles(ast.Switch)
def compile_switch(c: Compiler, node: ast.Switch) -> Code:
    return c.branching(node, "switch")


@tails(ast.Switch)
def tail_switch(c: Compiler, node: ast.Switch, finish: Finish) -> None:
    operand = c.bind(c.atomic_operand(node.operand, "the operand of switch"))
    equal = c.rt(rt.switch_equal)
    for case in node.cases:
        with c.writer.at(case.span), c.scoped():
            matched = c.writer.fresh("matched")
            for i, value in enumerate(case.operands):
                rest = f"{default_collation(c)}, run.implicit_timezone_minutes"
                if i:
                    c.writer.line(f"if not {matched}:")
                    with c.writer.indented():
                        code = c.atomic_operand(value, "a case of switch")
                        c.writer.line(f"{matched} = {equal}({operand.text}, {code.text}, {rest})")
                else:
                    code = c.atomic_operand(value, "a case of switch")
                    c.writer.line(f"{matched} = {equal}({operand.text}, {code.text}, {rest})")
            c.writer.line(f"if {matched}:")
            with c.writer.indented():
                c.tail(case.result, finish)
    c.tail(node.default, finish)


@compiles(ast.Typeswitch)
def compile_typeswitch(c: Compiler, node: ast.Typeswitch) -> Code:
    return c.branching(node, "typeswitch")


@tails(ast.Typeswitch)
def tail_typeswitch(c: Compiler, node: ast.Typeswitch, finish: Finish) -> None:
    operand = c.bind(c.sequence(c.compile(node.operand)))
    value = c.writer.fresh("value")
    c.writer.line(f"{value} = {c.as_sequence(operand)}")
    for case in node.cases:
        types = [sequence_type(kind) for kind in case.types]
        test = " or ".join(f"{c.type_constant(kind)}.matches({value})" for kind in types)
        with c.writer.at(case.span), c.scoped():
            c.writer.line(f"if {test}:")
            with c.writer.indented():
                if case.variable is not None:
                    kind = types[0] if len(types) == 1 else operand.type
                    _bind_case(c, case.variable, value, kind)
                c.tail(case.result, finish)
    with c.scoped():
        if node.default_variable is not None:
            c.declare(node.default_variable.expanded, operand)
        c.tail(node.default, finish)


def _bind_case(c: Compiler, name: ast.Name, value: str, kind: SequenceType) -> None:
    python = c.fresh_name(name)
    shape = shape_of(kind.occurrence)
    if shape is Shape.ONE:
        c.writer.line(f"{python} = {value}[0]")
    elif shape is Shape.OPTIONAL:
        c.writer.line(f"{python} = {value}[0] if {value} else None")
    else:
        c.writer.line(f"{python} = {value}")
    c.declare(name.expanded, Code(python, shape, kind, simple=True))


# --- try/catch

_ERROR_VARIABLES = {
    "code": SequenceType(AtomicItem(at.QNAME)),
    "description": SequenceType(AtomicItem(at.STRING), Occurrence.OPTIONAL),
    "value": ANY_SEQUENCE,
    "module": SequenceType(AtomicItem(at.STRING), Occurrence.OPTIONAL),
    "line-number": SequenceType(AtomicItem(at.INTEGER), Occurrence.OPTIONAL),
    "column-number": SequenceType(AtomicItem(at.INTEGER), Occurrence.OPTIONAL),
    "additional": ANY_SEQUENCE,
}


@compiles(ast.TryCatch)
def compile_try(c: Compiler, node: ast.TryCatch) -> Code:
    return c.branching(node, "try_catch")


@tails(ast.TryCatch)
def tail_try(c: Compiler, node: ast.TryCatch, finish: Finish) -> None:
    outcome = c.writer.fresh("outcome")
    failure = c.writer.fresh("failure")
    c.writer.line("try:")
    with c.writer.indented(block=True), c.scoped():
        code = c.sequence(c.compile(node.body))
        c.writer.line(f"{outcome} = {code.text}")
        if code.shape is Shape.SEQUENCE:
            # A value that cannot be computed raises its error here, and not after the clause.
            c.writer.line(f"len({outcome})")
        c.writer.line(f"{failure} = None")
    c.writer.line(f"except {c.rt(rt.XylemError)} as error:")
    with c.writer.indented():
        # Python unbinds the name of an exception after the clause.
        c.writer.line(f"{failure} = error")
    c.writer.line(f"if {failure} is None:")
    with c.writer.indented():
        finish(replace(code, text=outcome, simple=True))
    for clause in node.catches:
        tests = tuple(_error_test(test) for test in clause.tests)
        c.writer.line(f"if {c.rt(rt.is_caught)}({failure}, {tests!r}):")
        with c.writer.indented(), c.scoped():
            details = c.writer.fresh("details")
            c.writer.line(f"{details} = {c.rt(rt.error_details)}({failure}, locate)")
            for local, kind in _ERROR_VARIABLES.items():
                name = c.writer.fresh("err")
                c.writer.line(f"{name} = {details}[{local!r}]")
                c.declare((ERR, local), Code(name, shape_of(kind.occurrence), kind, simple=True))
            c.tail(clause.body, finish)
    c.writer.line(f"raise {failure}")


def _error_test(test: ast.NameTest | ast.Wildcard) -> tuple[str | None, str | None]:
    if isinstance(test, ast.NameTest):
        return test.name.expanded
    return test.uri, test.local


# --- expressions around expressions


@compiles(ast.OrderingExpr)
def compile_ordering(c: Compiler, node: ast.OrderingExpr) -> Code:
    return c.compile(node.body)


@compiles(ast.ExtensionExpr)
def compile_extension(c: Compiler, node: ast.ExtensionExpr) -> Code:
    # No pragma is known, so the fallback expression replaces the whole.
    if node.body is None:
        raise StaticError("XQST0079", ", ".join(str(p.name) for p in node.pragmas), span=node.span)
    return c.compile(node.body)


@compiles(ast.EnclosedExpr)
def compile_enclosed(c: Compiler, node: ast.EnclosedExpr) -> Code:
    return c.compile(node.body)
