"""A query on its way to other processes: its text and what it was given, and the program made of it where it arrives.

Compiled code does not travel; every process compiles the text once and keeps the program for the tasks to come. So
library modules travel as text too, and documents among the variables as XML.
"""

from __future__ import annotations

import uuid
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from xylem.analysis.event_time import EventTime
from xylem.functions.external import DEFAULT_FUNCTIONS, ExternalFunction
from xylem.functions.late_items import LateItems
from xylem.pipeline import StaticEnvironment, compile_distributed, compile_query
from xylem.plan.distribution import InputOf
from xylem.query.external_names import check_values, external_names
from xylem.run.program import current_time
from xylem.run.tasks.program import DistributedProgram
from xylem.schema.constraints import Schema
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.source.module_files import ModuleFiles
from xylem.source.replay import Replay
from xylem.source.resources import FileResources
from xylem.values.datetimes import DateTime
from xylem.values.node import DOCUMENT, Node
from xylem.values.python_values import sequence_from_python

KEPT_PROGRAMS = 8


@dataclass(frozen=True)
class ShippedDocument:
    """A node among the values of variables, as XML."""

    xml: str
    uri: str | None
    is_document: bool


@dataclass(frozen=True)
class ShippedQuery:
    """All that a task must know of a query and its run."""

    text: str
    name: str = "query"
    base_uri: str | None = None
    modules: tuple[tuple[str, str], ...] = ()
    """Library modules by location: their text."""
    functions: tuple[ExternalFunction, ...] = ()
    variables: Mapping[tuple[str, str], Sequence[Any]] = field(default_factory=dict)
    """By expanded name; nodes as ShippedDocument."""
    allow: tuple[str, ...] = ()
    environment: Mapping[str, str] | None = None
    now: DateTime | None = None
    limits: Limits = DEFAULT_LIMITS
    scanner: str = "auto"
    output: Mapping[str, str] = field(default_factory=dict)
    """Serialization parameters that go before those of the query."""
    several_documents: bool = False
    """The input is several documents: a leading `/` means each of them."""
    schema: Schema | None = None
    """What the input follows. It serves a query that is one task, which then holds less; parts need not follow it."""
    event_time: EventTime | None = None
    """Where items carry their times, where the query does not say so itself."""
    replay: Replay | None = None
    """Where the records of the input have their time, where it is replayed: the clock goes by it."""
    divides: bool = False
    """Items may be divided themselves, for documents that have a few large ones."""
    input_of: InputOf = InputOf.RUN
    keeps_windows: bool = False
    """The input is a stream in batches, and windows stay open from one to the next."""
    key: str = field(default_factory=lambda: uuid.uuid4().hex)
    """Tells processes that they have this query already."""

    def with_items(self) -> ShippedQuery:
        """The same, for rows that hold items: a method other than xml writes no text in tasks."""
        return replace(self, output={**self.output, "method": "adaptive"}, key=uuid.uuid4().hex)

    def divided(self) -> ShippedQuery:
        """The same, with items that may be divided themselves."""
        return replace(self, divides=True, key=uuid.uuid4().hex)

    def allowing(self, path: str) -> ShippedQuery:
        """The same, with one more file that doc() may read."""
        return replace(self, allow=(*self.allow, path), key=uuid.uuid4().hex)

    def with_input(self, input_of: InputOf) -> ShippedQuery:
        """The same over another input."""
        return replace(self, input_of=input_of, key=uuid.uuid4().hex)

    def environment_of_text(self, late_items: LateItems | None = None) -> StaticEnvironment:
        """What the text is compiled in; `late_items` is told of what comes too late for event time."""
        modules = dict(self.modules)
        return StaticEnvironment(
            name=self.name,
            base_uri=self.base_uri,
            modules=lambda uri, locations: [(location, modules[location]) for location in locations],
            external_functions=self.functions,
            event_time=self.event_time,
            late_items=late_items,
        )

    def late_items(self) -> LateItems:
        """What is told of late items by the program in this process."""
        return _arrived(self).late_items

    def program(self) -> DistributedProgram:
        """The program in this process."""
        return _arrived(self).program

    def options(self) -> dict[str, Any]:
        """What tasks and reductions are given; one set for each process, so that documents are read once."""
        return _arrived(self).options

    def seen(self) -> dict[str, Any]:
        """Those of the options that queries see: what merges, reductions and the answer are given."""
        return {name: value for name, value in self.options().items() if name != "limits"}


