"""The meaning of FluX programs, as the thesis defines it (§3.4.2, §3.8.2.2), executed in the plainest way.

It keeps itself to what a stream allows: when a handler fires, its variables hold what has passed of their elements, and
of that only what the projection says is needed. So a program that is not safe, or a projection that is too small,
gives a wrong answer here. It is slow, and stays in the tests for ever.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import xylem
from xylem.analysis.readable_names import with_readable_names
from xylem.plan.flux import (
    ROOT,
    Copy,
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
from xylem.plan.needs import needs, node_test
from xylem.plan.symbols import is_element_step, reached_type
from xylem.result import Result
from xylem.schema.past_tracker import PastTracker
from xylem.syntax import ast, print_query
from xylem.values.builder import TreeBuilder
from xylem.values.node import Node
from xylem.values.qname import QName

from .plain_tree import Element, projected, seen

Event = tuple[str, Any]


@dataclass(frozen=True)
class Open:
    """An element that passes: its children up to `passed` have."""

    element: Element
    passed: int
    kind: Any = None

    @property
    def so_far(self) -> Element:
        return seen(self.element, self.passed)


def answer(program: Flux, document: Element, schema: Any = None, prolog: str = "") -> str:
    """The serialised answer of a program."""
    run = _Run(schema, prolog, document)
    run.element(program, ROOT, Open(document, 0, None if schema is None else schema.document()), {}, {})
    return serialised(run.events)


class _Run:
    def __init__(self, schema: Any, prolog: str, document: Element) -> None:
        self.document = document
        self.schema = schema
        self.prolog = prolog
        self.events: list[Event] = []

    # --- streams

    def element(self, body: Flux, name: str, open: Open, opened: dict[str, Open], values: dict[str, Any]) -> None:
        """Pass one element through a body."""
        if isinstance(body, ProcessStream):
            assert body.variable == name
            self._process(body, open, opened, values)
        else:
            whole = Open(open.element, len(open.element.children), open.kind)
            self._evaluate(body, {**opened, name: whole}, values)

    def _process(self, ps: ProcessStream, open: Open, opened: dict[str, Open], values: dict[str, Any]) -> None:
        positions: dict[int, int] = {}
        for passed, child, newly in self._events(ps, open):
            here = {**opened, ps.variable: Open(open.element, passed, open.kind)}
            for index, handler in enumerate(ps.handlers):
                if isinstance(handler, OnFirst):
                    if index in newly:
                        self._evaluate(handler.body, here, values)
                elif isinstance(handler, On) and child is not None:
                    outer = {**values, **self._tested(handler, here)}
                    for found in _matches(handler, open.element, passed, child, outer, self):
                        inner = dict(values)
                        if handler.position is not None:
                            positions[index] = inner[handler.position] = positions.get(index, 0) + 1
                        if isinstance(found, Element):
                            kind = open.kind
                            for step in (*handler.through, handler.step):
                                kind = reached_type(step, kind, self.schema)
                            self.element(handler.body, handler.variable, Open(found, 0, kind), here, inner)
                        else:
                            inner[handler.variable] = found
                            self._evaluate(handler.body, here, inner)
                elif isinstance(handler, (OnWindow, OnEach)) and index in newly:
                    # The windows of all matches, once the last one has passed: the order of output is the same.
                    loop = For(handler.variable, ps.variable, handler.path, handler.body, window=handler.window)
                    self._evaluate(loop, here, values)

    def _tested(self, handler: On, opened: dict[str, Open]) -> dict[str, Node]:
        """The variables that the predicates of a handler's path read."""
        tests = [test for step in (*handler.through, handler.step) for test in step.predicates]
        return {n: _node(o.so_far) for n, o in opened.items() if any(_mentions(n, test) for test in tests)}

    def _events(self, ps: ProcessStream, open: Open) -> Iterator[tuple[int, Any, set[int]]]:
        """The rounds of the definition: (children passed, the child or attributes now, handlers that fire now)."""
        sets = [_past_set(handler) for handler in ps.handlers]
        tracker = None if open.kind is None else PastTracker(open.kind, [s if s is not None else None for s in sets])
        given: set[int] = set()

        def newly(bits: int) -> set[int]:
            return {index for index in range(len(sets)) if bits >> index & 1}

        first = newly(tracker.begin()) if tracker else {i for i, s in enumerate(sets) if s == frozenset()}
        given |= first
        yield 0, open.element.attributes, first
        for index, child in enumerate(open.element.children):
            fired: set[int] = set()
            if tracker and isinstance(child, Element):
                fired = newly(tracker.child(child.name))
                given |= fired
            yield index, child, fired
        rest = set(range(len(sets))) - given
        yield len(open.element.children), None, rest

    # --- XQuery⁻

    def _evaluate(self, body: Flux, opened: dict[str, Open], values: dict[str, Any]) -> None:
        needed = needs(body, opened)
        bound = dict(values)
        for name, open in opened.items():
            if _is_read(name, body):
                kept = projected(open.so_far, needed[name])
                around = [] if needed[name].above is None else _around(self.document, open.element) or []
                bound[name] = _node_inside(around, kept)
        self._xquery(body, bound)

    def _xquery(self, body: Flux, bound: dict[str, Any]) -> None:
        match body:
            case Sequence(parts=parts):
                for part in parts:
                    self._xquery(part, bound)
            case Fixed(opens=ast.DirectElement() as element, closes=ast.DirectElement()):
                self.events.append(("item", self._value(element, bound)))
            case Fixed(text=text, opens=opens, closes=closes):
                self.events.append(("open", (opens, {})) if opens else ("close", None) if closes else ("text", text))
            case Opening(element=element):
                attributes = {a.name.local: self._value(_string(a), bound)[0] for a in element.attributes}
                self.events.append(("open", (element, attributes)))
            case Copy(variable=name, path=path):
                self.events.append(("item", self._value(_path(name, path), bound)))
            case Leaf(expression=expression):
                self.events.append(("item", self._value(expression, bound)))
            case If(condition=condition, body=then):
                if self._value(ast.FunctionCall(ast.Name("boolean"), (condition,)), bound)[0]:
                    self._xquery(then, bound)
            case For():
                self._loop(body, bound)
            case _:
                raise TypeError(body)

    def _loop(self, loop: For, bound: dict[str, Any]) -> None:
        items = self._value(_path(loop.source, loop.path), bound)
        rounds: list[Any] = items
        if loop.window is not None:
            rounds = list(_windows(items, loop.window))
        for position, item in enumerate(rounds, 1):
            inner = {**bound, loop.variable: item}
            if loop.position is not None:
                inner[loop.position] = position
            if loop.where is None or self._value(ast.FunctionCall(ast.Name("boolean"), (loop.where,)), inner)[0]:
                self._xquery(loop.body, inner)

    def _value(self, expression: ast.Expr, bound: dict[str, Any]) -> list[Any]:
        names = sorted({n.name.local for n in expression.walk() if isinstance(n, ast.VarRef)} & bound.keys())
        query = _compiled(self.prolog, tuple(names), print_query(with_readable_names(expression)))
        return list(query.run(bound.get(ROOT), {name: bound[name] for name in names}).xdm)


