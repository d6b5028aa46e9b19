"""Operators: logic, comparisons, arithmetic, ranges, string concatenation, set operations."""

from __future__ import annotations

from xylem.analysis.facts.comparisons import TURNED, VALUE
from xylem.run.runtime import operators as rt
from xylem.run.runtime import sequences
from xylem.syntax import ast
from xylem.values import arithmetic, comparison
from xylem.values import atomic_type as at
from xylem.values.arithmetic_numbers import multiply_integers
from xylem.values.atomic_type import AtomicType
from xylem.values.collations import CODEPOINT, collation
from xylem.values.document_order import except_, intersect, union
from xylem.values.sequence_type import AtomicItem, NodeItem, Occurrence, SequenceType

from .code import Code, Shape, atomic, boolean, many, optional
from .compiler import Compiler, compiles

# --- logic


@compiles(ast.And)
def compile_and(c: Compiler, node: ast.And) -> Code:
    return _logic(c, node.left, node.right, "and")


@compiles(ast.Or)
def compile_or(c: Compiler, node: ast.Or) -> Code:
    return _logic(c, node.left, node.right, "or")


def _logic(c: Compiler, left: ast.Expr, right: ast.Expr, word: str) -> Code:
    first = _true_or_false(c, left)
    with c.buffered() as lines:
        second = _true_or_false(c, right)
    if not lines:
        return boolean(f"({first} {word} {second})")
    # The right operand needs statements: they run only if its value matters.
    name = c.writer.fresh("t")
    c.writer.line(f"{name} = {first}")
    c.writer.line(f"if {name if word == 'and' else 'not ' + name}:")
    c.paste(lines)
    with c.writer.indented():
        c.writer.line(f"{name} = {second}")
    return atomic(name, at.BOOLEAN, simple=True)


def _true_or_false(c: Compiler, node: ast.Expr) -> str:
    """The effective boolean value as True or False."""
    if c.is_indented_far:
        return f"bool({c.truth(node)})"
    if isinstance(node, ast.ValueComparison):
        return value_truth(c, node)
    code = c.compile(node)
    if code.atomic is at.BOOLEAN and code.is_one:
        return code.text
    return f"bool({c.truth_of(code)})"


# --- comparisons

_PYTHON_OPERATORS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_STRINGS = (at.STRING, at.UNTYPED_ATOMIC, at.ANY_URI)


def default_collation(c: Compiler) -> str:
    """The default collation as an argument: None for code points."""
    found = collation(c.static.default_collation, c.static.base_uri)
    return "None" if found is CODEPOINT else c.writer.constant(found, "collation", found.uri, key=found.uri)


@compiles(ast.ValueComparison)
def compile_value_comparison(c: Compiler, node: ast.ValueComparison) -> Code:
    left, right = _operands(c, node)
    test = _value_test(c, node.op, left, right)
    if left.is_one and right.is_one:
        return boolean(test)
    missing = " or ".join(f"{side.text} is None" for side in (left, right) if side.shape is Shape.OPTIONAL)
    return optional(f"(None if {missing} else {test})", AtomicItem(at.BOOLEAN))


def value_truth(c: Compiler, node: ast.ValueComparison) -> str:
    """The truth of a comparison: also False if an operand is missing."""
    left, right = _operands(c, node)
    there = [f"{side.text} is not None" for side in (left, right) if side.shape is Shape.OPTIONAL]
    return f"({' and '.join([*there, _value_test(c, node.op, left, right)])})"


def _operands(c: Compiler, node: ast.ValueComparison) -> tuple[Code, Code]:
    """Both operands; named, if one of them may be missing."""
    what = f"an operand of {node.op!r}"
    left, right = (c.atomic_operand(side, what) for side in (node.left, node.right))
    return (left, right) if left.is_one and right.is_one else (c.bind(left), c.bind(right))


