"""One step from one node, if only the characters or the number of its nodes are needed, or whether there is one.

One call reads the characters without creating nodes (`values/step_text.py`).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from xylem.run.runtime import constructors, lookups
from xylem.run.runtime import sequences as rt
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values.axes import step_count, step_first
from xylem.values.axis_rows import LAZY_AXES
from xylem.values.node import ATTRIBUTE, ELEMENT
from xylem.values.node_test import NodeTest
from xylem.values.sequence_type import AtomicItem, SequenceType
from xylem.values.step_text import has_step_text, step_integer, step_integers, step_text, step_values
from xylem.values.strings import UntypedAtomic

from .code import Code, OneStep, atomic, optional

if TYPE_CHECKING:
    from .compiler import ColumnLoop, Compiler


def with_step(code: Code, context: str, axis: str, test: NodeTest) -> Code:
    """The code of a step from one node, which records the step."""
    return replace(code, step=OneStep(code.text, context, axis, test))


def _step_of(code: Code) -> OneStep | None:
    """The step that the code represents, if any."""
    return code.step if code.step is not None and code.step.text == code.text else None


def _text_step_of(code: Code) -> OneStep | None:
    """The step, if one call can read its characters."""
    found = _step_of(code)
    return found if found is not None and has_step_text(found.axis, found.test) else None


def has_node(c: Compiler, code: Code) -> str | None:
    """Whether a step finds anything, looking only for the first node; None if the code is not such a step."""
    found = _step_of(code)
    if found is None or found.axis not in LAZY_AXES:
        return None
    first = step_first(found.axis, found.test)
    name = c.writer.constant(first, "first", f"{found.axis}::{found.test}", key=(found.axis, found.test))
    return f"({name}({found.context}) is not None)"


def count_of_step(c: Compiler, code: Code) -> str | None:
    """The number of nodes that a step finds, without creating them; None if the code is not such a step."""
    found = _step_of(code)
    if found is None or found.axis in ("child", "attribute", "self", "parent"):
        return None
    key = (found.axis, found.test)
    name = c.writer.constant(step_count(*key), "count", f"{found.axis}::{found.test}", key=key)
    return f"{name}({found.context})"


def converted_text(c: Compiler, code: Code, expected: SequenceType, what: str) -> str | None:
    """The nodes of a step converted to xs:string or xs:string?; None if the code is not such a step."""
    return _call(c, code, "text", partial(_converted, expected, what), (expected, what), str(expected))


def joined_text(c: Compiler, code: Code, *, with_spaces: bool = True) -> str | None:
    """Their string values joined by spaces, or None."""
    join = lookups.text_of_nodes if with_spaces else constructors.text_of_texts
    return _call(c, code, "text", join, ("joined", with_spaces), "joined")


def typed_text(c: Compiler, code: Code, what: str) -> str | None:
    """The typed value of the only one, or None; several are XPTY0004."""
    return _call(c, code, "value", partial(_at_most_one, what), what, "at most one", UntypedAtomic)


def typed_texts(c: Compiler, code: Code) -> str | None:
    """The typed values of all of them, as a list."""
    step = _text_step_of(code)
    if step is None:
        return None
    read = step_values(step.axis, step.test)
    name = c.writer.constant(read, "values", f"{step.axis}::{step.test}", key=(step.axis, step.test))
    return f"{name}({step.context})"


def integer_of_step(c: Compiler, code: Code, what: str) -> Code | None:
    """The nodes of a step cast to xs:integer?; None if the code is not such a step."""
    step = _text_step_of(code)
    if step is None:
        return None
    read = step_integer(step.axis, step.test, partial(_at_most_one, what))
    # A name for each place, so that an error has it.
    name = c.writer.constant(read, "integer", f"{step.axis}::{step.test}")
    text = f"{name}({step.context})"
    loop = c.column_loop
    if loop is not None and loop.frame is c.writer.frame and loop.node == step.context:
        known = loop.names.setdefault((step.axis, step.test), c.writer.fresh("number"))
        text = f"({text} if {known} is None else {known})"
    return optional(text, AtomicItem(at.INTEGER))


def columns_of(c: Compiler, loop: ColumnLoop) -> str:
    """The columns of a loop over `nodes`, as arguments of zip()."""
    steps = tuple(loop.names)
    note = ", ".join(f"{axis}::{test}" for axis, test in steps)
    return f"*{c.writer.constant(step_integers(steps), 'integers', note)}(nodes)"


def _call(
    c: Compiler, code: Code, stem: str, otherwise: Any, key: Any, note: str, made: type[str] | None = None
) -> str | None:
    step = _text_step_of(code)
    if step is None:
        return None
    read = step_text(step.axis, step.test, otherwise, made)
    name = c.writer.constant(read, stem, f"{step.axis}::{step.test}, {note}", key=(step.axis, step.test, key))
    return _once(c, f"{name}({step.context})", step)


def _once(c: Compiler, text: str, step: OneStep) -> str:
    """A repeated read under a name, computed at its first occurrence if that precedes all others."""
    known = c.scope.texts.get(text)
    if known is not None:
        return c.use(known).text
    place = c.scope.place
    if place is None or not place.is_at(c.writer.frame) or (step.axis, step.test) not in c.scope.repeated:
        return text
    if not step.context.isidentifier():
        # Part of an expression that is recomputed each time.
        return text
    name = c.writer.fresh("t")
    c.writer.line(f"{name} = {text}")
    c.scope = c.scope.with_text(text, c.variable(atomic(name, at.ANY_ATOMIC, simple=True)))
    return name


def repeated_steps(node: ast.Node) -> frozenset[tuple[str, NodeTest]]:
    """The steps that an expression takes more than once from a variable."""
    seen: set[tuple[tuple[str, str], str, tuple[str, str]]] = set()
    found = set()
    for part in node.walk():
        match part:
            case ast.Path(left=ast.VarRef(name=name), right=ast.AxisStep(axis=axis, test=test, predicates=())):
                if axis in ("child", "attribute") and isinstance(test, ast.NameTest):
                    key = (name.expanded, axis, test.name.expanded)
                    if key in seen:
                        kind = ATTRIBUTE if axis == "attribute" else ELEMENT
                        found.add((axis, NodeTest(kind, test.name.uri or "", test.name.local)))
                    seen.add(key)
    return frozenset(found)


def _converted(expected: SequenceType, what: str, nodes: list[Any]) -> Any:
    return rt.text_of_node(nodes, expected, what)


def _at_most_one(what: str, nodes: list[Any]) -> Any:
    return rt.at_most_one(rt.typed_values(nodes), what)
