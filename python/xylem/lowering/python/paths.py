"""Paths, steps, predicates, filters and the simple map operator.

A step over many nodes is one call for all of them (`values/axes.py`). Only a step that depends on positions takes the
context nodes one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import islice

from xylem.analysis.boundedness.first_positions import first_positions
from xylem.analysis.facts.may_be_number import may_be_number
from xylem.analysis.facts.position_tests import PositionTest, position_tests
from xylem.analysis.focus import reads_focus, uses_last, uses_position
from xylem.analysis.near_siblings import AXES
from xylem.analysis.streamable_paths import is_descend, is_test
from xylem.analysis.types import node_type
from xylem.functions.registry import FN
from xylem.run.runtime import paths as rt
from xylem.run.runtime import sequences
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values import node as nk
from xylem.values.axes import path_from, path_many, step, step_first, step_lazy, step_many
from xylem.values.document_order import document_order
from xylem.values.node_test import NodeTest
from xylem.values.sequence_type import ItemType, NodeItem, Occurrence, SequenceType

from .code import ANY_ITEM, EMPTY, Code, Shape, atomic, many, one, optional
from .code_gap import CodeGap
from .compiler import YIELD, Compiler, compiles
from .joins import one_match
from .shared_values import places_in_parents
from .step_texts import with_step
from .tested_siblings import tested_siblings

REVERSE_AXES = ("parent", "ancestor", "ancestor-or-self", "preceding", "preceding-sibling")
# No node is on such an axis of two contexts, so taking all of them costs no more than the document.
_NARROW_AXES = ("child", "attribute", "self", "parent")


@compiles(ast.Root)
def compile_root(c: Compiler, node: ast.Root) -> Code:
    item = c.as_one(c.compile(ast.ContextItem(span=node.span)), "the context item")
    if node.is_any_node:
        return one(f"{c.rt(rt.context_node)}({item}).root", NodeItem())
    return one(f"{c.rt(rt.document_root)}({item})", NodeItem(nk.DOCUMENT))


@compiles(ast.AxisStep)
def compile_axis_step(c: Compiler, node: ast.AxisStep) -> Code:
    item = c.compile(ast.ContextItem(span=node.span))
    if not item.is_nodes:
        item = one(f"{c.rt(rt.context_node)}({item.text})", NodeItem())
    return compile_step(c, item, node)


@compiles(ast.Path)
def compile_path(c: Compiler, node: ast.Path) -> Code:
    steps = _fused(_flattened(node))
    code = c.compile(steps[0])
    index = 1
    while index < len(steps):
        expr = steps[index]
        with c.writer.at(expr.span):
            if code.endless:
                code = _endless_step(c, code, expr)
                index += 1
                continue
            code = _checked_nodes(c, code)
            plain = _plain_steps(steps[index:])
            if len(plain) > 1 and not code.is_empty:
                code = _many_steps(c, code, plain)
                index += len(plain)
                continue
            index += 1
            if isinstance(expr, ast.AxisStep):
                code = compile_step(c, code, expr)
            else:
                code = _general_step(c, code, expr, is_last=index == len(steps))
            if len(code.text) > 100:
                code = c.bind(code)
    return code


def _plain_steps(steps: list[ast.Expr]) -> list[ast.AxisStep]:
    """The leading axis steps that need only their node test."""
    plain: list[ast.AxisStep] = []
    for expr in steps:
        if not isinstance(expr, ast.AxisStep) or expr.predicates or expr.axis == "namespace":
            break
        _, item = node_test(expr.axis, expr.test)
        if not _fits_axis(expr.axis, item) or item.element is not None or not item.untyped:
            break
        plain.append(expr)
    return plain


def _many_steps(c: Compiler, context: Code, steps: list[ast.AxisStep]) -> Code:
    """Several steps in one call, which creates nodes for the last one only."""
    tests = [(expr.axis, node_test(expr.axis, expr.test)) for expr in steps]
    key = tuple((axis, test) for axis, (test, _) in tests)
    note = "/".join(f"{axis}::{test}" for axis, test in key)
    if context.shape is Shape.ONE:
        path = c.writer.constant(path_from(key), "path", note, key=key)
        return many(f"{path}({context.text})", tests[-1][1][1], reread=True, ordered=True)
    path = c.writer.constant(path_many(key), "paths", note, key=key)
    return many(f"{path}({c.as_sequence(context)})", tests[-1][1][1], reread=True, ordered=True)


def _flattened(node: ast.Expr) -> list[ast.Expr]:
    """The steps of a path from left to right. A path on the right of a slash counts as one step."""
    steps: list[ast.Expr] = []
    while isinstance(node, ast.Path):
        steps.append(node.right)
        node = node.left
    steps.append(node)
    return steps[::-1]


def _fused(steps: list[ast.Expr]) -> list[ast.Expr]:
    """…/descendant-or-self::node()/child::x → …/descendant::x, if no predicate of x counts positions."""
    fused: list[ast.Expr] = []
    for expr in steps:
        if (
            fused
            and isinstance(expr, ast.AxisStep)
            and expr.axis in ("child", "descendant")
            and is_descend(fused[-1])
            and len(fused) > 1
            and all(_counts_no_positions(p) for p in expr.predicates)
        ):
            fused[-1] = replace(expr, axis="descendant")
        else:
            fused.append(expr)
    return fused


def _known_item(c: Compiler, node: ast.Expr) -> ItemType | None:
    """The facts that the code so far establishes about a variable or the context item."""
    if isinstance(node, ast.VarRef):
        variable = c.scope.variables.get(node.name.expanded)
        return None if variable is None else variable.code.item
    return None if c.scope.focus.item is None else c.scope.focus.item.code.item


def _counts_no_positions(predicate: ast.Expr) -> bool:
    return not uses_position(predicate) and not may_be_number(predicate)


def _checked_nodes(c: Compiler, code: Code) -> Code:
    if code.is_nodes or code.is_empty:
        return code
    if code.shape is Shape.ONE:
        return one(f"{c.rt(rt.step_node)}({code.text})", NodeItem())
    return many(f"{c.rt(sequences.nodes_only)}({c.as_iterable(code)})", NodeItem())


def _endless_step(c: Compiler, context: Code, expr: ast.Expr) -> Code:
    """A step from each item of an infinite sequence as it arrives."""
    if not isinstance(expr, ast.AxisStep):
        return replace(_mapped(c, context, expr, "path"), endless=True)
    from xylem.run.runtime.endless import each_step

    found: list[ItemType] = []

    def write() -> None:
        code = compile_step(c, one("node", NodeItem(), simple=True), expr)
        found.append(code.item if not code.is_empty else NodeItem())
        c.writer.line(f"return {c.as_iterable(code)}")

    frame = c.lifted("step", ["node"], c.describe(expr), write)
    captures = "".join(f", {name}={name}" for name in frame.captures)
    step = f"{c.rt(partial)}({frame.name}{captures})" if captures else frame.name
    text = f"{c.rt(each_step)}({step}, {c.as_iterable(context)})"
    return replace(many(text, found[0]), endless=True)


# --- steps along an axis


def node_test(axis: str, test: ast.NodeTest) -> tuple[NodeTest, NodeItem]:
    """The test of a step, and the static type of nodes that pass it."""
    principal = nk.ATTRIBUTE if axis == "attribute" else nk.ELEMENT
    match test:
        case ast.NameTest(name=name):
            return NodeTest(principal, name.uri or "", name.local), NodeItem(principal, name.expanded)
        case ast.Wildcard(uri=uri, local=local):
            return NodeTest(principal, uri, local), NodeItem(principal)
    item = node_type(test)
    uri, local = item.name or (None, None)
    if item.kind == nk.PROCESSING_INSTRUCTION:
        uri = None
    return NodeTest(item.kind, uri, local), item


def compile_step(c: Compiler, context: Code, node: ast.AxisStep) -> Code:
    """A step from the given context nodes."""
    if context.is_empty:
        return EMPTY
    if node.axis == "namespace":
        from xylem.errors import StaticError

        raise StaticError("XPST0010", "the namespace axis", span=node.span)
    test, item = node_test(node.axis, node.test)
    if not _fits_axis(node.axis, item):
        return EMPTY
    residual = item if item.element is not None or not item.untyped else None
    key = (node.axis, test)
    positional = [p for p in node.predicates if not _counts_no_positions(p)]
    single = context.shape is Shape.ONE
    note = f"{node.axis}::{test}"
    if single and residual is None and node.predicates:
        code = tested_siblings(c, context, node, test, item) or _by_position(c, context, node, test, item)
        if code is not None:
            return code
    if single:
        per_node = c.writer.constant(step(node.axis, test), "step", note, key=key)
        code = many(f"{per_node}({context.text})", item, reread=True, ordered=node.axis not in REVERSE_AXES)
        code = with_step(code, context.text, node.axis, test)
        code = _residual(c, code, residual)
        code = _apply_predicates(c, code, node.predicates)
        if node.axis in REVERSE_AXES and node.axis != "parent":
            code = replace(code, text=f"{c.rt(rt.forward)}({c.as_iterable(code)})", shape=Shape.SEQUENCE, ordered=True)
            if residual is None and not node.predicates:
                code = with_step(code, context.text, node.axis, test)
        return replace(code, ordered=True)
    if not positional:
        batch = c.writer.constant(step_many(node.axis, test), "steps", note, key=key)
        code = many(f"{batch}({c.as_sequence(context)})", item, reread=True, ordered=True)
        return replace(_apply_predicates(c, _residual(c, code, residual), node.predicates), ordered=True)
    literal = _literal_slice(node.predicates)
    if literal is not None and residual is None and node.axis in _NARROW_AXES:
        per_node = c.writer.constant(step(node.axis, test), "step", note, key=key)
        text = f"[n for p in {c.as_iterable(context)} for n in {per_node}(p)[{literal}]]"
        return _in_document_order(c, many(text, item))
    return _step_per_node(c, context, node, item)


def _by_position(c: Compiler, context: Code, node: ast.AxisStep, test: NodeTest, item: NodeItem) -> Code | None:
    """x[3] or x[$n] from one node: stops at the requested position."""
    first, *others = node.predicates
    note = f"{node.axis}::{test}"
    if isinstance(first, ast.IntegerLiteral) and first.value == 1:
        step_to = c.writer.constant(step_first(node.axis, test), "first", note, key=(node.axis, test))
        code = optional(f"{step_to}({context.text})", item)
    elif isinstance(first, (ast.IntegerLiteral, ast.VarRef)) and not others:
        if isinstance(first, ast.VarRef) and not may_be_number(first, partial(_known_item, c)):
            return None
        if node.axis in REVERSE_AXES and isinstance(first, ast.VarRef):
            return None  # A truth value selects all of them, in reverse order.
        step_to = c.writer.constant(step_lazy(node.axis, test), "lazily", note, key=(node.axis, test))
        code = filtered(c, many(f"{step_to}({context.text})", item, ordered=True), first)
    elif position_tests(first) is not None and not others:
        step_to = c.writer.constant(step_lazy(node.axis, test), "lazily", note, key=(node.axis, test))
        code = filtered(c, many(f"{step_to}({context.text})", item, ordered=True), first)
        if node.axis in REVERSE_AXES:
            code = replace(code, text=f"{c.rt(rt.forward)}({c.as_iterable(code)})", shape=Shape.SEQUENCE)
    else:
        return _by_position_among(c, context, node, test, item)
    return replace(_apply_predicates(c, code, tuple(others)), ordered=True)


def _by_position_among(c: Compiler, context: Code, node: ast.AxisStep, test: NodeTest, item: NodeItem) -> Code | None:
    """preceding-sibling::x[p][3] from one node: stops at the last requested node."""
    places = [place for place, one in enumerate(node.predicates) if isinstance(one, ast.IntegerLiteral)]
    if node.axis not in AXES or not places or not all(map(is_test, node.predicates[: places[0]])):
        return None
    note = f"{node.axis}::{test}"
    step_to = c.writer.constant(step_lazy(node.axis, test), "lazily", note, key=(node.axis, test))
    code = many(f"{step_to}({context.text})", item, ordered=True)
    return replace(_apply_predicates(c, code, node.predicates), ordered=True)


def _fits_axis(axis: str, item: NodeItem) -> bool:
    """False if no node on the axis can pass the test."""
    if item.kind is None or axis in ("self", "ancestor-or-self", "descendant-or-self"):
        return True
    if axis == "attribute":
        return item.kind == nk.ATTRIBUTE
    if axis in ("parent", "ancestor"):
        return item.kind in (nk.ELEMENT, nk.DOCUMENT)
    return item.kind not in (nk.ATTRIBUTE, nk.DOCUMENT, nk.NAMESPACE)


def _residual(c: Compiler, code: Code, item: NodeItem | None) -> Code:
    """The conditions that a node test cannot express: document-node(element(x)) and type annotations."""
    if item is None:
        return code
    return replace(code, text=f"[n for n in {code.text} if {c.type_constant(item)}.accepts(n)]", shape=Shape.SEQUENCE)


def _literal_slice(predicates: tuple[ast.Expr, ...]) -> str | None:
    """x[3] and x[last()] as slices."""
    if len(predicates) != 1:
        return None
    match predicates[0]:
        case ast.IntegerLiteral(value=value):
            return f"{value - 1}:{value}" if value >= 1 else "0:0"
        case ast.FunctionCall(name=name, arguments=()) if name.expanded == (FN, "last"):
            return "-1:"
    return None


def _step_per_node(c: Compiler, context: Code, node: ast.AxisStep, item: NodeItem) -> Code:
    """The step from each of the contexts, one by one: each stops at the requested positions."""

    def write() -> None:
        c.writer.line("found = []")
        c.writer.line("for context_node in nodes:")
        with c.writer.indented(block=True), c.scoped():
            code = compile_step(c, one("context_node", NodeItem(), simple=True), node)
            c.writer.line(f"found.extend({c.as_iterable(code)})")
        c.writer.line(f"return {c.rt(document_order)}(found)")

    frame = c.lifted("step", ["nodes"], c.describe(node), write)
    return many(c.writer.call(frame, c.as_iterable(context)), item, reread=True, ordered=True)


def _in_document_order(c: Compiler, code: Code) -> Code:
    return replace(code, text=f"{c.rt(document_order)}({code.text})", shape=Shape.SEQUENCE, ordered=True)


# --- predicates


def _apply_predicates(c: Compiler, code: Code, predicates: tuple[ast.Expr, ...]) -> Code:
    for predicate in predicates:
        code = filtered(c, code, predicate)
    return code


@compiles(ast.Filter)
def compile_filter(c: Compiler, node: ast.Filter) -> Code:
    if isinstance(node.base, ast.Shared) and node.base.is_by_parent:
        return places_in_parents(c, node.base, node.predicate)
    match = one_match(c, node.base, node.predicate)
    if match is not None:
        return match
    step = _only_step(c, node.base)
    if step is not None and (_literal_slice((node.predicate,)) or position_tests(node.predicate)):
        return c.compile(_with_predicate(node.base, step, node.predicate))
    base = c.compile(node.base)
    if base.endless:
        positions = first_positions(node.predicate)
        if positions is not None and not isinstance(node.predicate, ast.IntegerLiteral):
            first = positions.first - 1 if positions.are_all else 0
            last = max(positions.last or 0, first)
            base = replace(many(f"{c.rt(islice)}({base.text}, {first}, {last})"), type=base.type)
            if positions.are_all:
                return base
    return filtered(c, base, node.predicate)


def _only_step(c: Compiler, base: ast.Expr) -> ast.AxisStep | None:
    """The step of a path from one node whose positions count the path's items: `($x/following-sibling::y)[1]`."""
    match base:
        case ast.AxisStep() as step:
            pass
        case ast.Path(left=ast.VarRef(name=name), right=ast.AxisStep() as step):
            known = c.scope.variables.get(name.expanded)
            if known is None or known.code.shape is not Shape.ONE or not known.code.is_nodes:
                return None
        case _:
            return None
    return step if step.axis not in REVERSE_AXES and all(map(_counts_no_positions, step.predicates)) else None