@cache
def _compiled(prolog: str, names: tuple[str, ...], text: str) -> Any:
    declared = "".join(f"declare variable ${name} external; " for name in names)
    return xylem.compile(f"{prolog}{declared}{text}")


def _past_set(handler: Handler) -> frozenset[str] | None:
    match handler:
        case OnFirst(symbols=symbols):
            return symbols
        case OnWindow(path=path) | OnEach(path=path):
            return frozenset({path[0].name})
    return frozenset({"*"})


def _is_read(name: str, body: Flux) -> bool:
    match body:
        case Sequence(parts=parts):
            return any(_is_read(name, part) for part in parts)
        case For(source=source, body=inner, where=where, path=path):
            tests = [p for step in path for p in step.predicates]
            return name == source or _is_read(name, inner) or any(_mentions(name, t) for t in (*tests, where) if t)
        case Copy(variable=variable):
            return variable == name
        case If(condition=condition, body=inner):
            return _mentions(name, condition) or _is_read(name, inner)
        case Leaf(expression=expression):
            return _mentions(name, expression) or name == ROOT
        case Opening(element=element):
            return _mentions(name, element)
    return False


def _mentions(name: str, node: ast.Node) -> bool:
    return any(isinstance(n, ast.VarRef) and n.name.local == name for n in node.walk())


def _matches(handler: On, parent: Element, index: int, child: Any, values: Any, run: _Run) -> list[Any]:
    """The nodes a handler fires for in this round: elements, or nodes of attributes and text."""
    step = handler.step
    if isinstance(child, dict):
        if step.axis != "attribute" or handler.through:
            return []
        holder = _node(Element(parent.name or "x", child))
        return run._value(_path("holder", (step,)), {"holder": holder})
    if isinstance(child, str):
        if step.name != "text()" or handler.through:
            return []
        return run._value(_path("holder", (step,)), {"holder": _node(Element("x", {}, [child]))})
    path = (*handler.through, step)
    # All that has passed, so that positions count; what was selected in earlier rounds is left out.
    passed = Element("holder", {}, [*parent.children[:index], child])
    below = [child, *child.below()]
    if is_element_step(step):
        found = [f for f in _selected(passed, path, run, values) if any(f is b for b in below)]
        inner = [b for f in found for b in f.below()] if handler.outermost else []
        return [f for f in found if not any(f is b for b in inner)]
    if not handler.through:
        return []
    owners = [f for f in _selected(passed, handler.through, run, values) if any(f is b for b in below)]
    return [item for owner in owners for item in run._value(_path("holder", (step,)), {"holder": _node(owner)})]


