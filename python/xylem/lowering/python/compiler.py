"""The code generator's centre: one handler per kind of AST node, and the conversions between shapes.

A handler writes the statements its value needs and returns a short Python expression for the value, with its shape and
static type. Conditional statements are written in a nested block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from xylem.analysis.boundedness.infinite import Infinite
from xylem.analysis.static_context import StaticContext
from xylem.errors import StaticError
from xylem.run.runtime import sequences as rt
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values import node as nk
from xylem.values.atomize import atomize
from xylem.values.conversion import convert
from xylem.values.effective_boolean import effective_boolean
from xylem.values.node_test import NodeTest
from xylem.values.sequence_type import (
    ANY_ITEM,
    ANY_SEQUENCE,
    AtomicItem,
    FunctionItemType,
    ItemType,
    NodeItem,
    Occurrence,
    SequenceType,
    as_sequence,
)

from .code import EMPTY, Code, Shape, atomic, many, one, optional, shape_of
from .code_gap import CodeGap
from .scope import Focus, Scope, Variable
from .step_texts import converted_text, has_node, typed_text, typed_texts
from .writer import Frame, Line, Mark, Writer

Handler = Callable[["Compiler", Any], Code]
H = TypeVar("H", bound=Handler)
P = TypeVar("P", bound=Callable[["Compiler", Any, "Sink"], ItemType])

T = TypeVar("T", bound=Callable[["Compiler", Any, Callable[[Code], None]], None])

_OBSERVED: ContextVar[dict[int, SequenceType] | None] = ContextVar("observed types", default=None)

HANDLERS: dict[type, Handler] = {}
PUSHERS: dict[type, Callable[[Compiler, Any, Sink], ItemType]] = {}
TAILS: dict[type, Callable[[Compiler, Any, Callable[[Code], None]], None]] = {}


@contextmanager
def observed_types() -> Iterator[dict[int, SequenceType]]:
    """The static types of all expressions compiled inside, by the identity of their nodes."""
    types: dict[int, SequenceType] = {}
    token = _OBSERVED.set(types)
    try:
        yield types
    finally:
        _OBSERVED.reset(token)


def compiles(kind: type) -> Callable[[H], H]:
    """Register the handler of a node kind."""

    def register(handler: H) -> H:
        HANDLERS[kind] = handler
        return handler

    return register


def pushes(kind: type) -> Callable[[P], P]:
    """Register how a node kind writes its items straight into a sink, without building a sequence first."""

    def register(pusher: P) -> P:
        PUSHERS[kind] = pusher
        return pusher

    return register


def tails(kind: type) -> Callable[[T], T]:
    """Register how to write a node kind at the end of a function."""

    def register(tailer: T) -> T:
        TAILS[kind] = tailer
        return tailer

    return register


class Sink:
    """The destination of an expression's items: statements for one item, and for an iterable of items."""

    def __init__(self, one_item: CodeGap, items: CodeGap, *, yields: bool = False) -> None:
        self.one_item = one_item
        self.items = items
        self.yields = yields


UNTYPED_KINDS = (nk.DOCUMENT, nk.ELEMENT, nk.ATTRIBUTE, nk.TEXT)
"""Kinds of nodes whose typed value is xs:untypedAtomic."""
ENDLESS = Infinite(())
NO_ITEM = AtomicItem(at.ERROR)
"""The type of no item at all, below every other."""
YIELD = Sink(CodeGap("yield "), CodeGap("yield from "), yields=True)


@dataclass(frozen=True)
class OwnCall:
    """A function that may call itself in tail position; the call becomes a jump to its start."""

    frame: Frame
    key: tuple[str, str, int]
    parameters: tuple[SequenceType, ...]
    names: list[str]


@dataclass
class ColumnLoop:
    """A loop over records of one tree: numbers that its body reads from each are read for all of them at once."""

    frame: Frame
    node: str
    names: dict[tuple[str, NodeTest], str]
    """The loop variables for them, by step."""