def _with_predicate(base: ast.Expr, step: ast.AxisStep, predicate: ast.Expr) -> ast.Expr:
    counted = replace(step, predicates=(*step.predicates, predicate))
    return replace(base, right=counted) if isinstance(base, ast.Path) else counted


def filtered(c: Compiler, base: Code, predicate: ast.Expr) -> Code:
    """base[predicate]"""
    if base.is_empty:
        return base
    match predicate:
        case ast.IntegerLiteral(value=value):
            return optional(f"{c.rt(rt.nth)}({c.as_iterable(base)}, {value})", base.item)
        case ast.FunctionCall(name=name, arguments=()) if name.expanded == (FN, "last"):
            return optional(f"{c.rt(rt.last_item)}({c.as_iterable(base)})", base.item)
    tests = position_tests(predicate)
    if tests is not None:
        text = f"{c.rt(rt.at_positions)}({c.as_iterable(base)}, {asked_positions(c, predicate, tests)})"
        return replace(many(text, base.item, ordered=base.ordered), endless=base.endless)
    with_last, with_position = uses_last(predicate), uses_position(predicate)
    numeric = may_be_number(predicate, partial(_known_item, c))
    if numeric and not reads_focus(predicate):
        return _by_number_or_truth(c, base, predicate)
    source = c.as_iterable(base)
    kind = SequenceType(base.item, _or_none(base.type.occurrence))
    result = Code("", Shape.ITERABLE, kind, ordered=base.ordered, endless=base.endless)
    dot, position, size = (c.writer.fresh(stem) for stem in ("dot", "pos", "size"))

    with c.writer.function("filter", ["items"], f"[{c.describe(predicate)}]") as frame, c.scoped():
        if with_last:
            c.writer.line("items = list(items)")
            c.writer.line(f"{size} = len(items)")
        counts = with_position or numeric
        loop = _loop(dot, position if counts else None)
        c.writer.line(loop.filled("items") + ":")
        head = len(frame.body)
        with c.writer.indented(block=True):
            focus = c.focus_on(
                one(dot, base.item, simple=True),
                atomic(position, at.INTEGER, simple=True) if counts else None,
                atomic(size, at.INTEGER, simple=True) if with_last else None,
            )
            c.scope = c.scope.with_focus(focus)
            found = c.compile(predicate)
            if numeric and not _is_never_number(found):
                test = f"{c.rt(rt.predicate_holds)}({c.as_iterable(found)}, {position})"
            else:
                test = c.truth_of(found)
            written = [line for entry in frame.body[head:] for line in getattr(entry, "lines", [entry])]
            c.writer.line(f"if {test}: yield {dot}")
    frame.is_generator = True
    if not written and not with_last:
        c.writer.finished.remove(frame)
        each = loop.filled(source)
        if base.shape is Shape.SEQUENCE and base.is_nodes:
            return replace(result, text=f"[{dot} {each} if {test}]", shape=Shape.SEQUENCE)
        return replace(result, text=f"({dot} {each} if {test})")
    return replace(result, text=c.writer.call(frame, source))


