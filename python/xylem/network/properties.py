"""The properties of a query's stream: its source, its records, the paths it keeps and the result it builds from them.

A query is a filter, which keeps the structure of records, followed by a transformation (thesis 2.3.2). Other queries
can use the stream of the filter: records where σ holds, with only the paths of π.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Any

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.focus import reads_focus
from xylem.analysis.projection import NotProjectable, Projection, project
from xylem.analysis.reached_declarations import reached_declarations
from xylem.analysis.readable_names import with_readable_names
from xylem.analysis.resolved_module import resolved_module
from xylem.analysis.static_context import StaticContext
from xylem.functions.registry import PREFIXES
from xylem.plan.flux import ROOT
from xylem.rewrite.forward_axes import forward
from xylem.rewrite.inline_prolog import inline_prolog
from xylem.rewrite.source import is_named_source, read_from_root, stream_source
from xylem.rewrite.substitution import FocusInTheWay, Substitution, variable
from xylem.schema.constraints import ElementConstraints, Schema
from xylem.schema.symbols import element_symbol
from xylem.syntax import ast, print_query

from .conditions import zones_of
from .constants import constants_of
from .moments import Moment
from .projections import copied
from .record_facts import RECORD, Names, RecordFacts, as_of_focus, record_constraints
from .record_places import ANYWHERE, without_descents
from .record_reads import Conditions, NotShared, RecordReads
from .record_spellings import spelled_for_records
from .value_ranges import Ranges, ranges_of_all, ranges_of_each
from .window_properties import Windowed, windowed
from .zones import ALWAYS, Opaque, TooMany, Zone, Zones, both

_DOWNWARD = ("attribute", "child", "descendant", "descendant-or-self", "self")
MOST_STEPS = 12
"""Records deeper than this are not searched for."""


@dataclass(frozen=True)
class Properties:
    """The part of a stream that a query uses, which is also the content of its own stream."""

    source: str
    """The call that names the stream; empty for the context item."""
    record: Names
    """The element names on the path to a record, including its own."""
    conditions: Conditions
    """σ: all must hold, as written in the query; `$record` stands for a record."""
    condition_zones: tuple[Zones, ...]
    """Each of them as zones."""
    zones: Zones
    """The zones in which all of them hold."""
    projection: Projection
    """π: the paths of a record that the transformation reads; not those read only by σ."""
    module: ast.MainModule
    """The query with resolved names and its body over $ROOT."""
    facts: RecordFacts
    single_around: int = 1
    """Number of elements on the path to a record that occur at most once."""
    uses: tuple[Conditions, ...] = ()
    """The conditions at each place that takes records."""
    windowed: Windowed | None = None
    """α: windows and the aggregates over each, if the query is nothing else."""

    @property
    def path(self) -> str:
        return "".join(f"{'//' if uri == ANYWHERE else '/'}{local}" for uri, local in self.record)

    @cached_property
    def ranges(self) -> Ranges:
        """Where single values of all its records lie."""
        return ranges_of_all(self.zones)

    @cached_property
    def asked_ranges(self) -> tuple[Ranges, ...]:
        """Where single values may lie, in each of the zones."""
        return ranges_of_each(self.zones)

    def without(self, conditions: Iterable[ast.Expr]) -> ast.Expr:
        """The query over $ROOT without some of its conditions, if they are known to hold."""
        return self.reader(conditions).read(self.module.body)

    def reader(self, without: Iterable[ast.Expr] | None = None) -> RecordReads:
        """Reads expressions of the query; without all its conditions, unless some are named."""
        left_out = frozenset(condition for use in self.uses for condition in use) if without is None else without
        constants = _constants(self.module.prolog)
        return RecordReads(self.record, self.facts, constants, frozenset(left_out), single_around=self.single_around)

    def needed(
        self,
        conditions: Iterable[ast.Expr],
        given: Collection[ast.Expr] = (),
        texts: Collection[ast.Expr] = (),
        contents: Collection[ast.Expr] = (),
    ) -> Projection:
        """The paths that the transformation and these conditions read, apart from given values.

        Of some only the text is given, and some only as they are written into an element.
        """
        found = copied(self.projection)
        if given or texts or contents:
            reader = self.reader(self.common)
            reader.given = frozenset(given)
            reader.given_texts, reader.given_contents = frozenset(texts), frozenset(contents)
            found = _projection(reader.read(self.module.body), self.record)
        for condition in conditions:
            rest = replaced(condition, lambda node: ast.SequenceExpr() if node in given else None)
            project(rest, {RECORD.expanded: found})
        return found

    @property
    def common(self) -> list[ast.Expr]:
        """The conditions shared by all uses."""
        return _common(list(self.uses))

    def to_dict(self) -> dict[str, Any]:
        told: dict[str, Any] = {
            "source": self.source or "the input",
            "records": self.path,
            "where": [condition_text(one) for one in self.conditions],
            "paths": self.projection.paths(),
        }
        if self.windowed is not None:
            told["windows"] = self.windowed.to_dict()
        return told


def condition_text(condition: ast.Expr) -> str:
    """A condition in the form of a predicate on the record: en > 1.3."""

    def prefixed(node: ast.Node) -> ast.Node | None:
        if isinstance(node, ast.Name) and node.prefix is None and node.uri in _PREFIXES:
            return replace(node, prefix=_PREFIXES[node.uri])
        return None

    readable = with_readable_names(replaced(as_of_focus(condition), prefixed))
    return " ".join(print_query(readable).split())


_PREFIXES = {uri: prefix for prefix, uri in PREFIXES.items() if prefix != "fn"}


def properties_of(
    module: ast.Module,
    schema: Schema | None = None,
    *,
    record: Names | None = None,
    environment: StaticContext | None = None,
    anywhere: bool = False,
) -> Properties:
    """The properties of a query; NotShared with the reason if others cannot use any.

    `record` names the elements that are records of the stream. Without it they are the first elements that a schema
    lets occur more than once; without a schema, the children of the root element. With `anywhere` they may also be
    the elements of a name at whatever depth, `//photon`: they can be compared, and no log has them as its records.
    """
    if any(isinstance(one, ast.OptionDecl) and one.name.local == "code" for one in module.prolog):
        # Functions with the same name may have different code.
        raise NotShared("it brings code of its own")
    module = resolved_module(module, environment)
    if not isinstance(module, ast.MainModule):
        raise NotShared("a library module has no answer")
    if any(isinstance(one, _NOT_COMPARED) for one in module.prolog):
        raise NotShared("a collation or context item of its own, imported modules and statements are not compared")
    body = inline_prolog(module.body, list(module.prolog))
    _check_declarations(body, module.prolog)
    named = stream_source(body)
    source = "" if named is None else print_query(named)
    if named is not None:
        body = read_from_root(body, named)
    body = spelled_for_records(body, module.prolog)
    try:
        body = Substitution({}, variable(ROOT), variable(ROOT)).apply(body)
    except FocusInTheWay:
        raise NotShared("it asks for the input in a way that is not understood here") from None
    # Where a schema gives a path instead of `//`, a step back from its end is one to a known element.
    body = forward(without_descents(body, schema, anywhere=anywhere))
    for step in body.walk():
        if isinstance(step, ast.AxisStep) and step.axis not in _DOWNWARD:
            raise NotShared(f"the {step.axis} axis may lead from a record to others, or to what is around them", step)
    record = record or _record_of(body, schema)
    facts = RecordFacts(record_constraints(schema, record))
    constants = _constants(module.prolog)
    single = _single_around(record, schema)
    reads = RecordReads(record, facts, constants, single_around=single)
    reads.read(body)
    if not reads.uses:
        raise NotShared("it reads no records")
    common = _common(reads.uses)
    transformation = RecordReads(record, facts, constants, frozenset(common), single_around=single).read(body)
    conditions = (*common, *_alternatives(reads.uses, common))
    condition_zones = tuple(zones_of(condition, facts) for condition in conditions)
    projection = _projection(transformation, record)
    found: Windowed | None = None
    if len(reads.uses) == 1:
        without = frozenset(reads.uses[0])
        plain = RecordReads(record, facts, constants, without, single_around=single).read(body)
        found = windowed(plain, record, facts)
    zones = _all_hold(conditions, condition_zones)
    made = replace(module, body=body)
    uses = tuple(reads.uses)
    return Properties(source, record, conditions, condition_zones, zones, projection, made, facts, single, uses, found)


def _single_around(record: Names, schema: Schema | None) -> int:
    """The number of elements above a record that occur at most once: the root, and others by the schema."""
    (uri, local), here = record[0], None
    if schema is not None:
        here = schema.document().child(element_symbol(local, uri))
    single = 1
    for uri, local in record[1:-1]:
        step = element_symbol(local, uri)
        if here is None or not here.at_most_once(step):
            break
        here = here.child(step)
        single += 1
    return single


def _all_hold(conditions: Conditions, each: tuple[Zones, ...]) -> Zones:
    """The zones in which all conditions hold. A condition with too many zones is only compared by its form."""
    zones = ALWAYS
    for condition, its_zones in zip(conditions, each, strict=True):
        try:
            zones = both(zones, its_zones)
        except TooMany:
            zones = both(zones, (Zone(atoms=frozenset({(Opaque(condition), True)})),))
    return zones


_NOT_COMPARED = (ast.DefaultCollationDecl, ast.ModuleImport, ast.ExecutionDecl, ast.ContextItemDecl)


def _check_declarations(body: ast.Expr, prolog: Iterable[ast.Declaration]) -> None:
    """NotShared if a function or a variable reads the input indirectly, or errors are caught."""
    for part in (body, *reached_declarations([body], prolog)):
        for node in part.walk():
            if isinstance(node, ast.TryCatch):
                # A filtered-out record raises no error, so its handler would not run.
                raise NotShared("it catches errors, which records that are filtered out do not raise", node)
            if part is not body and isinstance(node, ast.FunctionCall) and is_named_source(node):
                raise NotShared("a declaration reads the stream", node)
        if isinstance(part, ast.VariableDecl) and part.value is not None and reads_focus(part.value):
            raise NotShared(f"the variable ${part.name.local} is computed from the input", part)


def _constants(prolog: Iterable[ast.Declaration]) -> dict[tuple[str, str], ast.Expr]:
    """Global variables that are constants: literals, and values computed from literals."""
    found: dict[tuple[str, str], ast.Expr] = {}
    for one in prolog:
        if not isinstance(one, ast.VariableDecl) or one.external or one.value is None:
            continue
        value = Substitution(found).apply(one.value)
        constants = constants_of(value)
        if constants is not None and (one.type is None or _has_type(constants, one.type)):
            found[one.name.expanded] = value
    return found


def _has_type(constants: list[Any], kind: ast.SequenceTypeNode) -> bool:
    """Whether constants have a declared type without conversion."""
    if not isinstance(kind.item, ast.AtomicType) or kind.item.name.uri != PREFIXES["xs"]:
        return False
    if len(constants) != 1 and kind.occurrence not in ("*", "+"):
        return False
    local = kind.item.name.local
    types = {"integer": (int,), "decimal": (int, Decimal), "double": (float,), "string": (str,)}
    return all(
        one.type == local if isinstance(one, Moment) else isinstance(one, types.get(local, ())) for one in constants
    )


def _common(uses: list[Conditions]) -> list[ast.Expr]:
    """The conditions of all uses, in the order of the first."""
    shared = set(uses[0]).intersection(*uses[1:])
    return [condition for condition in dict.fromkeys(uses[0]) if condition in shared]


def _alternatives(uses: list[Conditions], common: list[ast.Expr]) -> Conditions:
    """The further conditions of the uses as one disjunction; empty if some use has no further condition."""
    options: list[ast.Expr] = []
    for use in uses:
        rest = [condition for condition in use if condition not in common]
        if not rest:
            return ()
        made = rest[0]
        for condition in rest[1:]:
            made = ast.And(made, condition)
        if made not in options:
            options.append(made)
    whole = options[0]
    for option in options[1:]:
        whole = ast.Or(whole, option)
    return (whole,)


def _projection(transformation: ast.Expr, record: Names) -> Projection:
    """The parts of a record that the query needs; NotShared if it needs anything else."""
    here = _projected(transformation)
    for names in record:
        if here.attributes or here.all_attributes or here.text or here.string or here.subtree:
            raise NotShared("it reads more than the records: what is around them")
        if here.children.keys() - {("child", *names)}:
            raise NotShared("it reads more than the records: what is beside them")
        here = here.child("child", *names)
    return here


def _projected(query: ast.Expr) -> Projection:
    root = Projection()
    try:
        project(query, {("", ROOT): root})
    except NotProjectable as found:
        raise NotShared(found.why, found.node) from None
    if any(node.above is not None for node in _all(root)):
        raise NotShared("it looks from a record to what is around it")
    return root


def _all(projection: Projection) -> Iterable[Projection]:
    yield projection
    for below in projection.children.values():
        yield from _all(below)


def _record_of(body: ast.Expr, schema: Schema | None) -> Names:
    """The path to the records that a query reads."""
    here = _projected(body)
    names: list[tuple[str, str]] = []
    constraints: ElementConstraints | None = None if schema is None else schema.document()
    while len(names) < MOST_STEPS:
        if len(here.children) != 1:
            break
        (axis, uri, local), below = next(iter(here.children.items()))
        if axis != "child" or uri is None or local is None:
            break
        names.append((uri, local))
        here = below
        if uri == ANYWHERE:
            break
        if schema is None:
            if len(names) == 2:
                break
            continue
        step = element_symbol(local, uri)
        if constraints is None or not constraints.at_most_once(step):
            break
        constraints = constraints.child(step)
    if not names:
        raise NotShared("its records are not children of one element that a path of names leads to")
    return tuple(names)


__all__ = ["NotShared", "Properties", "condition_text", "properties_of"]
