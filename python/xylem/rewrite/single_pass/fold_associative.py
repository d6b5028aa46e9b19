"""Turn a recursion that combines a value of each item into an aggregate.

    if (empty($p)) then Z else max((F($p[1]), f(tail($p))))  →  max((max(for $x in E return F($x)), Z))
    if (empty($p)) then Z else F($p[1]) + f(tail($p))        →  sum(for $x in E return F($x)) + Z      (integers)
    … F($p[1]) and f(tail($p))                               →  (every $x in E satisfies F($x)) and Z
    … concat(F($p[1]), f(tail($p)))                          →  string-join(for $x in E return F($x)) || Z
    … (F($p[1]), f(tail($p)))                                →  (for $x in E return F($x)), Z

Gain:   the recursion combines from the right, which needs all items at once; an aggregate takes them as they pass, and
        tasks can compute it in parts and merge them.
Needs:  the same operator in all branches of the body. It must be associative for the types of its values: maximum and
        minimum of one type, sums and products of integers or decimals (those of doubles depend on their order: the rule
        leaves such a recursion alone), `and`, `or`, concatenation of strings or sequences. If the value for the rest is
        the left operand, the order of the items must not matter either.
Safe:   the value for the empty sequence comes last in the recursion, so it comes last here. A sum with an empty operand
        is empty, which fn:sum would ignore: a separate test checks for it.
"""

from __future__ import annotations

from xylem.analysis.facts.value_class import Known, Scope, Values, classify, declared_class
from xylem.functions.registry import FN
from xylem.syntax import ast

from ..query_rule import QueryFacts, QueryRule
from .contributions import Contribution, Operator, contribution
from .conversion import converted
from .fold_accumulators import constant_places, each_call, with_arguments
from .linear_recursion import LinearRecursion

_EXACT = (Values.INTEGER, Values.DECIMAL)


class FoldAssociative(QueryRule):
    name = "fold_associative"
    paper = "§5.1.3"
    told = "a recursion that combines its items is an aggregate"

    def apply(self, body: ast.Expr, facts: QueryFacts) -> ast.Expr:
        return each_call(body, facts, _aggregated)


def _aggregated(found: LinearRecursion, call: ast.FunctionCall, facts: QueryFacts) -> ast.Expr | None:
    constants = constant_places(found)
    if len(constants) < len(call.arguments) - 1:
        return None
    part = contribution(found.step, found)
    if part is None or part.operator is None:
        return None
    scope: dict[tuple[str, str], Known] = dict(facts.variables)
    for place in constants:
        parameter = found.declared.parameters[place]
        scope[parameter.name.expanded] = declared_class(parameter.type)
    items = call.arguments[found.place]
    scope[found.item.name.expanded] = Known(classify(items, facts.variables).values, True, True)
    made = _Maker(found, part, items, scope, facts).made()
    return None if made is None else with_arguments(found, call, sorted(constants), made, facts)


def fn(local: str, *arguments: ast.Expr) -> ast.FunctionCall:
    return ast.FunctionCall(ast.Name(local, "fn", FN), arguments)