def _loop(dot: str, position: str | None) -> CodeGap:
    """The head of a loop over some items, with their positions if needed."""
    return CodeGap(f"for {dot} in ") if position is None else CodeGap(f"for {position}, {dot} in enumerate(", ", 1)")


def _by_number_or_truth(c: Compiler, base: Code, predicate: ast.Expr) -> Code:
    """E[$n + 1]: the predicate is the same for all items, so it is computed once, and only if there is an item."""
    asked = asked_value(c, predicate)
    text = f"{c.rt(rt.by_number_or_truth)}({c.as_iterable(base)}, {asked})"
    return replace(many(text, base.item, ordered=base.ordered), endless=base.endless)


def asked_value(c: Compiler, predicate: ast.Expr) -> str:
    """The value of a predicate, as a function."""
    if isinstance(predicate, ast.VarRef):
        return f"lambda: {c.as_sequence(c.compile(predicate))}"
    return _once(c, predicate, lambda: c.as_sequence(c.compile(predicate)))


def asked_positions(c: Compiler, predicate: ast.Expr, tests: list[PositionTest]) -> str:
    """The operand that positions are compared with, as a function: computed once, and only if there is an item."""

    def told() -> str:
        asked = (f"({test.op!r}, {c.as_sequence(c.atomized(c.compile(test.asked)))})" for test in tests)
        return f"[{', '.join(asked)}]"

    return _once(c, predicate, told)