def _value_test(c: Compiler, op: str, left: Code, right: Code) -> str:
    strings = (at.STRING, at.UNTYPED_ATOMIC)
    codepoints = default_collation(c) == "None"
    if left.atomic in strings and right.atomic in strings and codepoints:
        return f"({left.text} {_PYTHON_OPERATORS[op]} {right.text})"
    if _both(left, right, at.INTEGER) or _both(left, right, at.DOUBLE):
        return f"({left.text} {_PYTHON_OPERATORS[op]} {right.text})"
    function = c.called(getattr(comparison, op))
    return f"{function}({left.text}, {right.text}, {default_collation(c)}, run.implicit_timezone_minutes)"


def _both(left: Code, right: Code, kind: AtomicType) -> bool:
    return bool(left.atomic and right.atomic and left.atomic.derives_from(kind) and right.atomic.derives_from(kind))


@compiles(ast.GeneralComparison)
def compile_general_comparison(c: Compiler, node: ast.GeneralComparison) -> Code:
    left, right = (c.atomized(c.compile(side)) for side in (node.left, node.right))
    if left.is_empty or right.is_empty:
        return boolean("False")
    if right.endless:
        # The operand that is read as it arrives is on the left.
        left, right, op = right, left, TURNED[node.op]
        arguments = f"{left.text}, {c.as_sequence(right)}, {default_collation(c)}, run.implicit_timezone_minutes"
        return boolean(f"{c.called(comparison.general_compare)}({op!r}, {arguments})")
    direct = _direct_general_test(c, node.op, left, right)
    if direct is not None:
        return boolean(direct)
    if isinstance(node.right, _NUMBERS) and left.shape in (Shape.ONE, Shape.OPTIONAL):
        return _with_number(c, node, left, right)
    arguments = f"{c.as_iterable(left)}, {c.as_iterable(right)}, {default_collation(c)}, run.implicit_timezone_minutes"
    return boolean(f"{c.called(comparison.general_compare)}({node.op!r}, {arguments})")


_NUMBERS = (ast.IntegerLiteral, ast.DoubleLiteral)
_EXACT = 2**53


def _with_number(c: Compiler, node: ast.GeneralComparison, left: Code, number: Code) -> Code:
    """At most one value with a literal: most values turn out to be numbers, which Python itself compares."""
    one = c.bind(left)
    whole = node.right.value if isinstance(node.right, ast.IntegerLiteral) else None
    # Comparing an integer with a double converts it: no difference if it is exact as a double.
    is_exact = whole is None or abs(whole) < _EXACT
    told = f"type({one.text}) is float" + (f" or type({one.text}) is int" if whole is not None else "")
    arguments = f"({one.text},), ({number.text},), {default_collation(c)}, run.implicit_timezone_minutes"
    text = f"{c.called(comparison.general_compare)}({node.op!r}, {arguments})"
    if is_exact:
        direct = f"{one.text} {_PYTHON_OPERATORS[VALUE[node.op]]} {number.text}"
        text = f"({direct} if {told} else {text})"
    return boolean(text if one.shape is Shape.ONE else f"({one.text} is not None and {text})")


def _direct_general_test(c: Compiler, op: str, left: Code, right: Code) -> str | None:
    """A Python comparison, if static types prove it equivalent."""
    python = _PYTHON_OPERATORS[VALUE[op]]
    both_one = left.shape is Shape.ONE and right.shape is Shape.ONE
    if both_one and (_both(left, right, at.INTEGER) or _both(left, right, at.DOUBLE)):
        return f"({left.text} {python} {right.text})"
    if left.atomic not in _STRINGS or right.atomic not in _STRINGS or default_collation(c) != "None":
        return None
    if both_one:
        return f"({left.text} {python} {right.text})"
    if op == "=" and right.shape is Shape.ONE and left.shape is Shape.SEQUENCE:
        return f"({right.text} in {left.text})"
    if op == "=" and left.shape is Shape.ONE and right.shape is Shape.SEQUENCE:
        return f"({left.text} in {right.text})"
    return None


