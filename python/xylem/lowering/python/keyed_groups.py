"""Code that feeds tables of accumulators by key, and code that reads their values (`plan/keyed_groups.py`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from xylem.analysis.types import sequence_type
from xylem.errors import XylemError
from xylem.functions.registry import FN
from xylem.functions.traits import COUNTS, GROWS
from xylem.plan.effects import Effect
from xylem.plan.keyed_groups import FOUND, FOUND_KEYS, GROUPS, KEY, OF, OF_EACH, VALUE
from xylem.plan.note import Note
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values.sequence_type import ANY_SEQUENCE, AtomicItem, Occurrence, SequenceType

from .code import Code, Shape, one
from .scope import Focus, Scope

if TYPE_CHECKING:
    from xylem.run.stream.keyed_groups import TableSpec

    from .compiler import Compiler
    from .folds import Fold


@dataclass(frozen=True)
class GroupKey:
    """A key of a table: the values of a record, in terms of its variable."""

    kind: str
    is_single: bool
    value: ast.Expr
    items: ast.Expr | None


@dataclass(frozen=True)
class GroupPart:
    """An aggregate of a table: the value computed from a record."""

    function: str
    taken: ast.Expr
    parameter: str = ""
    fold: Fold | None = None


@dataclass(frozen=True)
class Grouping:
    """A table without its records."""

    keys: tuple[GroupKey, ...]
    parts: tuple[GroupPart, ...]


def grouping_of(call: ast.FunctionCall, record: ast.VarRef) -> tuple[ast.Expr, Grouping] | None:
    """The records of a table, the values it keeps and the variable of a record; None for other calls."""
    if call.name.expanded != GROUPS.expanded:
        return None
    from xylem.rewrite.substitution import Substitution

    match call.arguments:
        case (records, ast.SquareArray(members=keys), ast.SquareArray(members=aggregates)):
            pass
        case _:
            return None
    found = []
    for key in keys:
        assert isinstance(key, ast.SquareArray)
        kind, function, *items = key.members
        assert isinstance(kind, ast.StringLiteral) and isinstance(function, ast.InlineFunction)
        value = Substitution({function.parameters[0].name.expanded: record}).apply(function.body)
        found.append(
            GroupKey(kind.value.removesuffix(", one"), kind.value.endswith(", one"), value, items[0] if items else None)
        )
    parts = tuple(_part(aggregate, record) for aggregate in aggregates)
    return records, Grouping(tuple(found), parts)


def _part(aggregate: ast.Expr, record: ast.VarRef) -> GroupPart:
    """function($records) { count(for $r in $records return E($r)) } as E of the record."""
    from xylem.rewrite.substitution import Substitution

    from .folds import fold_of

    assert isinstance(aggregate, ast.InlineFunction) and isinstance(aggregate.body, ast.FunctionCall)
    function, (argument, *more) = aggregate.body.name.local, aggregate.body.arguments
    taken: ast.Expr = record
    if isinstance(argument, ast.Flwor):
        first = argument.clauses[0]
        assert isinstance(first, ast.ForClause)
        if len(argument.clauses) > 1:
            taken = replace(argument, clauses=(replace(first, collection=record), *argument.clauses[1:]))
        else:
            taken = Substitution({first.name.expanded: record}).apply(argument.result)
    if function == "fold-left":
        fold = fold_of(more[0], more[1])
        assert fold is not None
        return GroupPart(function, taken, fold=fold)
    parameter = more[0].value if more and isinstance(more[0], ast.StringLiteral) else ""
    return GroupPart(function, taken, parameter)


def table_spec(c: Compiler, grouping: Grouping) -> TableSpec:
    """The description from which a run creates a table; writes the functions for its items and zeros."""
    from xylem.run.stream.keyed_groups import KeySpec, PartSpec, TableSpec

    keys = []
    for key in grouping.keys:
        items = None if key.items is None else written_value(c, "turns", key.items, atomize=True)
        keys.append(KeySpec(key.kind, key.is_single, items))
    parts = []
    for part in grouping.parts:
        zero = None if part.fold is None else written_zero(c, part.fold)
        parts.append(PartSpec(part.function, part.parameter, zero))
    return TableSpec(tuple(keys), tuple(parts))


def written_value(c: Compiler, stem: str, value: ast.Expr, *, atomize: bool = False) -> str:
    """A function for a value that depends only on the prolog."""
    with c.writer.function(stem, [], c.describe(value)) as frame, c.scoped(Scope({}, Focus(None))):
        code = c.compile(value)
        c.writer.line(f"return {c.as_sequence(c.atomized(code) if atomize else code)}")
    return frame.name


def written_zero(c: Compiler, fold: Fold) -> str:
    """A function for the initial value of a fold, converted to the type of all its values."""
    with c.writer.function("zero", [], c.describe(fold.zero)) as frame, c.scoped(Scope({}, Focus(None))):
        code = c.compile(fold.zero)
        if fold.type is not None:
            code = c.converted(code, sequence_type(fold.type), "the first value of a fold")
        c.writer.line(f"return {c.as_sequence(code)}")
    return frame.name


def write_cells(c: Compiler, grouping: Grouping) -> None:
    """The lines that add a record, whose variable is declared, to the table `into`; they exit by `return`."""
    cell = c.writer.fresh("cell")
    if all(key.kind in FOUND_KEYS for key in grouping.keys):
        values = [c.as_sequence(c.atomized(c.compile(key.value))) for key in grouping.keys]
        if not any(key.kind == OF_EACH for key in grouping.keys):
            c.writer.line(f"{cell} = into.group({', '.join(values)})")
            _write_parts(c, grouping, cell)
            return
        c.writer.line(f"for {cell} in into.groups_of_each({', '.join(values)}):")
        with c.writer.indented(block=True), c.scoped():
            _write_parts(c, grouping, cell)
        return
    names = []
    for number, key in enumerate(grouping.keys):
        name = c.writer.fresh("key")
        names.append(name)
        c.writer.line(f"{name} = into.keys[{number}]({c.as_iterable(c.atomized(c.compile(key.value)))})")
        c.writer.line(f"if not {name}:")
        with c.writer.indented(block=True):
            c.writer.line("return")
    c.writer.line(f"for {cell} in into.reached(({', '.join(names)},)):")
    with c.writer.indented(block=True), c.scoped():
        _write_parts(c, grouping, cell)


def _write_parts(c: Compiler, grouping: Grouping, cell: str) -> None:
    for number, part in enumerate(grouping.parts):
        target = f"{cell}[{number}]"
        if (FN, part.function) not in GROWS:
            _write_part(c, part, target)
            continue
        held = c.writer.fresh("held")
        c.writer.line(f"{held} = {target}.held_bytes")
        _write_part(c, part, target)
        c.writer.line(f"into.held_bytes += {target}.held_bytes - {held}")


def _write_part(c: Compiler, part: GroupPart, target: str) -> None:
    error = c.writer.fresh("error")
    c.writer.line("try:")
    with c.writer.indented(block=True), c.scoped():
        code = c.compile(part.taken)
        if part.fold is not None:
            from .folds import write_fold

            write_fold(c, part.fold, code, target)
        elif (FN, part.function) in COUNTS:
            c.writer.line(f"{target}.add({c.as_iterable(code)})")
        else:
            c.writer.line(f"{target}.add({c.as_iterable(c.atomized(code))})")
    c.writer.line(f"except {c.rt(XylemError)} as {error}:")
    with c.writer.indented(block=True):
        c.writer.line(f"{target}.fail({error})")


def compile_value(c: Compiler, groups: ast.Expr, number: ast.Expr, turn: ast.Expr) -> Code:
    """pass:value: the value of an aggregate for a turn of the loops."""
    assert isinstance(number, ast.IntegerLiteral) and isinstance(turn, ast.SquareArray)
    table = c.compile(groups)
    keys = [c.as_one(c.atomized(c.compile(key)), "the value of a loop") for key in turn.members]
    text = f"{c.as_one(table, 'a table')}.value({number.value - 1}, ({', '.join(keys)},))"
    return Code(text, Shape.SEQUENCE, ANY_SEQUENCE)


def compile_groups(c: Compiler, records: ast.Expr, keys: ast.Expr, aggregates: ast.Expr) -> Code:
    """pass:groups over records in memory: used if a stream could not be cut into them."""
    from xylem.run.stream.keyed_groups import KeyedGroups

    record = ast.VarRef(ast.Name("record of a table", None, ""))
    found = grouping_of(ast.FunctionCall(GROUPS, (records, keys, aggregates)), record)
    assert found is not None
    _, grouping = found
    spec = table_spec(c, grouping)
    items = c.compile(records)
    with c.writer.function("feed", ["into", "item"], "") as frame, c.scoped(Scope({}, Focus(None))):
        c.declare(record.name.expanded, one("item", items.item, simple=True))
        write_cells(c, grouping)
    table = c.writer.fresh("table")
    constant = c.writer.constant(spec, "TABLE", key=spec)
    c.writer.line(f"{table} = {c.rt(KeyedGroups)}({constant}, {c.context()}, globals())")
    c.writer.line(f"for item in {c.as_iterable(items)}:")
    with c.writer.indented(block=True):
        c.writer.line(f"{frame.name}({table}, item)")
    return one(table, items.item, simple=True)


def compile_found(c: Compiler, groups: ast.Expr) -> Code:
    """pass:found: the groups of a table."""
    c.writer.notes.append(Note(groups.span, Effect.HOLDS.value, "of each group its keys and aggregates"))
    return Code(f"{c.as_one(c.compile(groups), 'a table')}.found()", Shape.SEQUENCE, ANY_SEQUENCE)


def compile_key(c: Compiler, group: ast.Expr, number: ast.Expr) -> Code:
    """pass:key: the value of a grouping key."""
    assert isinstance(number, ast.IntegerLiteral)
    text = f"{c.as_one(c.compile(group), 'a group')}.keys[{number.value - 1}]"
    return Code(text, Shape.SEQUENCE, SequenceType(AtomicItem(at.ANY_ATOMIC), Occurrence.OPTIONAL))


def compile_of_group(c: Compiler, group: ast.Expr, number: ast.Expr) -> Code:
    """pass:of: the value of an aggregate of a group."""
    assert isinstance(number, ast.IntegerLiteral)
    text = f"{c.as_one(c.compile(group), 'a group')}.of({number.value - 1})"
    return Code(text, Shape.SEQUENCE, ANY_SEQUENCE)


INTRINSICS: dict[tuple[str, str, int], Callable[..., Code]] = {
    (*VALUE.expanded, 3): compile_value,
    (*GROUPS.expanded, 3): compile_groups,
    (*FOUND.expanded, 1): compile_found,
    (*KEY.expanded, 2): compile_key,
    (*OF.expanded, 2): compile_of_group,
}