def _selected(holder: Element, path: tuple[Step, ...], run: _Run, values: Any) -> list[Any]:
    """The nodes below a holder that a path selects, as elements of the plain tree where they are elements."""
    marked = _marked(holder)
    node = _node(marked)
    found = run._value(_path("holder", path), {**values, "holder": node})
    plain = list(holder.below())
    return [plain[_mark(item)] for item in found]


def _marked(element: Element, counter: list[int] | None = None) -> Element:
    counter = [0] if counter is None else counter
    children: list[Element | str] = []
    for child in element.children:
        if isinstance(child, str):
            children.append(child)
        else:
            mark = str(counter[0])
            counter[0] += 1
            made = _marked(child, counter)
            made.attributes = {**made.attributes, "mark-": mark}
            children.append(made)
    return Element(element.name, element.attributes, children)


def _mark(node: Any) -> int:
    return int(str(_compiled("", (), "string(@mark-)").run(node)))


def _node(element: Element) -> Node:
    if not element.name and not element.children:
        return _first("document {}")
    document = xylem.parse(str(element))
    return _first("/*", document) if element.name else document


def _around(element: Element, inner: Element) -> list[Element] | None:
    """The open elements around one, outermost first."""
    for child in element.children:
        if child is inner:
            return [element] if element.name else []
        found = None if isinstance(child, str) else _around(child, inner)
        if found is not None:
            return [element, *found] if element.name else found
    return None


def _node_inside(around: list[Element], inner: Element) -> Node:
    """The node of an element, with names and attributes of those around it."""
    if not around:
        return _node(inner)
    for outer in reversed(around):
        inner = Element(outer.name, outer.attributes, [inner])
    return _first("/*" * (len(around) + 1), xylem.parse(str(inner)))


def _first(query: str, context: Node | None = None) -> Node:
    found: Node = _compiled("", (), query).run(context).xdm[0]
    return found


def _path(name: str, path: tuple[Step, ...]) -> ast.Expr:
    made: ast.Expr = ast.VarRef(ast.Name(name, None, ""))
    for step in path:
        if step.axis == "descendant":
            made = ast.Path(made, ast.AxisStep("descendant-or-self", ast.AnyKindTest()))
            made = ast.Path(made, ast.AxisStep("child", node_test(step), step.predicates))
        else:
            made = ast.Path(made, ast.AxisStep(step.axis, node_test(step), step.predicates))
    return made


def _string(attribute: ast.DirectAttribute) -> ast.Expr:
    element = ast.DirectElement(ast.Name("a", None, ""), (), (ast.DirectAttribute(ast.Name("v"), attribute.parts),))
    value = ast.Path(element, ast.AxisStep("attribute", ast.NameTest(ast.Name("v", None, ""))))
    return ast.FunctionCall(ast.Name("string"), (value,))


def _windows(items: list[Any], window: ast.DataWindow) -> Iterator[list[Any]]:
    assert window.kind == "count"
    assert isinstance(window.size, ast.IntegerLiteral)
    size = window.size.value
    step = window.step.value if isinstance(window.step, ast.IntegerLiteral) else size
    start = 0
    while start < len(items):
        yield items[start : start + size]
        if start + size >= len(items):
            return
        start += step


# --- output


def serialised(events: list[Event]) -> str:
    """The items the events make, as text."""
    items: list[Any] = []
    builder: TreeBuilder | None = None
    depth = 0
    waiting: list[Any] = []

    def flush() -> None:
        if builder is not None and waiting:
            builder.items(list(waiting))
            waiting.clear()

    for kind, value in events:
        if kind == "item":
            (waiting if depth else items).extend(value)
            continue
        flush()
        if kind == "open":
            element, attributes = value
            builder = builder or TreeBuilder()
            builder.start_element(QName(element.name.uri or "", element.name.local))
            for attribute in element.attributes:
                text = attributes.get(attribute.name.local, "".join(p for p in attribute.parts if isinstance(p, str)))
                builder.attribute(QName("", attribute.name.local), text)
            depth += 1
        elif kind == "close":
            assert builder is not None
            builder.end_element()
            depth -= 1
            if not depth:
                items.append(builder.finish())
                builder = None
        elif depth and builder is not None and value:
            builder.text(value)
    return str(Result(items, {}))