@compiles(ast.NodeComparison)
def compile_node_comparison(c: Compiler, node: ast.NodeComparison) -> Code:
    what = f"an operand of {node.op!r}"
    left, right = (c.bind(_node_operand(c, side, what)) for side in (node.left, node.right))
    test = {
        "is": f"{left.text} == {right.text}",
        "<<": f"{left.text}.order_key < {right.text}.order_key",
        ">>": f"{left.text}.order_key > {right.text}.order_key",
    }[node.op]
    return optional(f"(None if {left.text} is None or {right.text} is None else {test})", AtomicItem(at.BOOLEAN))


def _node_operand(c: Compiler, node: ast.Expr, what: str) -> Code:
    code = c.compile(node)
    text = c.as_optional(code, what)
    if not code.is_nodes and not code.is_empty:
        text = f"{c.rt(rt.node_operand)}({text}, {what!r})"
    return optional(text, NodeItem())


# --- arithmetic

_ARITHMETIC = {
    "+": arithmetic.add,
    "-": arithmetic.subtract,
    "*": arithmetic.multiply,
    "div": arithmetic.divide,
    "idiv": arithmetic.integer_divide,
    "mod": arithmetic.modulo,
}

_ROUNDING = {"idiv": "//", "mod": "%"}


@compiles(ast.Arithmetic)
def compile_arithmetic(c: Compiler, node: ast.Arithmetic) -> Code:
    # Long chains lean to the left: walk down them, not into them.
    chain = [node]
    while isinstance(chain[-1].left, ast.Arithmetic):
        chain.append(chain[-1].left)
    left = c.atomic_operand(chain[-1].left, f"an operand of {chain[-1].op!r}")
    for link in reversed(chain):
        with c.writer.at(link.span):
            right = c.atomic_operand(link.right, f"an operand of {link.op!r}")
            left = _arithmetic(c, link.op, left, right)
            if link is not node and len(left.text) > 80:
                left = c.bind(left)
    return left


def _arithmetic(c: Compiler, op: str, left: Code, right: Code) -> Code:
    result = _result_type(op, left.atomic, right.atomic)
    both_one = left.shape is Shape.ONE and right.shape is Shape.ONE
    if not both_one or (op in _ROUNDING and _both(left, right, at.INTEGER)):
        left, right = c.bind(left), c.bind(right)
    if op == "*" and _both(left, right, at.INTEGER) and not (left.text.isdigit() or right.text.isdigit()):
        # Only products of two computed values grow fast.
        text = f"{c.called(multiply_integers)}({left.text}, {right.text})"
    elif op in ("+", "-", "*") and (_both(left, right, at.INTEGER) or (_both(left, right, at.DOUBLE))):
        text = f"({left.text} {op} {right.text})"
    elif op in _ROUNDING and _both(left, right, at.INTEGER) and _is_positive(right.text):
        # Python rounds towards minus infinity, which makes no difference for non-negative numbers.
        quick, function = f"{left.text} {_ROUNDING[op]} {right.text}", c.called(_ARITHMETIC[op])
        text = f"({quick} if {left.text} >= 0 else {function}({left.text}, {right.text}))"
    elif op in _ROUNDING and _both(left, right, at.INTEGER):
        quick, function = f"{left.text} {_ROUNDING[op]} {right.text}", c.called(_ARITHMETIC[op])
        text = f"({quick} if {left.text} >= 0 < {right.text} else {function}({left.text}, {right.text}))"
    else:
        # If only one of two dates or times has a timezone, the implicit timezone counts.
        timezone = ", run.implicit_timezone_minutes" if op == "-" and result is at.ANY_ATOMIC else ""
        text = f"{c.called(_ARITHMETIC[op])}({left.text}, {right.text}{timezone})"
    if both_one:
        return atomic(text, result)
    missing = " or ".join(f"{side.text} is None" for side in (left, right) if side.shape is Shape.OPTIONAL)
    return optional(f"(None if {missing} else {text})", AtomicItem(result))