def _once(c: Compiler, predicate: ast.Expr, told: Callable[[], str]) -> str:
    """A function without parameters for the position that a predicate selects."""
    frame = c.lifted("asked", [], c.describe(predicate), lambda: c.writer.line(f"return {told()}"))
    return f"lambda: {c.writer.call(frame)}"


def _is_never_number(value: Code) -> bool:
    if value.is_nodes or value.is_empty:
        return True
    kind = value.atomic
    return kind is not None and kind not in (at.ANY_ATOMIC, at.ERROR) and not kind.derives_from(at.NUMERIC)


def _or_none(occurrence: Occurrence) -> Occurrence:
    return Occurrence.OPTIONAL if occurrence in (Occurrence.ONE, Occurrence.OPTIONAL) else Occurrence.MANY


# --- other expressions as steps, and the simple map


def _general_step(c: Compiler, context: Code, expr: ast.Expr, is_last: bool) -> Code:
    """E1/E2 where E2 is not a step along an axis."""
    if context.is_empty:
        return EMPTY
    code = _mapped(c, context, expr, "path")
    if code.is_nodes:
        return many(f"{c.rt(document_order)}({code.text})", code.item, reread=True, ordered=True)
    if code.atomic is not None:
        return code
    if is_last:
        return many(f"{c.rt(rt.path_result)}({code.text})")
    nodes = f"{c.rt(sequences.nodes_only)}({code.text})"
    return many(f"{c.rt(document_order)}({nodes})", NodeItem(), reread=True, ordered=True)