class _Maker:
    """Builds one aggregate."""

    def __init__(
        self, found: LinearRecursion, part: Contribution, items: ast.Expr, scope: Scope, facts: QueryFacts
    ) -> None:
        self.found, self.part, self.items, self.scope, self.facts = found, part, items, scope, facts
        self.returns = found.declared.returns
        self.at_end = found.at_end

    def made(self) -> ast.Expr | None:
        match self.part.operator:
            case Operator.MAX | Operator.MIN:
                return self._extreme()
            case Operator.ADD | Operator.MULTIPLY:
                return self._total()
            case Operator.AND | Operator.OR:
                return self._truth()
            case Operator.CONCAT:
                return self._text()
            case Operator.SEQUENCE:
                return self._sequence()
        return None

    def _each(self, result: ast.Expr) -> ast.Flwor:
        clause = ast.ForClause(self.found.item.name, None, self.items, span=self.items.span)
        return ast.Flwor((clause,), result, span=self.found.declared.span)

    def _converted(self, expr: ast.Expr) -> ast.Expr:
        return converted(expr, self.returns, self.scope, self.facts)

    def _returns_fit(self, *values: Values) -> bool:
        """Whether the results of inner calls need no conversion, or always the same one."""
        return self.returns is None or declared_class(self.returns).values in values

    def _extreme(self) -> ast.Expr | None:
        kind = _ordered(classify(self.part.value, self.scope).values)
        last = _ordered(classify(self.at_end, self.scope).values)
        if kind is Values.UNKNOWN or not self._returns_fit(kind):
            return None
        is_promoted = kind is Values.DOUBLE and last in _EXACT
        if last not in (kind, Values.NOTHING) and not is_promoted:
            return None
        name = "max" if self.part.operator is Operator.MAX else "min"
        largest = fn(name, self._each(self.part.value))
        if last is Values.NOTHING:
            return self._converted(largest)
        at_end = self._converted(self.at_end)
        both = fn(name, ast.SequenceExpr((largest, at_end)))
        known = classify(at_end, self.scope)
        # The largest of a double and something else is a double, and there is always one.
        if self.returns is not None and not (known.values is kind and known.is_one):
            return self._converted(both)
        return both

    def _total(self) -> ast.Expr | None:
        kinds = {classify(self.part.value, self.scope).values, classify(self.at_end, self.scope).values}
        kinds -= {Values.NOTHING}
        if not kinds <= set(_EXACT) or not classify(self.at_end, self.scope).single:
            return None
        if not self._returns_fit(*_EXACT) or (self.returns is not None and len(kinds) > 1):
            return None
        if self.part.operator is Operator.MULTIPLY:
            return self._product()
        total: ast.Expr = fn("sum", self._each(self.part.value))
        if not _is_zero(self.at_end):
            total = ast.Arithmetic("+", total, self.at_end)
        elif Values.DECIMAL in kinds:
            # A sum of decimals is a decimal; for no items it is the integer 0, which is the final value.
            total = ast.Arithmetic("+", total, self.at_end)
        return self._converted(self._unless_missing(total))

    def _product(self) -> ast.Expr | None:
        accumulator = self.facts.fresh("product")
        step = ast.Arithmetic("*", accumulator, self.part.value)
        if not classify(self.part.value, self.scope).single or self.part.is_conditional:
            return None
        parameters = (ast.Parameter(accumulator.name), ast.Parameter(self.found.item.name))
        function = ast.InlineFunction((), parameters, None, step)
        return self._converted(fn("fold-left", self.items, self.at_end, function))

    def _unless_missing(self, total: ast.Expr) -> ast.Expr:
        """A sum with an empty operand is empty."""
        if all(classify(operand, self.scope).is_one for operand in self.part.operands):
            return total
        if not self.part.is_conditional and len(self.part.operands) == 1 and self._is_at_most_one():
            # As many values as items, or one is missing.
            are_fewer = ast.ValueComparison("lt", fn("count", self._each(self.part.value)), fn("count", self.items))
            return ast.If(are_fewer, ast.SequenceExpr(), total)
        found = self.part.missing
        assert found is not None
        clause = ast.ForClause(self.found.item.name, None, self.items, span=self.items.span)
        missing = ast.Flwor((clause, ast.WhereClause(found)), ast.IntegerLiteral(1))
        return ast.If(fn("exists", missing), ast.SequenceExpr(), total)

    def _is_at_most_one(self) -> bool:
        return classify(self.part.value, self.scope).single

    def _truth(self) -> ast.Expr | None:
        is_and = self.part.operator is Operator.AND
        if not self._returns_fit(Values.BOOLEAN):
            return None
        binding = ast.QuantifiedBinding(self.found.item.name, None, self.items)
        truth: ast.Expr = ast.Quantified("every" if is_and else "some", (binding,), self.part.value)
        match self.at_end:
            case ast.FunctionCall(name=ast.Name(local=local, uri=uri), arguments=()):
                if uri == FN and local == ("true" if is_and else "false"):
                    return truth
        if classify(self.at_end, self.scope) != Known(Values.BOOLEAN, True, True):
            # Without items the answer is the value itself, and not its truth.
            return None
        return (ast.And if is_and else ast.Or)(truth, self.at_end)

    def _text(self) -> ast.Expr | None:
        last = classify(self.at_end, self.scope)
        if last != Known(Values.STRING, True, True) or not self._returns_fit(Values.STRING):
            return None
        text = fn("string-join", self._each(self.part.value), ast.StringLiteral(""))
        if isinstance(self.at_end, ast.StringLiteral) and not self.at_end.value:
            return text
        return ast.StringConcat(text, self.at_end)

    def _sequence(self) -> ast.Expr | None:
        if self.returns is not None and not (
            isinstance(self.returns.item, ast.AnyItemType) and self.returns.occurrence == "*"
        ):
            return None
        each = self._each(self.part.value)
        if isinstance(self.at_end, ast.SequenceExpr) and not self.at_end.items:
            return each
        return ast.SequenceExpr((each, self.at_end))


def _ordered(values: Values) -> Values:
    """Values in the form for fn:max: untyped values are doubles."""
    if values is Values.UNTYPED:
        return Values.DOUBLE
    return Values.UNKNOWN if values is Values.BOOLEAN else values


def _is_zero(expr: ast.Expr) -> bool:
    return isinstance(expr, ast.IntegerLiteral) and expr.value == 0
