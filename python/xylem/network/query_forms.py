"""Compile queries that differ only in constants once.

    … where $p/ra > 120.0 and $p/name = "vela" …      a form: the text around the constants, with places for them
    … where $p/ra > 130.5 and $p/name = "rxj"  …      the same form, other constants

Gain:   a subscription of a known form needs no parsing and no compiling, and shares everything but its constants.
Needs:  each constant is an operand of a comparison, and the compiled program shows every place of it: in tests of the
        scan, in templates, or as a constant of the generated code.
Safe:   the form is compiled with unique constants, so each place is known. If a constant could hide elsewhere, the form
        is not used, and its queries are compiled separately.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from decimal import Decimal
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeVar

from xylem.errors import SourceText, Span, XylemError
from xylem.run.program import Program
from xylem.run.stream.program import StreamProgram
from xylem.syntax import ast, parse

NUMBER = r"-?\s*(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
STRING = r"\"[^\"&]*\"|'[^'&]*'"
_NUMBERS = (ast.IntegerLiteral, ast.DecimalLiteral, ast.DoubleLiteral)
_NODES = (ast.Path, ast.AxisStep, ast.ContextItem)
MOST_CONSTANTS = 40
_MOST_LOOKED_AT = 50_000
Copied = TypeVar("Copied")
Constants = dict[float | Decimal | str, float | Decimal | str]
"""Constants by the mark that represents them in a form."""


@dataclass(frozen=True)
class Outline:
    """The text of a query around its constants, and a query with marks in their places."""

    pattern: re.Pattern[str]
    marks: tuple[str | Decimal, ...]
    marked: str
    places: tuple[tuple[int, int], ...]
    """Places of the marks in that query."""

    def span_in(self, span: Span, source: SourceText) -> Span:
        """A span of the marked query, mapped to a query of this form."""
        found = self.pattern.fullmatch(source.text)
        assert found is not None
        pairs = [*zip(self.places, (found.span(number + 1) for number in range(len(self.marks))), strict=True)]
        return Span(_moved(span.start, pairs, 0), _moved(span.end, pairs, 1), source)

    def constants(self, text: str) -> Constants | None:
        """The constants of another query with the same surrounding text; None if its text differs."""
        found = self.pattern.fullmatch(text)
        if found is None:
            return None
        made: Constants = {}
        for mark, literal in zip(self.marks, found.groups(), strict=True):
            if isinstance(mark, str):
                made[mark] = literal[1:-1]
                continue
            digits = "".join(literal.split())
            value: float | Decimal = float(digits) if "e" in digits.lower() else Decimal(digits)
            made[mark] = value
            made[float(mark)] = float(value)
        return made


def _moved(offset: int, pairs: list[tuple[tuple[int, int], tuple[int, int]]], side: int) -> int:
    """An offset in another text; inside a constant, one of its two sides."""
    by = 0
    for (start, end), there in pairs:
        if start < offset < end or (start, end)[side] == offset:
            return there[side]
        if offset >= end:
            by = there[1] - end
    return offset + by


def outline_of(text: str) -> Outline | None:
    """The outline of a query; None if it compares nothing with a constant."""
    literals = sorted(_compared(parse(text)), key=lambda one: one.span.start)
    if not literals or len(literals) > MOST_CONSTANTS:
        return None
    pattern, marked, at = "", "", 0
    marks: list[str | Decimal] = []
    places: list[tuple[int, int]] = []
    for number, literal in enumerate(literals):
        start, end = literal.span.start, literal.span.end
        written, rest = text[start:end], text[end : end + 1]
        is_string = written[:1] in "\"'"
        # Longer or shorter, the constant must end where it ends here; doubled or escaped characters change its length.
        if start < at or re.match(r"[\w.\-\"']", rest) or not re.fullmatch(STRING if is_string else NUMBER, written):
            return None
        mark = f"\ue000{number}\ue001" if is_string else Decimal(f"{90_000_000 + number}.5")
        marks.append(mark)
        pattern += re.escape(text[at:start]) + f"({STRING if is_string else NUMBER})"
        marked += text[at:start]
        places.append((len(marked), len(marked) + len(str(mark)) + 2 * is_string))
        marked += f'"{mark}"' if is_string else str(mark)
        at = end
    return Outline(re.compile(pattern + re.escape(text[at:])), tuple(marks), marked + text[at:], tuple(places))


def _compared(module: ast.Module) -> Iterator[ast.Expr]:
    for node in module.walk():
        if isinstance(node, ast.GeneralComparison):
            for side, other in (node.left, node.right), (node.right, node.left):
                # Numbers of items are excluded: they determine when nothing more can arrive.
                if _is_literal(side) and any(isinstance(one, _NODES) for one in other.walk()):
                    yield side


def _is_literal(expr: ast.Expr) -> bool:
    if isinstance(expr, ast.Unary):
        return expr.op == "-" and isinstance(expr.operand, _NUMBERS)
    return isinstance(expr, (*_NUMBERS, ast.StringLiteral))


class Form:
    """A compiled query with marks for its constants; `program` replaces them."""

    def __init__(self, outline: Outline, program: StreamProgram) -> None:
        self.outline = outline
        self.program = program
        numbers = [mark for mark in outline.marks if isinstance(mark, Decimal)]
        self._marks: set[Any] = {*outline.marks, *map(float, numbers)}
        # The mark was rounded: the result for other constants would be unknown.
        self._rounded = {int(mark) + by for mark in numbers for by in (-1, 0, 1, 2)}
        code = program.handlers
        self._named = {name: value for name, value in code.constants.items() if self._is_mark(value)}
        in_code = {mark for value in self._in_code(code._compiled) for mark in value}
        seen = self._found_in(program.scan) | set(self._named.values()) | in_code
        is_hidden = bool(self._found_in(tuple(program.roles))) or self._is_hidden(code)
        # In sets, a decimal and the double of the same value are one.
        self.is_usable = seen == set(outline.marks) and not is_hidden

    def _is_mark(self, value: object) -> bool:
        if type(value) is int:
            return value in self._rounded
        return type(value) in (float, Decimal, str) and value in self._marks

    def _found_in(self, value: Any, seen: set[int] | None = None) -> set[Any]:
        """The marks in plain data: tuples, lists, dictionaries and data classes."""
        if type(value) in (float, Decimal, str, int):
            return {value} if self._is_mark(value) else set()
        seen = set() if seen is None else seen
        if id(value) in seen:
            return set()
        seen.add(id(value))
        inside: Iterator[Any] = iter(())
        if isinstance(value, (tuple, list, set, frozenset)):
            inside = iter(value)
        elif isinstance(value, dict):
            inside = iter([*value.keys(), *value.values()])
        elif is_dataclass(value) and not isinstance(value, ast.Node):
            inside = (getattr(value, one.name) for one in fields(value))
        return {mark for part in inside for mark in self._found_in(part, seen)}

    def _in_code(self, code: CodeType) -> Iterator[set[Any]]:
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from self._in_code(constant)
            else:
                yield self._found_in(constant)

    def _is_hidden(self, code: Program) -> bool:
        """Whether a constant of the generated code contains a mark inside, where it could not be replaced."""
        waiting = [value for name, value in code.constants.items() if name not in self._named]
        seen: set[int] = set()
        while waiting:
            value = waiting.pop()
            if self._is_mark(value):
                return True
            if id(value) in seen or isinstance(value, (type, ModuleType, ast.Node)):
                continue
            seen.add(id(value))
            if len(seen) > _MOST_LOOKED_AT:
                return True
            if isinstance(value, FunctionType):
                # Not its module, which is shared.
                cells = [cell.cell_contents for cell in value.__closure__ or ()]
                waiting += [*cells, *(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
                waiting += value.__code__.co_consts
            else:
                waiting += gc.get_referents(value)
        return False

    def program_with(self, constants: Constants) -> StreamProgram:
        """The program of a query of this form; its scan still has the marks."""
        program, handlers = _copied(self.program), _copied(self.program.handlers)
        handlers.constants = handlers.constants | {name: constants[mark] for name, mark in self._named.items()}
        handlers._compiled = _patched(handlers._compiled, constants)
        program.handlers = handlers
        return program


def _copied(value: Copied) -> Copied:
    """A copy with the same attributes, including computed ones; not its pickled form."""
    made = object.__new__(type(value))
    made.__dict__.update(value.__dict__)
    return made


def _patched(code: CodeType, constants: Constants) -> CodeType:
    found = tuple(
        _patched(one, constants) if isinstance(one, CodeType) else replaced(one, constants) for one in code.co_consts
    )
    is_same = all(one is other for one, other in zip(found, code.co_consts, strict=True))
    return code if is_same else code.replace(co_consts=found)


def replaced(value: Any, constants: Constants) -> Any:
    """Plain data with constants in place of marks; the very same object if there are none."""
    if type(value) in (float, Decimal, str):
        return constants.get(value, value)
    if isinstance(value, tuple):
        parts = tuple(replaced(part, constants) for part in value)
        return value if all(one is other for one, other in zip(parts, value, strict=True)) else parts
    if is_dataclass(value) and not isinstance(value, type):
        changed = {one.name: replaced(getattr(value, one.name), constants) for one in fields(value)}
        if all(changed[one.name] is getattr(value, one.name) for one in fields(value)):
            return value
        return replace(value, **changed)
    return value


class QueryForms:
    """The forms of queries that have been compiled."""

    MOST = 256

    def __init__(self) -> None:
        self._forms: list[Form] = []
        self._others: list[Outline] = []
        """Outlines whose programs cannot be derived from a form, but must be compiled."""

    def known(self, text: str) -> tuple[Form, Constants] | None:
        """The form of a query and its constants, if one like it has been compiled."""
        for form in reversed(self._forms):
            constants = form.outline.constants(text)
            if constants is not None:
                return form, constants
        return None

    def new_outline(self, text: str) -> Outline | None:
        """The outline of a query whose form would help others; also None for a text that is not a query."""
        if len(self._forms) >= self.MOST or any(one.pattern.fullmatch(text) for one in self._others):
            return None
        try:
            return outline_of(text)
        except XylemError:
            return None

    def add(self, outline: Outline, program: StreamProgram | None) -> Form | None:
        """Store the form of a program, if one can be made; None records that the outline has no program."""
        form = None if program is None else Form(outline, program)
        if form is not None and form.is_usable:
            self._forms.append(form)
            return form
        if len(self._others) < self.MOST:
            self._others.append(outline)
        return None