@dataclass
class _Arrived:
    program: DistributedProgram
    options: dict[str, Any]
    late_items: LateItems


_PROGRAMS: OrderedDict[str, _Arrived] = OrderedDict()


def _arrived(query: ShippedQuery) -> _Arrived:
    known = _PROGRAMS.get(query.key)
    if known is None:
        late_items = LateItems()
        known = _PROGRAMS[query.key] = _Arrived(_compiled(query, late_items), _options(query), late_items)
        while len(_PROGRAMS) > KEPT_PROGRAMS:
            _PROGRAMS.popitem(last=False)
    return known


def _compiled(query: ShippedQuery, late_items: LateItems) -> DistributedProgram:
    return compile_distributed(
        query.text,
        query.environment_of_text(late_items),
        query.schema,
        several_documents=query.several_documents,
        divides=query.divides,
        input_of=query.input_of,
        output=query.output,
        keeps_windows=query.keeps_windows,
    )


def _options(query: ShippedQuery) -> dict[str, Any]:
    return {
        "resources": FileResources(query.allow),
        "variables": {name: _unpacked(value) for name, value in query.variables.items()},
        "environment": query.environment,
        "now": query.now,
        "limits": query.limits,
    }


def shipped_query(
    text: str,
    *,
    variables: Mapping[str, Any] | None = None,
    functions: Iterable[ExternalFunction] | None = None,
    name: str = "query",
    base_uri: str | None = None,
    module_folders: Iterable[str | PathLike[str]] = (),
    allow: Iterable[str | PathLike[str]] = (),
    ignoring_case: bool = False,
    needs_values: bool = False,
    **others: Any,
) -> ShippedQuery:
    """A query ready to travel, from what a user gives; static errors are raised here.

    `variables` are Python values by the names a user writes, or by these in small letters; with `needs_values` one
    that is missing is an error here, and not where it is read. `others` are fields of ShippedQuery.
    """
    external = tuple(DEFAULT_FUNCTIONS if functions is None else functions)
    modules = _KeptModules(ModuleFiles(module_folders))
    environment = StaticEnvironment(
        name=name,
        base_uri=base_uri,
        modules=modules,
        external_functions=external,
        event_time=others.get("event_time"),
    )
    program = compile_query(text, environment)
    bound = {name: sequence_from_python(value) for name, value in (variables or {}).items()}
    names = external_names(program, bound, ignoring_case=ignoring_case)
    if needs_values:
        check_values(program, names.values())
    return ShippedQuery(
        text,
        name,
        base_uri,
        tuple(modules.texts.items()),
        external,
        {names[name]: _shippable(value) for name, value in bound.items()},
        tuple(str(Path(place).absolute()) for place in allow),
        now=current_time(),
        **others,
    )


class _KeptModules:
    """Finds library modules, and keeps their texts."""

    def __init__(self, found: ModuleFiles) -> None:
        self._found = found
        self.texts: dict[str, str] = {}

    def __call__(self, uri: str, locations: Sequence[str]) -> Sequence[tuple[str, str]]:
        modules = self._found(uri, locations)
        self.texts.update(modules)
        return modules


def _shippable(value: Sequence[Any]) -> Sequence[Any]:
    """The value of a variable as it can travel."""
    return [_document(item) if isinstance(item, Node) else item for item in value]


def _document(node: Node) -> ShippedDocument:
    from xylem.sink.serialization_parameters import SerializationParameters
    from xylem.sink.serialize import serialize

    text = serialize([node], SerializationParameters(method="xml", omit_xml_declaration=True))
    return ShippedDocument(text, node.document_uri, node.kind == DOCUMENT)


def _unpacked(value: Sequence[Any]) -> Sequence[Any]:
    from xylem.source.xml_reader import read_document

    def item(shipped: Any) -> Any:
        if not isinstance(shipped, ShippedDocument):
            return shipped
        document = read_document(shipped.xml.encode(), shipped.uri)
        return document if shipped.is_document else Node(document.tree, document.tree.children(document.pre)[0])

    return [item(member) for member in value]
