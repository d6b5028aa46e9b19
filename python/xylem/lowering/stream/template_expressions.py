"""Expressions of the query as parts of a template: constructors, loops, conditions, copies, computed values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace

from xylem.analysis.facts.standard_calls import argument_of
from xylem.analysis.resolve_names import declared_namespaces
from xylem.errors.error import ERR_NAMESPACE
from xylem.functions.registry import FN
from xylem.plan.kernel_expression import Call, KernelExpression, NodesOf, Tests
from xylem.plan.result_template import (
    Characters,
    Column,
    Computed,
    Construct,
    CopiedAttributes,
    CopiedItems,
    Copies,
    Each,
    EachBinding,
    EachNodeOf,
    EachValue,
    Items,
    Keyed,
    Let,
    Part,
    Piece,
    Remark,
    Sorted,
    ValueOf,
    Values,
    When,
    WhenFilled,
)
from xylem.sink.character_expansion import escape_attribute
from xylem.syntax import ast

from .applied_functions import AppliedFunctions, Declared, named_alike
from .kernel_expressions.as_loops import first_of, is_atomic
from .kernel_expressions.compiler import ExpressionCompiler
from .kernel_expressions.gathered_nodes import begins_at_items
from .kernel_expressions.item_kinds import ATTRIBUTES, ELEMENTS, VALUES
from .kernel_expressions.loop_turns import Turn
from .kernel_expressions.records import of_one_map
from .kernel_expressions.tuples import gathering, last_gathering, read_in, windows
from .kernel_expressions.type_tests import type_test, with_named_operand
from .row_templates import cell_of_value, is_text, row_of_map, row_of_value, rows_of_values
from .selection import Selection
from .template_frames import TemplateFrames, gives_nodes
from .template_holes import TemplateHoles
from .template_namespaces import Opened, opened_by
from .template_paths import NoTemplate, key_of, with_all_attributes, with_all_children

_VALUES = (ast.FunctionCall, ast.CastAs, ast.Arithmetic, ast.Unary, ast.StringConcat, ast.ValueComparison)
"""Expressions with at most one value: a row, if rows are wanted."""
_STRING_JOIN, _EXISTS = ast.Name("string-join", "fn", FN), ast.Name("exists", "fn", FN)


def _joined(body: ast.Expr) -> ast.Expr:
    """The content of a text node, a comment or a processing instruction."""
    return ast.FunctionCall(_STRING_JOIN, (body, ast.StringLiteral(" ")), span=body.span)


def _shown(expression: ast.Expr) -> ast.Expr:
    """An expression whose values are written: the code of a caught error is so as a string."""
    if not isinstance(expression, ast.TryCatch):
        return expression
    catches = tuple(replace(each, body=_with_text_of_code(each.body)) for each in expression.catches)
    return replace(expression, catches=catches)


def _with_text_of_code(body: ast.Expr) -> ast.Expr:
    match body:
        case ast.VarRef(name=name) if name.uri == ERR_NAMESPACE and name.local == "code":
            return ast.FunctionCall(ast.Name("string", "fn", FN), (body,), span=body.span)
        case ast.SequenceExpr(items=items):
            return replace(body, items=tuple(map(_with_text_of_code, items)))
    return body


def _is_usual_name(text: str) -> bool:
    """Whether a text is certainly a name without prefix that attributes may have."""
    return text.isascii() and text.isidentifier() and text != "xmlns"


class TemplateExpressions:
    """Writes the expressions of one template."""

    def __init__(
        self,
        selection: Selection,
        columns: tuple[Column, ...] | None = None,
        declared: Declared = lambda call: None,
        *,
        begins_output: bool = False,
        around: tuple[Opened, ...] = (),
    ) -> None:
        """With `columns`, rows of a table are wanted. With `begins_output`, values may be outside elements.

        `around` are the elements that are open where the template is written.
        """
        self.selection = selection
        self.columns = columns
        self.frames = TemplateFrames(begins_output, around)
        self.element_namespaces: Mapping[str, str] = {}
        """The declarations of the direct constructors around the expression."""
        self.compiler = ExpressionCompiler(
            selection.by_code_points, self._scan_test, empty_greatest=selection.empty_greatest
        )
        self.compiler.formats = selection.decimal_formats
        self.compiler.keeps_nodes = columns is None
        self.variables, self.up = self.compiler.variables, self.compiler.up
        self.functions = AppliedFunctions(declared, self.compiler)
        self.compiler.declared = declared
        self.has_default_namespace = selection.has_default_namespace
        """Whether element names without prefix are in a namespace."""
        self.holes: TemplateHoles | None = None
        """Places where code may fill in values that the kernel cannot compute."""

    def condition(self, condition: ast.Expr) -> KernelExpression:
        return self.compiler.condition(condition)

    def _scan_test(self, condition: ast.Expr) -> KernelExpression | None:
        """Comparisons of values of the innermost element with constants: tests that a scan has anyway."""
        innermost = self.variables[-1]
        if innermost in self.compiler.paths or innermost in self.compiler.slots:
            return None
        found = self.selection.value_test(condition, innermost)
        return None if found is None else Tests((found,))

    # --- content

    def write(self, expression: ast.Expr) -> None:
        """An expression in content; code computes values that the kernel cannot."""
        if self.holes is None or not self.frames.can_have_hole:
            self._write(expression)
            return
        try:
            with self.frames.attempt():
                self._write(expression)
        except NoTemplate as beyond:
            self.frames.add(self.holes.hole(expression, beyond, self.element_namespaces))

    def _write(self, expression: ast.Expr) -> None:
        match expression:
            case ast.VarRef(name=name) if key_of(name) in self.compiler.leaves:
                # A node, of which the kernel has only the value.
                raise NoTemplate("a copy of an attribute or text node of a loop", expression)
            case ast.DirectElement():
                self._element(expression)
            case ast.SequenceExpr(items=items):
                for item in items:
                    self.write(item)
            case ast.If(test=test, then=then, otherwise=otherwise):
                self.when(lambda: self.condition(test), test, self._branch_of(then), self._branch_of(otherwise))
            case ast.Switch(operand=operand, cases=cases) if not is_atomic(expression):
                tests = [self.compiler.switch_test(operand, case) for case in cases]
                self._cases(tests, [case.result for case in cases], expression.default)
            case ast.MapConstructor() if self.columns is not None and not self.frames.depth:
                self.frames.add(row_of_map(expression, self.columns, self.up, self.compiler.value))
            case _ if self.columns is not None and not self.frames.depth and isinstance(expression, _VALUES):
                self.frames.add(row_of_value(expression, self.columns, self.up, self.compiler.value))
            case ast.Typeswitch() if self.columns is None:
                self._typeswitch(expression)
            case ast.Flwor() if self.columns is None:
                self._flwor(expression)
            case ast.FunctionCall() if self.columns is None and self.functions.is_of_query(expression):
                self._call(expression)
            case ast.ComputedElement(name=name, body=body) if (alike := named_alike(name)) is not None:
                self._alike(name, alike, body)
            case ast.DirectComment(value=value):
                self.frames.markup(f"<!--{value}-->")
            case ast.DirectPI(target=target, value=value):
                self.frames.markup(f"<?{target} {value}?>" if value else f"<?{target}?>")
            case ast.ComputedElement(name=ast.Name() as name, body=body):
                self._element(ast.DirectElement(name, content=(ast.EnclosedExpr(body),), span=expression.span))
            case ast.ComputedElement(name=name, body=body):
                self._computed(name, body)
            case ast.ComputedText(body=body) if self.columns is None and (
                self.frames.depth or self.functions.may_write_text()
            ):
                self._text_node(body)
            case ast.ComputedComment(body=body) if self.columns is None:
                self.frames.add(Remark(self.compiler.value(_joined(body))))
            case ast.ComputedPI(target=str() as target, body=body) if self.columns is None:
                self.frames.add(Remark(self.compiler.value(_joined(body)), target))
            case ast.ComputedDocument(body=body) if self.columns is None:
                self._document(body)
            case ast.ComputedAttribute(name=ast.StringLiteral(value=name), body=body) if _is_usual_name(name):
                self.write(replace(expression, name=ast.Name(name, None, "")))
            case ast.ComputedAttribute(name=ast.Name() as name, body=body):
                self.frames.attribute(*self._attribute(ast.DirectAttribute(name, (ast.EnclosedExpr(body),))))
            case ast.Filter() if self.columns is None and (first := first_of(expression)) is not None:
                self.write(first)
            case _ if begins_at_items(self.compiler, expression):
                self._items(expression)
            case _ if (
                self.columns is None and not is_atomic(expression) and (loop := self.compiler.as_loop(expression))
            ):
                self.write(loop)
            case _ if (left := with_all_children(expression)) is not None:
                self.children(self.compiler.nodes(left))
            case _ if (left := with_all_attributes(expression)) is not None:
                self.attributes(self.compiler.nodes(left))
            case _ if self.compiler.is_path(expression):
                self.nodes(self.compiler.nodes(expression))
            case _:
                self._items(expression)

    def _call(self, call: ast.FunctionCall) -> None:
        """A call of a function of the query, which gives nodes or values."""
        try:
            with self.frames.attempt():
                applied = self.functions.applied(call, self._function_body, inside=self.frames.depth > 0)
                if applied is None:
                    raise NoTemplate("a function of no node", call)
                self.frames.add(applied)
        except NoTemplate:
            self._items(call)

    def _items(self, expression: ast.Expr) -> None:
        """Values, or copies of nodes that were gathered."""
        piece = self._piece(expression)
        kinds = self.compiler.kinds_of(piece.value) if isinstance(piece, Computed) else VALUES
        if not kinds - VALUES:
            self.frames.atomic(piece)
            return
        assert isinstance(piece, Computed)
        if kinds == ATTRIBUTES:
            self.frames.copied(CopiedItems(piece.value))
        elif kinds & (VALUES | ATTRIBUTES):
            raise NoTemplate("nodes among values, or attributes among other nodes", expression)
        else:
            self.frames.add(Items(piece.value, self.frames.around))

    def _document(self, body: ast.Expr) -> None:
        """document { E }: its children, if these are nodes; outside of elements, if it is one element."""
        parts = self.frames.inner(lambda: self.write(body))
        is_one = len(parts) == 1 and isinstance(parts[0], Construct)
        if not gives_nodes(parts) or not (is_one or self.frames.depth):
            raise NoTemplate("a document node", body)
        for part in parts:
            self.frames.add(part)

    def _text_node(self, body: ast.Expr) -> None:
        """text { … } in an element: nothing without a value. It is a node, so no space separates it from values."""
        text = Characters(""), self._piece(_joined(body)), Characters("")
        self.choice(self.condition(ast.FunctionCall(_EXISTS, (body,), span=body.span)), text, ())

    def nodes(self, nodes: NodesOf) -> None:
        """Elements or text nodes become copies; attributes would belong to the start tag."""
        if nodes.of is None:
            self.frames.add(Copies(nodes.path, nodes.up, around=self.frames.around))
        elif nodes.of is ValueOf.TEXT:
            self.frames.add(Values(nodes.path, nodes.of, up=nodes.up))
        else:
            self.frames.copied(CopiedAttributes(nodes.path, nodes.attribute, nodes.up))

    def children(self, elements: NodesOf) -> None:
        """Copies of the children of elements, of any kind."""
        if elements.of is not None:
            raise NoTemplate("children of anything but elements")
        self.frames.add(Copies(elements.path, elements.up, below=True, around=self.frames.around))

    def attributes(self, elements: NodesOf) -> None:
        """All attributes of elements."""
        if elements.of is not None:
            raise NoTemplate("attributes of anything but elements")
        self.frames.copied(CopiedAttributes(elements.path, None, elements.up))

    def values(self, values: Values) -> None:
        """Atomic values from the input."""
        if self.columns is not None and not self.frames.depth:
            self.frames.add(rows_of_values(values, self.columns))
        else:
            self.frames.atomic(values)

    def when(
        self,
        tested: Callable[[], KernelExpression],
        condition: ast.Expr,
        then: Callable[[], tuple[Part, ...]],
        otherwise: Callable[[], tuple[Part, ...]],
    ) -> None:
        """Parts under a condition; code decides it if the kernel cannot."""
        try:
            test = tested()
        except NoTemplate as beyond:
            if self.holes is None or not self.frames.can_have_choice:
                raise
            hole = self.holes.condition(condition, beyond, self.element_namespaces)
            parts, others = then(), otherwise()
            if not gives_nodes((*parts, *others)):
                raise beyond from None
            self.frames.add(WhenFilled(hole, parts, others))
            return
        self.choice(test, then(), otherwise())

    def choice(self, test: KernelExpression, then: tuple[Part, ...], otherwise: tuple[Part, ...]) -> None:
        """Parts under a condition, and parts under its negation."""
        if then or otherwise:
            self.frames.add(When(test, then, otherwise))

    def _piece(self, expression: ast.Expr) -> Piece:
        """Unchanged values are copied from the input; others are computed, or parsed for their column."""
        if self.columns is not None and not is_text(expression):
            with suppress(NoTemplate):
                return cell_of_value(expression, self.up)
        value, at_most_one = self.compiler.value(_shown(expression)), False
        match value:
            case Call(function="data" | "string" as function, arguments=(NodesOf() as nodes,)):
                # The string of no node still counts for its neighbours: only rows have nothing there.
                if function == "data" or self.columns is not None:
                    value, at_most_one = nodes, function == "string"
        if isinstance(value, NodesOf):
            of = ValueOf.STRING if value.of is None else value.of
            return Values(value.path, of, value.attribute, " ", at_most_one, value.up)
        return Computed(value)

    def _branch_of(self, expression: ast.Expr) -> Callable[[], tuple[Part, ...]]:
        return lambda: self._branch(expression)

    def _branch(self, expression: ast.Expr) -> tuple[Part, ...]:
        with self.compiler.scope():
            return self.frames.inner(lambda: self.write(expression))

    def _cases(self, tests: list[KernelExpression], results: list[ast.Expr], default: ast.Expr) -> None:
        found = self._branch(default)
        for test, result in reversed(list(zip(tests, results, strict=True))):
            found = (When(test, self._branch(result), found),)
        for part in found:
            self.frames.add(part)

    def _typeswitch(self, switch: ast.Typeswitch) -> None:
        operand = switch.operand
        if not isinstance(operand, ast.VarRef):
            self._flwor(with_named_operand(switch, self.compiler.fresh()))
            return
        with self.compiler.scope():
            self.compiler.alias(switch.default_variable, operand)
            found = self._branch(switch.default)
        for case in reversed(switch.cases):
            test = type_test(self.compiler, operand, case)
            with self.compiler.scope():
                self.compiler.alias(case.variable, operand)
                found = (When(test, self._branch(case.result), found),)
        for part in found:
            self.frames.add(part)

    # --- constructors

    def _alike(self, name: ast.Node, node: ast.Expr, body: ast.Expr) -> None:
        if argument_of(name, "node-name") is None:
            # A string is a name in the default namespace.
            self._refuse_default_namespace(body)
        nodes = self.compiler.value(node)
        if not isinstance(nodes, NodesOf) or nodes.path or nodes.of is not None:
            if argument_of(name, "node-name") is not None:
                raise NoTemplate("the name of anything but the element of a loop", node)
            self._computed(name, body)
            return
        self.frames.open_alike(nodes.up)
        self.write(body)
        self.frames.close()

    def _computed(self, name: ast.Node, body: ast.Expr) -> None:
        assert isinstance(name, ast.Expr)
        self._refuse_default_namespace(body)
        self.frames.open_computed(Call("one", (self.compiler.value(name),)))
        self.write(body)
        self.frames.close()

    def _refuse_default_namespace(self, body: ast.Expr) -> None:
        if self.has_default_namespace or self.element_namespaces.get(""):
            raise NoTemplate("a computed name in the default namespace", body)

    def _function_body(self, body: ast.Expr) -> tuple[Part, ...]:
        with self.frames.shared():
            parts = self.frames.inner(lambda: self.write(body))
        if not gives_nodes(parts):
            raise NoTemplate("a function that gives values among nodes", body)
        return parts

    def _element(self, element: ast.DirectElement, literal: bool = False) -> None:
        around = self.element_namespaces
        self._open(element, {} if literal else around, literal)
        with self.inside(element):
            self._content(element)
        self.frames.close()

    @contextmanager
    def inside(self, *elements: ast.DirectElement) -> Iterator[None]:
        """The static context inside constructors that declare namespaces."""
        before = self.element_namespaces
        for element in elements:
            self.element_namespaces = {**self.element_namespaces, **declared_namespaces(element)}
        try:
            yield
        finally:
            self.element_namespaces = before

    def _content(self, element: ast.DirectElement) -> None:
        for place, part in enumerate(element.content):
            match part:
                case ast.DirectText(value=value):
                    self.frames.text(value)
                case ast.EnclosedExpr(body=body):
                    if place and isinstance(element.content[place - 1], ast.EnclosedExpr):
                        # No space joins their values.
                        self.frames.text("")
                    self.write(body)
                case ast.DirectElement():
                    self._element(part, literal=True)
                case _:
                    self.write(part)

    def open(self, element: ast.DirectElement, literal: bool) -> None:
        """A start tag, whose content and end tag follow."""
        self._open(element, {}, literal)

    def _open(self, element: ast.DirectElement, around: Mapping[str, str], literal: bool) -> None:
        with self.inside(element):
            values = tuple(self._value_of(attribute) for attribute in element.attributes)
        self.frames.open(opened_by(element, around, literal), values)

    def _attribute(self, attribute: ast.DirectAttribute) -> tuple[str, tuple[Piece, ...]]:
        if attribute.name.uri or attribute.name.prefix:
            raise NoTemplate("a computed attribute in a namespace")
        return attribute.name.local, self._value_of(attribute)

    def _value_of(self, attribute: ast.DirectAttribute) -> tuple[Piece, ...]:
        return tuple(self._attribute_piece(part) for part in attribute.parts)

    def _attribute_piece(self, part: str | ast.EnclosedExpr) -> Piece:
        if isinstance(part, str):
            return Characters(escape_attribute(part))
        try:
            return self._piece(part.body)
        except NoTemplate as beyond:
            if self.holes is None:
                raise
            return self.holes.hole(part.body, beyond, self.element_namespaces, in_attribute=True)

    # --- FLWOR expressions

    def _flwor(self, flwor: ast.Flwor) -> None:
        place = last_gathering(flwor.clauses)
        if place is None and is_atomic(flwor) and self.compiler.orders(flwor.clauses):
            self.frames.atomic(self._piece(flwor))
            return
        with self.compiler.scope():
            orders = self.compiler.orders(flwor.clauses[0 if place is None else place + 1 :])
            if not orders:
                self._gathered(flwor, place)
                return
            parts = self.frames.inner(lambda: self._gathered(flwor, place))
        self.frames.add(Sorted(orders, parts))

    def _gathered(self, flwor: ast.Flwor, place: int | None) -> None:
        """The clauses behind one that gathers tuples, or all of them."""
        if place is None:
            self._clauses(flwor.clauses, flwor.result)
            return
        rest, result = flwor.clauses[place + 1 :], flwor.result
        tuples = gathering(self.compiler, flwor.clauses, place, read_in(rest, result))
        self.frames.add(EachBinding(tuples, self.frames.inner(lambda: self._clauses(rest, result))))

    def _clauses(self, clauses: tuple[ast.Clause, ...], result: ast.Expr) -> None:
        if not clauses:
            self.write(result)
            return
        clause, rest = clauses[0], clauses[1:]
        match clause:
            case ast.LetClause():
                self._let(clause)
                self._clauses(rest, result)
            case ast.WhereClause(test=test):
                self.when(
                    lambda: self.condition(test),
                    test,
                    lambda: self.frames.inner(lambda: self._clauses(rest, result)),
                    lambda: (),
                )
            case ast.ForClause() if self.columns is None and (let := of_one_map(clause)) is not None:
                self._clauses((let, *rest), result)
            case ast.ForClause(type=None, position=None, allowing_empty=False):
                inside = self.frames.depth > 0
                applied = None if rest else self.functions.applied(result, self._function_body, clause, inside=inside)
                if applied is not None:
                    self.frames.add(applied)
                    return
                first, *more = self.compiler.flat(clause)
                if more:
                    self._clauses((first, *more, *rest), result)
                else:
                    self._loop(clause.name, clause.collection, rest, result)
            case ast.ForClause(type=None, position=ast.Name() as position, allowing_empty=False):
                self._counted(clause, position, lambda: self._clauses(rest, result))
            case ast.JoinClause():
                self._clauses((*self.compiler.unjoined(clause), *rest), result)
            case ast.WindowClause():
                with self.compiler.scope():
                    found = windows(self.compiler, clause)
                    self.frames.add(EachBinding(found, self.frames.inner(lambda: self._clauses(rest, result))))
            case ast.OrderByClause(specs=specs):
                keys = tuple(self.compiler.value(spec.key) for spec in specs)
                parts = self.frames.inner(lambda: self._clauses(rest, result))
                if not gives_nodes(parts):
                    # The order determines whether a space separates values.
                    raise NoTemplate("values among nodes that are sorted", result)
                self.frames.add(Keyed(keys, parts))
            case _:
                raise NoTemplate("a clause of a FLWOR expression", result)

    def _let(self, clause: ast.LetClause) -> None:
        standing = None if self.holes is None else self.holes.standing_for(clause)
        try:
            bound = self.compiler.bind(clause)
        except NoTemplate:
            if standing is None:
                raise
            bound = []
        for slot, value in bound:
            self.frames.add(Let(slot, value))
        if standing is not None:
            self.compiler.lets[key_of(clause.name)] = standing

    def _counted(self, clause: ast.ForClause, position: ast.Name, write: Callable[[], None]) -> None:
        compiler = self.compiler
        if compiler.is_path(clause.collection):
            with compiler.counted(clause.name, clause.collection, position) as (nodes, counting, turn):
                parts = self.frames.inner(write)
            self.add_loop(turn, Each(nodes.path, parts, nodes.up, counting))
            return
        self.each_of(clause.name, clause.collection, write, position)

    def each_of(
        self, name: ast.Name, collection: ast.Expr, write: Callable[[], None], position: ast.Name | None = None
    ) -> None:
        """A loop over atomic values, or over nodes that were gathered."""
        compiler = self.compiler
        values = compiler.looped(collection)
        with compiler.scope():
            if compiler.kinds_of(values) == ELEMENTS:
                place = None if position is None else compiler.new_slot(position)
                with compiler.turn(name) as turn:
                    parts = self.frames.inner(write)
                self.add_loop(turn, EachNodeOf(values, parts, place))
                return
            slot = compiler.item_slot(name, compiler.kinds_of(values))
            place = None if position is None else compiler.new_slot(position)
            self.frames.add(EachValue(slot, values, self.frames.inner(write), place))

    def add_loop(self, turn: Turn, loop: Each | EachNodeOf) -> None:
        """A loop behind what is computed before it."""
        for part in (*turn.lets, loop):
            self.frames.add(part)

    def each_leaf(
        self, name: ast.Name, nodes: NodesOf, write: Callable[[], None], position: ast.Name | None = None
    ) -> None:
        """A loop over attributes or text nodes whose values are used, and their positions perhaps."""
        compiler = self.compiler
        with compiler.scope():
            slot = compiler.leaf_slot(name, compiler.kinds_of(nodes))
            place = None if position is None else compiler.new_slot(position)
            self.frames.add(EachValue(slot, nodes, self.frames.inner(write), place))

    def _loop(self, name: ast.Name, collection: ast.Expr, rest: tuple[ast.Clause, ...], result: ast.Expr) -> None:
        compiler = self.compiler
        if isinstance(collection, ast.SequenceExpr):
            for item in collection.items:
                with compiler.scope():
                    self._loop(name, item, rest, result)
        elif isinstance(collection, ast.VarRef) and compiler.is_path(collection):
            compiler.alias(name, collection)
            self._clauses(rest, result)
        elif compiler.is_path(collection):
            nodes = compiler.nodes(collection)
            if nodes.of is not None:
                self.each_leaf(name, nodes, lambda: self._clauses(rest, result))
                return
            with compiler.turn(name) as turn:
                parts = self.frames.inner(lambda: self._clauses(rest, result))
            self.add_loop(turn, Each(nodes.path, parts, nodes.up))
        else:
            self.each_of(name, collection, lambda: self._clauses(rest, result))
