"""The template of a document, for documents that are trees already (`query/tree_texts.py`).

        for $p in /site/person return <p>{ $p/name }</p>       as it is
        for $a in //a return <x>{ /r/h }</x>                   None: each turn would search the document
        count(//a)                                             None: code asks an index
        count(//a//b), //a[ancestor::a]                        None: subtrees of nested elements would be read again

Gain:   the kernel writes the answer from the columns of a tree, without a Python object for each node.
Needs:  a template that starts at the document node only once. Code has indexes and caches for what a loop searches
        again, and a large tree needs them. Elements that a loop finds at any depth may be inside each other: what is
        below or above each of them would be read many times. Other loops that look above themselves are limited to few
        turns.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from xylem.plan.kernel_expression import AxisOf, Call, EachItem, EachTuple, KernelExpression, NodesOf
from xylem.plan.result_template import EachBinding, EachValue, Functions, Template

from .few_turns import LOOPS, begins_outside, with_few_turns

_COUNTING = ("count", "exists", "empty")
_NEAR = ("child", "attribute", "self", "parent")
_VALUE_LOOPS = (EachItem, EachTuple, EachBinding, EachValue)


def tree_template(template: Template) -> Template | None:
    """The template for trees of any size; None if it would search a document again and again."""
    if _searches_again(template, 0, is_repeated=False) or _reads_nested(template, may_nest=False):
        return None
    return with_few_turns(template)


def _reads_nested(node: Any, *, may_nest: bool) -> bool:
    """Whether a path goes far from elements that may be inside each other."""
    if isinstance(node, tuple):
        return any(_reads_nested(one, may_nest=may_nest) for one in node)
    if not is_dataclass(node) or isinstance(node, type):
        return False
    if may_nest and _goes_far(node):
        return True
    source = getattr(node, "nodes", None) if isinstance(node, LOOPS) else None
    is_nested = may_nest or (isinstance(node, LOOPS) and (_goes_far(node) or _has_far(source)))
    for one in fields(node):
        value = getattr(node, one.name)
        if _reads_nested(value, may_nest=may_nest if value is source else is_nested):
            return True
    return False


def _goes_far(node: Any) -> bool:
    """Whether an expression itself finds nodes at any distance from its element."""
    if isinstance(node, AxisOf):
        return node.axis not in _NEAR
    path = getattr(node, "path", ())
    return isinstance(path, tuple) and any(getattr(step, "descends", False) for step in path)


def _has_far(node: Any) -> bool:
    if isinstance(node, tuple):
        return any(map(_has_far, node))
    if not is_dataclass(node) or isinstance(node, type):
        return False
    return _goes_far(node) or any(_has_far(getattr(node, one.name)) for one in fields(node))


def _descends_from(nodes: KernelExpression, depth: int) -> bool:
    """Whether an expression is all nodes of a name below the document, for which the tree has an index."""
    return isinstance(nodes, NodesOf) and nodes.up == depth and any(step.descends for step in nodes.path)


def _searches_again(node: Any, depth: int, *, is_repeated: bool) -> bool:
    """Whether a path from the document node, which is this many loops outwards, is followed in a loop, or counted."""
    if isinstance(node, tuple):
        return any(_searches_again(one, depth, is_repeated=is_repeated) for one in node)
    if not is_dataclass(node) or isinstance(node, type):
        return False
    if is_repeated and begins_outside(node) and getattr(node, "up", 0) == depth:
        return True
    if isinstance(node, Call) and node.function in _COUNTING and _descends_from(node.arguments[0], depth):
        return True
    if isinstance(node, Functions):
        # A function starts at its own node.
        return _searches_again(node.parts, depth, is_repeated=is_repeated)
    inner = depth + isinstance(node, LOOPS)
    is_loop = isinstance(node, (*LOOPS, *_VALUE_LOOPS))
    return any(
        _searches_again(getattr(node, one.name), inner, is_repeated=is_repeated or is_loop) for one in fields(node)
    )
