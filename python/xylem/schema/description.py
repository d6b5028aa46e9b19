"""The facts about an element, for people and for programs: `xylem schema show`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .automaton_constraints import AutomatonConstraints
from .content_model import Content, Name, Wildcard, _Repeated, leaves
from .declarations import AttributeDeclaration
from .symbols import TEXT


def written(content: Content) -> str:
    """A content model in the form of a DTD: in parentheses even for a single name."""
    inner = content.part if isinstance(content, _Repeated) else content
    return f"({content})" if isinstance(inner, Name | Wildcard) else str(content)


def child_symbols(constraints: AutomatonConstraints) -> list[str]:
    """The symbols below an element in the order of its content model, text last, without attributes."""
    written_order = [leaf.local for leaf in leaves(constraints.model) if isinstance(leaf, Name)]
    rest = sorted(name for name in constraints.symbols if not name.startswith("@") and name != TEXT)
    text = [TEXT] if TEXT in constraints.symbols else []
    return list(dict.fromkeys([*written_order, *rest, *text]))


def description(constraints: AutomatonConstraints) -> dict[str, Any]:
    """The facts as plain data."""
    names = child_symbols(constraints)
    counts = {name: constraints.occurrences(name) for name in names}
    return {
        "element": constraints.name,
        "namespace": constraints.declaration.uri,
        "content": written(constraints.content),
        "symbols": names,
        "order": [[first, second] for first in names for second in names if constraints.ordered(first, second)],
        "cardinality": {name: {"least": count.least, "most": count.most} for name, count in counts.items()},
        "attributes": [_attribute(attribute) for attribute in constraints.attributes],
        "other_attributes": constraints.declaration.other_attributes,
        "is_ambiguous": constraints.automaton.is_ambiguous(),
    }


def _attribute(attribute: AttributeDeclaration) -> dict[str, Any]:
    return {
        "name": attribute.local,
        "namespace": attribute.uri,
        "type": attribute.type,
        "required": attribute.required,
        "default": attribute.default,
        "fixed": attribute.fixed,
        "values": list(attribute.values),
    }


def description_lines(constraints: AutomatonConstraints) -> Iterator[str]:
    """The facts for a reader."""
    names = child_symbols(constraints)
    uri = constraints.declaration.uri
    yield f"{constraints.name}{f'  (namespace {uri})' if uri else ''}"
    yield f"  content      {written(constraints.content)}"
    width = max(map(len, names), default=0)
    for title, lines in (
        ("occurrence", [f"{name:<{width}}  {constraints.occurrences(name)}" for name in names if name != TEXT]),
        ("order", list(_order(constraints, names, width))),
        ("text", ["anywhere"] if TEXT in names else ["white space only"] if names else []),
        ("attributes", [*map(str, constraints.attributes), *(["others"] * constraints.declaration.other_attributes)]),
        ("note", ["ambiguous: a name can be read in two ways"] if constraints.automaton.is_ambiguous() else []),
    ):
        for i, line in enumerate(lines):
            yield f"  {'' if i else title:<13}{line}"


def _order(constraints: AutomatonConstraints, names: list[str], width: int) -> Iterator[str]:
    """For each symbol those it always comes before; two that are ordered both ways never occur together."""
    found = False
    for first in names:
        after = [second for second in names if constraints.ordered(first, second)]
        apart = [second for second in after if constraints.ordered(second, first)]
        before = [second for second in after if second not in apart]
        parts = [f"before {', '.join(before)}"] if before else []
        if apart:
            parts.append(f"never with {', '.join(apart)}")
        if parts:
            found = True
            yield f"{first:<{width}}  {'; '.join(parts)}"
    if not found and len([name for name in names if name != TEXT]) > 1:
        yield "none: any order"
