"""Open content (XML Schema 1.1): elements that a wildcard admits between those of a model."""

from __future__ import annotations

from dataclasses import replace

from .content_model import All, Choice, Content, Name, Sequence, Star, Wildcard, _Repeated


def interleaved(model: Content, wildcard: Wildcard, *, only_at_end: bool = False) -> Content:
    """The words of a model with any number of others anywhere between their symbols, or after them.

    >>> print(interleaved(Sequence((Name("a"), Name("b"))), Wildcard()))
    (((any)*, a), ((any)*, b), (any)*)
    """
    others = Star(wildcard)
    if isinstance(model, All):
        return All((*model.parts, others))
    inside = model if only_at_end else _before_each(model, others)
    parts = inside.parts if isinstance(inside, Sequence) else (inside,)
    return Sequence((*parts, others))


def _before_each(model: Content, others: Content) -> Content:
    match model:
        case Name() | Wildcard():
            return Sequence((others, model))
        case Sequence(parts) | Choice(parts):
            return replace(model, parts=tuple(_before_each(part, others) for part in parts))
        case _Repeated(part):
            return replace(model, part=_before_each(part, others))
    return model
