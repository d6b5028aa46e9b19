"""From an expression of the query to one of the kernel, where the kernel knows all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from functools import reduce

from xylem.analysis.facts.conjuncts import conjuncts
from xylem.analysis.facts.truth_values import is_boolean
from xylem.functions.registry import FN
from xylem.plan.kernel_expression import Call, Constant, KernelExpression, Named, NodesOf, SlotValue
from xylem.syntax import ast

from ..template_paths import NoTemplate, taken_by
from .known_functions import CASTS, XS, known_function

_MOST_INTEGER = 2**63 - 1
_MOST_DIGITS = 38

_OVER_ALL = frozenset({"count", "sum", "avg", "min", "max", "string-join"})

Test = Callable[[ast.Expr], KernelExpression | None]


class ExpressionCompiler:
    """Compiles the expressions of one template."""

    def __init__(self, by_code_points: bool, up: Callable[[str], int], test: Test) -> None:
        """`up` tells how far out the loop of a variable is; `test` finds a test of the scan for a condition."""
        self.by_code_points = by_code_points
        self.up = up
        self.test = test
        self.slots: dict[str, int] = {}
        """The values computed before, by their variables."""
        self.paths: dict[str, ast.Expr] = {}
        """The variables that stand for a path from a loop."""
        self._next_slot = 0

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Variables that are bound inside are known inside."""
        slots, paths = dict(self.slots), dict(self.paths)
        yield
        self.slots, self.paths = slots, paths

    def condition(self, expr: ast.Expr) -> KernelExpression:
        """An expression whose effective boolean value is asked for."""
        found = self.test(expr)
        if found is not None:
            return found
        match expr:
            case ast.And():
                return Call("and", tuple(map(self.condition, conjuncts(expr))))
            case ast.Or(left=left, right=right):
                return Call("or", (self.condition(left), self.condition(right)))
            case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded in ((FN, "not"), (FN, "boolean")):
                return Call(name.local, (self.condition(argument),))
            case ast.SequenceExpr(items=items) if len(items) != 1:
                # Whether its first item is a node is not asked.
                raise NoTemplate("the truth of a sequence", expr)
        return self.value(expr)

    def value(self, expr: ast.Expr) -> KernelExpression:
        """An expression whose items are asked for."""
        match expr:
            case ast.StringLiteral(value=text):
                return Constant(text)
            case ast.IntegerLiteral(value=number) if abs(number) <= _MOST_INTEGER:
                return Constant(number)
            case ast.DecimalLiteral(value=number) if _is_short(number):
                return Constant(number)
            case ast.DoubleLiteral(value=number):
                return Constant(float(number))
            case ast.VarRef(name=name) if not name.uri and name.local in self.slots:
                return SlotValue(self.slots[name.local])
            case ast.VarRef() | ast.Path():
                return self.nodes(expr)
            case ast.SequenceExpr(items=(only,)):
                return self.value(only)
            case ast.SequenceExpr(items=items):
                return Call(",", tuple(map(self.value, items)))
            case ast.Arithmetic(op=op, left=left, right=right):
                return Call(op, (self.value(left), self.value(right)))
            case ast.Unary(op=op, operand=operand):
                return Call("negate" if op == "-" else "plus", (self.value(operand),))
            case ast.GeneralComparison(op=op, left=left, right=right) | ast.ValueComparison(
                op=op, left=left, right=right
            ) if self.by_code_points:
                return Call(op, (self.value(left), self.value(right)))
            case ast.And() | ast.Or():
                return self.condition(expr)
            case ast.StringConcat(left=left, right=right):
                return Call("concat", (*self._concatenated(left), self.value(right)))
            case ast.If(test=test, then=then, otherwise=otherwise):
                return Call("if", (self.condition(test), self.value(then), self.value(otherwise)))
            case ast.Switch():
                return self._switch(expr)
            case ast.Typeswitch(operand=ast.VarRef()):
                return self._typeswitch(expr)
            case ast.CastAs(operand=operand, type=kind) if kind.name.uri == XS and kind.name.local in CASTS:
                inner = self.value(operand)
                return Call(f"to {kind.name.local}", (inner if kind.optional else Call("one", (inner,)),))
            case ast.CastableAs(operand=operand, type=kind) if kind.name.uri == XS and kind.name.local in CASTS:
                return Call(f"castable {kind.name.local}", (self.value(operand),))
            case ast.FunctionCall():
                return self._call(expr)
            case ast.Flwor(clauses=(ast.LetClause(type=None, name=name, value=value), *rest), result=result):
                return self._let(name, value, ast.Flwor(tuple(rest), result) if rest else result)
        raise NoTemplate("an expression it does not know", expr)

    def nodes(self, expr: ast.Expr) -> NodesOf:
        """The nodes of a path."""
        variable, (path, of, attribute) = taken_by(self.in_terms_of_loops(expr))
        return NodesOf(path, of, attribute, self.up(variable))

    def in_terms_of_loops(self, expr: ast.Expr) -> ast.Expr:
        """A path that begins at a variable for a path, from where that one begins."""
        match expr:
            case ast.Path(left=left, right=right):
                inner = self.in_terms_of_loops(left)
                return expr if inner is left else ast.Path(inner, right, span=expr.span)
            case ast.VarRef(name=name) if not name.uri and name.local in self.paths:
                return self.paths[name.local]
        return expr

    def is_path(self, expr: ast.Expr) -> bool:
        """Whether an expression gives nodes of the record."""
        match expr:
            case ast.VarRef(name=name):
                return not name.uri and name.local not in self.slots
            case ast.Path(right=ast.AxisStep()):
                return True
        return False

    def bind(self, name: ast.Name, value: ast.Expr) -> tuple[int, KernelExpression] | None:
        """Give a variable its value: where that has to be computed, the slot and how; a path needs nothing."""
        if self.is_path(value):
            self.alias(name, value)
            return None
        if not is_atomic(value):
            raise NoTemplate("a variable that is neither a path nor an atomic value", value)
        computed = self.value(value)
        return self.new_slot(name), computed

    def new_slot(self, name: ast.Name) -> int:
        """A place for the value of a variable."""
        if name.uri:
            raise NoTemplate("a variable in a namespace")
        self.paths.pop(name.local, None)
        slot = self.slots[name.local] = self._next_slot
        self._next_slot += 1
        return slot

    def _let(self, name: ast.Name, value: ast.Expr, inner: ast.Expr) -> KernelExpression:
        if not self.is_path(value):
            raise NoTemplate("a variable in an expression", value)
        with self.scope():
            self.alias(name, value)
            return self.value(inner)

    def _concatenated(self, expr: ast.Expr) -> tuple[KernelExpression, ...]:
        if isinstance(expr, ast.StringConcat):
            return (*self._concatenated(expr.left), self.value(expr.right))
        return (self.value(expr),)

    def _call(self, call: ast.FunctionCall) -> KernelExpression:
        match call:
            case ast.FunctionCall(name=name, arguments=()) if name.expanded in ((FN, "true"), (FN, "false")):
                return Constant(name.local == "true")
            case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded in ((FN, "not"), (FN, "boolean")):
                return Call(name.local, (self.condition(argument),))
        word = known_function(call.name.expanded, len(call.arguments), self.by_code_points)
        if word is None or any(isinstance(argument, ast.ArgumentPlaceholder) for argument in call.arguments):
            raise NoTemplate(f"the function {call.name}", call)
        arguments = tuple(map(self.value, call.arguments))
        if word in _OVER_ALL and any(isinstance(each, NodesOf) and each.up and each.path for each in arguments):
            # It would be computed at each turn of the loops between: code does so once.
            raise NoTemplate("an aggregate of what is outside of the loop", call)
        return Call(word, arguments)

    def _switch(self, switch: ast.Switch) -> KernelExpression:
        tests = [self.switch_test(switch.operand, case) for case in switch.cases]
        results = [self.value(case.result) for case in switch.cases]
        return _chain(zip(tests, results, strict=True), self.value(switch.default))

    def switch_test(self, operand: ast.Expr, case: ast.SwitchCase) -> KernelExpression:
        """Whether the operand is one of the values of a case."""
        if not self.by_code_points or not all(isinstance(each, ast.StringLiteral) for each in case.operands):
            # Other values may be of types that do not compare, which is no error here.
            raise NoTemplate("a switch over other values than strings", operand)
        value = self.value(operand)
        tests = tuple(Call("eq", (value, self.value(each))) for each in case.operands)
        return tests[0] if len(tests) == 1 else Call("or", tests)

    def _typeswitch(self, switch: ast.Typeswitch) -> KernelExpression:
        tests = [self.type_test(switch.operand, case) for case in switch.cases]
        results = []
        for case in switch.cases:
            with self.scope():
                self.alias(case.variable, switch.operand)
                results.append(self.value(case.result))
        with self.scope():
            self.alias(switch.default_variable, switch.operand)
            return _chain(zip(tests, results, strict=True), self.value(switch.default))

    def alias(self, name: ast.Name | None, path: ast.Expr) -> None:
        """Another name for what a path stands for."""
        if name is None:
            return
        if name.uri:
            raise NoTemplate("a variable in a namespace", path)
        self.nodes(path)
        self.paths[name.local] = self.in_terms_of_loops(path)
        self.slots.pop(name.local, None)

    def type_test(self, operand: ast.Expr, case: ast.TypeswitchCase) -> KernelExpression:
        """Whether the element of a loop is of one of the types of a case."""
        nodes = self.nodes(operand)
        if nodes.path or nodes.of is not None:
            raise NoTemplate("the type of anything but the element of a loop", operand)
        tests = tuple(self._type_test(kind, nodes.up) for kind in case.types)
        return tests[0] if len(tests) == 1 else Call("or", tests)

    def _type_test(self, kind: ast.SequenceTypeNode, up: int) -> KernelExpression:
        match kind.item:
            case ast.ElementTest(name=None, type=None):
                return Constant(True)
            case ast.ElementTest(name=ast.Name() as name, type=None):
                return Named(*name.expanded, up)
            case ast.AnyKindTest():
                return Constant(True)
            case ast.TextTest() | ast.AttributeTest() | ast.CommentTest() | ast.DocumentTest():
                return Constant(False)
        raise NoTemplate("a type it does not know")


