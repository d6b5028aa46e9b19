"""From a FluX program to a stream program: the plan of the scan, the role of each step, the code of the handlers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from xylem.analysis.focus import reads_focus
from xylem.analysis.projection import NotProjectable, Projection, Use
from xylem.analysis.reached_declarations import reached_declarations
from xylem.functions.context import CODEPOINT_COLLATION
from xylem.plan.flux import (
    ROOT,
    Fixed,
    Flux,
    For,
    Handler,
    If,
    Leaf,
    On,
    OnEach,
    OnFirst,
    OnWindow,
    Opening,
    ProcessStream,
    Sequence,
    Step,
)
from xylem.plan.flux_variables import bound_variables, expressions_of, free_variables
from xylem.plan.needs import add_expression, add_needs, element_names
from xylem.plan.result_template import Template
from xylem.plan.scan_plan import Report
from xylem.plan.symbols import is_element_step, may_contain, reached_type, step_symbol
from xylem.rewrite.simple_expressions import is_known_at_start, is_simple
from xylem.rewrite.take_outermost import take_outermost
from xylem.schema.automaton_constraints import AutomatonConstraints
from xylem.schema.constraints import ElementConstraints, Schema
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values import node as nk
from xylem.values.sequence_type import ANY_SEQUENCE, AtomicItem, ItemType, NodeItem, Occurrence, SequenceType

from ..evaluator.build import Builder
from ..evaluator.code import Code, Shape, atomic, one
from ..evaluator.compiler import Compiler
from ..evaluator.module_table import ModuleTable
from ..evaluator.scope import Focus, Scope
from ..evaluator.windows import data_window_cursor
from .aggregates import AGGREGATE, IN_ORDER, ONE, SO_FAR, Aggregate, Extraction, Fold
from .body import loop_of, write_body
from .early_firing import early_firing, past_at_start
from .fed_records import ITEM, gives_itself
from .hoisting import hoisted
from .immediate import Immediate, immediate
from .kept_children import ANY_CHILD, kept_children, variable_readers
from .region_plan import RegionPlanner
from .result_templates import has_namespaces, template_of
from .roles import (
    AggregateRole,
    FeedRole,
    FiringRole,
    ItemRole,
    KeepRole,
    Role,
    ScopeRole,
    TrackRole,
    TriggerRole,
    WindowRole,
)
from .selection import Selection, conjuncts
from .steps import PlannedStep, PlannedSteps
from .stopping import limit_of
from .tallies import tally_of

NEAR_STEPS = 2


class NotStreamable(Exception):
    """Why a query is answered from the whole tree, with the place in it."""

    def __init__(self, why: str, node: ast.Node | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.node = node


class _Names:
    """Gives out names of variables that the program does not have."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def invent(self, like: str) -> str:
        name, number = f"outer {like}", 1
        while name in self._taken:
            number += 1
            name = f"outer {like} {number}"
        self._taken.add(name)
        return name