def _is_positive(text: str) -> bool:
    """Whether the code is a positive number."""
    return text.isdigit() and int(text) > 0


def _result_type(op: str, left: AtomicType | None, right: AtomicType | None) -> AtomicType:
    if left is None or right is None:
        return at.ANY_ATOMIC
    left, right = (at.DOUBLE if side is at.UNTYPED_ATOMIC else side for side in (left, right))
    if not (left.derives_from(at.NUMERIC) and right.derives_from(at.NUMERIC)):
        return at.ANY_ATOMIC
    if op == "idiv":
        return at.INTEGER
    if at.DOUBLE in (left, right):
        return at.DOUBLE
    if left.derives_from(at.INTEGER) and right.derives_from(at.INTEGER):
        return at.DECIMAL if op == "div" else at.INTEGER
    return at.NUMERIC


@compiles(ast.Unary)
def compile_unary(c: Compiler, node: ast.Unary) -> Code:
    operand = c.atomic_operand(node.operand, f"the operand of unary {node.op!r}")
    function = arithmetic.negate if node.op == "-" else arithmetic.plus
    kind = operand.atomic or at.ANY_ATOMIC
    result = at.DOUBLE if kind is at.UNTYPED_ATOMIC else at.INTEGER if kind.derives_from(at.INTEGER) else kind
    if operand.shape is Shape.ONE:
        if isinstance(node.operand, ast.IntegerLiteral):
            return atomic(f"({node.op}{operand.text})", result, simple=True)
        return atomic(f"{c.called(function)}({operand.text})", result)
    operand = c.bind(operand)
    text = f"(None if {operand.text} is None else {c.called(function)}({operand.text}))"
    return optional(text, AtomicItem(result))


@compiles(ast.Range)
def compile_range(c: Compiler, node: ast.Range) -> Code:
    expected = SequenceType(AtomicItem(at.INTEGER), Occurrence.OPTIONAL)
    low, high = (
        c.bind(c.converted(c.compile(side), expected, "an operand of 'to'")) for side in (node.left, node.right)
    )
    item = AtomicItem(at.INTEGER)
    return many(f"{c.called(rt.integer_range)}({low.text}, {high.text})", item, reread=True)


@compiles(ast.StringConcat)
def compile_concat(c: Compiler, node: ast.StringConcat) -> Code:
    operands: list[ast.Expr] = []
    rest: ast.Expr = node
    while isinstance(rest, ast.StringConcat):
        operands.append(rest.right)
        rest = rest.left
    operands.append(rest)
    parts = []
    for operand in reversed(operands):
        code = c.atomic_operand(operand, "an operand of '||'")
        if code.shape is Shape.ONE and code.atomic in _STRINGS:
            parts.append(code.text)
        else:
            parts.append(f"{c.rt(rt.concat_operand)}({code.text})")
    if len(parts) == 2:
        return atomic(f"str.__add__({parts[0]}, {parts[1]})", at.STRING)
    return atomic(f"''.join(({', '.join(parts)}))", at.STRING)


# --- sets of nodes

_SET_OPERATIONS = {"union": union, "intersect": intersect, "except": except_}


@compiles(ast.SetOperation)
def compile_set_operation(c: Compiler, node: ast.SetOperation) -> Code:
    sides = []
    for side in (node.left, node.right):
        code = c.compile(side)
        text = c.as_iterable(code)
        sides.append(text if code.is_nodes or code.is_empty else f"{c.rt(sequences.nodes_only)}({text}, 'XPTY0004')")
    return many(f"{c.rt(_SET_OPERATIONS[node.op])}({', '.join(sides)})", NodeItem(), reread=True, ordered=True)