class Compiler:
    """Generates the code of one module; modules of a program share the writer."""

    def __init__(self, writer: Writer, static: StaticContext, functions: Any) -> None:
        self.writer = writer
        self.static = static
        self.functions = functions
        self.scope = Scope({}, Focus(None))
        self.own_call: OwnCall | None = None
        """The declared function whose body is being written, to detect its tail calls."""
        self.numbers_siblings = False
        """Whether a scan may have numbered siblings that it has not kept."""
        self.column_loop: ColumnLoop | None = None
        self.window_rows: Any = None
        """The rows that the scan may write for windows (`lowering/stream/kernel_windows.py`); None without a scan."""
        """The loop over records whose body is being written."""
        self._order = 0
        self._contexts: dict[int, str] = {}

    # --- dispatch

    def compile(self, node: ast.Expr) -> Code:
        """Write the statements of an expression; return its value."""
        handler = HANDLERS.get(type(node))
        if handler is None:
            raise not_executable(node)
        with self.writer.at(node.span):
            code = handler(self, node)
            if code.shape is Shape.ITERABLE and not code.endless and self.is_endless(node):
                code = replace(code, endless=True)
            if (observed := _OBSERVED.get()) is not None:
                observed[id(node)] = code.type
            return self.bind(code) if _is_deep(code.text) else code

    def is_endless(self, node: ast.Expr) -> bool:
        """Whether an expression may be infinite here: it must then be read as it arrives."""
        bounds = self.writer.bounds
        if bounds is None:
            return False
        names = {name: ENDLESS if known.code.endless else None for name, known in self.scope.variables.items()}
        return bounds.of(node, names) is not None

    def push(self, node: ast.Expr, sink: Sink) -> ItemType:
        """Write statements that pass each item of the expression to the sink; return the items' static type."""
        pusher = PUSHERS.get(type(node))
        if pusher is not None:
            with self.writer.at(node.span):
                return pusher(self, node, sink)
        with self.writer.at(node.span):
            return self.push_code(self.compile(node), sink)

    def push_code(self, code: Code, sink: Sink) -> ItemType:
        if code.is_empty and code.simple:
            self.writer.line("pass")
            return NO_ITEM
        if code.shape is Shape.ONE:
            self.writer.line(sink.one_item.filled(code.text))
        elif code.shape is Shape.OPTIONAL:
            code = self.bind(code)
            self.writer.line(f"if {code.text} is not None: {sink.one_item.filled(code.text)}")
        else:
            self.writer.line(sink.items.filled(code.text))
        if sink.yields:
            self.writer.frame.is_generator = True
        return code.item

    # --- names, constants, temporaries

    def rt(self, function: Any) -> str:
        return self.writer.runtime(function)

    def called(self, function: Any) -> str:
        """The name of a runtime function for one call, so that an error in it has the place of that call."""
        return self.writer.constant(function, function.__name__)

    def type_constant(self, value: Any, note: str = "") -> str:
        return self.writer.constant(value, "T", note or str(value), key=value)

    def bind(self, code: Code, stem: str = "t") -> Code:
        """The value under a name that can be written several times."""
        if code.simple:
            return code
        name = self.writer.fresh(stem)
        self.writer.line(f"{name} = {code.text}")
        return replace(code, text=name, simple=True)

    def describe(self, node: ast.Node) -> str:
        """The node's query text, for comments in the generated code."""
        span = node.span
        return span.source.text[span.start : span.end]

    # --- variables

    def declare(self, name: tuple[str, str], code: Code, *, loops: bool = False) -> Variable:
        """Bring a variable into scope; its code must be a simple name of the current frame."""
        variable = self.variable(code, loops=loops)
        self.scope = self.scope.with_variable(name, variable)
        return variable

    def variable(self, code: Code, *, loops: bool = False) -> Variable:
        self._order += 1
        return Variable(code, self.writer.frame, self.writer.mark(), self._order, loops)

    def use(self, variable: Variable) -> Code:
        """The variable's value here; functions in between receive it as a parameter."""
        if variable.frame is not None:
            frame: Frame | None = self.writer.frame
            while frame is not None and frame is not variable.frame:
                frame.captures[variable.code.text] = variable.code.text
                frame = frame.outer
        return variable.code

    @contextmanager
    def scoped(self, scope: Scope | None = None) -> Iterator[None]:
        """Restore the scope afterwards."""
        before = self.scope
        if scope is not None:
            self.scope = scope
        try:
            yield
        finally:
            self.scope = before

    @contextmanager
    def namespaces(self, static: StaticContext) -> Iterator[None]:
        before = self.static
        self.static = static
        try:
            yield
        finally:
            self.static = before

    def fresh_name(self, name: ast.Name) -> str:
        stem = "".join(c if c.isascii() and c.isalnum() else "_" for c in name.local)
        return self.writer.fresh(f"v_{stem}")

    def context(self) -> str:
        """The name of the `Context` at this place: the run's dynamic part with this static context."""
        key = id(self.static)
        known = self._contexts.get(key)
        if known is None:
            static = self.writer.constant(self.static.part, "static")
            known = self.writer.fresh("ctx")
            # Kept alive by the constant, so the id stays this context's own.
            self.writer.constants[f"_{known}"] = self.static
            self.writer.top.append(f"{known} = Context({static}, run)")
            self._contexts[key] = known
        return known

    # --- blocks written separately

    @contextmanager
    def buffered(self, lines: list[Line | Mark] | None = None) -> Iterator[list[Line | Mark]]:
        """Collect the statements written inside, one level deeper (after given ones); `paste` writes them."""
        frame = self.writer.frame
        before = frame.body
        frame.body = lines = [] if lines is None else lines
        try:
            with self.writer.indented():
                yield lines
        finally:
            frame.body = before

    def paste(self, lines: list[Line | Mark]) -> None:
        self.writer.frame.body.extend(lines)

    # --- shapes

    def as_iterable(self, code: Code) -> str:
        """Any iterable over the items."""
        if code.shape is Shape.ONE:
            return f"({code.text},)"
        if code.shape is Shape.OPTIONAL:
            code = self.bind(code)
            return f"(() if {code.text} is None else ({code.text},))"
        return code.text

    def as_sequence(self, code: Code) -> str:
        """A sequence that can be read again."""
        if code.shape is Shape.ITERABLE:
            if code.each and code.text == f"({code.each})":
                return f"[{code.each}]"
            return f"{self.rt(as_sequence)}({code.text})"
        return self.as_iterable(code)

    def sequence(self, code: Code) -> Code:
        """The code in a shape that can be stored: ITERABLE becomes SEQUENCE, other shapes are kept."""
        if code.shape is Shape.ITERABLE:
            return replace(code, text=self.as_sequence(code), shape=Shape.SEQUENCE)
        return code

    def as_optional(self, code: Code, what: str) -> str:
        """The item or None; more than one is XPTY0004."""
        if code.shape in (Shape.ONE, Shape.OPTIONAL):
            return code.text
        if code.is_empty:
            # A call without a result is made for its effect.
            return "None" if code.simple else f"({code.text}, None)[1]"
        return f"{self.rt(rt.at_most_one)}({code.text}, {what!r})"

    def as_one(self, code: Code, what: str) -> str:
        if code.shape is Shape.ONE:
            return code.text
        if code.shape is Shape.OPTIONAL:
            code = self.bind(code)
            return f"({self.rt(rt.not_none)}(None, {what!r}) if {code.text} is None else {code.text})"
        return f"{self.rt(rt.exactly_one)}({code.text}, {what!r})"

    # --- atomisation and truth

    def atomized(self, code: Code) -> Code:
        """The atomised value."""
        if code.atomic is not None or code.is_empty:
            return code
        if code.endless:
            from xylem.run.runtime.endless import each_typed_value

            return replace(many(f"{self.rt(each_typed_value)}({code.text})", AtomicItem(at.ANY_ATOMIC)), endless=True)
        if code.is_nodes:
            kind = code.item.kind if isinstance(code.item, NodeItem) else None
            item = AtomicItem(at.UNTYPED_ATOMIC if kind in UNTYPED_KINDS else at.ANY_ATOMIC)
            if code.shape is Shape.ONE:
                return one(f"{code.text}.typed_value", item)
            if code.shape is Shape.OPTIONAL:
                code = self.bind(code)
                return optional(f"(None if {code.text} is None else {code.text}.typed_value)", item)
            text = typed_texts(self, code) or f"{self.rt(rt.typed_values)}({code.text})"
            return many(text, item, reread=True).typed(
                SequenceType(item, code.type.occurrence)
            )
        return many(f"{self.rt(atomize)}({self.as_iterable(code)})", AtomicItem(at.ANY_ATOMIC))

    def atomic_operand(self, node: ast.Expr, what: str) -> Code:
        """An operand that must be one atomic value or none, in the shape ONE or OPTIONAL."""
        code = self.compile(node)
        text = typed_text(self, code, what)
        if text is not None:
            return optional(text, AtomicItem(at.UNTYPED_ATOMIC))
        is_many = code.shape in (Shape.SEQUENCE, Shape.ITERABLE) and not (code.endless or code.pauses)
        if is_many and code.atomic is None and not (code.is_empty or code.is_nodes):
            return optional(f"{self.rt(rt.atomic_or_none)}({code.text}, {what!r})", AtomicItem(at.ANY_ATOMIC))
        code = self.atomized(code)
        if code.shape in (Shape.ONE, Shape.OPTIONAL):
            return code
        if code.is_empty:
            return optional("None", AtomicItem(at.ANY_ATOMIC), simple=True)
        return optional(self.as_optional(code, what), code.item)

    def truth(self, node: ast.Expr) -> str:
        """A Python expression with the effective boolean value."""
        if not self.is_indented_far:
            if isinstance(node, ast.ValueComparison):
                from .operators import value_truth

                with self.writer.at(node.span):
                    return value_truth(self, node)
            return self.truth_of(self.compile(node))
        test = self.lifted(
            "test", [], self.describe(node), lambda: self.writer.line(f"return {self.truth_of(self.compile(node))}")
        )
        return self.writer.call(test)

    def truth_of(self, code: Code) -> str:
        if code.is_empty:
            return "False"
        kind = code.atomic
        if kind is at.BOOLEAN and code.shape in (Shape.ONE, Shape.OPTIONAL):
            return code.text
        if code.is_nodes:
            if code.shape is Shape.ONE:
                return "True"
            if code.shape is Shape.OPTIONAL:
                return f"({code.text} is not None)"
            if code.shape is Shape.SEQUENCE:
                return has_node(self, code) or code.text
            return f"{self.rt(rt.any_item)}({code.text})"
        if kind is not None and code.shape is Shape.ONE:
            if kind.derives_from(at.STRING) or kind in (at.UNTYPED_ATOMIC, at.ANY_URI):
                return code.text
            if kind.derives_from(at.INTEGER):
                return code.text
        return f"{self.rt(effective_boolean)}({self.as_iterable(code)})"

    # --- function conversion rules

    def converted(self, code: Code, expected: SequenceType, what: str) -> Code:
        """The value converted by the function conversion rules (XQuery 3.1 §3.1.5.2), in the expected type's shape."""
        if expected == ANY_SEQUENCE:
            return replace(code, text=self.as_sequence(code), shape=Shape.SEQUENCE)
        if isinstance(expected.item, AtomicItem):
            characters = self._text_of_node(code, expected, what)
            if characters is not None:
                return characters
            code = self.atomized(code)
            promoted = self._cast_untyped(code, expected) or _promoted_literal(code, expected)
            if promoted is not None:
                code = promoted
        shape = shape_of(expected.occurrence)
        # A function is always coerced: its calling convention follows the expected signature.
        is_function = isinstance(expected.item, FunctionItemType) and expected.item.parameters is not None
        if code.is_empty or (code.type.item.within(expected.item) and not is_function):
            shaped = self.shaped(code, expected, what)
            if shaped is not None:
                return shaped
        text = f"{self.called(convert)}({self.as_sequence(code)}, {self.type_constant(expected)}, {what!r})"
        return Code(text, shape, expected)

    def _text_of_node(self, code: Code, expected: SequenceType, what: str) -> Code | None:
        """Nodes where a string is expected: usually there is one, and its characters suffice, without a typed value."""
        if not code.is_nodes or code.shape is not Shape.SEQUENCE or not _is_string(expected):
            return None
        if not isinstance(code.item, NodeItem) or code.item.kind not in UNTYPED_KINDS:
            return None
        text = converted_text(self, code, expected, what)
        if text is None:
            text = f"{self.called(rt.text_of_node)}({code.text}, {self.type_constant(expected)}, {what!r})"
        return Code(text, shape_of(expected.occurrence), expected)

    def _cast_untyped(self, code: Code, expected: SequenceType) -> Code | None:
        if code.atomic is not at.UNTYPED_ATOMIC or code.shape not in (Shape.ONE, Shape.OPTIONAL):
            return None
        target = expected.item.type if isinstance(expected.item, AtomicItem) else None
        if target is at.STRING and code.shape is Shape.ONE:
            return atomic(f"str({code.text})", at.STRING)
        return None

    def shaped(self, code: Code, expected: SequenceType, what: str) -> Code | None:
        """Checked items in the expected shape, with the count checked if it is not known."""
        item = code.type.item if not code.is_empty else expected.item
        match expected.occurrence:
            case Occurrence.ONE:
                return one(self.as_one(code, what), item, simple=code.simple and code.is_one)
            case Occurrence.OPTIONAL:
                if code.is_empty and code.simple:
                    return optional("None", item, simple=True)
                is_simple = code.simple and code.shape in (Shape.ONE, Shape.OPTIONAL)
                return optional(self.as_optional(code, what), item, simple=is_simple)
            case Occurrence.MANY:
                text = self.as_sequence(code)
                return Code(text, Shape.SEQUENCE, SequenceType(item, Occurrence.MANY), ordered=code.ordered)
            case Occurrence.NONE if code.is_empty and code.simple:
                return EMPTY
            case Occurrence.SOME if code.shape is Shape.ONE:
                return Code(self.as_sequence(code), Shape.SEQUENCE, SequenceType(item, Occurrence.SOME))
        return None

    # --- functions of generated code

    def lifted(self, stem: str, parameters: list[str], comment: str, write: Callable[[], None]) -> Frame:
        """A top-level function whose body `write` writes, with the current scope inside."""
        with self.writer.function(stem, parameters, comment) as frame, self.scoped():
            write()
        return frame

    def generator(self, node: ast.Expr, stem: str = "items") -> Code:
        """The expression's items by a generator function of their own."""
        pushed: list[ItemType] = []
        frame = self.lifted(stem, [], self.describe(node), lambda: pushed.append(self.push(node, YIELD)))
        frame.is_generator = True
        return many(self.writer.call(frame), pushed[0] if pushed[0] != NO_ITEM else ANY_ITEM)

    def tail(self, node: ast.Expr, finish: Callable[[Code], None]) -> None:
        """Write the expression as the end of a function: every path through it ends with `finish`."""
        tailer = TAILS.get(type(node))
        with self.writer.at(node.span):
            if tailer is None:
                finish(self.compile(node))
            elif self.is_indented_far:
                finish(self.branching(node, "deeper"))
            else:
                tailer(self, node, finish)

    @property
    def is_indented_far(self) -> bool:
        """Whether the code should move to a function of its own: Python reads only a hundred levels of indentation."""
        return self.writer.frame.depth > 40

    def branching(self, node: ast.Expr, stem: str) -> Code:
        """An expression with many branches as a function of its own; each branch returns from it."""

        is_endless = self.is_endless(node)

        def finish(code: Code) -> None:
            self.writer.line(f"return {self.as_iterable(code) if is_endless else self.as_sequence(code)}")

        frame = self.lifted(stem, [], self.describe(node), lambda: TAILS[type(node)](self, node, finish))
        return many(self.writer.call(frame), reread=not is_endless)

    def focus_on(self, item: Code, position: Code | None = None, size: Code | None = None, loops: bool = True) -> Focus:
        """A focus whose parts are simple names of the current frame."""
        return Focus(
            self.variable(item, loops=loops),
            None if position is None else self.variable(position, loops=loops),
            None if size is None else self.variable(size, loops=loops),
        )