@compiles(ast.SimpleMap)
def compile_simple_map(c: Compiler, node: ast.SimpleMap) -> Code:
    steps: list[ast.Expr] = []
    left: ast.Expr = node
    while isinstance(left, ast.SimpleMap):
        steps.append(left.right)
        left = left.left
    code = c.compile(left)
    for expr in reversed(steps):
        if code.is_empty:
            return EMPTY
        code = _mapped(c, code, expr, "map")
    return code


def _mapped(c: Compiler, context: Code, expr: ast.Expr, stem: str) -> Code:
    """The items of an expression for each context item: by a generator, or in place if it needs no statements."""
    with_last, with_position = uses_last(expr), uses_position(expr)
    dot, position, size = (c.writer.fresh(name) for name in ("dot", "pos", "size"))
    with c.writer.function(stem, ["items"], c.describe(expr)) as frame, c.scoped():
        if with_last:
            c.writer.line("items = list(items)")
            c.writer.line(f"{size} = len(items)")
        loop = _loop(dot, position if with_position else None)
        c.writer.line(loop.filled("items") + ":")
        head = len(frame.body)
        with c.writer.indented(block=True):
            focus = c.focus_on(
                one(dot, context.item, simple=True),
                atomic(position, at.INTEGER, simple=True) if with_position else None,
                atomic(size, at.INTEGER, simple=True) if with_last else None,
            )
            c.scope = c.scope.with_focus(focus)
            code = c.compile(expr)
            needs_lines = any(getattr(entry, "lines", [entry]) for entry in frame.body[head:])
            if code.is_empty:
                c.writer.line(f"yield from {code.text}")
            else:
                c.push_code(code, YIELD)
    frame.is_generator = True
    item = code.item if not code.is_empty else ANY_ITEM
    source = c.as_iterable(context)
    if code.shape is Shape.ONE and not needs_lines and not with_last:
        c.writer.finished.remove(frame)
        each = f"{code.text} {loop.filled(source)}"
        return replace(many(f"({each})", item), each=each)
    return many(c.writer.call(frame, source), item)
