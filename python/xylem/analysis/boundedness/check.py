"""Walks over a query and finds its infinite expressions; XYST0010 for a blocking operation on one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from xylem.errors import Span, StaticError
from xylem.functions.registry import FN, PREFIXES
from xylem.syntax import ast

from .clauses import flwor
from .function_table import Reading, reading
from .infinite import Infinite, excerpt
from .operators import of_other
from .readers import readers, variable_readers

ExpandedName = tuple[str, str]
Bindings = Mapping[ExpandedName, Infinite | None]
WINDOW = "cut it into windows (forseq, for tumbling window), or take a part: subsequence($s, 1, 100)"


class Remark(NamedTuple):
    """A remark about a place of the query."""

    span: Span
    text: str


@dataclass
class Boundedness:
    """Facts about the infinite sequences of a program."""

    variables: dict[ExpandedName, Infinite | None] = field(default_factory=dict)
    """The global variables."""
    functions: dict[tuple[str, str, int], ast.FunctionDecl] = field(default_factory=dict)
    results: dict[tuple[str, str, int], Infinite | None] = field(default_factory=dict)
    """Results of declared functions."""
    modules: list[ast.Module] = field(default_factory=list)
    stream_readers: dict[str, int | None] = field(default_factory=dict)
    """The number of readers of each stream, by name."""
    has_infinite: bool = False
    """Whether anything in the query is infinite."""
    remarks: list[Remark] = field(default_factory=list)
    is_silent: bool = False
    """Nothing is reported while code is written, because it has been reported already."""
    depth: int = 0
    """Number of loops around the current place."""
    let_readers: dict[int, int | None] = field(default_factory=dict)
    """The number of readers of an infinite `let` variable, by the identity of its clause."""
    targets: list[str] = field(default_factory=list)
    """The variables whose values are being examined, outermost first."""

    def of(self, expr: ast.Expr, bound: Bindings) -> Infinite | None:
        """Why an expression may be infinite, or None."""
        match expr:
            case ast.VarRef(name=name):
                found = bound[name.expanded] if name.expanded in bound else self.variables.get(name.expanded)
                return None if found is None else found.through(f"${name}")
            case ast.Flwor():
                return flwor(self, expr, bound)
            case ast.FunctionCall(name=name, arguments=arguments):
                return self._call(expr, name, arguments, bound)
        return of_other(self, expr, bound)

    def finite(self, expr: ast.Expr, bound: Bindings, operation: str, hint: str = "") -> None:
        """Check an operand of a blocking operation."""
        found = self.of(expr, bound)
        if found is not None:
            self.refuse(expr, operation, found, hint)

    def refuse(self, node: ast.Node, operation: str, cause: Infinite, hint: str = "") -> None:
        if self.is_silent:
            return None
        steps = [*(f"${name}" for name in self.targets[-1:]), operation, *cause.chain]
        chain = " ← ".join(step for index, step in enumerate(steps) if not index or step != steps[index - 1])
        raise StaticError("XYST0010", chain, span=node.span, hint=hint or WINDOW)

    def note(self, node: ast.Node, text: str) -> None:
        if not self.is_silent:
            self.remarks.append(Remark(node.span, text))

    # --- calls

    def _call(
        self, expr: ast.Expr, name: ast.Name, arguments: tuple[ast.Expr, ...], bound: Bindings
    ) -> Infinite | None:
        if name.local == "stream" and name.uri in (FN, PREFIXES["xylem"]) and len(arguments) == 1:
            self.finite(arguments[0], bound, excerpt(expr))
            self._note_stream(arguments[0])
            return Infinite((f"{excerpt(expr)} is infinite",))
        key = (*name.expanded, len(arguments))
        declared = self.functions.get(key)
        if declared is not None:
            return self._declared(expr, declared, key, arguments, bound)
        result: Infinite | None = None
        for index, argument in enumerate(arguments):
            found = self.of(argument, bound)
            if found is not None:
                result = self._argument(expr, name, index, len(arguments), found) or result
        return result

    def _note_stream(self, name: ast.Expr) -> None:
        self.has_infinite = True
        if isinstance(name, ast.StringLiteral) and name.value not in self.stream_readers:
            wanted = name.value

            def is_call(node: ast.Node) -> bool:
                return isinstance(node, ast.FunctionCall) and node.arguments == (ast.StringLiteral(wanted),)

            self.stream_readers[wanted] = readers(is_call, _parts(self.modules))

    def _argument(self, call: ast.Expr, name: ast.Name, index: int, arity: int, found: Infinite) -> Infinite | None:
        match reading(*name.expanded, index, arity):
            case Reading.PASSES:
                return found.through(excerpt(call))
            case Reading.STOPS:
                return None
            case Reading.SEEKS:
                self.note(call, f"{name.local}() reads until it finds an answer, perhaps for ever")
                return None
            case Reading.GROWS:
                self.note(call, f"{name.local}() keeps every different value; XYDY0010 beyond the limit held-items")
                return found.through(excerpt(call))
        self.refuse(call, excerpt(call), found)
        return None

    def _declared(
        self,
        call: ast.Expr,
        declared: ast.FunctionDecl,
        key: tuple[str, str, int],
        arguments: tuple[ast.Expr, ...],
        bound: Bindings,
    ) -> Infinite | None:
        for parameter, argument in zip(declared.parameters, arguments, strict=True):
            found = self.of(argument, bound)
            if found is not None and not _is_infinite_type(parameter.type):
                hint = f"declare the parameter as possibly infinite: ${parameter.name} as item()**"
                self.refuse(argument, excerpt(call), found, hint)
        found = self.result(key)
        return None if found is None else found.through(excerpt(call))

    def result(self, key: tuple[str, str, int]) -> Infinite | None:
        """Whether a declared function returns an infinite sequence; in its own body, its declaration is believed."""
        if key not in self.results:
            declared = self.functions[key]
            says = _is_infinite_type(declared.returns)
            self.results[key] = Infinite((f"{declared.name}() is infinite",)) if says else None
            body = self._body(declared)
            if body is not None and declared.returns is not None and not says:
                hint = "declare the result as possibly infinite: as item()**"
                self.refuse(declared, f"{declared.name}()", body, hint)
            if declared.returns is None:
                self.results[key] = body
        return self.results[key]

    def parameter_readers(self, parameter: ast.Parameter) -> int | None:
        """The number of readers of an infinite parameter in the body of its function."""
        for declared in self.functions.values():
            if any(parameter is own for own in declared.parameters) and declared.body is not None:
                return variable_readers(parameter.name.expanded, [declared.body])
        return None

    def _body(self, declared: ast.FunctionDecl) -> Infinite | None:
        if declared.body is None:
            return None
        bound = {p.name.expanded: declared_infinite(p.name, p.type) for p in declared.parameters}
        self.has_infinite = self.has_infinite or any(bound.values())
        targets, self.targets = self.targets, []
        depth, self.depth = self.depth, 0
        try:
            return self.of(declared.body, bound)
        finally:
            self.targets, self.depth = targets, depth


def declared_infinite(name: ast.Name, declared: ast.SequenceTypeNode | None) -> Infinite | None:
    """The meaning of a declaration `as T**` for a variable."""
    return Infinite((f"${name} is infinite",)) if _is_infinite_type(declared) else None


def _is_infinite_type(declared: ast.SequenceTypeNode | None) -> bool:
    return declared is not None and declared.occurrence == "**"


def check_boundedness(modules: Iterable[ast.Module]) -> Boundedness:
    """Check all modules of a program, with the main module last; declarations first."""
    parts = list(modules)
    found = Boundedness(modules=parts)
    for module in parts:
        for declaration in module.prolog:
            if isinstance(declaration, ast.FunctionDecl):
                found.functions[*declaration.name.expanded, len(declaration.parameters)] = declaration
    for module in parts:
        for declaration in module.prolog:
            if isinstance(declaration, ast.VariableDecl):
                _variable(found, declaration, parts)
    for key in found.functions:
        found.result(key)
    for module in parts:
        if isinstance(module, ast.MainModule):
            found.of(module.body, {})
    found.is_silent = True
    return found


def _variable(found: Boundedness, declaration: ast.VariableDecl, modules: list[ast.Module]) -> None:
    name = declaration.name
    known = declared_infinite(name, declaration.type)
    if declaration.value is not None:
        found.targets.append(str(name))
        value = found.of(declaration.value, {})
        found.targets.pop()
        if value is not None and known is None:
            if declaration.type is not None:
                hint = f"declare it as possibly infinite: ${name} as item()**"
                found.refuse(declaration, f"${name}", value, hint)
            known = value
    found.variables[name.expanded] = known
    if known is not None:
        found.has_infinite = True
        count = global_readers(name.expanded, modules)
        if count is None or count > 1:
            often = "any number of times" if count is None else f"{count} times"
            text = f"${name} is read {often}: items are kept until all readers have passed them (limit held-items)"
            found.note(declaration, text)


def global_readers(name: ExpandedName, modules: Iterable[ast.Module]) -> int | None:
    """The number of readers of a global variable in a program."""
    return variable_readers(name, _parts(modules))


def _parts(modules: Iterable[ast.Module]) -> Iterable[ast.Node]:
    for module in modules:
        yield from (d for d in module.prolog if isinstance(d, (ast.FunctionDecl, ast.VariableDecl)))
        if isinstance(module, ast.MainModule):
            yield module.body
