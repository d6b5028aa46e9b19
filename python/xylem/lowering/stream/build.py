"""From a FluX program to a stream program: the plan of the scan, the role of each step, the code of the handlers."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from xylem.analysis.facts.conjuncts import conjuncts
from xylem.analysis.focus import reads_focus
from xylem.analysis.near_siblings import Scope
from xylem.analysis.projection import NotProjectable, Projection
from xylem.analysis.reached_declarations import reached_declarations
from xylem.functions.context import CODEPOINT_COLLATION
from xylem.functions.library import look_up
from xylem.functions.registry import Builtin
from xylem.plan.buffers import is_small
from xylem.plan.flux import (
    ROOT,
    Fixed,
    Flux,
    For,
    Handler,
    If,
    On,
    OnEach,
    OnFirst,
    OnWindow,
    ProcessStream,
    Step,
)
from xylem.plan.flux_variables import bound_variables, expressions_of
from xylem.plan.needs import add_needs
from xylem.plan.result_template import Column, Template
from xylem.plan.scan_plan import Report
from xylem.plan.symbols import TEXT, is_element_step, reached_type, step_symbol
from xylem.rewrite.simple_expressions import is_known_at_start, is_simple
from xylem.rewrite.take_outermost import take_outermost
from xylem.rewrite.to_flux import flux_step
from xylem.run.stream.roles import (
    FiringRole,
    HoleRole,
    ItemRole,
    KeepRole,
    Role,
    ScopeRole,
    TrackRole,
    TriggerRole,
)
from xylem.schema.automaton_constraints import AutomatonConstraints
from xylem.schema.constraints import ElementConstraints, Schema
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values import node as nk
from xylem.values.sequence_type import AtomicItem, ItemType, NodeItem

from ..python.build import Builder
from ..python.compiler import Compiler
from ..python.module_table import ModuleTable
from .aggregate_plan import AggregatePlanner
from .aggregates import Aggregate, Extraction
from .body import loop_of
from .counted_limit import limit_of
from .early_firing import early_firing, past_at_start
from .few_turns import with_few_turns
from .given_values import GivenValues
from .handler_code import HandlerCode
from .hoisting import hoisted
from .immediate import Immediate, immediate
from .kept_children import ANY_CHILD, kept_children
from .kernel_windows import WindowRows
from .leaf_handlers import LeafPlanner
from .leaf_mapping import map_handler
from .nesting import may_nest
from .not_streamable import NotStreamable
from .outside_values import may_write_values
from .region_plan import RegionPlanner
from .result_templates import has_namespaces, template_of
from .selection import Selection
from .steps import PlannedStep, PlannedSteps
from .template_frames import gives_nodes
from .template_holes import HoleCode
from .template_namespaces import Opened, elements_around
from .template_paths import NoTemplate
from .tested_items import TestedItemPlanner
from .whole_templates import is_near, needed_for_whole
from .window_handlers import WindowPlanner, gives_at_once

__all__ = ["NotStreamable", "StreamBuilder"]

NEAR_STEPS = 2
_LONGEST_TOLD = 60
_FILLED = "code fills it in, a batch at a time, in what the scan writes"


class _Names:
    """Gives out variable names that the program does not use."""

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

    def __init__(
        self,
        builder: Builder,
        main: ModuleTable,
        schema: Schema | None = None,
        columns: tuple[Column, ...] | None = None,
    ) -> None:
        self.builder = builder
        self.columns = columns
        """The columns of the table, if the answer is wanted as one."""
        self.main = main
        self.schema = schema
        self.types: dict[str, ElementConstraints | None] = {ROOT: None if schema is None else schema.document()}
        """Facts about the elements that variables are bound to."""
        self.c: Compiler = main.compiler
        self.c.numbers_siblings = True
        self.steps = PlannedSteps()
        self.roles: list[Role] = []
        self.slots: dict[str, int] = {}
        self.item_types: dict[str, ItemType] = {ROOT: NodeItem(nk.DOCUMENT)}
        self.scopes: list[ScopeRole] = []
        self.windowed: set[str] = set()
        """The variables bound to windows."""
        static = main.static
        self.selection = Selection(
            static.default_collation == CODEPOINT_COLLATION,
            static.empty_greatest,
            static.decimal_formats,
            has_default_namespace=bool(static.namespaces.get("")),
        )
        self.alone: set[int] = set()
        """Scopes with a single handler that takes records: no other results come between nested ones."""
        self.decided: set[ast.Expr] = set()
        """Conditions on elements that reach their handlers only if these hold."""
        self.beyond_scan: list[NoTemplate] = []
        """What prevents the scan from writing results by itself."""
        self.filled_by_code: list[NoTemplate] = []
        """Expressions for which the scan leaves holes in the results it writes."""
        self.given = GivenValues(self)
        self.has_namespaces = False
        """Whether namespaces may be declared around a result of the answer."""
        self.places: dict[str, tuple[Opened, ...]] | None = {}
        """The elements around the results of each handler; None if they are unknown."""
        self.may_write_values = False
        """Whether the scan may write atomic values outside elements."""
        self.window_rows = self.c.window_rows = WindowRows(self.selection)
        self.next_aggregate = 0
        self.program_variables: frozenset[str] = frozenset()
        self.names = _Names(())
        self.code = HandlerCode(self)
        self.aggregates = AggregatePlanner(self)
        self.windows = WindowPlanner(self)
        self.regions = RegionPlanner(self)
        self.leaves = LeafPlanner(self)
        self.tested_items = TestedItemPlanner(self)

    def build(self, program: Flux, whole: Flux | None = None) -> ScopeRole:
        """Plan the whole program; return the role of the document. It may be part of a `whole`, with tags around it."""
        self._refuse_global_input(program)
        self.program_variables = bound_variables(program) | {ROOT}
        self.has_namespaces = has_namespaces(whole or program)
        self.places = None if whole is not None and self.has_namespaces else elements_around(program, whole)
        self.may_write_values = self.columns is None and may_write_values(whole or program, self._known)
        self.window_rows.is_allowed = not self.has_namespaces and self.columns is None
        if not isinstance(program, ProcessStream):
            program = ProcessStream(ROOT, (OnFirst(None, program),))
        self.names = _Names(self.program_variables)
        try:
            program = self._settled(program)
            if not self._streams(program):
                # Nothing of the document is processed child by child: everything waits for its end.
                program = ProcessStream(ROOT, tuple(_waiting(ROOT, handler) for handler in program.handlers))
            return self._scope(program, 0, None, 0)
        except NotProjectable as beyond:
            raise NotStreamable(beyond.why, beyond.node) from beyond

    def _refuse_global_input(self, program: Flux) -> None:
        """Refuse global variables that read the input, unless rewriting has inlined them."""
        declared = [declaration for unit in self.builder.units for declaration in unit.module.prolog]
        for declaration in reached_declarations(expressions_of(program), declared):
            value = declaration.value if isinstance(declaration, ast.VariableDecl) else None
            if value is not None and reads_focus(value):
                raise NotStreamable(f"the global variable ${declaration.name} reads the input", value)

    # --- scopes

    def _scope(
        self, stream: ProcessStream, step: int, parent: ScopeRole | None, position: int, single: bool = True
    ) -> ScopeRole:
        """Process the children of an element as they arrive; `single` if a document has only one such element."""
        role = ScopeRole(step, stream.variable, self.slot(stream.variable), parent, position, is_single=single)
        self.roles.append(role)
        self.scopes.append(role)
        stream, aggregates = self._without_aggregates(stream)
        role.stream = stream
        at_once = immediate(stream, self.types.get(stream.variable))
        first = 0 if at_once is None else at_once.last + 1
        needs = self._needs(stream, first)
        kept = self.steps.steps[step].kept
        for read in (needs,) if at_once is None else (needs, at_once.needed):
            kept.attributes |= read.attributes
            kept.all_attributes |= read.all_attributes
        self._keep_children(role, stream, needs, first)
        for aggregate in aggregates:
            self.aggregates.plan(role, aggregate, stream)
        if at_once is not None:
            # After the aggregates, which the same record may feed: records come in the order of steps.
            self._fire_at_once(role, at_once)
        if sum(not isinstance(handler, OnFirst) for handler in stream.handlers) == 1:
            self.alone.add(step)
        for index, handler in enumerate(stream.handlers):
            if isinstance(handler, OnFirst):
                role.bodies.append(self.code.function("first", handler.body, role))
            elif isinstance(handler, On) and handler.step.axis == "attribute":
                role.bodies.append(self.code.function("first", ProcessStream(stream.variable, (handler,)), role))
            elif isinstance(handler, On):
                role.bodies.append(None)
                self._on(role, index, handler)
            elif isinstance(handler, (OnWindow, OnEach)):
                role.bodies.append(None)
                self.windows.plan(role, index, handler)
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
        """The parts of the stream's own element that handlers from `first` on read, apart from streamed children."""
        needs, document = Projection(), Projection()
        own = {ROOT: document, stream.variable: needs}
        for handler in stream.handlers[first:]:
            if isinstance(handler, On) and handler.step.axis == "attribute":
                # An attribute is not a streamed child: it is kept with its element.
                add_needs(ProcessStream(stream.variable, (handler,)), own)
            elif isinstance(handler, (On, OnFirst, OnWindow, OnEach)):
                add_needs(handler.body, own)
        if stream.variable != ROOT and not document.is_bare:
            raise NotStreamable(f"a handler below ${stream.variable} looks at the whole document")
        return needs

    def _keep_children(self, role: ScopeRole, stream: ProcessStream, needs: Projection, first: int) -> None:
        if needs.subtree or needs.string or needs.leaves:
            self.steps.steps[role.step].kept = needs
            if role.parent is None:
                raise NotStreamable("the whole document is needed before anything can be written")
            raise NotStreamable(f"all of ${role.variable} is needed before it has ended")
        for test, below, readers, sought in kept_children(stream, needs, first):
            step = self.steps.add(role.step, *test, Report.ITEM)
            step.kept = below
            role.keeps_children = True
            role.keeps_little = is_small(needs, self.types.get(stream.variable))
            self.roles.append(KeepRole(step.index, role, readers, test[1:], sought))

    def _fire_early(self, role: ScopeRole, stream: ProcessStream, first: int) -> None:
        """Steps for the tags at which handlers fire: the last steps, so they follow the records of their children."""
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
        nested = any(step.axis == "descendant" for step in path) and may_nest(handler.step, kind)
        counter = None if handler.position is None else self.slot(handler.position)
        if counter is not None:
            self.item_types[handler.position or ""] = AtomicItem(at.INTEGER)
        guarded = self.regions.guarded(handler) if nested and self.is_scannable(path) else None
        if guarded is not None and self.is_scannable((*guarded.through, guarded.step)):
            # It needs only attributes: the scan tests them.
            guarded = None
        if self.leaves.can(path, role.variable):
            self.leaves.plan(role, index, handler)
            return
        if self._is_tested_item(handler):
            self.tested_items.plan(role, index, handler, nested)
            return
        if guarded is not None or not self.is_scannable(path):
            self.regions.plan(role, index, guarded or handler, nested)
            return
        parent = self.follow(role.step, handler.through)
        own_tests = self.regions.scan_tests(handler.step) or ()
        selection = self.selection.behind(own_tests)
        single = role.is_single and self._is_at_most_once(role, path)
        stream = None if nested or counter is not None else self._as_stream(handler, single)
        if stream is not None:
            element = self.steps.follow(parent, handler.step, Report.START | Report.END)
            element.tests = (*own_tests, *selection.tests_of(stream, handler.variable))
            self.decided |= selection.decided_at_start(stream, handler.variable)
            # Tests that the scan decides by children must be repeated for a whole element.
            decided = frozenset(self.decided)
            scope = self._scope(stream, element.index, role, index, single)
            if not single:
                scope.holes = self._offer_whole(element, handler, decided, role)
                scope.is_given_values = element.result is not None and self.given.is_used
            return
        planned = self.steps.follow(parent, handler.step, Report.ITEM)
        planned.tests = own_tests
        if counter is None:
            # A record that is left out is not counted.
            planned.tests = (*own_tests, *selection.tests_of(handler.body, handler.variable))
        slot = self.slot(handler.variable)
        add_needs(handler.body, {handler.variable: planned.kept})
        self.keep_above(planned.kept)
        self.keep_siblings(planned)
        if planned.kept.looks_far and role.parent is not None:
            raise NotStreamable("an item in an element looks at what is around that element")
        if planned.awaits and (nested or handler.outermost or counter is not None):
            if handler.outermost or counter is not None:
                raise NotStreamable("a counted or outermost item looks at siblings after it")
            # The scan reports them in document order.
            nested = False
        hoisted_body = hoisted(handler.body)
        body = self.code.function("on", hoisted_body, role, handler)
        # A value comes in one piece, like a tag: nothing of it waits for more.
        passes = is_simple(handler.body, handler.variable) or is_value(planned.kept)
        item = ItemRole(planned.index, role, index, slot, body, held_as=None if passes else handler.variable)
        item.counter, item.limit, planned.outermost = counter, limit_of(handler), handler.outermost and nested
        nested = nested and not handler.outermost
        holes: list[HoleCode]
        numbered = handler.position if self._knows_numbers(role, item, nested) else None
        if numbered is not None and not planned.outermost:
            # Records that are left out count as well: the template has all conditions.
            holes = []
            planned.result = self._template(hoisted_body, handler.variable, self.decided, holes, numbered)
            if planned.result is not None:
                item.holes, item.is_given_values = self._filled_by_code(holes, role), self.given.is_used
        elif counter is None and (not nested or role.step in self.alone):
            planned.value_tests = selection.value_tests_of(hoisted_body, handler.variable)
            planned.alternatives = selection.alternatives_of(hoisted_body, handler.variable)
            holes = []
            planned.result = self.template(hoisted_body, handler.variable, selection, holes)
            if single and is_known_at_start(planned.kept) and planned.result and not gives_nodes(planned.result):
                # The values need not wait for the end of the only element that has them.
                planned.result = None
            if planned.result is not None:
                item.holes, item.is_given_values = self._filled_by_code(holes, role), self.given.is_used
        if planned.result is None and is_known_at_start(planned.kept) and not handler.outermost:
            item.at_start, planned.report, planned.value_tests = True, Report.START, ()
            planned.alternatives = ()
        elif nested:
            item.nested, planned.report = True, Report.START | Report.ITEM
            planned.nests = role.step in self.alone
        is_plain = planned.result is None or self.window_rows.cells is not None
        if passes and counter is None and is_plain and not (nested or item.limit or handler.outermost):
            # The usual item of windows: a value, or a node with at most attributes and text.
            item.run = self.code.run(hoisted_body, role, handler) if gives_at_once(hoisted_body) else None
        self.roles.append(item)

    def follow(self, parent: int, path: tuple[Step, ...]) -> int:
        """Steps for the elements on the path; return the last one."""
        for step in path:
            planned = self.steps.follow(parent, step, Report.NOTHING)
            planned.tests = self.regions.scan_tests(step) or ()
            parent = planned.index
        return parent

    def keep_above(self, kept: Projection) -> None:
        """Steps for the ancestors whose attributes are read: the scan shows them with all that is inside."""
        if kept.above is None:
            return
        for (_, uri, local), above in kept.above.children.items():
            step = self.steps.add(0, "descendant", uri, local, Report.NOTHING)
            step.kept.attributes |= above.attributes
            step.kept.all_attributes |= above.all_attributes
            # Elements before an open element, wherever it is.
            step.kept.above = above.above
            self.keep_siblings(step)

    def keep_siblings(self, planned: PlannedStep) -> None:
        """Steps for the siblings that are read: preceding ones are kept, and the record waits for following ones."""
        above = planned.kept.above
        for near, kept in () if above is None else above.siblings.items():
            is_sibling = near.scope == Scope()
            step = flux_step(ast.AxisStep(planned.axis if is_sibling else "descendant", near.test, near.tests))
            beside = self.steps.follow(planned.parent if is_sibling else 0, step, Report.NOTHING)
            tests = self.regions.scan_tests(step)
            assert tests is not None, step
            beside.tests, beside.kept = tests, kept
            if near.is_behind:
                scope = near.scope.height
                if near.scope.name is not None:
                    scope = -self.steps.add(0, "descendant", *near.scope.name, Report.NOTHING).index
                planned.awaits = (*planned.awaits, (beside.index, near.number, scope))
            beside.remembers = near.number
            beside.label = near.label if kept.is_counted else None

    def _is_at_most_once(self, role: ScopeRole, path: tuple[Step, ...]) -> bool:
        """Whether a path has at most one match below an element."""
        if len(path) != 1 or path[0].axis != "child":
            return False
        name, of = step_symbol(path[0]), self.types.get(role.variable)
        return role.parent is None or (name is not None and of is not None and of.at_most_once(name))

    def _knows_numbers(self, role: ScopeRole, item: ItemRole, nested: bool) -> bool:
        """Whether the scan counts records as the handler does: throughout the document, starting at one."""
        is_counted = item.counter is not None and item.limit is None and role.is_single and not nested
        return is_counted and self.columns is None and self.window_rows.cells is None

    def template(
        self, body: Flux, variable: str, selection: Selection, holes: list[HoleCode] | None = None
    ) -> Template | None:
        """The template that the scan writes for a record that passes its tests; the body starts with its conditions.

        With `holes`, the template may have some, and the list gets the code that fills them.
        """
        conditions = conjuncts(body.condition) if isinstance(body, If) else []
        decided = {condition for condition in conditions if selection.decides(condition, variable)}
        return self._template(body, variable, decided | self.decided, holes)

    def _template(
        self,
        body: Flux,
        variable: str,
        decided: Collection[ast.Expr],
        holes: list[HoleCode] | None = None,
        position: str | None = None,
    ) -> Template | None:
        around = () if self.columns is not None else self.around_of(variable)
        if around is None:
            return None
        self.given.is_used = False
        try:
            cells = self.window_rows.cells
            declared = self._declared
            template = template_of(
                body,
                variable,
                self.selection,
                decided,
                self.columns,
                window_cells=cells,
                around=around,
                position=position,
                given=self.given if self.columns is None and cells is None else None,
                begins_output=self.may_write_values,
                declared=declared,
                holes=holes,
                known=self._known,
            )
            return with_few_turns(template) if self.c.writer.planned else template
        except NoTemplate as beyond:
            self.beyond_scan.append(beyond)
            return None

    def around_of(self, variable: str) -> tuple[Opened, ...] | None:
        """The elements that are open around the results of a handler; None if they are unknown."""
        if self.places is None:
            return None
        return self.places.get(variable, None if self.has_namespaces else ())

    def _declared(self, call: ast.FunctionCall) -> ast.FunctionDecl | None:
        """The function of the main module for a call."""
        found = self.main.own_functions.get((*call.name.expanded, len(call.arguments)))
        return None if found is None else found.declaration

    def _known(self, call: ast.FunctionCall) -> Builtin | None:
        """The function for a call, if it is built in or registered."""
        arity = len(call.arguments)
        return look_up(*call.name.expanded, arity) or self.main.external(call.name, arity)

    @property
    def by_code(self) -> tuple[tuple[str, str], ...]:
        """Expressions that the kernel leaves to code, with the reasons; each once."""
        beyond = [(each.node, each.what) for each in (*self.beyond_scan, *self.window_rows.beyond)]
        beyond += [(each.node, f"{each.what}; {_FILLED}") for each in self.filled_by_code]
        told = [(_written(node), what) for node, what in beyond if what and node is not None]
        return tuple(dict.fromkeys(one for one in told if one[0]))

    def _offer_whole(
        self, element: PlannedStep, handler: On, decided: frozenset[ast.Expr], around: ScopeRole
    ) -> tuple[HoleRole, ...]:
        """Let the scan write a small element as a whole; return the code for its holes."""
        holes: list[HoleCode] = []
        needs = needed_for_whole(handler.body, handler.variable)
        template = None if needs is None else self._template(hoisted(handler.body), handler.variable, decided, holes)
        if template is None or not is_near(template):
            return ()
        element.result = template
        add_needs(handler.body, {handler.variable: element.kept})
        return self._filled_by_code(holes, around)

    def _filled_by_code(self, holes: list[HoleCode], around: ScopeRole) -> tuple[HoleRole, ...]:
        self.filled_by_code += [hole.beyond for hole in holes]
        return tuple(self.code.hole(code, around) for code in holes)

    def _as_stream(self, handler: On, single: bool) -> ProcessStream | None:
        """The body as a stream of its own, if it is one or reads only aggregates over the element.

        Of an element of which there are many, text is taken together: the scan writes it with the element.
        """
        stream = handler.body
        if not isinstance(stream, ProcessStream):
            stream = ProcessStream(handler.variable, (OnFirst(None, stream),))
        stream = self._settled(stream)
        if self._streams(stream) and (single or not all(_is_own_text(each) for each in stream.handlers)):
            return stream
        if not all(isinstance(h, OnFirst) for h in stream.handlers):
            return None
        if self._fires_early(stream):
            return stream
        reduced, aggregates = self._without_aggregates(stream)
        needs = self._needs(reduced)
        reads_more = needs.children or needs.subtree or needs.string or needs.leaves
        if not aggregates or needs.subtree or needs.string or needs.leaves or needs.above:
            return None
        # Aggregates over deep descendants save more than separate records cost.
        return stream if not reads_more or any(len(a.prefix) > NEAR_STEPS for a in aggregates) else None

    def _fires_early(self, stream: ProcessStream) -> bool:
        """Whether a handler writes something before its element ends, and the rest can be kept."""
        of = self.types.get(stream.variable)
        at_start = past_at_start(stream, of)
        found = early_firing(stream, of, at_start)
        bodies = [handler.body for handler in stream.handlers[at_start:-1] if isinstance(handler, OnFirst)]
        if found is None or all(isinstance(body, Fixed) for body in bodies):
            return False
        needs = self._needs(self._without_aggregates(stream)[0])
        return not (needs.subtree or needs.string or needs.leaves or needs.above)

    def _streams(self, stream: ProcessStream) -> bool:
        """Whether children are worth processing one by one: some are streamed, and the rest can be kept."""
        if not any(_streamed_path(handler) is not None for handler in stream.handlers):
            return False
        if not all(self._can_follow(handler, stream.variable) for handler in stream.handlers):
            return False
        reduced, _ = self._without_aggregates(stream)
        needs = self._needs(reduced)
        # A buffer is a copy: nothing is around it.
        return not (needs.subtree or needs.string or needs.leaves or needs.above)

    def is_scannable(self, path: tuple[Step, ...]) -> bool:
        """Whether the scan itself can find the elements of a handler, by name and attributes."""
        return all(is_element_step(step) and self.regions.scan_tests(step) is not None for step in path)

    def _can_follow(self, handler: Handler, source: str) -> bool:
        path = _streamed_path(handler)
        if path is None or self.is_scannable(path):
            return True
        if not isinstance(handler, On):
            return False
        if self.leaves.can(path, source) or (is_element_step(handler.step) and self.regions.can(handler)):
            return True
        return self._is_tested_item(handler)

    def _is_tested_item(self, handler: On) -> bool:
        """Whether elements are counted by a test that only their end decides."""
        if self.is_scannable((*handler.through, handler.step)) or not self.tested_items.can(handler):
            return False
        return not self.regions.can(handler)

    def _settled(self, stream: ProcessStream) -> ProcessStream:
        """The stream with its predicates decided on the way, or by the outermost element they may refer to."""
        handlers = tuple(self._settled_handler(stream.variable, handler) for handler in stream.handlers)
        return stream if handlers == stream.handlers else replace(stream, handlers=handlers)

    def _settled_handler(self, source: str, handler: Handler) -> Handler:
        if not isinstance(handler, On) or handler.outermost or self._can_follow(handler, source):
            return handler
        loop = For(handler.variable, source, (*handler.through, handler.step), handler.body, None, handler.position)
        found = take_outermost(loop, self.names)
        if found is None:
            return handler
        *through, step = found.path
        return On(step, found.variable, found.body, tuple(through), outermost=True)

    # --- aggregates

    def _without_aggregates(self, stream: ProcessStream) -> tuple[ProcessStream, list[Aggregate]]:
        extraction = Extraction(stream.variable, self.next_aggregate, self.program_variables, takes_leaves=True)
        # When a handler fires, all its inputs have passed: the values it reads of the stream's element are final.
        made = replace(stream, handlers=tuple(map_handler(h, extraction) for h in stream.handlers))
        self.next_aggregate = extraction.number
        return made, extraction.found


