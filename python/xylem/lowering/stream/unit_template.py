"""The template of a unit, with its order keys as values: `order by` becomes a hole before each item.

    Sorted((…), (Each(*, (Keyed((price,), (Construct("t", …),)),)),))
        →   Each(*, (Hole(0, (price,)), Construct("t", …)))

Gain:   whoever takes the text has the keys with their types, and puts the item where it belongs among those of others.
Needs:  nothing else in the template is sorted or left to code.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.plan.result_template import (
    Construct,
    Each,
    EachBinding,
    EachNodeOf,
    EachValue,
    Functions,
    Hole,
    Keyed,
    Numbered,
    Part,
    Sorted,
    Template,
    When,
    WhenFilled,
)

from .template_paths import NoTemplate

__all__ = ["with_keys"]

_FIRST = ord("0")
"""What the kernel calls the first hole."""


def with_keys(template: Template, *, is_keyed: bool) -> Template | None:
    """The template without its order; None where it has holes of its own, or the order was left out of it."""
    try:
        found = _parts(template, None)
    except NoTemplate:
        return None
    return found if _is_keyed(found) is is_keyed else None


def _is_keyed(parts: Template) -> bool:
    """Whether keys stand before some item."""
    for part in parts:
        match part:
            case Hole():
                return True
            case When(parts=inner) | Each(parts=inner) | EachValue(parts=inner) if _is_keyed(inner):
                return True
    return False


def _parts(parts: Template, sorted_by: Sorted | None) -> Template:
    return tuple(made for part in parts for made in _part(part, sorted_by))


def _part(part: Part, around: Sorted | None) -> Template:
    match part:
        case Sorted(parts=parts) if around is None:
            return _parts(parts, part)
        case Keyed(keys=keys, parts=parts) if around is not None:
            return Hole(_FIRST, keys), *_parts(parts, around)
        case When(parts=parts, otherwise=otherwise):
            return (replace(part, parts=_parts(parts, around), otherwise=_parts(otherwise, around)),)
        case Each(parts=parts) | EachValue(parts=parts):
            return (replace(part, parts=_parts(parts, around)),)
        case Construct(attributes=attributes, content=content):
            if any(isinstance(piece, Hole) for _, pieces in attributes for piece in pieces):
                raise NoTemplate
            _parts(content, None)
        case Sorted() | Keyed() | Hole() | WhenFilled() | Numbered() | Functions() | EachNodeOf() | EachBinding():
            raise NoTemplate
    return (part,)
