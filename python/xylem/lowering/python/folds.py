"""fold-left with a function known at compile time: code for one step of the fold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xylem.analysis.types import sequence_type
from xylem.rewrite.substitution import Substitution
from xylem.syntax import ast
from xylem.values.sequence_type import ANY_SEQUENCE, Occurrence, SequenceType

from .code import Code, Shape, one

if TYPE_CHECKING:
    from .compiler import Compiler

SO_FAR = ast.VarRef(ast.Name("value so far", None, ""))
ONE = ast.VarRef(ast.Name("folded item", None, ""))


@dataclass(frozen=True)
class Fold:
    """fold-left: the value before the first item, and the next one, in terms of SO_FAR and ONE."""

    zero: ast.Expr
    step: ast.Expr
    type: ast.SequenceTypeNode | None = None
    """The type that each value is converted to, by the function conversion rules."""


def fold_of(zero: ast.Expr, function: ast.Expr) -> Fold | None:
    """The fold that fold-left computes with a function; None if the function is unknown before the run."""
    match function:
        case ast.InlineFunction(parameters=(so_far, one), body=body, returns=returns) if one.type is None:
            if returns is not None and returns != so_far.type:
                return None
            step = Substitution({so_far.name.expanded: SO_FAR, one.name.expanded: ONE}).apply(body)
            return Fold(zero, step, so_far.type)
        case ast.NamedFunctionRef(name=name, arity=2):
            return Fold(zero, ast.FunctionCall(name, (SO_FAR, ONE), span=function.span))
    return None


def value_type(fold: Fold) -> SequenceType:
    return ANY_SEQUENCE if fold.type is None else sequence_type(fold.type)


def write_fold(c: Compiler, fold: Fold, items: Code, target: str) -> None:
    """for each item: target.add(step(target.value, item)); a single item of a known type is stored directly."""
    name, so_far = c.writer.fresh("one"), c.writer.fresh("so_far")
    is_single = value_type(fold).occurrence is Occurrence.ONE
    # After an error there is no value to continue from.
    c.writer.line(f"for {name} in () if {target}.is_decided else {c.as_iterable(items)}:")
    with c.writer.indented(block=True), c.scoped():
        c.writer.line(f"{so_far} = {target}.so_far{'[0]' if is_single else ''}")
        write_step(c, fold, one(name, items.item, simple=True), so_far)
        c.writer.line(f"{target}.add({f'({so_far},)' if is_single else so_far})")


def write_step(c: Compiler, fold: Fold, item: Code, so_far: str) -> None:
    """so_far = step(so_far, item)."""
    kind = value_type(fold)
    is_single = kind.occurrence is Occurrence.ONE
    shape = Shape.ONE if is_single else Shape.SEQUENCE
    value = Code(so_far, shape, kind if is_single else ANY_SEQUENCE, simple=True)
    c.declare(SO_FAR.name.expanded, value, loops=True)
    c.declare(ONE.name.expanded, item, loops=True)
    made = c.converted(c.compile(fold.step), kind, "the value of a fold")
    c.writer.line(f"{so_far} = {c.as_one(made, 'the value of a fold') if is_single else c.as_sequence(made)}")
