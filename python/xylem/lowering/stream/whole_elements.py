"""Write a constructor as one item if it begins and ends in one handler and contains only characters.

        <item id="{ $i/@id }"> { count($i/bid) } </item>     →     { <item id="{ $i/@id }">{ count($i/bid) }</item> }

Gain:   an element of a known structure is written by filling gaps (`lowering/python/shaped_elements.py`);
        event by event, each tag would cost as much as the whole element.
Needs:  only text, atomic values, text nodes or such constructors between its tags.
Safe:   the element is small, since its handler would have written it at once. A copy is the same unless copies lose
        namespaces, which the rule checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xylem.plan import flux
from xylem.plan.flux import Copy, Fixed, Flux, Leaf, Opening
from xylem.syntax import ast

from ..python.compiler import Compiler
from ..python.shaped_elements import has_shape
from .steps import path_expression


def with_whole_elements(c: Compiler, parts: Sequence[Flux]) -> list[Flux]:
    """The parts of a body, with those of each such constructor merged."""
    if not (c.static.copy_preserve and c.static.copy_inherit) or c.static.element_namespaces:
        return list(parts)
    parts = _flattened(parts)
    found: list[Flux] = []
    place = 0
    while place < len(parts):
        whole = _whole(parts, place)
        if whole is not None and has_shape(c, whole[0]):
            found.append(Leaf(whole[0]))
            place = whole[1]
        else:
            found.append(parts[place])
            place += 1
    return found


def _flattened(parts: Sequence[Flux]) -> list[Flux]:
    found: list[Flux] = []
    for part in parts:
        found += _flattened(part.parts) if isinstance(part, flux.Sequence) else [part]
    return found


def _whole(parts: Sequence[Flux], place: int) -> tuple[ast.DirectElement, int] | None:
    """The constructor that opens at a position, and the position after its end; None without one of fixed content."""
    element = _opened(parts[place])
    if element is None:
        return None
    content: list[ast.Expr] = []
    together: list[ast.Expr] = []
    place += 1
    while place < len(parts):
        part = parts[place]
        if isinstance(part, (Leaf, Copy)):
            if isinstance(part, Leaf) and part.inside:
                return None
            together.append(part.expression if isinstance(part, Leaf) else path_expression(part.variable, part.path))
            place += 1
            continue
        content += _enclosed(together)
        together = []
        if isinstance(part, Fixed) and part.closes is not None and part.opens is None:
            return replace(element, content=tuple(content)), place + 1
        inner = _whole(parts, place)
        if inner is not None:
            content.append(inner[0])
            place = inner[1]
            continue
        if not isinstance(part, Fixed) or (part.opens is not None and part.closes is None):
            return None
        content += [part.opens] if part.opens is not None else [ast.DirectText(part.text)] if part.text else []
        place += 1
    return None


def _opened(part: Flux) -> ast.DirectElement | None:
    if isinstance(part, Opening):
        return None if part.inside else part.element
    return part.opens if isinstance(part, Fixed) and part.closes is None else None


def _enclosed(together: Sequence[ast.Expr]) -> list[ast.Expr]:
    """Adjacent parts belong to one enclosed expression: two such expressions have fixed text between them."""
    if not together:
        return []
    return [ast.EnclosedExpr(together[0] if len(together) == 1 else ast.SequenceExpr(tuple(together)))]