class StreamBuilder:
    """Writes the handlers of one program next to the functions of its modules."""

    def __init__(self, builder: Builder, main: ModuleTable, schema: Schema | None = None) -> None:
        self.builder = builder
        self.main = main
        self.schema = schema
        self.types: dict[str, ElementConstraints | None] = {ROOT: None if schema is None else schema.document()}
        """What is known of the elements that variables are bound to."""
        self.c: Compiler = main.compiler
        self.steps = PlannedSteps()
        self.roles: list[Role] = []
        self.slots: dict[str, int] = {}
        self.item_types: dict[str, ItemType] = {ROOT: NodeItem(nk.DOCUMENT)}
        self.scopes: list[ScopeRole] = []
        self.windowed: set[str] = set()
        """The variables that hold a window."""
        self.selection = Selection(main.static.default_collation == CODEPOINT_COLLATION)
        self.decided: set[ast.Expr] = set()
        """Conditions about elements that only reach their handlers where these hold."""
        self.has_namespaces = False
        """Whether the answer may have namespaces declared around a result."""
        self.next_aggregate = 0
        self.program_variables: frozenset[str] = frozenset()
        self.names = _Names(())
        self.regions = RegionPlanner(self)

    def build(self, program: Flux) -> ScopeRole:
        """Plan the whole program; gives the role of the document."""
        self._refuse_global_input(program)
        self.program_variables = bound_variables(program) | {ROOT}
        self.has_namespaces = has_namespaces(program)
        if not isinstance(program, ProcessStream):
            program = ProcessStream(ROOT, (OnFirst(None, program),))
        self.names = _Names(self.program_variables)
        try:
            program = self._settled(program)
            if not self._streams(program):
                # Nothing of the document is processed child by child: everything waits until it has ended.
                program = ProcessStream(ROOT, tuple(_waiting(ROOT, handler) for handler in program.handlers))
            return self._scope(program, 0, None, 0)
        except NotProjectable as beyond:
            raise NotStreamable(beyond.why, beyond.node) from beyond

    def _refuse_global_input(self, program: Flux) -> None:
        """Rewriting puts global variables that read the input where they are used; what it left is refused."""
        declared = [declaration for unit in self.builder.units for declaration in unit.module.prolog]
        for declaration in reached_declarations(expressions_of(program), declared):
            value = declaration.value if isinstance(declaration, ast.VariableDecl) else None
            if value is not None and reads_focus(value):
                raise NotStreamable(f"the global variable ${declaration.name} reads the input", value)

    # --- scopes

    def _scope(
        self, stream: ProcessStream, step: int, parent: ScopeRole | None, position: int, single: bool = True
    ) -> ScopeRole:
        """Process the children of an element as they arrive; `single` where there is but one in a document."""
        role = ScopeRole(step, stream.variable, self.slot(stream.variable), parent, position, is_single=single)
        self.roles.append(role)
        self.scopes.append(role)
        stream, aggregates = self._without_aggregates(stream)
        at_once = immediate(stream, self.types.get(stream.variable))
        first = 0 if at_once is None else at_once.last + 1
        needs = self._needs(stream, first)
        kept = self.steps.steps[step].kept
        for read in (needs,) if at_once is None else (needs, at_once.needed):
            kept.attributes |= read.attributes
            kept.all_attributes |= read.all_attributes
        self._keep_children(role, stream, needs, first)
        for aggregate in aggregates:
            self._feed(role, aggregate, stream)
        if at_once is not None:
            # After the aggregates, which may be fed by the same record: records come in the order of steps.
            self._fire_at_once(role, at_once)
        for index, handler in enumerate(stream.handlers):
            if isinstance(handler, OnFirst):
                role.bodies.append(self.function("first", handler.body, role))
            elif isinstance(handler, On) and handler.step.axis == "attribute":
                role.bodies.append(self.function("first", ProcessStream(stream.variable, (handler,)), role))
            elif isinstance(handler, On):
                role.bodies.append(None)
                self._on(role, index, handler)
            elif isinstance(handler, (OnWindow, OnEach)):
                role.bodies.append(None)
                self._window(role, index, handler)
        role.at_start = past_at_start(stream, self.types.get(stream.variable))
        self._fire_early(role, stream, max(first, role.at_start))
        return role

    def slot(self, name: str) -> int:
        return self.slots.setdefault(name, len(self.slots))

    def _fire_at_once(self, role: ScopeRole, at_once: Immediate) -> None:
        planned = self.steps.add(role.step, *at_once.child, Report.ITEM)
        planned.kept = at_once.needed.children[at_once.child]
        held = None if is_value(planned.kept) else role.variable
        self.roles.append(FiringRole(planned.index, role, at_once.last, held))

    def _needs(self, stream: ProcessStream, first: int = 0) -> Projection:
        """What handlers read of the stream's own element, beside the children they stream; the first ones left out."""
        needs, document = Projection(), Projection()
        own = {ROOT: document, stream.variable: needs}
        for handler in stream.handlers[first:]:
            if isinstance(handler, On) and handler.step.axis == "attribute":
                # An attribute is no child that streams: it is kept with its element.
                add_needs(ProcessStream(stream.variable, (handler,)), own)
            elif isinstance(handler, (On, OnFirst, OnWindow, OnEach)):
                add_needs(handler.body, own)
        if stream.variable != ROOT and not document.is_bare:
            raise NotStreamable(f"a handler below ${stream.variable} looks at the whole document")
        return needs

    def _keep_children(self, role: ScopeRole, stream: ProcessStream, needs: Projection, first: int) -> None:
        if needs.subtree or needs.string or needs.text:
            self.steps.steps[role.step].kept = needs
            if role.parent is None:
                raise NotStreamable("the whole document is needed before anything can be written")
            raise NotStreamable(f"all of ${role.variable} is needed before it has ended")
        for test, below, readers, sought in kept_children(stream, needs, first):
            step = self.steps.add(role.step, *test, Report.ITEM)
            step.kept = below
            role.keeps_children = True
            self.roles.append(KeepRole(step.index, role, readers, test[1:], sought))

    def _fire_early(self, role: ScopeRole, stream: ProcessStream, first: int) -> None:
        """Steps for the tags at which handlers fire: the last ones of all, to come behind what their children bring."""
        found = early_firing(stream, self.types.get(stream.variable), first) if role.parent is not None else None
        if found is None:
            return
        for tags, report in ((found.starts, Report.START), (found.ends, Report.END)):
            for (uri, local), last in tags.items():
                step = self.steps.add(role.step, "child", uri, local, report)
                self.roles.append(TriggerRole(step.index, role, last, report is Report.END))
        of = self.types.get(stream.variable)
        if found.sets is not None and isinstance(of, AutomatonConstraints):
            step = self.steps.add(role.step, *ANY_CHILD, Report.START | Report.END)
            self.roles.append(TrackRole(step.index, role, of, found.sets))

    # --- handlers

    def _on(self, role: ScopeRole, index: int, handler: On) -> None:
        self.item_types[handler.variable] = NodeItem(nk.ELEMENT)
        path = (*handler.through, handler.step)
        kind = self.types.get(role.variable)
        for step in path:
            kind = reached_type(step, kind, self.schema)
        self.types[handler.variable] = kind
        nested = any(step.axis == "descendant" for step in path) and _may_nest(handler.step, kind)
        counter = None if handler.position is None else self.slot(handler.position)
        if counter is not None:
            self.item_types[handler.position or ""] = AtomicItem(at.INTEGER)
        guarded = self.regions.guarded(handler) if nested and self.is_scannable(path) else None
        if guarded is not None and self.is_scannable((*guarded.through, guarded.step)):
            # Attributes are all it asks for: the scan tests them.
            guarded = None
        if guarded is not None or not self.is_scannable(path):
            self.regions.plan(role, index, guarded or handler, nested)
            return
        parent = role.step
        for step in handler.through:
            planned = self.steps.follow(parent, step, Report.NOTHING)
            planned.tests = self.regions.scan_tests(step) or ()
            parent = planned.index
        own_tests = self.regions.scan_tests(handler.step) or ()
        stream = None if nested or counter is not None else self._as_stream(handler)
        if stream is not None:
            element = self.steps.follow(parent, handler.step, Report.START | Report.END)
            element.tests = (*own_tests, *self.selection.tests_of(stream, handler.variable))
            self.decided |= self.selection.decided_at_start(stream, handler.variable)
            single = role.is_single and self._is_at_most_once(role, path)
            self._scope(stream, element.index, role, index, single)
            return
        planned = self.steps.follow(parent, handler.step, Report.ITEM)
        planned.tests = own_tests
        if counter is None:
            # A record that is left out is not counted.
            planned.tests = (*own_tests, *self.selection.tests_of(handler.body, handler.variable))
        slot = self.slot(handler.variable)
        add_needs(handler.body, {handler.variable: planned.kept})
        self._keep_above(planned.kept)
        hoisted_body = hoisted(handler.body)
        body = self.function("on", hoisted_body, role, handler)
        # A value comes in one piece, like a tag: nothing of it waits for more.
        passes = is_simple(handler.body, handler.variable) or is_value(planned.kept)
        item = ItemRole(planned.index, role, index, slot, body, held_as=None if passes else handler.variable)
        item.counter, item.limit, item.outermost = counter, limit_of(handler), handler.outermost
        if counter is None and not nested:
            # A record that is left out must not have been announced.
            planned.value_tests = self.selection.value_tests_of(hoisted_body, handler.variable)
            planned.result = self._template(hoisted_body, handler.variable)
        if planned.result is None and is_known_at_start(planned.kept) and not handler.outermost:
            item.at_start, planned.report, planned.value_tests = True, Report.START, ()
        elif nested:
            item.nested, planned.report = True, Report.START | Report.ITEM
        self.roles.append(item)

    def _keep_above(self, kept: Projection) -> None:
        """Steps for the elements around, whose attributes are read: the scan shows them with all that is inside."""
        if kept.above is None:
            return
        for (_, uri, local), above in kept.above.children.items():
            step = self.steps.add(0, "descendant", uri, local, Report.NOTHING)
            step.kept.attributes |= above.attributes
            step.kept.all_attributes |= above.all_attributes

    def _is_at_most_once(self, role: ScopeRole, path: tuple[Step, ...]) -> bool:
        """Whether a path has at most one match below an element."""
        if len(path) != 1 or path[0].axis != "child":
            return False
        name, of = step_symbol(path[0]), self.types.get(role.variable)
        return role.parent is None or (name is not None and of is not None and of.at_most_once(name))

    def _template(self, body: Flux, variable: str) -> Template | None:
        """What the scan can write for a record that passes its tests; the body has its conditions in front."""
        if self.has_namespaces:
            return None
        conditions = conjuncts(body.condition) if isinstance(body, If) else []
        decided = {condition for condition in conditions if self.selection.decides(condition, variable)}
        return template_of(body, variable, self.selection, decided | self.decided)

    def _as_stream(self, handler: On) -> ProcessStream | None:
        """The body as a stream of its own: it is one, or aggregates over the element are all it reads."""
        stream = handler.body
        if not isinstance(stream, ProcessStream):
            stream = ProcessStream(handler.variable, (OnFirst(None, stream),))
        stream = self._settled(stream)
        if self._streams(stream):
            return stream
        if not all(isinstance(h, OnFirst) for h in stream.handlers):
            return None
        if self._fires_early(stream):
            return stream
        reduced, aggregates = self._without_aggregates(stream)
        needs = self._needs(reduced)
        reads_more = needs.children or needs.subtree or needs.string or needs.text
        if not aggregates or needs.subtree or needs.string or needs.text or needs.above:
            return None
        # Aggregates over what is far below spare more than records of their own cost.
        return stream if not reads_more or any(len(a.prefix) > NEAR_STEPS for a in aggregates) else None

    def _fires_early(self, stream: ProcessStream) -> bool:
        """Whether a handler has something to say before its element ends, and the rest can be kept."""
        of = self.types.get(stream.variable)
        at_start = past_at_start(stream, of)
        found = early_firing(stream, of, at_start)
        bodies = [handler.body for handler in stream.handlers[at_start:-1] if isinstance(handler, OnFirst)]
        if found is None or all(isinstance(body, Fixed) for body in bodies):
            return False
        needs = self._needs(self._without_aggregates(stream)[0])
        return not (needs.subtree or needs.string or needs.text or needs.above)

    def _window(self, role: ScopeRole, index: int, handler: OnWindow | OnEach) -> None:
        """Collect the records of a path into windows."""
        if any(step.axis == "descendant" for step in handler.path):
            raise NotStreamable("a window over descendants", handler.window)
        parent = role.step
        for step in handler.path[:-1]:
            parent = self.steps.follow(parent, step, Report.NOTHING).index
        planned = self.steps.follow(parent, handler.path[-1], Report.ITEM)
        handler, aggregates = self._window_aggregates(handler)
        add_needs(handler.body, {handler.variable: planned.kept})
        if planned.kept.above is not None:
            raise NotStreamable("what is in a window looks around", handler.window)
        if handler.window.kind != "count":
            item = ITEM.name.local
            reference = ITEM if handler.window.reference is None else ast.Path(ITEM, handler.window.reference)
            add_expression(reference, {item: planned.kept}, Use.STRING)
        slot = self.slot(handler.variable)
        self.windowed.add(handler.variable)
        feeds = []
        for aggregate in aggregates:
            whole = aggregate.of_item
            add_expression(whole.taken, {ITEM.name.local: planned.kept}, Use.PRESENCE if whole.counts else Use.STRING)
            feeder = self.feeder(whole, ITEM.name.local)
            feeds.append((self.slot(aggregate.name), aggregate.function, feeder))
        names = [aggregate.name for aggregate in aggregates]
        body = self.function("window", handler.body, role, handler, names)
        self.roles.append(WindowRole(planned.index, role, index, slot, body, self._cursor(handler), feeds))

    def _window_aggregates(self, handler: OnWindow | OnEach) -> tuple[OnWindow | OnEach, list[Aggregate]]:
        """Aggregates over disjoint windows, where they are all that is read: then no item is held (§3.8.2.2)."""
        window = handler.window
        if not isinstance(handler, OnWindow) or not (window.step is None or window.step == window.size):
            return handler, []
        extraction = Extraction(handler.variable, self.next_aggregate, self.program_variables)
        body = _map_leaves(handler.body, extraction)
        if handler.variable in free_variables(body):
            return handler, []
        self.next_aggregate = extraction.number
        return replace(handler, body=body), extraction.found

    def _cursor(self, handler: OnWindow | OnEach) -> str:
        """def cursor(): a fresh cursor for the windows of one scope."""
        c = self.c
        with c.writer.function("cursor", [], c.describe(handler.window)) as frame, c.scoped(Scope({}, Focus(None))):
            c.writer.line(f"return {data_window_cursor(c, handler.window, NodeItem(nk.ELEMENT))}")
        return frame.name

    def _streams(self, stream: ProcessStream) -> bool:
        """Whether children are worth processing one by one: some are streamed, and the rest can be kept."""
        if not any(_streamed_path(handler) is not None for handler in stream.handlers):
            return False
        if not all(self._can_follow(handler) for handler in stream.handlers):
            return False
        reduced, _ = self._without_aggregates(stream)
        needs = self._needs(reduced)
        # A buffer is a copy: nothing is around it.
        return not (needs.subtree or needs.string or needs.text or needs.above)

    def is_scannable(self, path: tuple[Step, ...]) -> bool:
        """Whether the scan itself can find what a handler waits for: elements by name and by attributes."""
        return all(
            step.axis in ("child", "descendant") and step.name != "text()" and self.regions.scan_tests(step) is not None
            for step in path
        )

    def _can_follow(self, handler: Handler) -> bool:
        path = _streamed_path(handler)
        if path is None or self.is_scannable(path):
            return True
        return isinstance(handler, On) and is_element_step(handler.step) and self.regions.can(handler)

    def _settled(self, stream: ProcessStream) -> ProcessStream:
        """The stream with its predicates decided on the way, or by the outermost element they may be about."""
        handlers = tuple(self._settled_handler(stream.variable, handler) for handler in stream.handlers)
        return stream if handlers == stream.handlers else replace(stream, handlers=handlers)

    def _settled_handler(self, source: str, handler: Handler) -> Handler:
        if not isinstance(handler, On) or handler.outermost or self._can_follow(handler):
            return handler
        loop = For(handler.variable, source, (*handler.through, handler.step), handler.body, None, handler.position)
        found = take_outermost(loop, self.names)
        if found is None:
            return handler
        *through, step = found.path
        return On(step, found.variable, found.body, tuple(through), outermost=True)

    # --- aggregates

    def _without_aggregates(self, stream: ProcessStream) -> tuple[ProcessStream, list[Aggregate]]:
        extraction = Extraction(stream.variable, self.next_aggregate, self.program_variables)
        # When a handler fires, all it depends on has passed: what it reads of the stream's element is final.
        made = replace(stream, handlers=tuple(_map_handler(h, extraction) for h in stream.handlers))
        self.next_aggregate = extraction.number
        return made, extraction.found

    def _feed(self, role: ScopeRole, aggregate: Aggregate, stream: ProcessStream) -> None:
        tests, is_plain = self.selection.tests_of_predicates(aggregate.taken, ITEM.name.local)
        # Counts come once per batch: enough for the document, which is open all the time.
        counted = is_plain and aggregate.counts and role.parent is None
        parent, kind = role.step, self.types.get(role.variable)
        for step in aggregate.prefix:
            passed = Step("*", step.axis, step.test)
            planned = self.steps.add(parent, step.axis, *element_names(passed), Report.NOTHING)
            parent, kind = planned.index, reached_type(passed, kind, self.schema)
        planned.report = Report.COUNT if counted else Report.ITEM
        planned.tests = tests
        zero = None if aggregate.fold is None else self._zero(aggregate.fold.zero)
        slot = self.slot(aggregate.name)
        role.aggregates.append(AggregateRole(slot, aggregate.function, aggregate.parameter, zero))
        readers = variable_readers(stream, aggregate.name)
        made = FeedRole(planned.index, role, self.slot(ITEM.name.local), len(role.aggregates) - 1, None, readers)
        self.roles.append(made)
        if counted:
            return
        self._need(aggregate, planned.kept, stream)
        self._keep_above(planned.kept)
        made.body = self.feeder(aggregate, ITEM.name.local)
        if is_known_at_start(planned.kept):
            made.at_start, planned.report = True, Report.START
        elif aggregate.function in IN_ORDER and _may_be_inside(aggregate.prefix, passed, kind):
            made.nested, planned.report = True, Report.START | Report.ITEM
        else:
            self._tally(role, aggregate, planned)

    def _tally(self, role: ScopeRole, aggregate: Aggregate, planned: PlannedStep) -> None:
        """What the scan decides of the records of an aggregate, or counts by itself."""
        name = ITEM.name.local
        planned.value_tests = self.selection.value_tests_of_predicates(aggregate.taken, name)
        tallied = tally_of(aggregate.taken, name, self.selection)
        if tallied is not None and aggregate.function == "count" and role.parent is None:
            planned.tests, planned.value_tests = tallied.tests, tallied.value_tests
            planned.result = tallied.tally

    def _need(self, aggregate: Aggregate, kept: Projection, stream: ProcessStream) -> None:
        """What is needed of the records of an aggregate."""
        name = ITEM.name.local
        if aggregate.function in ("last", "items"):
            # What handlers read of its value; and what decides whether a record is taken.
            value = Projection()
            add_needs(stream, {aggregate.name: value})
            if gives_itself(aggregate.taken):
                kept.merge(value)
                add_expression(aggregate.taken, {name: kept}, Use.PRESENCE)
            else:
                add_expression(aggregate.taken, {name: kept}, Use.SUBTREE)
        elif aggregate.fold is not None:
            add_expression(aggregate.in_one_step, {name: kept}, Use.SUBTREE)
        else:
            add_expression(aggregate.taken, {name: kept}, Use.PRESENCE if aggregate.counts else Use.STRING)

    def _zero(self, zero: ast.Expr) -> str:
        """def zero(): what fold-left begins with."""
        c = self.c
        with c.writer.function("zero", [], c.describe(zero)) as frame, c.scoped(Scope({}, Focus(None))):
            c.writer.line(f"return {c.as_iterable(c.compile(zero))}")
        return frame.name

    def feeder(self, aggregate: Aggregate, name: str) -> str:
        """def feed(into, item): add what is taken of a record."""
        c = self.c
        with (
            c.writer.function("feed", ["into", "item"], c.describe(aggregate.taken)) as frame,
            c.scoped(Scope({}, Focus(None))),
        ):
            c.declare(("", name), one("item", NodeItem(nk.ELEMENT), simple=True))
            code = c.compile(aggregate.taken)
            if aggregate.fold is not None:
                self._fold(aggregate.fold, code)
            else:
                code = code if aggregate.counts or aggregate.takes_nodes else c.atomized(code)
                c.writer.line(f"into.add({c.as_iterable(code)})")
        return frame.name

    def _fold(self, fold: Fold, items: Code) -> None:
        """for each item: into.add(step(into.value, item))"""
        c = self.c
        name, so_far = c.writer.fresh("one"), c.writer.fresh("so_far")
        c.writer.line(f"for {name} in {c.as_iterable(items)}:")
        with c.writer.indented(block=True), c.scoped():
            c.writer.line(f"{so_far} = into.value")
            c.declare(SO_FAR.name.expanded, Code(so_far, Shape.SEQUENCE, ANY_SEQUENCE, simple=True), loops=True)
            c.declare(ONE.name.expanded, one(name, items.item, simple=True), loops=True)
            c.writer.line(f"into.add({c.as_iterable(c.compile(fold.step))})")

    # --- code

    def function(
        self,
        stem: str,
        body: Flux,
        role: ScopeRole,
        handler: On | OnWindow | OnEach | None = None,
        more: Iterable[str] = (),
    ) -> str:
        """def handler(out, env): the body, with the variables it can see taken from the environment."""
        c = self.c
        read = free_variables(body)
        with c.writer.function(stem, ["out", "env"], "") as frame, c.scoped(Scope({}, Focus(None))):
            for name in (*self._visible(role, handler), *more):
                if name.startswith(AGGREGATE) and name not in read:
                    continue
                variable = c.declare(("", name), self._bound(name))
                if name == ROOT:
                    c.scope = c.scope.with_focus(Focus(variable))
            write_body(c, hoisted(body))
        return frame.name

    def test(self, condition: ast.Expr, names: Iterable[str]) -> str:
        """def test(env): whether a condition holds, with variables of the environment."""
        c = self.c
        with c.writer.function("test", ["env"], c.describe(condition)) as frame, c.scoped(Scope({}, Focus(None))):
            for name in names:
                c.declare(("", name), self._bound(name))
            c.writer.line(f"return bool({c.truth(condition)})")
        return frame.name

    def position_test(self, condition: ast.Expr, name: str) -> str:
        """def counts(position): whether a condition holds of a number."""
        c = self.c
        with c.writer.function("counts", ["position"], "") as frame, c.scoped(Scope({}, Focus(None))):
            c.declare(("", name), atomic("position", at.INTEGER, simple=True))
            c.writer.line(f"return bool({c.truth(condition)})")
        return frame.name

    def _visible(self, role: ScopeRole, handler: On | OnWindow | OnEach | None) -> list[str]:
        names = [] if handler is None else [handler.variable]
        if isinstance(handler, On) and handler.position is not None:
            names.append(handler.position)
        scope: ScopeRole | None = role
        while scope is not None:
            names.append(scope.variable)
            by_slot = {slot: name for name, slot in self.slots.items()}
            names += [by_slot[aggregate.slot] for aggregate in scope.aggregates]
            scope = scope.parent
        return names

    def _bound(self, name: str) -> Code:
        """A local name for a variable of the environment."""
        python = self.c.writer.fresh("v_" + "".join(ch if ch.isascii() and ch.isalnum() else "_" for ch in name))
        if name.startswith(AGGREGATE):
            self.c.writer.line(f"{python} = env[{self.slot(name)}].result()")
            return Code(python, Shape.SEQUENCE, ANY_SEQUENCE, simple=True)
        self.c.writer.line(f"{python} = env[{self.slot(name)}]")
        if name in self.windowed:
            return Code(python, Shape.SEQUENCE, SequenceType(NodeItem(nk.ELEMENT), Occurrence.MANY), simple=True)
        return one(python, self.item_types.get(name, NodeItem()), simple=True)


