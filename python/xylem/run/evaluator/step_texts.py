"""One step from one node, read for its characters: in one call, and without making nodes (`values/step_text.py`)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from xylem.values.sequence_type import SequenceType
from xylem.values.step_text import has_step_text, step_text
from xylem.values.strings import UntypedAtomic

from ..runtime import constructors, lookups
from ..runtime import sequences as rt
from .code import Code, OneStep

if TYPE_CHECKING:
    from xylem.values.node_test import NodeTest

    from .compiler import Compiler


def with_step(code: Code, context: str, axis: str, test: NodeTest) -> Code:
    """The code of a step from one node, which remembers that it is one."""
    return replace(code, step=OneStep(code.text, context, axis, test)) if has_step_text(axis, test) else code


def converted_text(c: Compiler, code: Code, expected: SequenceType, what: str) -> str | None:
    """The nodes of a step converted to xs:string or xs:string?; None where the code is no such step."""
    return _call(c, code, "text", partial(_converted, expected, what), (expected, what), str(expected))


def joined_text(c: Compiler, code: Code, *, with_spaces: bool = True) -> str | None:
    """Their string values, one space between them, or none."""
    join = lookups.text_of_nodes if with_spaces else constructors.text_of_texts
    return _call(c, code, "text", join, ("joined", with_spaces), "joined")


def typed_text(c: Compiler, code: Code, what: str) -> str | None:
    """The typed value of the only one, or None; several are XPTY0004."""
    return _call(c, code, "value", partial(_at_most_one, what), what, "at most one", UntypedAtomic)


def _call(
    c: Compiler, code: Code, stem: str, otherwise: Any, key: Any, note: str, made: type[str] | None = None
) -> str | None:
    step = code.step
    if step is None or step.text != code.text:
        return None
    read = step_text(step.axis, step.test, otherwise, made)
    name = c.writer.constant(read, stem, f"{step.axis}::{step.test}, {note}", key=(step.axis, step.test, key))
    return f"{name}({step.context})"


def _converted(expected: SequenceType, what: str, nodes: list[Any]) -> Any:
    return rt.text_of_node(nodes, expected, what)


def _at_most_one(what: str, nodes: list[Any]) -> Any:
    return rt.at_most_one(rt.typed_values(nodes), what)
