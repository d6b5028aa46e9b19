"""The treatment of complete elements in the scan, as plain tuples for the kernel.

The word at the start of each says what it is; `kernel/src/bindings/template.rs` reads them.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TypeAlias

from xylem.plan.kernel_expression import (
    AxisOf,
    Call,
    Calling,
    EachItem,
    EachMember,
    EachNode,
    EachOf,
    EachTuple,
    FoldValues,
    Formatted,
    Gathering,
    Given,
    GivenLookup,
    Invoke,
    IsKind,
    Json,
    JsonArray,
    JsonChoice,
    JsonMap,
    JsonMember,
    JsonPath,
    JsonValue,
    KernelExpression,
    KeyedValues,
    LetValue,
    Lookup,
    Matching,
    Members,
    Named,
    NameOf,
    NodesOf,
    SlotValue,
    SomeMembers,
    SortedValues,
    Tests,
    Try,
    TupleOf,
    WindowBounds,
    WindowsOf,
)
from xylem.plan.kernel_expression import Constant as Value
from xylem.plan.result_template import (
    Alike,
    Apply,
    Cell,
    Characters,
    Computed,
    Construct,
    CopiedAttributes,
    CopiedItems,
    Copies,
    Counting,
    Each,
    EachBinding,
    EachNodeOf,
    EachValue,
    Functions,
    Hole,
    Items,
    Keyed,
    Let,
    Numbered,
    Order,
    Part,
    Path,
    Remark,
    Row,
    Sorted,
    Tally,
    Template,
    Values,
    When,
    WhenFilled,
)
from xylem.plan.scan_plan import ValueTest
from xylem.plan.scan_table import ScanKey, ScanTable
from xylem.values.strings import UntypedAtomic

from .picture_tuples import picture_tuple

ValueTestTuple: TypeAlias = tuple[
    list[tuple[str | None, str | None]], bool, tuple[str, str] | None, str, str | None, float | None
]
"""The type in the kernel's stub."""


def value_test_tuple(test: ValueTest) -> ValueTestTuple:
    """A test of values."""
    return list(test.path), test.text, test.attribute, test.op, test.string, test.number


def result_tuple(result: Template | Tally | ScanTable) -> tuple[object, ...] | None:
    """A template, a tally, or a table; None for a table whose values are not known."""
    if isinstance(result, ScanTable):
        if not result.is_settled:
            return None
        keys = [(expression_tuple(key.value), _domain(key)) for key in result.keys]
        parts = [(part.function, None if part.value is None else expression_tuple(part.value)) for part in result.parts]
        return "table", keys, parts, [value_test_tuple(test) for test in result.tests]
    if isinstance(result, Tally):
        of = None if result.of is None else (int(result.of), result.attribute)
        return "tally", _path(result.path), of
    return "template", part_tuples(result)


def _domain(key: ScanKey) -> tuple[object, ...] | None:
    return None if key.is_found else (key.first, key.last, key.numbers, key.strings)


def part_tuples(parts: tuple[Part, ...]) -> list[tuple[object, ...]]:
    """The parts of a template."""
    return [_part(part) for part in parts]


