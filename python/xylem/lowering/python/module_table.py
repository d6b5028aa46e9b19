"""The functions and variables a module declares and sees, and how they are generated on demand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from xylem.analysis.static_context import RESERVED_FOR_FUNCTIONS, XQUERY, StaticContext
from xylem.analysis.types import sequence_type
from xylem.errors import StaticError
from xylem.functions.external import ExternalFunction
from xylem.functions.library import arities, look_up
from xylem.functions.registry import BUILTINS
from xylem.run.runtime import globals as rt
from xylem.syntax import ast
from xylem.values.qname import QName
from xylem.values.sequence_type import ANY_SEQUENCE, SequenceType, as_sequence

from .calls import check_annotations, write_function_body
from .code import Code, Shape, shape_of
from .compiler import Compiler
from .flwor import checked
from .scope import Focus, Scope
from .writer import Writer

if TYPE_CHECKING:
    from xylem.rewrite.joins.module_joins import ModuleJoins

_COMPARING = (*(ast.GeneralComparison, ast.ValueComparison, ast.NodeComparison, ast.FunctionCall, ast.DynamicCall),)
ExpandedName = tuple[str, str]
Externals = dict[ExpandedName, ExternalFunction]


@dataclass(eq=False)
class UserFunction:
    """A declared function as calls see it."""

    declaration: ast.FunctionDecl
    parameters: tuple[SequenceType, ...]
    returns: SequenceType
    python_name: str
    annotations: tuple[QName, ...]

    @property
    def is_private(self) -> bool:
        return QName(XQUERY, "private") in self.annotations


@dataclass(eq=False)
class GlobalVariable:
    """A declared variable; its code is written on first use."""

    declaration: ast.VariableDecl
    python_name: str
    code: Code | None = None
    in_progress: bool = False

    @property
    def is_private(self) -> bool:
        return any(a.name.expanded == (XQUERY, "private") for a in self.declaration.annotations)


@dataclass(eq=False)
class ModuleTable:
    """One module: its declarations, its imports, and the compiler that writes its code."""

    module: ast.Module
    static: StaticContext
    writer: Writer
    externals: Externals
    uri: str | None = None
    imports: list[ModuleTable] = field(default_factory=list)
    own_functions: dict[tuple[str, str, int], UserFunction] = field(default_factory=dict)
    own_variables: dict[ExpandedName, GlobalVariable] = field(default_factory=dict)
    focus: Focus = field(default_factory=lambda: Focus(None))

    def __post_init__(self) -> None:
        self.compiler = Compiler(self.writer, self.static, self)

    def __getstate__(self) -> dict[str, Any]:
        """The state that a run needs, functions by name: it is sent with programs that look up functions."""
        kept = ("module", "static", "externals", "uri", "imports", "own_functions")
        return {name: value for name, value in self.__dict__.items() if name in kept}

    @cached_property
    def joins(self) -> ModuleJoins:
        """Finds the joins in the module's declarations."""
        from xylem.rewrite.joins.module_joins import ModuleJoins
        from xylem.rewrite.joins.rule_name import RULE

        rules_off = self.writer.without_rules
        # If something may be infinite, no loop may wait for all of it.
        without = (RULE,) if self.writer.bounds is not None else rules_off
        return ModuleJoins(self.static, self.module.prolog, without, is_streamed=self.writer.is_streamed)

    def joined_body(self, body: ast.Expr) -> ast.Expr:
        """The body of the main module with its joins."""
        return self.joins.of_body(body) if self.may_join(body) else body

    def may_join(self, expr: ast.Expr) -> bool:
        """Whether the rewriting for joins is needed: something is compared, or found by position or from a new root, or
        a function

        that may do so is called.
        """
        return any(isinstance(node, _COMPARING) or _finds_by_place(node) for node in expr.walk()) or _goes_back(expr)

    # --- declarations

    def declare(self) -> None:
        """Register the module's own functions and variables."""
        for declaration in self.module.prolog:
            if isinstance(declaration, ast.FunctionDecl):
                self._declare_function(declaration)
            elif isinstance(declaration, ast.VariableDecl):
                self._declare_variable(declaration)

    def _declare_function(self, declaration: ast.FunctionDecl) -> None:
        name = declaration.name
        if not name.uri:
            raise StaticError("XQST0060", str(name), span=name.span)
        if name.uri in RESERVED_FOR_FUNCTIONS and (declaration.body is not None or (name.uri, name.local) in BUILTINS):
            raise StaticError("XQST0045", str(name), span=name.span)
        self._check_namespace(name)
        check_annotations(declaration.annotations)
        key = (name.uri, name.local, len(declaration.parameters))
        if key in self.own_functions:
            raise StaticError("XQST0034", f"{name}#{key[2]}", span=declaration.span)
        if declaration.body is None:
            found = self.externals.get((name.uri, name.local))
            if found is None or key[2] not in arities(found):
                raise StaticError(
                    "XPST0017",
                    f"{name}#{key[2]} is external, and nothing is registered for it",
                    span=declaration.span,
                    hint="register it: @xylem.function(…)",
                )
            return
        self.own_functions[key] = UserFunction(
            declaration,
            tuple(sequence_type(parameter.type) for parameter in declaration.parameters),
            sequence_type(declaration.returns),
            self.writer.fresh("fn_" + "".join(ch if ch.isascii() and ch.isalnum() else "_" for ch in name.local)),
            tuple(QName(a.name.uri or "", a.name.local) for a in declaration.annotations),
        )

    def _declare_variable(self, declaration: ast.VariableDecl) -> None:
        name = declaration.name
        self._check_namespace(name)
        check_variable_annotations(declaration)
        if name.expanded in self.own_variables:
            raise StaticError("XQST0049", f"${name}", span=declaration.span)
        self.own_variables[name.expanded] = GlobalVariable(declaration, self.writer.fresh("g"))

    def _check_namespace(self, name: ast.Name) -> None:
        if isinstance(self.module, ast.LibraryModule) and name.uri != self.module.uri:
            raise StaticError("XQST0048", str(name), span=name.span)

    def check_imports(self) -> None:
        """Check that no name comes from two places."""
        functions = dict.fromkeys(self.own_functions)
        variables = dict.fromkeys(self.own_variables)
        for imported in self.imports:
            if imported is self:
                continue
            for key, function in imported.own_functions.items():
                if not function.is_private:
                    if key in functions:
                        raise StaticError("XQST0034", f"{key[1]}#{key[2]}", span=function.declaration.span)
                    functions[key] = None
            for name, variable in imported.own_variables.items():
                if not variable.is_private:
                    if name in variables:
                        raise StaticError("XQST0049", f"${name[1]}", span=variable.declaration.span)
                    variables[name] = None

    # --- what is visible

    def _visible_functions(self) -> Iterator[UserFunction]:
        yield from self.own_functions.values()
        for imported in self.imports:
            yield from (f for f in imported.own_functions.values() if not f.is_private)

    def user_function(self, c: Compiler, name: ast.Name, arity: int) -> UserFunction | None:
        return self.visible_function(name.uri or "", name.local, arity)

    def visible_function(self, uri: str, local: str, arity: int) -> UserFunction | None:
        key = (uri, local, arity)
        found = self.own_functions.get(key)
        if found is not None:
            return found
        for imported in self.imports:
            found = imported.own_functions.get(key)
            if found is not None and not found.is_private:
                return found
        return None

    def visible_external(self, uri: str, local: str, arity: int) -> ExternalFunction | None:
        return self.external(ast.Name(local, None, uri), arity)

    def external(self, name: ast.Name, arity: int) -> ExternalFunction | None:
        found = self.externals.get((name.uri or "", name.local))
        return found if found is not None and arity in arities(found) else None

    def arities(self, c: Compiler, name: ast.Name) -> list[int]:
        """The arities of the functions with a name."""
        own = {len(f.parameters) for f in self._visible_functions() if f.declaration.name.expanded == name.expanded}
        builtin = BUILTINS.get((name.uri or "", name.local))
        if builtin is not None:
            own |= {n for n in range(builtin.least - 1, builtin.least + 6) if look_up(*name.expanded, n)}
        return sorted(own)

    def near_user_functions(self, c: Compiler, name: ast.Name) -> list[str]:
        from difflib import get_close_matches

        known = {f.declaration.name.local: f for f in self._visible_functions()}
        near = get_close_matches(name.local, known, 2, 0.6)
        return [f"{known[n].declaration.name}#{len(known[n].parameters)}" for n in near]

    def variable_names(self, c: Compiler) -> list[ExpandedName]:
        return [*self.own_variables, *(name for imported in self.imports for name in imported.own_variables)]

    def global_variable(self, c: Compiler, node: ast.VarRef) -> Code | None:
        name = node.name.expanded
        if name in self.own_variables:
            return self.variable_code(self.own_variables[name])
        for imported in self.imports:
            variable = imported.own_variables.get(name)
            if variable is not None and not variable.is_private:
                return imported.variable_code(variable)
        return None

    # --- code

    def variable_code(self, variable: GlobalVariable) -> Code:
        """The code that reads a global variable; writes its initialisation the first time."""
        if variable.code is None:
            variable.code = self._constant(variable.declaration)
        if variable.code is None:
            declared = variable.declaration.type
            if variable.in_progress:
                kind = sequence_type(declared)
                return Code(f"{variable.python_name}()", shape_of(kind.occurrence), kind)
            variable.in_progress = True
            kind, shape = self._write_variable(variable)
            endless = shape is Shape.ITERABLE
            fields = self._record_fields.get(variable.declaration.name.expanded, ())
            variable.code = Code(f"{variable.python_name}()", shape, kind, endless=endless, value_fields=fields)
        return variable.code

    def _constant(self, declaration: ast.VariableDecl) -> Code | None:
        """The value of a variable that is initialised with a number literal and never set."""
        value = declaration.value
        if declaration.external or not isinstance(value, ast.IntegerLiteral):
            return None
        if isinstance(self.module, ast.LibraryModule):
            # An importing module may set it.
            return None
        if declaration.type is not None and not sequence_type(declaration.type).matches([value.value]):
            return None
        is_set = any(
            isinstance(node, ast.SetStatement) and node.name.expanded == declaration.name.expanded
            for node in (self.module.walk() if self.static.is_sequential else ())
        )
        return None if is_set else self.compiler.compile(value)

    @cached_property
    def _record_fields(self) -> dict[ExpandedName, tuple[str, ...]]:
        from .maps import record_fields

        return record_fields(self.module) if self.static.is_sequential else {}

    def _write_variable(self, variable: GlobalVariable) -> tuple[SequenceType, Shape]:
        declaration = variable.declaration
        c = self.compiler
        expected = sequence_type(declaration.type)
        shape = shape_of(expected.occurrence)
        bounds = self.writer.bounds
        endless = bounds is not None and bounds.variables.get(declaration.name.expanded) is not None
        what = f"${declaration.name}"
        result: list[tuple[SequenceType, Shape]] = [(expected, shape)]
        outer_frame, outer_scope, outer_span = self.writer.frame, c.scope, self.writer.span
        c.scope = Scope({}, self.focus)
        try:
            with self.writer.at(declaration.span):
                initialiser = "None"
                if declaration.value is not None:

                    def write() -> None:
                        assert declaration.value is not None
                        value = declaration.value
                        code = c.compile(self.joins.of_value(value) if self.may_join(value) else value)
                        if code.endless or endless:
                            self._write_endless(declaration, code, expected, result)
                            return
                        code = c.sequence(code)
                        if c.static.is_sequential:
                            from xylem.run.runtime.endless import assigned

                            text = f"{c.rt(assigned)}({c.as_sequence(code)}, {c.type_constant(expected)}, {what!r})"
                            c.writer.line(f"return {text}")
                            return
                        if declaration.type is not None:
                            code = checked(c, code, expected, f"${declaration.name}")
                        elif declaration.external:
                            code = Code(c.as_sequence(code), Shape.SEQUENCE, ANY_SEQUENCE)
                        result[0] = (code.type, code.shape)
                        c.writer.line(f"return {code.text}")

                    frame = c.lifted("global", [], c.describe(declaration), write)
                    initialiser = f"lambda: {frame.name}()"
                name = self.writer.constant(declaration.name.expanded, "N", f"${declaration.name}")
                kind = c.type_constant(expected)
                self.writer.constants.setdefault("Global", rt.Global)
                more = ""
                if endless:
                    from .endless import count_readers

                    more = f", {count_readers(c, declaration.name.expanded)}"
                    result[0] = (result[0][0], Shape.ITERABLE)
                self.writer.top.append(
                    f"{variable.python_name} = Global({name}, {initialiser}, {declaration.external}, {kind}, run{more})"
                )
        finally:
            self.writer.frame, c.scope, self.writer.span = outer_frame, outer_scope, outer_span
        return result[0]

    def _write_endless(
        self,
        declaration: ast.VariableDecl,
        code: Code,
        expected: SequenceType,
        result: list[tuple[SequenceType, Shape]],
    ) -> None:
        """The initial value of a possibly infinite variable: its items, read as they arrive."""
        from .endless import checked_lazily

        if declaration.type is not None:
            code = checked_lazily(self.compiler, code, expected, f"${declaration.name}")
        result[0] = (code.type, Shape.ITERABLE)
        self.writer.line(f"return {self.compiler.as_iterable(code)}")

    def variable_value(self, variable: GlobalVariable, space: dict[str, Any]) -> Sequence[Any]:
        """The value of a variable in a run, as a sequence."""
        code = self.variable_code(variable)
        value = space[variable.python_name]()
        if code.shape is Shape.OPTIONAL and value is None:
            return ()
        return (value,) if code.shape in (Shape.ONE, Shape.OPTIONAL) else as_sequence(value)

    def write_functions(self) -> None:
        """Write every function and variable, called or not: their errors are errors of the query."""
        for function in self.own_functions.values():
            self._write_function(function)
        for variable in self.own_variables.values():
            self.variable_code(variable)

    def _write_function(self, function: UserFunction) -> None:
        c = self.compiler
        declaration = function.declaration
        names = [c.fresh_name(parameter.name) for parameter in declaration.parameters]
        focus = Focus(None, absent_reason=f"the body of {declaration.name}() has no context item")
        with self.writer.at(declaration.span), c.scoped(Scope({}, focus)):

            def write() -> None:
                assert declaration.body is not None
                what = f"the result of {declaration.name}()"
                key = (*declaration.name.expanded, len(names))
                write_function_body(
                    c,
                    declaration.parameters,
                    function.parameters,
                    names,
                    function.returns,
                    self.joins.of_function(declaration) if self.may_join(declaration.body) else declaration.body,
                    what,
                    focus,
                    key,
                )

            frame = c.lifted("fn", names, c.describe(declaration), write)
        frame.name = function.python_name


