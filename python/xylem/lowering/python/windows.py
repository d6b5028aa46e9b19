"""Window clauses: conditions, keys and aggregates become functions; the operator is in `run/windows/`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from xylem.analysis.event_order_call import event_order_call
from xylem.analysis.types import sequence_type, signature_type
from xylem.functions.registry import FN
from xylem.plan.note import Note
from xylem.plan.window_plan import ROLES, AggregateRead, Boundary, WindowPartition, WindowPlan, decisions
from xylem.run.runtime import control as control_rt
from xylem.run.runtime import data_windows
from xylem.run.windows.aggregates import aggregate_value
from xylem.run.windows.counted_sliding import CountedSlidingCursor
from xylem.run.windows.cursor import Needs
from xylem.run.windows.landmark import LandmarkCursor
from xylem.run.windows.partitioned import PartitionedCursor, of_one_key
from xylem.run.windows.sliding import SlidingCursor
from xylem.run.windows.streamed_tumbling import streamed_tumbling
from xylem.run.windows.subsequences import SubsequenceCursor
from xylem.run.windows.tumbling import TumblingCursor
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values.sequence_type import AtomicItem, ItemType, Occurrence, SequenceType

from .code import Code, Shape, atomic, one, optional, shape_of
from .compiler import Compiler, compiles
from .event_order import in_event_order
from .fed_loops import reads_fed_items, write_fed_loop
from .resumed_windows import reads_stream_in_batches, resumed_windows
from .window_aggregates import WrittenAggregates, write_aggregates
from .window_parts import OpenWindowsWriter, Parts, WindowFunctions
from .writer import Frame

Bound = list[tuple[tuple[str, str], Code]]


def write_window(c: Compiler, plan: WindowPlan) -> Bound:
    """Write the loop over the windows; return the variables that each turn binds."""
    order = event_order_call(plan.collection)
    if order is not None and plan.partition is None:
        plan = replace(plan, collection=order.items)
    is_fed = reads_fed_items(plan.collection)
    is_resumed = reads_stream_in_batches(plan.collection)
    if (is_resumed or order is not None) and plan.early == "items":
        # A reader inside a window could not pause.
        plan = replace(plan, early="")
    for topic, text in decisions(plan):
        c.writer.notes.append(Note(plan.span, topic, text))
    collection = c.compile(plan.collection)
    source = c.as_iterable(collection)
    item = collection.item
    if plan.partition is not None:
        return _write_partition(c, plan, collection, plan.partition)
    started = _variables(c, plan.start, item)
    ended = _variables(c, plan.end, item)
    functions = WindowFunctions(c, plan, started, ended)
    window = c.fresh_name(plan.name)
    aggregates = write_aggregates(c, plan, item, collection.endless)
    if plan.early == "items":
        looks_ahead = bool(plan.start.named("next") or plan.end.named("next"))
        start, end = functions.start(), functions.whole_end()
        found = f"{c.rt(streamed_tumbling)}({source}, {start}, {end}, {plan.is_newstart}, {looks_ahead})"
    else:
        cursor = _cursor(c, plan, functions, collection.endless, aggregates.text)
        if collection.endless and plan.kind and not is_fed:
            # The limit of all buffers applies to windows over a document, too.
            cursor += ".within(run.held_items)"
        cursor = cursor if order is None else in_event_order(c, order, cursor, item)
        found = f"{source}.over({cursor})" if is_fed else f"{cursor}.over({source})"
        found = f"{resumed_windows(c)}.over({cursor})" if is_resumed else found
    names = [code.text if code else "_" for _, code in (*started, *ended)]
    if plan.early:
        # The values at the end are not known yet, and nothing reads them.
        names[4:] = ["_"] * 4
    targets = [window, *names, *(code.text for _, code in aggregates.variables)]
    if is_fed:
        write_fed_loop(c, ", ".join(targets), found)
    else:
        c.writer.line(f"for {', '.join(targets)} in {found}:")
    shape = Shape.ITERABLE if plan.early == "items" else Shape.SEQUENCE
    code = Code(window, shape, SequenceType(item, Occurrence.SOME), simple=True)
    code = replace(code, pauses=is_fed and plan.early == "items")
    bound: Bound = [(plan.name.expanded, code)]
    bound += [(name, value) for name, value in started if name is not None and value is not None]
    if not plan.early:
        bound += [(name, value) for name, value in ended if name is not None and value is not None]
    return [*bound, *aggregates.variables]


def _write_partition(c: Compiler, plan: WindowPlan, collection: Code, partition: WindowPartition) -> Bound:
    """Windows for each value of a key: every key has its own cursor, created when the key is first seen."""
    item = collection.item
    is_fed = reads_fed_items(plan.collection)
    shape, often = (Shape.OPTIONAL, Occurrence.OPTIONAL) if partition.keeps_empty else (Shape.ONE, Occurrence.ONE)
    kind = SequenceType(AtomicItem(at.ANY_ATOMIC), often)
    key = Code(c.fresh_name(partition.name), shape, kind, simple=True)
    started, ended = (_variables(c, boundary, item) for boundary in (plan.start, plan.end))
    aggregates: list[WrittenAggregates] = []

    def write_cursor() -> None:
        c.declare(partition.name.expanded, key)
        aggregates.append(write_aggregates(c, plan, item, collection.endless))
        functions = WindowFunctions(c, plan, started, ended)
        c.writer.line(f"return {_cursor(c, plan, functions, collection.endless, aggregates[0].text)}")

    def write_key() -> None:
        if partition.item is None:
            c.scope = c.scope.with_focus(c.focus_on(one("item", item, simple=True)))
        else:
            c.declare(partition.item.expanded, one("item", item, simple=True))
        if partition.may_have_several and is_fed:
            values = c.compile(ast.FunctionCall(ast.Name("data", "fn", FN), (partition.key,), span=partition.key.span))
            c.writer.line(f"return {c.as_iterable(values)}")
            return
        c.writer.line(f"return {c.atomic_operand(partition.key, 'the key of an item').text}")

    make = partial_of(c, c.lifted("cursor", [key.text], c.describe(plan), write_cursor))
    key_of = partial_of(c, c.lifted("key", ["item"], c.describe(partition.key), write_key))
    window = c.fresh_name(plan.name)
    names = [code.text if code else "_" for _, code in (*started, *ended)]
    targets = [key.text, window, *names, *(code.text for _, code in aggregates[0].variables)]
    number = Code(c.writer.fresh("number"), Shape.ONE, SequenceType(AtomicItem(at.INTEGER)), simple=True)
    if reads_stream_in_batches(plan.collection):
        last = f"{partition.keeps_empty}, {plan.forgets_keys}"
        found = f"{resumed_windows(c)}.by_key({key_of}, {make}, run.implicit_timezone_minutes, {last})"
        c.writer.line(f"for {', '.join(targets)} in {found}:")
    else:
        if not (partition.may_have_several and is_fed):
            key_of = f"{c.rt(of_one_key)}({key_of}, {partition.keeps_empty})"
        # The limit of all buffers applies to windows over a document, too.
        limit = "None" if is_fed else "run.held_items"
        forgets = plan.forgets_keys and partition.number is None
        cursor = f"{c.rt(PartitionedCursor)}({key_of}, {make}, {limit}, run.implicit_timezone_minutes, {forgets})"
        source = c.as_iterable(collection)
        targets.insert(0, number.text)
        if is_fed:
            write_fed_loop(c, ", ".join(targets), f"{source}.over({cursor})")
        else:
            c.writer.line(f"for {', '.join(targets)} in {cursor}.over({source}):")
    bound: Bound = [(partition.name.expanded, key)]
    bound += [(partition.number.expanded, number)] if partition.number is not None else []
    bound.append((plan.name.expanded, Code(window, Shape.SEQUENCE, SequenceType(item, Occurrence.SOME), simple=True)))
    bound += [(name, value) for name, value in (*started, *ended) if name is not None and value is not None]
    return [*bound, *aggregates[0].variables]


def partial_of(c: Compiler, frame: Frame) -> str:
    """A generated function with its captured values."""
    captures = "".join(f", {name}={name}" for name in frame.captures)
    return f"{c.rt(partial)}({frame.name}{captures})" if captures else frame.name


def check_window_types(c: Compiler, plan: WindowPlan) -> None:
    """Check the declared type of the window; conditions check those of its other variables."""
    if plan.type is None:
        return
    code = c.use(c.scope.variables[plan.name.expanded])
    expected = c.type_constant(sequence_type(plan.type))
    with c.writer.at(plan.type.span):
        c.writer.line(f"{c.rt(control_rt.check_type)}({code.text}, {expected}, {f'${plan.name}'!r})")


def _variables(c: Compiler, boundary: Boundary, item: ItemType) -> Parts:
    """The four variables of a condition; undeclared ones are (None, None)."""
    parts: Parts = []
    for role in ROLES:
        name = boundary.named(role)
        if name is None:
            parts.append((None, None))
            continue
        python = c.fresh_name(name)
        if role == "current":
            code = one(python, item, simple=True)
        elif role == "position":
            code = atomic(python, at.INTEGER, simple=True)
        else:
            code = optional(python, item, simple=True)
        parts.append((name.expanded, code))
    return parts


def _cursor(c: Compiler, plan: WindowPlan, functions: WindowFunctions, endless: bool, aggregates: str) -> str:
    """An expression that creates the cursor."""
    if not plan.kind:
        return f"{c.rt(SubsequenceCursor)}({'run.held_items' if endless else 'None'})"
    options = [f"needs={_needs(c, plan)}"]
    options += ["newstart=True"] if plan.is_newstart else []
    options += ["force=True"] if plan.force else []
    needs_items = not endless and any(aggregate.is_path for aggregate in plan.aggregates)
    options += ["keeps_items=False"] if not plan.keeps_items and not needs_items else []
    options += [f"aggregates={aggregates}"] if aggregates else []
    if plan.longest is not None:
        options.append(f"longest={c.compile(plan.longest).text}")
    if plan.kind == "tumbling":
        options += ["early=True"] if plan.early else []
        arguments = [functions.start(), functions.whole_end(), *options]
        return f"{c.rt(TumblingCursor)}({', '.join(arguments)})"
    options += [f"shared={functions.of_end('shared', plan.shared)}"] if plan.shared is not None else []
    options += [f"opening={functions.of_start('opening', plan.opening)}"] if plan.opening is not None else []
    arguments = [functions.start(), OpenWindowsWriter(c, plan, functions).text(), *options]
    if plan.kind == "landmark":
        return f"{c.rt(LandmarkCursor)}({', '.join(arguments)})"
    arguments += ["by_start=True"] if plan.is_standard else []
    arguments += ["early=True"] if plan.early else []
    distance = distance_of(plan) if arguments[0] == "None" and not plan.early and not needs_items else None
    if distance is not None:
        return f"{c.rt(CountedSlidingCursor)}({', '.join(arguments)}, distance={distance})"
    return f"{c.rt(SlidingCursor)}({', '.join(arguments)})"


def distance_of(plan: WindowPlan) -> int | None:
    """The number of items from its first item at which a window ends, if nothing else determines its end."""
    index, places = plan.index, (plan.start.named("position"), plan.end.named("position"))
    if index is None or index.kind != "hash" or index.is_general or None in places:
        return None
    if plan.shared is not None or plan.opening is not None or plan.own is not None:
        return None
    keys = [key.name.expanded if isinstance(key, ast.VarRef) else None for key in (index.start_key, index.end_key)]
    if keys != [place.expanded for place in places if place is not None]:
        return None
    return index.offset.value if isinstance(index.offset, ast.IntegerLiteral) and index.offset.value > 0 else None


def _needs(c: Compiler, plan: WindowPlan) -> str:
    found = Needs(*(_needed(boundary) for boundary in (plan.start, plan.end)))
    return c.writer.constant(found, "needs", key=found)


def _needed(boundary: Boundary) -> tuple[bool, bool, bool, bool]:
    current, position, previous, following = (boundary.named(role) is not None for role in ROLES)
    return current, position, previous, following


@compiles(AggregateRead)
def compile_aggregate_read(c: Compiler, node: AggregateRead) -> Code:
    value = c.compile(node.variable)
    text = f"{c.rt(aggregate_value)}({value.text})"
    if node.function.uri == FN:
        returns = signature_type("xs:integer" if node.function.local == "count" else "xs:anyAtomicType?")
        return Code(text, shape_of(returns.occurrence), returns)
    return Code(text, Shape.SEQUENCE, value.type)


# --- data windows on paths


def data_window_cursor(c: Compiler, window: ast.DataWindow, item: ItemType) -> str:
    """An expression that creates the cursor of a data window (thesis §3.8.2)."""
    number = SequenceType(AtomicItem(at.NUMERIC))
    whole = SequenceType(AtomicItem(at.INTEGER))
    kind = whole if window.kind == "count" else number
    size = c.bind(c.converted(c.compile(window.size), kind, "the size of a window"))
    step = size if window.step is None else c.converted(c.compile(window.step), kind, "the step of a window")
    if window.kind == "count":
        return f"{c.rt(data_windows.CountWindows)}({size.text}, {step.text})"
    return f"{c.rt(data_windows.ReferenceWindows)}({size.text}, {step.text}, {_reference(c, window, item)})"


def _reference(c: Compiler, window: ast.DataWindow, item: ItemType) -> str:
    """The reference value of an item, as a function."""

    def write() -> None:
        c.scope = c.scope.with_focus(c.focus_on(one("item", item, simple=True)))
        found = c.atomic_operand(window.reference or ast.ContextItem(), "the reference of a window")
        c.writer.line(f"return {found.text}")

    return partial_of(c, c.lifted("reference", ["item"], c.describe(window), write))
