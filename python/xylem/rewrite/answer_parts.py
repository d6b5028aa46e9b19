"""Split the answer into consecutive parts, so that a separate pass can give each of them.

    (/s/p/x, /s/p/y)                              →   for … in /s/p/x …    |   for … in /s/p/y …
    <r><a>{ /s/p/x }</a><b>{ /s/p/y }</b></r>     →   <r><a> for … </a>    |   <b> for … </b></r>
    for $s in /s return ($s/p/x, $s/p/y)          →   for $s in /s …       |   for $s in /s …

Gain:   in one pass, everything after a long sequence waits until that sequence has passed.
Needs:  the query in normal form. A loop over the document's element has one turn, so its parts are parts of the answer,
        too.
Safe:   the parts write one after the other, like the expression. No part reads another's output.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xylem.plan.flux import ROOT, CloseWindows, Copy, Flux, For, GiveItem, If, Leaf, OpenWindows, Sequence
from xylem.plan.flux_plan import AnswerPart
from xylem.plan.flux_printer import print_flux
from xylem.plan.flux_variables import free_variables

MOST_PARTS = 200
"""An answer with more parts is not split."""
_WINDOWS = (OpenWindows, GiveItem, CloseWindows)


def answer_parts(query: Flux) -> tuple[Flux, ...]:
    """The parts of a query in normal form, in their order."""
    found = tuple(_parts(query))
    # Windows stay open from one part to another.
    return found if len(found) <= MOST_PARTS and not any(map(_has_windows, found)) else (query,)


def told_parts(parts: tuple[Flux, ...]) -> tuple[AnswerPart, ...]:
    """The parts in the form that `explain` shows, with a note on those that read the input."""
    return tuple(AnswerPart(_told(part), _reads_input(part)) for part in parts)


def some_parts(query: Flux, start: int, end: int) -> Flux:
    """The query reduced to some of its parts."""
    return Sequence(answer_parts(query)[start:end])


def _parts(query: Flux) -> Iterator[Flux]:
    match query:
        case Sequence(parts=parts):
            for part in parts:
                yield from _parts(part)
        case For(source=source, path=(step,), position=None, window=None, body=body) if source == ROOT:
            if step.axis == "child" and not step.predicates and isinstance(body, Sequence):
                for part in _parts(body):
                    yield replace(query, body=part)
            else:
                yield query
        case _:
            yield query


def _has_windows(part: Flux) -> bool:
    if isinstance(part, _WINDOWS):
        return True
    inner = part.parts if isinstance(part, Sequence) else (part.body,) if isinstance(part, (For, If)) else ()
    return any(map(_has_windows, inner))


def _reads_input(part: Flux) -> bool:
    return ROOT in free_variables(part) or (isinstance(part, Leaf) and part.is_global)


def _told(part: Flux) -> str:
    """The path that a part follows, or else its text."""
    path, around = "", ROOT
    inner = part
    while isinstance(inner, (For, Copy)):
        own = inner.source if isinstance(inner, For) else inner.variable
        if own != around:
            break
        path += "".join(f"{'//' if step.axis == 'descendant' else '/'}{step.name}" for step in inner.path)
        if isinstance(inner, Copy):
            break
        around, inner = inner.variable, inner.body
        inner = inner.parts[0] if isinstance(inner, Sequence) and inner.parts else inner
    text = path or " ".join(print_flux(part).split()).replace(f"${ROOT}/", "/")
    return text if len(text) <= 60 else text[:59] + "…"
