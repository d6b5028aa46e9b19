"""Random syntax trees: every kind of node, in every place the grammar allows it.

The source of randomness is passed in; hypothesis gives one that it can replay and shrink.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from random import Random
from typing import TypeVar

from xylem.syntax import ast

T = TypeVar("T")

LOCALS = (
    *("a", "b-c", "d.e", "_", "été", "Q"),
    *("for", "if", "element", "text", "return", "count", "union", "div", "map", "to", "set"),
)
URIS = ("urn:x", "http://a/b?c=d&e", "a b", "'\"")
CHARACTERS = " \t\n\r\"'<>&{}[]()`$#?:;*-/ax0é\u00a0\U0001f600"
AXES = ("child", "attribute", "parent", "descendant-or-self", "self", "following", "ancestor")


class Trees:
    """Grows trees; `depth` is how many more levels of expressions may be nested."""

    def __init__(self, random: Random, sequential: bool = False) -> None:
        self.random = random
        self.sequential = sequential

    # --- choosing

    def chance(self, of: int = 2) -> bool:
        return self.random.randrange(of) == 0

    def one(self, *makers: Callable[[], T]) -> T:
        return self.random.choice(makers)()

    def maybe(self, maker: Callable[[], T]) -> T | None:
        return maker() if self.chance() else None

    def some(self, maker: Callable[[], T], least: int = 0, most: int = 2) -> tuple[T, ...]:
        return tuple(maker() for _ in range(self.random.randint(least, most)))

    # --- words

    def local(self) -> str:
        return self.random.choice(LOCALS)

    def qname(self) -> ast.Name:
        return ast.Name(self.local(), self.random.choice((None, "p", "xs")))

    def name(self) -> ast.Name:
        if self.chance(4):
            return ast.Name(self.local(), None, self.random.choice(("", "urn:x", "a{b}&c d")))
        return self.qname()

    def function_name(self) -> ast.Name:
        return self.random.choice(
            (ast.Name("f"), ast.Name("count"), ast.Name("for"), ast.Name("if", "p"), ast.Name("element", None, "urn:x"))
        )

    def text(self, without: tuple[str, ...] = (), least: int = 0) -> str:
        found = "".join(self.some(lambda: self.random.choice(CHARACTERS), least, 6))
        for part in without:
            found = found.replace(part, "x")
        return found

    def uri(self) -> str:
        return self.random.choice(URIS)

    def number(self) -> ast.Expr:
        return self.one(
            lambda: ast.IntegerLiteral(self.random.choice((0, 7, 10**20))),
            lambda: ast.DecimalLiteral(self.random.choice((Decimal(0), Decimal("1.50"), Decimal("1E+3")))),
            lambda: ast.DoubleLiteral(self.random.choice((0.0, 1.5, 1e-300, 2e22, float("inf")))),
        )

    # --- types

    def element_test(self) -> ast.ElementTest:
        name = self.maybe(self.name)
        if self.chance():
            return ast.ElementTest(name)
        return ast.ElementTest(name, self.name(), self.chance())

    def kind_test(self) -> ast.ItemTypeNode:
        return self.one(
            lambda: self.random.choice(
                (ast.AnyKindTest(), ast.TextTest(), ast.CommentTest(), ast.NamespaceNodeTest(), ast.DocumentTest())
            ),
            lambda: ast.PITest(self.random.choice((None, "a", "x-y"))),
            self.element_test,
            lambda: ast.AttributeTest(self.maybe(self.name), self.maybe(self.name)),
            lambda: ast.SchemaElementTest(self.name()),
            lambda: ast.SchemaAttributeTest(self.name()),
            lambda: ast.DocumentTest(self.element_test()),
            lambda: ast.DocumentTest(ast.SchemaElementTest(self.name())),
        )

    def name_test(self) -> ast.NameTest | ast.Wildcard:
        return self.one(
            lambda: ast.NameTest(self.name()),
            lambda: ast.NameTest(self.name()),
            ast.Wildcard,
            lambda: ast.Wildcard("p"),
            lambda: ast.Wildcard(None, self.random.choice(("", "urn:x"))),
            lambda: ast.Wildcard(local=self.local()),
        )

    def annotations(self) -> tuple[ast.Annotation, ...]:
        def value() -> object:
            return self.one(self.text, lambda: 1, lambda: Decimal("1.5"), lambda: 2.5e10)

        return self.some(lambda: ast.Annotation(self.name(), self.some(value)), most=1)

    def item_type(self, depth: int = 2) -> ast.ItemTypeNode:
        if depth == 0 or self.chance():
            return self.one(lambda: ast.AtomicType(self.name()), ast.AnyItemType, self.kind_test)

        def inner() -> ast.SequenceTypeNode:
            return self.sequence_type(depth - 1)

        return self.one(
            ast.MapType,
            ast.ArrayType,
            lambda: ast.FunctionType(self.annotations()),
            lambda: ast.FunctionType(self.annotations(), self.some(inner), inner()),
            lambda: ast.MapType(ast.AtomicType(self.name()), inner()),
            lambda: ast.ArrayType(inner()),
        )

    def sequence_type(self, depth: int = 2) -> ast.SequenceTypeNode:
        if self.chance(8):
            return ast.SequenceTypeNode(None)
        return ast.SequenceTypeNode(self.item_type(depth), self.random.choice(("", "?", "*", "+", "**")))

    def type(self) -> ast.SequenceTypeNode | None:
        return self.maybe(self.sequence_type)

    def single_type(self) -> ast.SingleType:
        return ast.SingleType(self.name(), self.chance())

    # --- expressions

    def expr(self, depth: int) -> ast.Expr:
        if depth <= 0:
            return self._leaf()

        def inner() -> ast.Expr:
            return self.expr(depth - self.random.randint(1, 2))

        families = [self._leaf_or, self._operator, self._postfix, self._control, self._flwor, self._constructor]
        families += [self._extension, *([self._statement] if self.sequential else [])]
        return self.random.choice(families)(inner)

    def _leaf(self) -> ast.Expr:
        return self.one(
            self.number,
            lambda: ast.StringLiteral(self.text()),
            lambda: ast.VarRef(self.name()),
            lambda: self.random.choice((ast.ContextItem(), ast.Root(), ast.SequenceExpr())),
            lambda: ast.NamedFunctionRef(self.function_name(), self.random.randint(0, 3)),
            lambda: ast.AxisStep(self.random.choice(AXES), self.kind_test()),
            lambda: ast.AxisStep(self.random.choice(AXES), self.name_test()),
            lambda: ast.DirectComment(self.text(without=("\r", "-"))),
            lambda: ast.DirectPI(self.random.choice(("a", "x-y")), self.random.choice(("", "b ?", "<&{"))),
            lambda: ast.UnaryLookup(self.random.choice((None, ast.StringLiteral("a"), ast.IntegerLiteral(1)))),
        )

    def _leaf_or(self, inner: Callable[[], ast.Expr]) -> ast.Expr:
        """Steps with predicates, and sequences."""
        return self.one(
            lambda: ast.AxisStep(self.random.choice(AXES), self.kind_test(), self.some(inner)),
            lambda: ast.AxisStep(self.random.choice(AXES), self.name_test(), self.some(inner)),
            lambda: ast.SequenceExpr(self.some(inner, 2, 3)),
        )

    def _operator(self, inner: Callable[[], ast.Expr]) -> ast.Expr:
        choice = self.random.choice
        return self.one(
            lambda: ast.Or(inner(), inner()),
            lambda: ast.And(inner(), inner()),
            lambda: ast.ValueComparison(choice(["eq", "ne", "lt", "le", "gt", "ge"]), inner(), inner()),
            lambda: ast.GeneralComparison(choice(["=", "!=", "<", "<=", ">", ">="]), inner(), inner()),
            lambda: ast.NodeComparison(choice(["is", "<<", ">>"]), inner(), inner()),
            lambda: ast.StringConcat(inner(), inner()),
            lambda: ast.Range(inner(), inner()),
            lambda: ast.Arithmetic(choice(["+", "-", "*", "div", "idiv", "mod"]), inner(), inner()),
            lambda: ast.Arithmetic(choice(["+", "-", "*", "div", "idiv", "mod"]), inner(), inner()),
            lambda: ast.Unary(choice("+-"), inner()),
            lambda: ast.SetOperation(choice(["union", "intersect", "except"]), inner(), inner()),
            lambda: ast.InstanceOf(inner(), self.sequence_type()),
            lambda: ast.TreatAs(inner(), self.sequence_type()),
            lambda: ast.CastableAs(inner(), self.single_type()),
            lambda: ast.CastAs(inner(), self.single_type()),
            lambda: ast.Arrow(inner(), self.one(self.function_name, inner), self._arguments(inner)),
            lambda: ast.SimpleMap(inner(), inner()),
            lambda: ast.Path(inner(), inner()),
            lambda: ast.Path(inner(), inner()),
        )

    def _arguments(self, inner: Callable[[], ast.Expr]) -> tuple[ast.Expr, ...]:
        return self.some(lambda: ast.ArgumentPlaceholder() if self.chance(6) else inner())

    def _parameters(self) -> tuple[ast.Parameter, ...]:
        return self.some(lambda: ast.Parameter(self.name(), self.type()))

    def _postfix(self, inner: Callable[[], ast.Expr]) -> ast.Expr:
        return self.one(
            lambda: ast.Filter(inner(), inner()),
            lambda: ast.DynamicCall(inner(), self._arguments(inner)),
            lambda: ast.Lookup(inner(), self.maybe(inner)),
            lambda: ast.UnaryLookup(inner()),
            lambda: ast.FunctionCall(self.function_name(), self._arguments(inner)),
            lambda: ast.InlineFunction(self.annotations(), self._parameters(), self.type(), inner()),
            lambda: ast.StringConstructor(self._mixed(lambda: self.text(without=("\r", "`", "]"), least=1), inner)),
            lambda: ast.MapConstructor(self.some(lambda: ast.MapEntry(inner(), inner()))),
            lambda: ast.SquareArray(self.some(inner)),
            lambda: ast.CurlyArray(inner()),
        )

    def _mixed(self, string: Callable[[], T], other: Callable[[], T]) -> tuple[T, ...]:
        """Strings and others, no two strings side by side: those would be read as one."""
        found: list[T] = []
        for _ in range(self.random.randint(0, 3)):
            if self.chance():
                found.append(string())
            found.append(other())
        return tuple(found)

    def _control(self, inner: Callable[[], ast.Expr]) -> ast.Expr:
        def binding() -> ast.QuantifiedBinding:
            return ast.QuantifiedBinding(self.name(), self.type(), inner())

        def switch_case() -> ast.SwitchCase:
            return ast.SwitchCase(self.some(inner, 1), inner())

        def type_case() -> ast.TypeswitchCase:
            return ast.TypeswitchCase(self.some(self.sequence_type, 1), self.maybe(self.name), inner())

        def catch() -> ast.CatchClause:
            return ast.CatchClause(self.some(self.name_test, 1), inner())

        def pragma() -> ast.Pragma:
            return ast.Pragma(self.name(), self.random.choice(("", "x", "a (: # b ")))

        choice = self.random.choice
        return self.one(
            lambda: ast.If(inner(), inner(), inner()),
            lambda: ast.Quantified(choice(("some", "every")), self.some(binding, 1), inner()),
            lambda: ast.Switch(inner(), self.some(switch_case, 1), inner()),
            lambda: ast.Typeswitch(inner(), self.some(type_case, 1), self.maybe(self.name), inner()),
            lambda: ast.TryCatch(inner(), self.some(catch, 1)),
            lambda: ast.OrderingExpr(choice(("ordered", "unordered")), inner()),
            lambda: ast.ExtensionExpr(self.some(pragma, 1), self.maybe(inner)),
            lambda: ast.Validate(choice(("lax", "strict")), None, inner()),
            lambda: ast.Validate("type", self.name(), inner()),
        )

    # --- FLWOR

    def _flwor(self, inner: Callable[[], ast.Expr]) -> ast.Expr:
        clauses = (self._binding_clause(inner), *self.some(lambda: self._clause(inner), most=3))
        return ast.Flwor(clauses, inner())

    def _window_variables(self) -> ast.WindowVariables:
        return ast.WindowVariables(*(self.maybe(self.name) for _ in range(4)))

    def _window_clause(self, inner: Callable[[], ast.Expr]) -> ast.Clause:
        kind = self.random.choice(("tumbling", "sliding"))
        start = ast.WindowCondition(self._window_variables(), inner())
        end = None
        if kind == "sliding" or self.chance():
            end = ast.WindowCondition(self._window_variables(), inner(), self.chance())
        return ast.WindowClause(kind, self.name(), self.type(), inner(), start, end)

    def _forseq_clause(self, inner: Callable[[], ast.Expr]) -> ast.Clause:
        def variable() -> ast.ForseqVariable:
            role = self.random.choice(("position", "curItem", "prevItem", "nextItem"))
            return ast.ForseqVariable(role, self.name(), self.type())

        def window() -> ast.ForseqWindow:
            start = ast.ForseqCondition(self.some(variable), inner())
            end = ast.ForseqCondition(self.some(variable), self.maybe(inner), self.chance())
            return ast.ForseqWindow(self.random.choice(("tumbling", "sliding", "landmark")), start, end)

        return ast.ForseqClause(self.name(), self.type(), inner(), self.maybe(window))

    def _binding_clause(self, inner: Callable[[], ast.Expr]) -> ast.Clause:
        return self.one(
            lambda: ast.ForClause(self.name(), self.type(), inner(), self.maybe(self.name), self.chance()),
            lambda: ast.LetClause(self.name(), self.type(), inner()),
            lambda: self._window_clause(inner),
            lambda: self._forseq_clause(inner),
        )

    def _clause(self, inner: Callable[[], ast.Expr]) -> ast.Clause:
        def grouping() -> ast.GroupingSpec:
            if self.chance():
                return ast.GroupingSpec(self.name(), None, None, self.maybe(self.uri))
            return ast.GroupingSpec(self.name(), self.type(), inner(), self.maybe(self.uri))

        def ordering() -> ast.OrderSpec:
            empty = self.random.choice((None, "greatest", "least"))
            return ast.OrderSpec(inner(), self.chance(), empty, self.maybe(self.uri))

        def order() -> ast.BestMatchOrder:
            limit = self.maybe(lambda: self.one(self.number, inner))
            if self.chance():
                return ast.BestMatchOrder((inner(), inner()), "", ast.Name("near", "udf"), limit)
            return ast.BestMatchOrder((inner(),), self.random.choice(("min", "max")), None, limit)

        kinds = ("inner", "left", "right", "full")
        return self.one(
            lambda: self._binding_clause(inner),
            lambda: ast.WhereClause(inner()),
            lambda: ast.CountClause(self.name()),
            lambda: ast.GroupByClause(self.some(grouping, 1)),
            lambda: ast.OrderByClause(self.some(ordering, 1), self.chance()),
            lambda: ast.BestMatchClause(
                ast.VarRef(self.qname()),
                self.random.choice(kinds),
                ast.VarRef(self.qname()),
                self.some(order, 1),
                self.random.choice((1, 1, 3)),
            ),
        )

    # --- constructors

    def _constructor(self, inner: Callable[[], ast.Expr]) -> ast.Expr:
        def name() -> ast.Name | ast.Expr:
            return self.one(self.name, inner)

        return self.one(
            lambda: self._element(inner),
            lambda: self._element(inner),
            lambda: ast.ComputedDocument(inner()),
            lambda: ast.ComputedElement(name(), inner()),
            lambda: ast.ComputedAttribute(name(), inner()),
            lambda: ast.ComputedNamespace(self.one(self.local, inner), inner()),
            lambda: ast.ComputedText(inner()),
            lambda: ast.ComputedComment(inner()),
            lambda: ast.ComputedPI(self.one(self.local, inner), inner()),
        )

    def _element(self, inner: Callable[[], ast.Expr]) -> ast.DirectElement:
        def enclosed() -> ast.EnclosedExpr:
            return ast.EnclosedExpr(inner())

        def attribute() -> ast.DirectAttribute:
            parts: tuple[str | ast.EnclosedExpr, ...] = self._mixed(lambda: self.text(least=1), enclosed)
            return ast.DirectAttribute(self.qname(), parts)

        def child() -> ast.Expr:
            return self.one(enclosed, lambda: ast.DirectElement(self.qname()), lambda: ast.DirectComment(" x "))

        namespaces = self.random.choice(
            (
                (),
                (ast.NamespaceDeclaration("", ""),),
                (ast.NamespaceDeclaration("p", 'a{"}&<b'), ast.NamespaceDeclaration("", "urn:x")),
            )
        )
        content = self._mixed(lambda: ast.DirectText(self.text(least=1)), child)
        return ast.DirectElement(self.qname(), namespaces, self.some(attribute), content)

    # --- extensions

    def _extension(self, inner: Callable[[], ast.Expr]) -> ast.Expr:
        def version() -> int:
            return self.random.randint(0, 9)

        def step() -> ast.AxisStep:
            return ast.AxisStep(self.random.choice(AXES), self.name_test(), self.some(inner))

        def reference() -> ast.Expr:
            first, second = (
                ast.AxisStep(self.random.choice(("child", "attribute")), ast.NameTest(self.qname())) for _ in "12"
            )
            return self.one(lambda: first, lambda: ast.Path(first, second))

        return self.one(
            lambda: ast.VersionProjection(self.one(step, inner), ast.IntegerLiteral(version())),
            lambda: ast.VersionWindow(self.one(step, inner), ast.IntegerLiteral(version())),
            lambda: ast.TimeProjection(step(), self.number()),
            lambda: ast.TimeWindow(self.one(step, inner), self.number()),
            lambda: ast.DataWindow(inner(), "count", None, self.number(), self.maybe(self.number)),
            lambda: ast.DataWindow(inner(), "diff", self.maybe(reference), self.number(), self.maybe(self.number)),
        )

    def _statement(self, inner: Callable[[], ast.Expr]) -> ast.Expr:
        return self.one(
            lambda: ast.SetStatement(self.name(), inner()),
            lambda: ast.Block(self.some(inner, 1, 3)),
        )
