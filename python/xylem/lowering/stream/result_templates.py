"""Handlers whose results the scan can write, because their body is a template (`plan/result_template.py`).

        { if ($p/en * 2 > 4) then <rxj>{ $p/ra }{ $p/en + 1 }</rxj> }
    →   When(en * 2 > 4, Construct("rxj", (Copies(ra), Computed(en + 1))))

Gain:   a record needs no tree and no code; a result costs as much as its bytes.
Needs:  constructors in no namespace, copies and values at the ends of child paths, loops over them, and expressions
        that the kernel supports (`kernel_expressions/`). The body reads only the record, and atomic values are inside
        elements, unless the template comes first in the output.
Safe:   the handler remains: it takes the records that the scan leaves undecided, and all records if the output is not
        plain text. The handler reads the same paths as the template.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from collections.abc import Sequence as Sequence_
from dataclasses import replace
from functools import reduce
from typing import TypeGuard

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.facts.conjuncts import conjuncts
from xylem.analysis.streamable_paths import is_test
from xylem.functions.registry import FN
from xylem.plan.flux import (
    EMPTY,
    ITEMS,
    CloseWindows,
    Copy,
    Fixed,
    Flux,
    For,
    GiveItem,
    Handler,
    If,
    Leaf,
    On,
    OnEach,
    OnFirst,
    OnWindow,
    Opening,
    OpenWindows,
    ProcessStream,
    Sequence,
    Step,
)
from xylem.plan.kernel_expression import Call, KernelExpression, NodesOf, Tests
from xylem.plan.needs import node_test
from xylem.plan.result_template import (
    Cell,
    Column,
    Counting,
    Each,
    Functions,
    Numbered,
    Part,
    Row,
    Template,
    ValueOf,
    Values,
    When,
)
from xylem.syntax import ast

from .applied_functions import Declared
from .few_turns import with_few_turns
from .given_values import GivenValues
from .hoisting import grouped, hoisted
from .kernel_expressions.as_loops import of_item
from .row_templates import rows_alone
from .selection import Selection
from .steps import path_expression
from .template_expressions import TemplateExpressions
from .template_frames import gives_nodes
from .template_holes import HoleCode, Known, TemplateHoles
from .template_namespaces import Opened
from .template_paths import NoTemplate, Taken, element_path


def template_of(
    body: Flux,
    variable: str,
    selection: Selection,
    decided: Collection[ast.Expr],
    columns: tuple[Column, ...] | None = None,
    *,
    begins_output: bool = False,
    window_cells: tuple[Cell, ...] | None = None,
    declared: Declared = lambda call: None,
    holes: list[HoleCode] | None = None,
    known: Known = lambda call: None,
    around: tuple[Opened, ...] = (),
    position: str | None = None,
    given: GivenValues | None = None,
) -> Template:
    """The template of a body some of whose conditions the scan has decided; `NoTemplate` if there is none.

    With `columns` it consists of rows of a table. With `begins_output` nothing is written before it, so it may have
    atomic values outside elements. With `window_cells`, windows get rows of these cells. With `holes` it may have
    holes, whose code is collected there; `known` are the functions that this code can call. `around` are the open
    elements around it, `position` is the variable that counts records. `given` finds values that are known when a run
    begins.
    """
    expressions = TemplateExpressions(selection, columns, declared, begins_output=begins_output, around=around)
    if given is not None:
        expressions.compiler.given, expressions.compiler.given_map = given.value, given.map
    if holes is not None and columns is None and window_cells is None:
        expressions.holes = TemplateHoles(expressions.compiler, known, holes)
    number = None if position is None else expressions.compiler.new_slot(ast.Name(position, None, ""))
    parts = _Maker(expressions, frozenset(decided), window_cells).template(body, variable)
    if not parts:
        raise NoTemplate("nothing is written")
    if expressions.frames.has_outer_choice and not gives_nodes(parts):
        raise NoTemplate("values next to nodes that code decides about")
    if window_cells is not None and not _are_rows(parts):
        raise NoTemplate("more than is given to windows")
    if expressions.functions.bodies:
        parts = (Functions(tuple(expressions.functions.bodies), parts),)
    if number is not None:
        parts = (Numbered(number, parts),)
    if expressions.compiler.has_joins:
        parts = with_few_turns(parts)
    return parts if columns is None else rows_alone(parts, columns)


def has_namespaces(program: Flux) -> bool:
    """Whether a program constructs elements in namespaces, or declares any: copies then depend on their place."""
    match program:
        case Fixed(opens=opens):
            return opens is not None and _is_named(opens)
        case Opening(element=element):
            return _is_named(element)
        case Sequence(parts=parts):
            return any(map(has_namespaces, parts))
        case If(body=inner) | For(body=inner):
            return has_namespaces(inner)
        case ProcessStream(handlers=handlers):
            bodies = [h.body for h in handlers if isinstance(h, (On, OnFirst, OnWindow, OnEach))]
            return any(map(has_namespaces, bodies))
    return False


def _is_named(element: ast.DirectElement) -> bool:
    nodes = (node for node in element.walk() if isinstance(node, ast.DirectElement))
    return any(node.namespaces or node.name.uri or node.name.prefix for node in nodes)


class _Maker:
    """Follows a body as `body.py` writes it, and records its output."""

    def __init__(
        self,
        expressions: TemplateExpressions,
        decided: frozenset[ast.Expr],
        window_cells: tuple[Cell, ...] | None = None,
    ) -> None:
        self.decided = decided
        self.window_cells = window_cells
        self.expressions = expressions
        self.frames = expressions.frames
        self.variables = expressions.variables

    def template(self, body: Flux, variable: str) -> Template:
        self.variables.append(variable)
        return self._inner(body)

    def write(self, body: Flux) -> None:
        match body:
            case Fixed():
                self._fixed(body)
            case Opening(element=element, inside=inside, literal=literal):
                with self.expressions.inside(*inside):
                    self.expressions.open(element, literal)
            case Sequence(parts=parts):
                # Conditions guard every output; a condition for all output holds whole elements.
                self._sequence(grouped(parts))
            case For(window=None, outermost=False):
                self._for(body)
            case Copy(variable=variable, path=path):
                self._copy(variable, path)
            case If(condition=condition, body=inner):
                self._when(condition, inner, EMPTY)
            case Leaf(expression=expression, inside=inside, is_global=False):
                with self.expressions.inside(*inside):
                    self.expressions.write(expression)
            case GiveItem(variable=variable, source=None) if self.window_cells is not None:
                if [variable] != self.variables:
                    raise NoTemplate("items that are given to windows from inside a record")
                self.frames.add(Row(self.window_cells))
            case OpenWindows(expression=expression, inside=inside, source=ast.Expr() as source):
                with self.expressions.inside(*inside):
                    self.expressions.write(with_items(expression, source))
            case ProcessStream(variable=variable, handlers=handlers):
                handlers = _with_whole_windows(handlers)
                self.write(Sequence(tuple(_as_part(handler, variable) for handler in handlers)))
            case _:
                raise NoTemplate("what is not known before the record is complete")

    def _sequence(self, parts: list[Flux]) -> None:
        """Adjacent parts; one under a condition and the next under its negation form a choice."""
        parts, place = _with_values_together(parts), 0
        while place < len(parts):
            part = parts[place]
            following = parts[place + 1] if place + 1 < len(parts) else None
            otherwise = _otherwise(part, following)
            if otherwise is None:
                self.write(part)
                place += 1
                continue
            condition, then, contrary = otherwise
            self._when(condition, then, contrary)
            place += 2

    def _fixed(self, fixed: Fixed) -> None:
        if fixed.opens is not None and fixed.closes is not None:
            self.expressions.write(fixed.opens)
        elif fixed.opens is not None:
            self.expressions.open(fixed.opens, fixed.literal)
        elif fixed.closes is not None:
            self.frames.close()
        else:
            self.frames.text(fixed.text)

    def _for(self, loop: For) -> None:
        if _takes_all_children(loop):
            self.expressions.children(self._nodes(loop.source, element_path(loop.path[:-1])))
            return
        if _takes_all_attributes(loop):
            self.expressions.attributes(self._nodes(loop.source, element_path(loop.path[:-1])))
            return
        path, conditions = _without_predicates(loop)
        try:
            taken = element_path(path)
        except NoTemplate:
            self._for_items(loop)
            return
        nodes = self._nodes(loop.source, taken)
        body = loop.body if loop.where is None else If(loop.where, loop.body)
        if conditions and loop.position is None:
            body = If(reduce(ast.And, conditions), body)
        body = hoisted(body)
        if loop.position is not None:
            self._counted(loop.variable, loop.position, nodes, body, conditions)
        elif nodes.of is not None:
            self._leaves(body, loop.variable, nodes)
        elif body == Copy(loop.variable):
            self.expressions.nodes(nodes)
        elif _is_atomized(body, loop.variable):
            self.expressions.values(Values(nodes.path, ValueOf.STRING, separator=" ", up=nodes.up))
        else:
            compiler = self.expressions.compiler
            with compiler.scope(), compiler.turn(ast.Name(loop.variable, None, "")) as turn:
                parts = self._inner(body)
            self.expressions.add_loop(turn, Each(nodes.path, parts, nodes.up))

    def _copy(self, variable: str, path: tuple[Step, ...]) -> None:
        try:
            taken = element_path(path)
        except NoTemplate:
            self.expressions.write(path_expression(variable, path))
            return
        self.expressions.nodes(self._nodes(variable, taken))

    def _for_items(self, loop: For) -> None:
        """A loop over a path that no path of a template is."""
        collection = path_expression(loop.source, loop.path)
        body = hoisted(loop.body if loop.where is None else If(loop.where, loop.body))
        if isinstance(body, Copy) and body.variable == loop.variable and loop.position is None:
            self.expressions.write(path_expression(loop.source, (*loop.path, *body.path)))
            return
        position = None if loop.position is None else ast.Name(loop.position, None, "")
        self.expressions.each_of(ast.Name(loop.variable, None, ""), collection, self._writing(body), position)

    def _leaves(self, body: Flux, variable: str, nodes: NodesOf) -> None:
        """A loop over text nodes or attributes."""
        if nodes.of is ValueOf.TEXT and body == Copy(variable):
            self.frames.add(Values(nodes.path, nodes.of, up=nodes.up))
        elif body == Copy(variable):
            self.expressions.nodes(nodes)
        elif _is_atomized(body, variable):
            assert nodes.of is not None
            self.expressions.values(Values(nodes.path, nodes.of, nodes.attribute, " ", up=nodes.up))
        else:
            self.expressions.each_leaf(ast.Name(variable, None, ""), nodes, self._writing(body))

    def _counted(
        self, variable: str, position: str, nodes: NodesOf, body: Flux, conditions: Sequence_[ast.Expr]
    ) -> None:
        """A loop over nodes, with their positions among those that meet the conditions."""
        compiler = self.expressions.compiler
        if nodes.of is not None:
            if conditions:
                raise NoTemplate("positions of some attributes or text nodes")
            names = ast.Name(variable, None, ""), ast.Name(position, None, "")
            self.expressions.each_leaf(names[0], nodes, self._writing(body), names[1])
            return
        with compiler.scope(), compiler.turn(ast.Name(variable, None, "")) as turn:
            test = self._condition(list(conditions)) if conditions else None
            slot = compiler.new_slot(ast.Name(position, None, ""))
            parts = self._inner(body)
        self.expressions.add_loop(turn, Each(nodes.path, parts, nodes.up, Counting(slot, test)))

    def _when(self, condition: ast.Expr, body: Flux, otherwise: Flux) -> None:
        open_ones = [each for each in conjuncts(condition) if each not in self.decided]
        if not open_ones:
            self.write(body)
            return
        try:
            with self.frames.attempt():
                self.expressions.when(
                    lambda: self._condition(open_ones),
                    reduce(ast.And, open_ones),
                    lambda: self._inner(body),
                    lambda: self._inner(otherwise),
                )
        except NoTemplate:
            then, contrary = _as_expression(body), _as_expression(otherwise)
            if then is None or contrary is None:
                raise
            # Only values: code can choose among them if it may compute them.
            self.expressions.write(ast.If(reduce(ast.And, open_ones), then, contrary, span=then.span))

    def _condition(self, conditions: list[ast.Expr]) -> KernelExpression:
        """Several conditions; numeric comparisons of the same values are merged."""
        found: list[KernelExpression] = []
        for condition in map(self.expressions.condition, conditions):
            before = found[-1] if found else None
            if isinstance(condition, Tests) and isinstance(before, Tests) and _are_alike(before, condition):
                found[-1] = Tests(before.tests + condition.tests)
            else:
                found.append(condition)
        return found[0] if len(found) == 1 else Call("and", tuple(found))

    def _inner(self, body: Flux) -> tuple[Part, ...]:
        return self.frames.inner(self._writing(body))

    def _writing(self, body: Flux) -> Callable[[], None]:
        return lambda: self.write(body)

    def _nodes(self, variable: str, taken: Taken) -> NodesOf:
        path, of, attribute = taken
        return NodesOf(path, of, attribute, self.expressions.up(variable))


def with_items(expression: ast.Expr, source: ast.Expr) -> ast.Expr:
    """A window clause over items of the stream, with the path that gives them."""
    found = replaced(expression, lambda node: source if node == ast.VarRef(ITEMS) else None)
    assert isinstance(found, ast.Expr)
    return found


def _with_whole_windows(handlers: tuple[Handler, ...]) -> tuple[Handler, ...]:
    """The handlers, if windows are written where they open, from all of their items: none is given to them later."""
    bodies = [handler.body if isinstance(handler, OnFirst) else None for handler in handlers]
    opened = [place for place, body in enumerate(bodies) if isinstance(body, OpenWindows)]
    closed = [place for place, body in enumerate(bodies) if isinstance(body, CloseWindows)]
    if not opened and not closed:
        return handlers
    if len(opened) != 1 or len(closed) != 1:
        raise NoTemplate("windows inside of windows")
    return handlers[: opened[0] + 1] + handlers[closed[0] + 1 :]


def _as_expression(body: Flux) -> ast.Expr | None:
    """The expression that a body consists of; None if it is more."""
    if body == EMPTY:
        return ast.SequenceExpr(())
    return body.expression if isinstance(body, Leaf) and not body.inside and not body.is_global else None


def _with_values_together(parts: list[Flux]) -> list[Flux]:
    """Adjacent leaves as one: spaces separate their values."""
    made: list[Flux] = []
    for part in parts:
        before = made[-1] if made else None
        if _is_own_leaf(part) and before is not None and _is_own_leaf(before) and part.inside == before.inside:
            first = before.expression
            items = first.items if isinstance(first, ast.SequenceExpr) else (first,)
            made[-1] = replace(before, expression=ast.SequenceExpr((*items, part.expression), span=first.span))
        else:
            made.append(part)
    return made


def _is_own_leaf(part: Flux) -> TypeGuard[Leaf]:
    return isinstance(part, Leaf) and not part.is_global


def _without_predicates(loop: For) -> tuple[tuple[Step, ...], tuple[ast.Expr, ...]]:
    """The path of a loop without the tests of its last step, and these as conditions on its variable."""
    if not loop.path or not loop.path[-1].predicates or not all(map(is_test, loop.path[-1].predicates)):
        return loop.path, ()
    last, item = loop.path[-1], ast.Name(loop.variable, None, "")
    conditions = tuple(of_item(predicate, item) for predicate in last.predicates)
    return (*loop.path[:-1], replace(last, predicates=())), conditions


def _takes_all_attributes(loop: For) -> bool:
    """{ for $a in $x/@* return {$a} }."""
    match _all_copied(loop):
        case "attribute", ast.Wildcard(uri=None, local=None):
            return True
    return False


def _takes_all_children(loop: For) -> bool:
    """{ for $n in $x/node() return {$n} }."""
    match _all_copied(loop):
        case "child", ast.AnyKindTest():
            return True
    return False


def _all_copied(loop: For) -> tuple[str, object] | None:
    """The last step of a path, if the loop copies all that it selects."""
    step = loop.path[-1] if loop.path else None
    if step is None or step.predicates or loop.where is not None or loop.position is not None:
        return None
    return (step.axis, node_test(step)) if loop.body == Copy(loop.variable) else None


def _are_rows(parts: tuple[Part, ...]) -> bool:
    """Whether only rows are written."""
    return all(
        isinstance(part, Row) or (isinstance(part, When) and _are_rows(part.parts) and _are_rows(part.otherwise))
        for part in parts
    )


def _are_alike(before: Tests, after: Tests) -> bool:
    """Whether tests compare the same values with numbers, so that a value is an error to all of them or none."""
    compared = {(test.path, test.text, test.attribute) for test in before.tests + after.tests}
    return len(compared) == 1 and all(test.number is not None for test in before.tests + after.tests)


def _otherwise(part: Flux, following: Flux | None) -> tuple[ast.Expr, Flux, Flux] | None:
    """{ if (χ) then α } { if (not(χ) and ψ) then β }: χ, α and { if (ψ) then β }."""
    if not isinstance(part, If) or not isinstance(following, If):
        return None
    first, *rest = conjuncts(following.condition)
    if _negation(first) == part.condition:
        contrary = following.body if not rest else If(reduce(ast.And, rest), following.body)
        return part.condition, part.body, contrary
    first, *rest = conjuncts(part.condition)
    if _negation(first) == following.condition:
        contrary = part.body if not rest else If(reduce(ast.And, rest), part.body)
        return following.condition, following.body, contrary
    return None


def _negation(condition: ast.Expr) -> ast.Expr | None:
    """not(χ): χ."""
    match condition:
        case ast.FunctionCall(name=name, arguments=(inner,)) if name.expanded == (FN, "not"):
            return inner
    return None


def _as_part(handler: Handler, variable: str) -> Flux:
    """The action of a handler on a complete record, as a part of the template."""
    if isinstance(handler, OnFirst):
        return handler.body
    if isinstance(handler, On) and not handler.outermost:
        path = (*handler.through, handler.step)
        return For(handler.variable, variable, path, handler.body, position=handler.position)
    raise NoTemplate("a handler of the outermost elements")


def _is_atomized(body: Flux, variable: str) -> bool:
    """{ data($variable) } or { string($variable) }."""
    match body:
        case Leaf(expression=ast.FunctionCall(name=function, arguments=(ast.VarRef(name=name),)), is_global=False):
            return function.expanded in ((FN, "data"), (FN, "string")) and name.expanded == ("", variable)
    return False
