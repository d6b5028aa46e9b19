"""The sizes of the content models of an XML Schema, checked before the models are built.

Groups refer to groups and types extend types, so that a few lines may stand for a billion names. Their sizes are added
up from the definitions, each of which is read once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from xylem.errors import InputError

MOST_NAMES = 2_000
"""In one content model: the time to build it grows with their square."""
MOST_NESTED_GROUPS = 200

_XS = "{http://www.w3.org/2001/XMLSchema}"
_GROUPS = frozenset({f"{_XS}choice", f"{_XS}sequence", f"{_XS}all"})
_LEAVES = frozenset({f"{_XS}element", f"{_XS}any"})
_DEFINITIONS = frozenset({f"{_XS}group", f"{_XS}complexType"})


class _Size(NamedTuple):
    names: int
    depth: int


class _Model(NamedTuple):
    """The size of a definition by itself, and the other definitions that it uses."""

    own: _Size
    uses: list[tuple[str, int]]
    """Their names, and the depth of groups at which each is used."""


def check_sizes(roots: Iterable[Any], name: str) -> None:
    """XYIN0004 for the first content model that is too large; the roots are those of all documents of the schema."""
    named: dict[str, _Model] = {}
    others: list[_Model] = []
    for root in roots:
        for element in root.iter():
            if element.tag not in _DEFINITIONS or element.get("ref") is not None:
                continue
            model = _model_of(element)
            local = element.get("name")
            if local is None:
                others.append(model)
            else:
                # Names of several namespaces are not distinguished: the larger one counts.
                key = _key(element.tag, local)
                named[key] = max(named.get(key, model), model, key=lambda one: (one.own, len(one.uses)))
    sizes: dict[str, _Size] = {}
    for key in named:
        _add_up(key, named, sizes)
    for size in (*sizes.values(), *(_total(model, sizes) for model in others)):
        if size.names > MOST_NAMES:
            raise InputError("XYIN0004", f"{name}: more than {MOST_NAMES:,} names in one content model")
        if size.depth > MOST_NESTED_GROUPS:
            raise InputError("XYIN0004", f"{name}: groups nested deeper than {MOST_NESTED_GROUPS}")


def _add_up(key: str, named: dict[str, _Model], sizes: dict[str, _Size]) -> None:
    """The size of a definition, after those that it uses; a circular one is reported elsewhere."""
    waiting = [(key, False)]
    begun: set[str] = set()
    while waiting:
        current, is_ready = waiting.pop()
        if is_ready:
            sizes[current] = _total(named[current], sizes)
        elif current not in sizes and current not in begun:
            begun.add(current)
            waiting.append((current, True))
            waiting += [(used, False) for used, _ in named[current].uses if used in named]


def _total(model: _Model, sizes: dict[str, _Size]) -> _Size:
    used = [(sizes[key], depth) for key, depth in model.uses if key in sizes]
    names = model.own.names + sum(size.names for size, _ in used)
    # Beyond the limit it does not matter by how much: sizes may double with every line.
    depth = max([model.own.depth, *(depth + size.depth for size, depth in used)])
    return _Size(min(names, MOST_NAMES + 1), min(depth, MOST_NESTED_GROUPS + 1))


def _model_of(definition: Any) -> _Model:
    names = deepest = 0
    uses: list[tuple[str, int]] = []
    for element, depth in _inside(definition):
        deepest = max(deepest, depth)
        if element.tag in _LEAVES:
            names += 1
        elif element.tag == f"{_XS}extension":
            uses.append((_key(f"{_XS}complexType", element.get("base", "")), depth))
        elif element.tag == f"{_XS}group":
            uses.append((_key(element.tag, element.get("ref", "")), depth))
    return _Model(_Size(names, deepest), uses)


def _inside(definition: Any) -> Iterator[tuple[Any, int]]:
    """The parts of a definition with the number of groups around each; inner elements are not entered."""
    waiting = [(child, 0) for child in definition]
    while waiting:
        element, depth = waiting.pop()
        depth += element.tag in _GROUPS
        yield element, depth
        if element.tag not in _LEAVES:
            waiting += [(child, depth) for child in element]


def _key(tag: str, name: str) -> str:
    return f"{tag.removeprefix(_XS)} {name.rpartition(':')[2]}"