_Branch = tuple[KernelExpression, KernelExpression]


def _chain(branches: Iterable[_Branch], default: KernelExpression) -> KernelExpression:
    return reduce(lambda rest, branch: Call("if", (*branch, rest)), reversed(list(branches)), default)


def _is_short(number: Decimal) -> bool:
    return len(format(number, "f").strip("-").replace(".", "")) <= _MOST_DIGITS


def is_atomic(expr: ast.Expr) -> bool:
    """Whether all items of an expression are atomic, told by its form."""
    match expr:
        case ast.SequenceExpr(items=items):
            return all(map(is_atomic, items))
        case ast.If(then=then, otherwise=otherwise):
            return is_atomic(then) and is_atomic(otherwise)
        case ast.Switch(cases=cases, default=default):
            return is_atomic(default) and all(is_atomic(case.result) for case in cases)
        case ast.FunctionCall(name=name):
            return name.uri in (FN, XS)
        case ast.Flwor(result=result):
            return is_atomic(result)
    literals = (ast.StringLiteral, ast.IntegerLiteral, ast.DecimalLiteral, ast.DoubleLiteral)
    operators = (ast.Arithmetic, ast.Unary, ast.StringConcat, ast.CastAs, ast.ValueComparison)
    return isinstance(expr, (*literals, *operators)) or is_boolean(expr)
