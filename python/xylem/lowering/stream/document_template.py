"""A whole query as a template of the document: the scan answers a small document while reading it.

        for $o in /order return <r>{ $o/price }</r>   →   Each(order, (Construct("r", (Copies(price),)),))
        number(/order/price) * 2                      →   Computed(number(price) * 2)

Gain:   a small document costs a scan of its bytes: no tree is built, and no code runs.
Needs:  the whole program meets the needs of `result_templates.py`; values may also stand outside elements.
Safe:   if the template cannot decide, the program over the tree answers the document.
"""

from __future__ import annotations

from xylem.plan.flux import ROOT, Flux
from xylem.plan.result_template import (
    Column,
    Construct,
    Copies,
    Each,
    EachBinding,
    EachNodeOf,
    EachValue,
    Keyed,
    Part,
    Sorted,
    Template,
    When,
)

from .result_templates import has_namespaces, template_of
from .selection import Selection
from .template_paths import NoTemplate


def document_template(
    program: Flux, selection: Selection, columns: tuple[Column, ...] | None = None
) -> Template | None:
    """The template of a program over the document node; None if it cannot be written so.

    With `columns` it writes rows of a table.
    """
    if has_namespaces(program):
        return None
    try:
        found = template_of(program, ROOT, selection, (), columns, begins_output=True)
    except NoTemplate:
        return None
    return None if any(_copies_document(part, 0) for part in found) else found


def _copies_document(part: Part, depth: int) -> bool:
    """Whether the document node itself is copied: it has no tags."""
    match part:
        case Copies(path=path, up=up, below=below):
            return not path and up == depth and not below
        case When(parts=parts, otherwise=otherwise):
            return any(_copies_document(inner, depth) for inner in (*parts, *otherwise))
        case Construct(content=parts) | EachValue(parts=parts) | EachBinding(parts=parts):
            return any(_copies_document(inner, depth) for inner in parts)
        case Sorted(parts=parts) | Keyed(parts=parts):
            return any(_copies_document(inner, depth) for inner in parts)
        case Each(parts=parts) | EachNodeOf(parts=parts):
            return any(_copies_document(inner, depth + 1) for inner in parts)
    return False
