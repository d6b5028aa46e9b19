"""Maps and arrays: constructors, lookups, and functions on maps whose types are known.

    map { "seg": $s, "pos": $p }      →     XMap({'seg': ('seg', (s,)), 'pos': ('pos', (p,))})
    $cars($vid), $cars?($vid)         →     item_at(cars, vid)          for $cars as map(xs:integer, map(*))
    $car?seg                          →     item_at(car, 'seg')         for $car as map(xs:string, xs:integer)

Gain:   a lookup in a map of a known type is one call that returns at most one item, of a type that operators rely on.
Needs:  types of maps from constructors, declarations, and functions that return their argument's type.
Safe:   map:put of a key and a value within the types of a map returns a map of the same type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xylem.functions.registry import PREFIXES, Builtin
from xylem.run.runtime import lookups
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values.array import XArray
from xylem.values.map import XMap, record_places
from xylem.values.sequence_type import (
    ANY_SEQUENCE,
    ArrayItem,
    AtomicItem,
    ItemType,
    MapItem,
    Occurrence,
    SequenceType,
)

from .code import Code, Shape, atomic, many, one, optional, union_item, union_type
from .compiler import Compiler, compiles
from .primaries import compile_context_item

_MAP = PREFIXES["map"]

# --- constructors


@compiles(ast.MapConstructor)
def compile_map(c: Compiler, node: ast.MapConstructor) -> Code:
    keys = [entry.key.value for entry in node.entries if isinstance(entry.key, ast.StringLiteral)]
    if len(set(keys)) == len(node.entries):
        return _with_names(c, node, keys)
    pairs = []
    kind = _Entries()
    for entry in node.entries:
        code = c.atomic_operand(entry.key, "a map key")
        key = c.as_one(code, "a map key")
        value = c.compile(entry.value)
        kind.add(code.item, value.type)
        pair = c.writer.fresh("pair")
        c.writer.line(f"{pair} = ({key}, {c.as_sequence(value)})")
        pairs.append(pair)
    return one(f"{c.rt(lookups.new_map)}(({''.join(p + ', ' for p in pairs)}))", kind.type)


def _with_names(c: Compiler, node: ast.MapConstructor, keys: list[str]) -> Code:
    """A map whose keys are all distinct string literals."""
    values = []
    kind = _Entries()
    for entry in node.entries:
        value = c.compile(entry.value)
        kind.add(AtomicItem(at.STRING), value.type)
        # Values are computed in the written order.
        values.append(value if value.simple else c.bind(c.sequence(value)))
    if keys and all(value.shape is Shape.ONE for value in values):
        items = "".join(f"{value.text}, " for value in values)
        made = one(f"{c.rt(XMap.record)}({places_of(c, tuple(keys))}, ({items}))", kind.type)
        return replace(made, fields=tuple(keys), row_items=f"({items})")
    parts = [f"{key!r}: ({key!r}, {c.as_sequence(value)})" for key, value in zip(keys, values, strict=True)]
    return one(f"{c.rt(XMap)}({{{', '.join(parts)}}})", kind.type)


def places_of(c: Compiler, names: tuple[str, ...]) -> str:
    """The constant with the positions of a record's items."""
    return c.writer.constant(record_places(names), "places", ", ".join(names), key=names)


def record_fields(root: ast.Node) -> dict[tuple[str, str], tuple[str, ...]]:
    """The names of records that statements put into variables: `set $x := map:put($x, K, map { "a": …, "b": … })`, also
    through a variable. They are only the most likely ones: a name may stand for several variables.
    """
    bound, found = {}, {}
    for node in root.walk():
        match node:
            case ast.LetClause(name=name, value=ast.MapConstructor() as made):
                bound[name.expanded] = _names(made)
    for node in root.walk():
        match node:
            case ast.SetStatement(name, ast.FunctionCall(arguments=(_, _, ast.MapConstructor() as made))):
                found[name.expanded] = _names(made)
            case ast.SetStatement(name, ast.FunctionCall(arguments=(_, _, ast.VarRef(name=of)))):
                found.setdefault(name.expanded, bound.get(of.expanded, ()))
    return {name: names for name, names in found.items() if names}


def _names(made: ast.MapConstructor) -> tuple[str, ...]:
    """The keys of a map, if all are string literals."""
    names = tuple(entry.key.value for entry in made.entries if isinstance(entry.key, ast.StringLiteral))
    return names if len(names) == len(made.entries) else ()


class _Entries:
    """The type of a map by its entries."""

    def __init__(self) -> None:
        self._key: ItemType | None = None
        self._value: SequenceType | None = None

    def add(self, key: ItemType, value: SequenceType) -> None:
        self._key = key if self._key is None else union_item(self._key, key)
        self._value = value if self._value is None else union_type(self._value, value)

    @property
    def type(self) -> MapItem:
        if self._key is None or self._value is None:
            # A map without entries has every map type.
            return MapItem(AtomicItem(at.ERROR), SequenceType(AtomicItem(at.ERROR)))
        return MapItem(self._key if isinstance(self._key, AtomicItem) else AtomicItem(at.ANY_ATOMIC), self._value)