def _waiting(variable: str, handler: Handler) -> Handler:
    """A handler that loops over what it would otherwise wait for."""
    if isinstance(handler, (OnWindow, OnEach)):
        return OnFirst(None, For(handler.variable, variable, handler.path, handler.body, window=handler.window))
    if not isinstance(handler, On):
        return handler
    return OnFirst(None, loop_of(handler, variable, (*handler.through, handler.step)))


def _map_leaves(body: Flux, extraction: Extraction) -> Flux:
    """The body with aggregates taken out of its expressions."""
    match body:
        case Leaf(expression=expression):
            return replace(body, expression=extraction.apply(expression))
        case Sequence(parts=parts):
            return Sequence(tuple(_map_leaves(part, extraction) for part in parts))
        case If(condition=condition, body=inner):
            return If(extraction.condition(condition), _map_leaves(inner, extraction))
        case For(body=inner, where=where):
            tested = None if where is None else extraction.condition(where)
            return replace(body, body=_map_leaves(inner, extraction), where=tested)
        case ProcessStream(handlers=handlers):
            return replace(body, handlers=tuple(_map_handler(handler, extraction) for handler in handlers))
        case Opening(element=element):
            return replace(body, element=extraction.apply(element))
    return body


def _map_handler(handler: Handler, extraction: Extraction) -> Handler:
    if isinstance(handler, (On, OnFirst, OnWindow, OnEach)):
        return replace(handler, body=_map_leaves(handler.body, extraction))
    return handler


def _streamed_path(handler: Handler) -> tuple[Step, ...] | None:
    """The path whose nodes a handler takes from the stream; None for one that only waits."""
    if isinstance(handler, On) and handler.step.axis != "attribute":
        return (*handler.through, handler.step)
    return handler.path if isinstance(handler, (OnWindow, OnEach)) else None


def _may_nest(step: Step, of: ElementConstraints | None) -> bool:
    """Whether an element that a step reaches may contain another one."""
    uri, local = element_names(step)
    return local is None or may_contain(of, local, uri)


def _may_be_inside(prefix: tuple[ast.AxisStep, ...], last: Step, of: ElementConstraints | None) -> bool:
    """Whether a record of a path may contain another one."""
    return any(step.axis == "descendant" for step in prefix) and _may_nest(last, of)


def is_value(kept: Projection) -> bool:
    """Whether no more is kept of an element than its attributes, its text or its string value."""
    return not (kept.children or kept.subtree)
