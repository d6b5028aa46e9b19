"""Turn upward steps in a path from the root into predicates of the elements above.

    //price/parent::item/name        //item[price]/name
    /shop/item/price/../name         /shop/item[price]/name
    //price/ancestor::shop           //shop[descendant::price]

Gain:   a downward path leads to the elements, so they can be units.
Needs:  the upward step leads to an element: the parent of the root element is the document. A name test, or a later
        step to other children, guarantees it.
Safe:   both paths return each ancestor once, in document order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xylem.analysis.focus import uses_position
from xylem.syntax import ast

_ANY_ELEMENT = ast.Wildcard(None, None, None)


def without_upward_steps(steps: Sequence[ast.Expr]) -> list[ast.Expr]:
    """The steps of a path with upward steps as predicates, as far as possible."""
    made: list[ast.Expr] = []
    for index, step in enumerate(steps):
        turned = _turned(made, step, steps[index + 1 :]) if isinstance(step, ast.AxisStep) else None
        made = [*made, step] if turned is None else turned
    return made


def _turned(before: list[ast.Expr], step: ast.AxisStep, behind: Sequence[ast.Expr]) -> list[ast.Expr] | None:
    if len(before) < 2 or any(uses_position(test) or _is_number(test) for test in step.predicates):
        return None
    *around, holder, below = before
    if not isinstance(holder, ast.AxisStep) or not isinstance(below, ast.AxisStep) or below.axis != "child":
        return None
    is_deep = holder.axis == "descendant-or-self" and isinstance(holder.test, ast.AnyKindTest)
    is_named = isinstance(step.test, ast.NameTest)
    if step.axis == "ancestor" and is_deep and is_named:
        inside = replace(below, axis="descendant")
        return [*around, holder, _holding(step, inside)] if not below.predicates else None
    if step.axis != "parent":
        return None
    if is_deep and (is_named or _is_other_child(below, behind)):
        return [*around, holder, _holding(step, below)]
    if holder.axis == "child" and not is_deep and (not is_named or step.test == holder.test):
        tests = (*holder.predicates, below, *step.predicates)
        # A place is found before later predicates are tested.
        return [*around, replace(holder, predicates=tests)]
    return None


def _holding(step: ast.AxisStep, below: ast.AxisStep) -> ast.AxisStep:
    test = step.test if isinstance(step.test, ast.NameTest) else _ANY_ELEMENT
    return ast.AxisStep("child", test, (below, *step.predicates), span=step.span)


def _is_other_child(below: ast.AxisStep, behind: Sequence[ast.Expr]) -> bool:
    """Whether the next step leads to attributes, or to children with another name: a document has none of these."""
    following = behind[0] if behind else None
    if not isinstance(following, ast.AxisStep):
        return False
    if following.axis == "attribute":
        return True
    names = [step.test.name.expanded for step in (below, following) if isinstance(step.test, ast.NameTest)]
    return following.axis == "child" and len(set(names)) == 2


def _is_number(test: ast.Expr) -> bool:
    return isinstance(test, (ast.IntegerLiteral, ast.DecimalLiteral, ast.DoubleLiteral))