@compiles(ast.SquareArray)
def compile_square_array(c: Compiler, node: ast.SquareArray) -> Code:
    members = []
    for member in node.members:
        name = c.writer.fresh("member")
        c.writer.line(f"{name} = {c.as_sequence(c.compile(member))}")
        members.append(name)
    return one(f"{c.rt(XArray)}(({''.join(m + ', ' for m in members)}))", ArrayItem())


@compiles(ast.CurlyArray)
def compile_curly_array(c: Compiler, node: ast.CurlyArray) -> Code:
    code = c.compile(node.body)
    return one(f"{c.rt(XArray)}([(item,) for item in {c.as_iterable(code)}])", ArrayItem())


# --- lookups


@compiles(ast.Lookup)
def compile_lookup(c: Compiler, node: ast.Lookup) -> Code:
    from .record_rows import row_or_value

    return _lookup(c, row_or_value(c, node.base), node.key)


@compiles(ast.UnaryLookup)
def compile_unary_lookup(c: Compiler, node: ast.UnaryLookup) -> Code:
    return _lookup(c, compile_context_item(c, ast.ContextItem(span=node.span)), node.key)


def _lookup(c: Compiler, base: Code, key: ast.Expr | None) -> Code:
    if isinstance(key, (ast.StringLiteral, ast.IntegerLiteral)) and base.shape in (Shape.ONE, Shape.OPTIONAL):
        found = value_at(c, base, c.compile(key))
        if found is not None:
            return found
    base = _whole(c, base)
    if key is None:
        return many(f"{c.rt(lookups.look_up_all)}({c.as_iterable(base)})")
    text = c.as_iterable(base)
    keys = c.as_sequence(c.atomized(c.compile(key)))
    result = many(f"{c.rt(lookups.look_up)}({text}, {keys})")
    value = base.item.value if isinstance(base.item, MapItem) else None
    return result if value is None else result.typed(SequenceType(value.item, Occurrence.MANY))


def _whole(c: Compiler, base: Code) -> Code:
    from .record_rows import whole_record

    return whole_record(c, base)


def value_at(c: Compiler, base: Code, key: Code) -> Code | None:
    """The value of one key in an expression known to be a map or empty; None for other expressions."""
    kind = base.item
    if not isinstance(kind, MapItem) or not is_plain(key):
        return None
    value = kind.value or ANY_SEQUENCE
    if base.row:
        names = [repr(name) for name in base.row]
        if key.text in names:
            base = c.bind(base)
            read = f"{base.text}[{names.index(key.text)}]"
            if base.shape is Shape.OPTIONAL:
                read = f"(None if {base.text} is None else {read})"
            return optional(read, value.item)
        base = c.bind(_whole(c, base))
    if base.shape is Shape.OPTIONAL:
        base = c.bind(base)
    is_single = value.occurrence is Occurrence.ONE
    read = f"{c.rt(lookups.item_at if is_single else lookups.items_at)}({base.text}, {key.text})"
    if is_single and base.simple and key.text in map(repr, base.fields):
        # If it is not the most likely record, it is looked up like any map.
        place = [repr(name) for name in base.fields].index(key.text)
        read = f"({base.text}._items[{place}] if {base.text}._places is {places_of(c, base.fields)} else {read})"
    if base.shape is Shape.OPTIONAL:
        read = f"({None if is_single else ()} if {base.text} is None else {read})"
    if is_single:
        return replace(optional(read, value.item), fields=base.value_fields)
    return Code(read, Shape.SEQUENCE, SequenceType(value.item, Occurrence.MANY))


def is_plain(key: Code) -> bool:
    """Whether a key is a single value that is its own `same_key`."""
    kind = key.atomic
    return key.shape is Shape.ONE and kind is not None and (kind.derives_from(at.INTEGER) or kind is at.STRING)


# --- functions


def map_call(c: Compiler, builtin: Builtin, given: Sequence[Code]) -> Code | None:
    """A call of a function on maps as a Python expression."""
    if builtin.uri != _MAP:
        return None
    if builtin.local == "get":
        return value_at(c, given[0], given[1])
    if builtin.local == "size":
        return atomic(f"len({given[0].text})", at.INTEGER)
    return None


def map_result(builtin: Builtin, given: Sequence[Code]) -> MapItem | None:
    """The type of the map that a function returns for its arguments; None if unknown."""
    if builtin.uri != _MAP:
        return None
    base = given[0].item
    match builtin.local:
        case "put" if isinstance(base, MapItem):
            return with_entry(base, given[1], given[2])
        case "remove" if isinstance(base, MapItem):
            return base
        case "entry":
            return with_entry(MapItem(AtomicItem(at.ERROR), SequenceType(AtomicItem(at.ERROR))), given[0], given[1])
        case "merge" if isinstance(base, MapItem) and len(given) == 1:
            return base
    return None


def with_entry(kind: MapItem, key: Code, value: Code) -> MapItem:
    """The map type of a map with one more entry."""
    if kind.key is None or kind.value is None:
        return MapItem()
    return MapItem(union_item(kind.key, AtomicItem(key.atomic or at.ANY_ATOMIC)), union_type(kind.value, value.type))