def _finds_by_place(node: ast.Node) -> bool:
    """E[$i]"""
    match node:
        case ast.AxisStep(predicates=predicates):
            return any(not isinstance(predicate, ast.IntegerLiteral) for predicate in predicates)
        case ast.Filter(predicate=predicate):
            return not isinstance(predicate, ast.IntegerLiteral)
    return False


def _goes_back(expr: ast.Expr) -> bool:
    """Whether it goes up, or to the root again: the nodes found there may be the same for many turns of a loop."""
    nodes = [*expr.walk()]
    goes_up = any(isinstance(node, ast.AxisStep) and node.axis in ast.UPWARDS for node in nodes)
    return goes_up or sum(isinstance(node, ast.Root) for node in nodes) > 1


def check_variable_annotations(declaration: ast.VariableDecl) -> None:
    """%public with %private, and reserved namespaces, on a variable."""
    visibility = 0
    for annotation in declaration.annotations:
        name = annotation.name
        if name.uri == XQUERY and name.local in ("public", "private"):
            visibility += 1
        elif name.uri in RESERVED_FOR_FUNCTIONS:
            raise StaticError("XQST0045", f"%{name}", span=annotation.span)
    if visibility > 1:
        raise StaticError("XQST0116", f"${declaration.name}", span=declaration.span)


__all__ = ["GlobalVariable", "ModuleTable", "UserFunction"]
