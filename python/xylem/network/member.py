"""One subscription while its stream runs: the run of its program, and the answer as text that grows.

The answer over records [from, to) equals, byte for byte, that of the query over a document of just these records. It
depends on the records alone: a subscription's clock shows the moment it was created. So a reader with the first bytes
of an answer can get the rest from another run, which skips as many bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

from xylem.errors import InputError, SourceText, Span, StaticError, XylemError
from xylem.functions.context import Context, RunPart
from xylem.lowering.stream.account import account_of
from xylem.pipeline import StaticEnvironment
from xylem.plan.scan_plan import WRITTEN, Written
from xylem.query.compiled_query import CompiledQuery
from xylem.run.stream.collector import Collector
from xylem.run.stream.resumable_program import is_saved_between_records
from xylem.run.stream.roles import ItemRole
from xylem.run.stream.run import Statistics, StreamRun
from xylem.run.stream.saved_scopes import give_scope_states, scope_states
from xylem.run.stream.settled_tables import without_numbers
from xylem.run.stream.window_output import WindowOutput
from xylem.sink.default_parameters import chosen_parameters
from xylem.sink.event_writer import EventWriter, can_write_events, takes_markup
from xylem.sink.output_encoding import byte_encoder
from xylem.source.limits import DEFAULT_LIMITS
from xylem.source.resources import FileResources
from xylem.syntax import ast, parse
from xylem.values.datetimes import DateTime
from xylem.values.node import Node
from xylem.values.state_codec import CannotSave, DamagedState
from xylem.values.tree_interface import TreeInterface

from .answer_states import RunState
from .merged_scan import Request, Share, can_be_merged
from .mobile_code import brings_code, mobile_functions
from .pane_form import PaneForm, pane_form
from .query_forms import Constants, Form, QueryForms, replaced
from .stored_documents import Documents, documents_read

BUFFERED_BYTES = DEFAULT_LIMITS.buffered_bytes


class SubscribedQuery:
    """A query that can be subscribed: one pass over its stream, whose state is only items, windows and aggregates.

    XYST0004 or XYRT0051 with the reason for any other.
    """

    __slots__ = (
        "__weakref__", "_panes", "_saves", "documents", "is_merged", "name", "parameters", "program", "request", "text",
    )  # fmt: skip

    def __init__(self, text: str, name: str, documents: Documents | None = None) -> None:
        """`documents` are those of the site; a query that names none does not need them."""
        self.text = text
        self.name = name
        self.documents = documents if documents is not None and documents_read(text) else None
        base = None if self.documents is None else self.documents.base_uri
        code = mobile_functions(parse(text)) if brings_code(text) else ()
        environment = StaticEnvironment(name=name, base_uri=base, external_functions=code)
        self.program = CompiledQuery(text, environment).stream_program()
        self.parameters = chosen_parameters(self.program.handlers.output, {}, lambda: True)
        if not can_write_events(self.parameters):
            raise StaticError("XYRT0051", "its output method needs the complete answer")
        if not account_of(self.program).is_bounded:
            raise StaticError("XYRT0051", "its state would grow with the stream")
        for variable in self.program.handlers.external_variables:
            if not variable.has_default:
                raise StaticError("XYRT0051", f"the external variable ${variable.local} has no value")
        if not takes_markup(self.parameters, *self.program.copy_namespaces):
            raise StaticError("XYRT0051", "its output method, or how it copies namespaces, is not that of a stream")
        # Details of the plan are for those who request an explanation: they would take most of the memory.
        self.program.plan = replace(self.program.plan, steps=(), normal_form=self.program.plan.program)
        # Detected now, and not at the first record.
        _ = self.program._may_recurse
        self.is_merged = can_be_merged(self.program.scan)
        """Whether it can share a scan with others; otherwise it has one of its own."""
        self.request = Request(without_numbers(self.program.scan))
        self._panes: PaneForm | bool | None = False
        self._saves: bool | None = None

    @property
    def can_be_saved(self) -> bool:
        """Whether the state of its run can be saved between two records."""
        if self._saves is None:
            self._saves = is_saved_between_records(self.program)
        return self._saves

    @property
    def panes(self) -> PaneForm | None:
        """The query as windows over items that other queries may share; None if it is not of that kind."""
        if isinstance(self._panes, bool):
            self._panes = None if self.documents is not None else pane_form(self.text)
        return self._panes

    def with_constants(self, text: str, name: str, form: Form, constants: Constants) -> SubscribedQuery:
        """A query like this one, made from a form with constants in place of marks."""
        made = SubscribedQuery.__new__(SubscribedQuery)
        made.text, made.name, made.documents = text, name, None
        made.parameters, made.is_merged, made._panes = self.parameters, self.is_merged, False
        made._saves = self.can_be_saved
        made.program = form.program_with(constants)
        made.request = self.request.replaced(lambda part: replaced(part, constants))
        located = self.program.handlers.locate

        def locate(error: BaseException) -> Span | None:
            # The code is the same line by line, and so is the text except for its constants.
            span = located(error)
            return None if span is None else form.outline.span_in(span, SourceText(text, name))

        made.program.handlers.locate = locate  # type: ignore[method-assign]
        return made

    def written_by(self, step: int) -> ItemRole | None:
        """The handlers whose results the scan writes for a step; None if it writes rows for windows."""
        found = (role for role in self.program.roles if role.step == step and isinstance(role, ItemRole))
        return next(found, None)

    @property
    def source(self) -> str | None:
        """The stream that it names; None if it reads the context item."""
        match self.program.plan.source:
            case ast.FunctionCall(arguments=(ast.StringLiteral(value=name),)):
                return name
        return None


class SubscribedQueries:
    """Compiled queries, including variants with other constants."""

    def __init__(self, documents: Documents | None = None) -> None:
        self._documents = documents
        self._forms = QueryForms()
        self._of_form: dict[int, SubscribedQuery] = {}

    def compiled(self, text: str, name: str) -> SubscribedQuery:
        """A query, compiled unless its form is known."""
        known = self._forms.known(text) or self._learnt(text, name)
        if known is None:
            return SubscribedQuery(text, name, self._documents)
        form, constants = known
        return self._of_form[id(form)].with_constants(text, name, form, constants)

    def _learnt(self, text: str, name: str) -> tuple[Form, Constants] | None:
        outline = self._forms.new_outline(text)
        if outline is None or documents_read(text):
            return None
        marked: SubscribedQuery | None = None
        with suppress(XylemError):
            # Report its errors in terms of the query as written.
            marked = SubscribedQuery(outline.marked, name)
        form = self._forms.add(outline, None if marked is None else marked.program)
        constants = outline.constants(text)
        if form is None or marked is None or constants is None:
            return None
        self._of_form[id(form)] = marked
        return form, constants


class Member:
    """The run of a subscription from one position of a stream on.

    Holds:  the state of the run: open windows, aggregates, the element under construction.
    """

    def __init__(self, name: str, query: SubscribedQuery, made_ms: int, write: Callable[[bytes], object]) -> None:
        self.name = name
        self.query = query
        program = query.program
        resources = FileResources() if query.documents is None else query.documents.resources()
        part = RunPart(resources, clock_time(made_ms), None, {})
        encode = byte_encoder(query.parameters)
        self._resumed: RunState | None = None
        """The state of another run, while the elements around the records have not begun in this one."""

        def output_text(text: str) -> None:
            if self._resumed is None:
                write(encode(text))

        preserve, inherit = program.copy_namespaces
        self._writer = EventWriter(
            query.parameters, output_text, copy_preserve=preserve, copy_inherit=inherit
        )
        self._statistics = Statistics()
        self._statistics.limit_bytes = BUFFERED_BYTES
        output: EventWriter | WindowOutput = self._writer
        self._windows: WindowOutput | None = None
        if program.feeds_windows:
            self._windows = output = WindowOutput(output, self._statistics, self._new_collector)
        space = program.handlers.namespace(part, None)
        context = Context(program.static, part)
        self._run = StreamRun(program.roles, len(program.slots), space, context, output, self._statistics)
        self.may_be_done = self._run.stopping.is_possible or self._windows is not None
        """Whether its answer may become final before the stream ends."""
        self._started = False
        self._written_step = -1
        self._written_role: ItemRole | None

    def _new_collector(self) -> Collector:
        return Collector(self.query.program.static.base_uri, *self.query.program.copy_namespaces)

    @property
    def is_started(self) -> bool:
        return self._started

    @property
    def is_resumed(self) -> bool:
        """Whether it still has to load the state that it resumes from."""
        return self._resumed is not None

    @property
    def is_done(self) -> bool:
        """Whether no further input can change the answer."""
        is_over = self._windows is not None and self._windows.is_over and self.query.program.ends_with_windows
        return is_over or self._run.is_done

    @property
    def held_bytes(self) -> int:
        return self._statistics.peak_buffered_bytes

    def state(self) -> RunState | None:
        """The state between two records; None if it cannot be saved, or nothing has begun."""
        if not self._started or not self.query.can_be_saved:
            return None
        self._writer.flush()
        try:
            return RunState(scope_states(self._run), self._writer.place)
        except CannotSave:
            return None

    def resume(self, state: RunState) -> None:
        """Resume from the state of another run: output for the elements around the records was written before."""
        self._resumed = state

    def begin(self, tree: TreeInterface, share: Share | None) -> None:
        """Process the elements around the records; XYRT0033 for a state that belongs to another query."""
        if share is None:
            self.start(tree)
        else:
            self.take(tree, share)
        state = self._resumed
        if state is not None:
            try:
                give_scope_states(self._run, state.scopes)
            except (DamagedState, ValueError, TypeError) as reason:
                raise InputError("XYRT0033", f"the state of '{self.name}': {reason}") from reason
            self._writer.go_on(state.place)
            self._writer.flush()
            self._resumed = None

    def start(self, tree: TreeInterface) -> None:
        """Begin the stream: there is an empty document."""
        if not self._started:
            self._started = True
            self._guarded(lambda: self._run.start(Node(tree, 0)))

    def take(self, tree: TreeInterface, share: Share) -> None:
        """Process the records of a batch and write the results that become final."""
        self.start(tree)

        def take() -> None:
            self._run.push(tree, share.kinds, share.steps, share.rows, share.counts, share.written)

        windows = self._windows
        self._guarded(take if windows is None else lambda: windows.after(take))
        self._writer.flush()

    def take_text(self, step: int, written: Written) -> None:
        """Like `take`, for text that the scan has written; open elements then refer to a small tree."""
        run, windows = self._run, self._windows
        if self._written_step != step:
            self._written_step, self._written_role = step, self.query.written_by(step)
        role = self._written_role
        if windows is None and role is not None and run.passes_on(role, written):
            if written.text:
                self._writer.markup_at_once(written.text)
            return

        def take() -> None:
            run.written = iter((written,))
            run.actions[step << 3 | WRITTEN](run.env[0])

        self._guarded(take if windows is None else lambda: windows.after(take))

    def rest_on(self, tree: TreeInterface) -> None:
        """Move the open elements to a small tree, so that the batch can be freed."""
        if self._started:
            self._run._move_spine(tree)

    def finish(self, tree: TreeInterface) -> None:
        """End the stream for this subscription and write the rest of the answer."""
        self.start(tree)
        windows = self._windows
        self._guarded(self._run.finish if windows is None else lambda: windows.after(self._run.finish))
        self._writer.flush()

    def _guarded(self, action: Callable[[], None]) -> None:
        try:
            self.query.program.guarded(action)
        except InputError:
            raise
        finally:
            # Complete results before an error count.
            self._writer.flush()


def clock_time(milliseconds: int) -> DateTime:
    """A moment as current-dateTime() returns it, in UTC: the same wherever and whenever it is requested again."""
    at = datetime.fromtimestamp(milliseconds // 1000, UTC)
    seconds = Decimal(at.second * 1000 + milliseconds % 1000) / 1000
    return DateTime(at.year, at.month, at.day, at.hour, at.minute, seconds, 0)