def _written(expression: ast.Expr) -> str:
    """An expression as written in the query; rules may have replaced it by one without text."""
    span = expression.span
    text = " ".join(span.source.text[span.start : span.end].split())
    return text if len(text) <= _LONGEST_TOLD else text[: _LONGEST_TOLD - 1] + "…"


def _waiting(variable: str, handler: Handler) -> Handler:
    """A handler that loops over nodes for which it would otherwise wait."""
    if isinstance(handler, (OnWindow, OnEach)):
        return OnFirst(None, For(handler.variable, variable, handler.path, handler.body, window=handler.window))
    if not isinstance(handler, On):
        return handler
    return OnFirst(None, loop_of(handler, variable, (*handler.through, handler.step)))


def _is_own_text(handler: Handler) -> bool:
    """Whether a handler takes only the text of its stream's element, or only waits."""
    path = _streamed_path(handler)
    return path is None or (len(path) == 1 and path[0].name == TEXT and path[0].axis == "child")


def _streamed_path(handler: Handler) -> tuple[Step, ...] | None:
    """The path whose nodes a handler takes from the stream; None for one that only waits."""
    if isinstance(handler, On) and handler.step.axis != "attribute":
        return (*handler.through, handler.step)
    return handler.path if isinstance(handler, (OnWindow, OnEach)) else None


def is_value(kept: Projection) -> bool:
    """Whether only the attributes, text or string value of an element are kept."""
    return not (kept.children or kept.subtree)