def _is_string(expected: SequenceType) -> bool:
    """Whether a type is xs:string or xs:string?."""
    is_single = expected.occurrence in (Occurrence.ONE, Occurrence.OPTIONAL)
    return is_single and isinstance(expected.item, AtomicItem) and expected.item.type is at.STRING


def _promoted_literal(code: Code, expected: SequenceType) -> Code | None:
    """A literal whole number where an xs:double is expected: 7 becomes 7.0 at compile time."""
    if not isinstance(expected.item, AtomicItem) or expected.item.type is not at.DOUBLE:
        return None
    if code.atomic is not at.INTEGER or code.shape is not Shape.ONE or not code.text.isdecimal() or len(code.text) > 15:
        return None
    return atomic(repr(float(code.text)), at.DOUBLE, simple=True)


def _is_deep(text: str) -> bool:
    """Whether an expression nests so deep that it should get a name: Python reads at most two hundred levels."""
    if len(text) < 200:
        return False
    depth = deepest = 0
    for character in text:
        if character in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in ")]}":
            depth -= 1
    return deepest > 20


def not_executable(node: ast.Node) -> StaticError:
    """XYST0002 for an extension that is not executed yet."""
    what = "a data window on a path" if isinstance(node, ast.DataWindow) else type(node).__name__
    return StaticError("XYST0002", what, span=node.span)


__all__ = ["ANY_ITEM", "EMPTY", "NO_ITEM", "YIELD", "Compiler", "Sink", "compiles", "not_executable", "pushes", "tails"]