def _part(part: Part) -> tuple[object, ...]:
    match part:
        case Characters(text=text):
            return "characters", text
        case Values(of=of, separator=separator, at_most_one=at_most_one):
            return "values", part.up, _path(part.path), (int(of), part.attribute), separator, at_most_one
        case Computed(value=value):
            return "computed", expression_tuple(value)
        case Hole(number=number, arguments=arguments):
            return "hole", number, [expression_tuple(argument) for argument in arguments]
        case Copies(path=path, up=up, below=below, around=around):
            return "copies", up, _path(path), below, int(around)
        case Construct(name=name, attributes=attributes, content=content, copied=copied):
            values = [(key, part_tuples(pieces)) for key, pieces in attributes]
            called = name if isinstance(name, str) else expression_tuple(name)
            return "construct", called, _copied(copied), values, part_tuples(content)
        case WhenFilled(test=hole, parts=parts, otherwise=otherwise):
            return "when-filled", *_part(hole)[1:], part_tuples(parts), part_tuples(otherwise)
        case Numbered(slot=slot, parts=parts):
            return "numbered", slot, part_tuples(parts)
        case When(test=test, parts=parts, otherwise=otherwise):
            return "when", expression_tuple(test), part_tuples(parts), part_tuples(otherwise)
        case Let(slot=slot, value=value):
            return "let", slot, expression_tuple(value)
        case EachValue(slot=slot, values=of, parts=parts, position=position, are_few=are_few):
            return "each-value", slot, expression_tuple(of), part_tuples(parts), position, are_few
        case Each(path=path, parts=parts, up=up, counting=counting, are_few=are_few):
            return "each", up, _path(path), part_tuples(parts), _counting(counting), are_few
        case EachNodeOf(nodes=nodes, parts=parts, position=position, are_few=are_few):
            return "each of", position, expression_tuple(nodes), part_tuples(parts), are_few
        case EachBinding(tuples=tuples, parts=parts, are_few=are_few):
            return *_tuples(tuples), part_tuples(parts), are_few
        case Remark(value=value, target=target):
            return "remark", target, expression_tuple(value)
        case Items(items=items, around=around):
            return "items", expression_tuple(items), int(around)
        case Functions(bodies=bodies, parts=parts):
            return "functions", [part_tuples(body) for body in bodies], part_tuples(parts)
        case Apply(function=function, path=path, up=up, below=below):
            return "apply", up, _path(path), function, below
        case Alike(up=up, content=content, copied=copied):
            return "alike", up, _copied(copied), part_tuples(content)
        case Sorted(orders=orders, parts=parts):
            return "sorted", _orders(orders), part_tuples(parts)
        case Keyed(keys=keys, parts=parts):
            return "keyed", [expression_tuple(key) for key in keys], part_tuples(parts)
        case Row(cells=cells):
            return "row", [_cell(cell) for cell in cells]
        case Cell():
            raise ValueError("a cell stands in a row")


def _cell(cell: Cell) -> tuple[object, ...]:
    content: tuple[object, ...] | None
    if cell.reading == "count":
        assert isinstance(cell.content, Values)
        content = "count", cell.content.up, _path(cell.content.path), (int(cell.content.of), cell.content.attribute)
        return content, ("integer", 64), False, None
    content = None if cell.content is None else _part(cell.content)
    return content, (cell.reading, cell.bits), cell.is_list, cell.missing


def expression_tuple(expression: KernelExpression) -> tuple[object, ...]:
    """An expression of the kernel."""
    match expression:
        case Value(value=value):
            return _constant(value)
        case NodesOf(path=path, of=of, attribute=attribute, up=up):
            return "nodes", up, _path(path), None if of is None else (int(of), attribute)
        case AxisOf(axis=axis, kind=kind, uri=uri, local=local, up=up):
            return "axis", up, axis, kind, uri, local
        case Calling(bodies=bodies, inner=inner):
            return "calling", [expression_tuple(body) for body in bodies], expression_tuple(inner)
        case Invoke(function=number, slots=slots, arguments=arguments):
            return "invoke", number, list(zip(slots, map(expression_tuple, arguments), strict=True))
        case Named(uri=uri, local=local, up=up):
            return "named", up, uri, local
        case SlotValue(slot=slot):
            return "variable", slot
        case Tests(tests=tests):
            return "tests", [value_test_tuple(test) for test in tests]
        case Call(function=function, arguments=arguments):
            return "call", function, [expression_tuple(argument) for argument in arguments]
        case EachNode(path=path, inner=inner, up=up, counting=counting, are_few=are_few):
            return "each", up, _path(path), expression_tuple(inner), _counting(counting), are_few
        case EachItem(slot=slot, values=values, inner=inner, position=position, are_few=are_few):
            return "each value", slot, expression_tuple(values), expression_tuple(inner), position, are_few
        case FoldValues(values=values, start=start, step=step):
            inside = [expression_tuple(each) for each in (values, start, step)]
            return "fold", expression.so_far, expression.item, *inside
        case SortedValues(orders=orders, inner=inner):
            return "sorted", _orders(orders), expression_tuple(inner)
        case KeyedValues(keys=keys, inner=inner):
            return "keyed", [expression_tuple(key) for key in keys], expression_tuple(inner)
        case EachOf(nodes=nodes, inner=inner, position=position, are_few=are_few):
            return "each of", position, expression_tuple(nodes), expression_tuple(inner), are_few
        case TupleOf(keys=keys, values=values):
            return "tuple", [expression_tuple(key) for key in keys], [expression_tuple(value) for value in values]
        case EachTuple(tuples=tuples, inner=inner, are_few=are_few):
            return *_tuples(tuples), expression_tuple(inner), are_few
        case IsKind(kind=kind, up=up):
            return "kind", up, kind
        case NameOf(whole=whole, up=up):
            return "name", up, whole
        case LetValue(slot=slot, value=computed, inner=inner):
            return "let", slot, expression_tuple(computed), expression_tuple(inner)
        case Matching(function=function, pattern=pattern, ascii_only=ascii_only, value=inner, replacement=pieces):
            texts = [(piece, 0) if isinstance(piece, str) else ("", piece + 1) for piece in pieces]
            return "matching", pattern, ascii_only, function, texts, expression_tuple(inner)
        case Formatted(picture=picture, value=inner):
            return "formatted", picture_tuple(picture), expression_tuple(inner)
        case Lookup(entries=entries, is_test=is_test, key=key):
            constants = [(text, [expression_tuple(value) for value in values]) for text, values in entries]
            return "lookup", constants, is_test, expression_tuple(key)
        case Try(tried=tried, otherwise=otherwise):
            return "try", expression_tuple(tried), expression_tuple(otherwise)
        case JsonPath(text=inner, steps=steps, raw=raw):
            return "json path", expression_tuple(inner), list(steps), raw
        case Json(value=json):
            return "json", _json(json)
        case Given(function=function) | GivenLookup(function=function):
            raise ValueError(f"{function} has no value yet")


