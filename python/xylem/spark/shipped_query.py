"""A query in the form sent to other processes: its compiled programs, and the parameters of this run.

The driver compiles everything for the tasks before it sends anything; workers use a query unchanged. They keep it for
later tasks, which find it by its key. Documents among the variables are sent as XML.
"""

from __future__ import annotations

import pickle
import uuid
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from xylem.analysis.event_time import EventTime
from xylem.functions.external import DEFAULT_FUNCTIONS, ExternalFunction
from xylem.functions.late_items import LateItems
from xylem.pipeline import StaticEnvironment
from xylem.plan.distribution import InputOf
from xylem.query.compiled_query import CompiledQuery
from xylem.query.external_names import check_values, expanded_name, external_names
from xylem.query.library_modules import LibraryModules
from xylem.query.spreading import Spreading
from xylem.run.deep_stack import with_deep_stack
from xylem.run.limited_run import UNLIMITED, RunLimits
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

T = TypeVar("T")

MOST_ARRIVED = 256
"""Number of received queries to keep; beyond that one is unpacked again, but not recompiled."""


@dataclass(frozen=True)
class ShippedDocument:
    """A node among the values of variables, as XML."""

    xml: str
    uri: str | None
    is_document: bool


@dataclass(frozen=True, eq=False)
class ShippedQuery:
    """Everything that a task must know about a query and its run."""

    compiled: CompiledQuery
    spreading: Spreading = field(default_factory=lambda: Spreading(input_of=InputOf.RUN))
    modules: tuple[tuple[str, str], ...] = ()
    """The library modules that it imports, by location: their text."""
    variables: Mapping[tuple[str, str], Sequence[Any]] = field(default_factory=dict)
    """By expanded name; nodes as ShippedDocument."""
    allow: tuple[str, ...] = ()
    environment: Mapping[str, str] | None = None
    now: DateTime | None = None
    limits: Limits = DEFAULT_LIMITS
    run_limits: RunLimits = UNLIMITED
    """Limits for each task of a run."""
    scanner: str = "auto"
    replay: Replay | None = None
    """The path to the times of the input's records, if it is replayed: the clock follows them."""
    key: str = field(default_factory=lambda: uuid.uuid4().hex)
    """Identifies the query for processes that have it already."""
    _made: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)
    """Objects that this process has derived from it."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _arrived, (self.key, self._packed())

    def _packed(self) -> bytes:
        """The query with the programs for tasks, packed again only when more has been compiled."""
        compiled = self.compiled.for_tasks(self.spreading)
        known: tuple[CompiledQuery, bytes] | None = self._made.get("packed")
        if known is None or not known[0].has_same_programs(compiled):
            told = {one.name: getattr(self, one.name) for one in fields(self) if one.init} | {"compiled": compiled}
            known = self._made["packed"] = compiled, with_deep_stack(lambda: _pickled(told))
        return known[1]

    # --- its parameters

    @property
    def text(self) -> str:
        return self.compiled.text

    @property
    def name(self) -> str:
        """Its name in errors."""
        return self.compiled.environment.name

    @property
    def base_uri(self) -> str | None:
        return self.compiled.environment.base_uri

    @property
    def functions(self) -> Sequence[ExternalFunction]:
        return self.compiled.environment.external_functions

    @property
    def event_time(self) -> EventTime | None:
        """The event time of items, if the query does not declare it itself."""
        return self.compiled.environment.event_time

    @property
    def output(self) -> dict[str, str]:
        """Serialization parameters that override those of the query."""
        return dict(self.spreading.output)

    # --- variants of the query

    def spread(self, **changed: Any) -> ShippedQuery:
        """The same for another kind of run: some fields of Spreading are changed."""
        return replace(self, spreading=replace(self.spreading, **changed), key=uuid.uuid4().hex)

    def with_items(self) -> ShippedQuery:
        """The same for rows that hold items: with a method other than xml, tasks write no text."""
        return self.spread(output=_sorted({**self.output, "method": "adaptive"}))

    def divided(self) -> ShippedQuery:
        """The same with items that may be divided themselves."""
        return self.spread(divides=True)

    def with_input(self, input_of: InputOf) -> ShippedQuery:
        """The same over another input."""
        return self.spread(input_of=input_of)

    def allowing(self, path: str) -> ShippedQuery:
        """The same with one more file that doc() may read."""
        return replace(self, allow=(*self.allow, path), key=uuid.uuid4().hex)

    def begun(self, now: DateTime) -> ShippedQuery:
        """The same, started at a given time."""
        return replace(self, now=now, key=uuid.uuid4().hex)

    def asking(self, text: str, *, with_event_time: bool = True) -> ShippedQuery:
        """Another query in the same environment with the same values, optionally without the given event time."""
        environment = self.compiled.environment
        if not with_event_time:
            environment = replace(environment, event_time=None)
        return replace(self, compiled=CompiledQuery(text, environment), key=uuid.uuid4().hex)

    # --- in this process

    def once(self, make: Callable[[ShippedQuery], T]) -> T:
        """The result of a function of the query, computed once in this process."""
        if make not in self._made:
            self._made[make] = make(self)
        made: T = self._made[make]
        return made

    def late_items(self) -> LateItems:
        """The reports of the program in this process on late items."""
        told = self.compiled.environment.late_items
        assert told is not None
        return told

    def program(self) -> DistributedProgram:
        """The program in this process."""
        return self.compiled.distributed(self.spreading)

    def options(self) -> dict[str, Any]:
        """The options of tasks and reductions; one set per process, so documents are read once."""
        return self.once(_options)

    def seen(self) -> dict[str, Any]:
        """The options that queries see, for merges, reductions and the answer."""
        return {name: value for name, value in self.options().items() if name != "limits"}


def _pickled(told: Mapping[str, Any]) -> bytes:
    # User functions may come from a notebook, or from a file named on the command line: they are sent by value.
    from pyspark import cloudpickle

    packed: bytes = cloudpickle.dumps(told)  # type: ignore[no-untyped-call]
    return packed


_ARRIVED: OrderedDict[str, ShippedQuery] = OrderedDict()


def _arrived(key: str, packed: bytes) -> ShippedQuery:
    """The query received by this process; one that is already here is not unpacked."""
    known = _ARRIVED.get(key)
    if known is None:
        known = _ARRIVED[key] = ShippedQuery(**with_deep_stack(lambda: pickle.loads(packed)))
        while len(_ARRIVED) > MOST_ARRIVED:
            _ARRIVED.popitem(last=False)
    else:
        _ARRIVED.move_to_end(key)
    return known


def _sorted(output: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(output.items()))


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
    namespaces: Mapping[str, str] | None = None,
    module_folders: Iterable[str | PathLike[str]] = (),
    allow: Iterable[str | PathLike[str]] = (),
    ignoring_case: bool = False,
    needs_values: bool = False,
    only_declared: bool = False,
    event_time: EventTime | None = None,
    late_items: LateItems | None = None,
    output: Mapping[str, str] | None = None,
    several_documents: bool = False,
    keeps_windows: bool = False,
    input_of: InputOf = InputOf.RUN,
    schema: Schema | None = None,
    over_updates: bool = False,
    **others: Any,
) -> ShippedQuery:
    """A query ready to be sent, from a user's parameters; static errors are raised here.

    `variables` are Python values by the names a user writes, or by these in lower case; with `needs_values` a missing
    one is an error here, and not where it is read; with `only_declared` values of others are left out. `output` are
    serialization parameters that override those of the query; `schema` is that of the input: it helps a query that is a
    single task, which then holds less. `others` are fields of ShippedQuery.
    """
    external = tuple(DEFAULT_FUNCTIONS if functions is None else functions)
    modules = LibraryModules(ModuleFiles(module_folders))
    environment = StaticEnvironment(
        name=name,
        base_uri=base_uri,
        namespaces=namespaces or {},
        modules=modules,
        external_functions=external,
        event_time=event_time,
        late_items=LateItems() if late_items is None else late_items,
        over_updates=over_updates,
    )
    compiled = CompiledQuery(text, environment)
    program = compiled.program
    declared = {(variable.uri, variable.local) for variable in program.external_variables}
    bound = {
        name: sequence_from_python(value)
        for name, value in (variables or {}).items()
        if not only_declared or expanded_name(program.module, name) in declared
    }
    names = external_names(program, bound, ignoring_case=ignoring_case)
    if needs_values:
        check_values(program, names.values())
    return ShippedQuery(
        compiled,
        Spreading(several_documents, keeps_windows, False, input_of, _sorted(output or {}), schema),
        tuple(modules.texts.items()),
        {names[name]: _shippable(value) for name, value in bound.items()},
        tuple(str(Path(place).absolute()) for place in allow),
        now=current_time(),
        **others,
    )


def _shippable(value: Sequence[Any]) -> Sequence[Any]:
    """The value of a variable in the form that can be sent."""
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