def _tuples(tuples: Gathering | WindowsOf) -> tuple[object, ...]:
    match tuples:
        case Gathering(orders=orders, slots=slots, tuples=gathered, position=position):
            made = None if orders is None else _orders(orders)
            return "gathered", made, list(slots), position, expression_tuple(gathered)
        case WindowsOf(are_sliding=sliding, slot=slot, items=items, start=start, end=end, only_ended=only):
            return "windows", sliding, slot, only, expression_tuple(items), _bounds(start), _bounds(end)


def _bounds(bounds: WindowBounds | None) -> tuple[object, ...] | None:
    return None if bounds is None else (list(bounds.slots), expression_tuple(bounds.when))


def _copied(copied: tuple[CopiedAttributes | CopiedItems, ...]) -> list[tuple[object, ...]]:
    return [
        expression_tuple(each.items) if isinstance(each, CopiedItems) else (each.up, _path(each.path), each.name)
        for each in copied
    ]


def _counting(counting: Counting | None) -> tuple[object, ...] | None:
    if counting is None:
        return None
    return counting.slot, None if counting.test is None else expression_tuple(counting.test)


def _orders(orders: tuple[Order, ...]) -> list[tuple[bool, bool]]:
    return [(order.descending, order.empty_greatest) for order in orders]


def _json(value: JsonValue) -> tuple[object, ...]:
    match value:
        case JsonMap(entries=entries):
            return "map", [(key, _json(inner)) for key, inner in entries]
        case JsonArray(members=members):
            return "array", [_member(member) for member in members]
        case JsonChoice(test=test, then=then, otherwise=otherwise):
            return "when", expression_tuple(test), _json(then), _json(otherwise)
    return "value", expression_tuple(value)


def _member(member: JsonMember) -> tuple[object, ...]:
    match member:
        case Members(values=values):
            return "values", expression_tuple(values)
        case EachMember(path=path, members=inner, up=up):
            return "each", up, _path(path), [_member(each) for each in inner]
        case SomeMembers(test=test, members=inner, otherwise=otherwise):
            branches = [[_member(each) for each in members] for members in (inner, otherwise)]
            return "when", expression_tuple(test), *branches
    return "one", _json(member)


def _constant(value: str | int | Decimal | float | bool | UntypedAtomic) -> tuple[object, ...]:
    if isinstance(value, UntypedAtomic):
        return "untyped", str(value)
    if isinstance(value, bool):
        return "boolean", value
    if isinstance(value, Decimal):
        return "decimal", format(value, "f")
    return "string" if isinstance(value, str) else "integer" if isinstance(value, int) else "double", value


def _path(path: Path) -> list[tuple[str | None, str | None, bool]]:
    return [(step.uri, step.local, step.descends) for step in path]
