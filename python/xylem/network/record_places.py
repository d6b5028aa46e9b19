"""The paths of records: a schema supplies the names that `//photon` and `/*/photon` leave out."""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.streamable_paths import is_descend, is_test
from xylem.plan.flux import ROOT
from xylem.plan.symbols import ANY
from xylem.schema.constraints import ElementConstraints, Schema
from xylem.schema.symbols import element_symbol, symbol
from xylem.syntax import ast

from .record_facts import Names

MOST_STEPS = 12
"""Records deeper than this are not searched for."""
ANYWHERE = "urn:xylem:network:anywhere"
"""The namespace of elements that are looked for at any depth."""


def without_descents(body: ast.Expr, schema: Schema | None, *, anywhere: bool = False) -> ast.Expr:
    """The query with $ROOT/a/b for $ROOT//b and $ROOT/*/b, if the schema knows only one path.

    With `anywhere`, $ROOT//b is one step to elements of that name otherwise.
    """

    def spelled(node: ast.Node) -> ast.Node | None:
        match node:
            case ast.Path(
                left=ast.Path(left=ast.VarRef(name=name) as root, right=descend),
                right=ast.AxisStep(axis="child", test=ast.NameTest(name=sought)) as step,
            ) if name.expanded == ("", ROOT) and is_descend(descend):
                return _below(root, step, sought, schema, anywhere)
            case ast.Path(
                left=ast.VarRef(name=name) as root,
                right=ast.AxisStep(axis="descendant", test=ast.NameTest(name=sought)) as step,
            ) if name.expanded == ("", ROOT):
                return _below(root, step, sought, schema, anywhere)
        return None

    body = replaced(body, spelled)
    return body if schema is None else replaced(body, lambda node: _with_names(node, schema))


def _with_names(node: ast.Node, schema: Schema) -> ast.Node | None:
    """/*/photon, /photons/element() and /shop//order with the names that a schema knows alone."""
    if not isinstance(node, ast.Path):
        return None
    steps: list[ast.AxisStep] = []
    start: ast.Expr = node
    while isinstance(start, ast.Path) and isinstance(start.right, ast.AxisStep):
        steps.insert(0, start.right)
        start = start.left
    if not isinstance(start, ast.VarRef) or start.name.expanded != ("", ROOT):
        return None
    here: ElementConstraints | None = schema.document()
    names, made = _roots(schema), list[ast.AxisStep]()
    while steps and here is not None and (found := _named_steps(steps, here, names)):
        del steps[: 2 if is_descend(steps[0]) else 1]
        made += found
        for one in found:
            assert isinstance(one.test, ast.NameTest)
            here = None if here is None else here.child(element_symbol(one.test.name.local, one.test.name.uri))
        names = [] if here is None else sorted(here.elements)
    path: ast.Expr = start
    for step in (*made, *steps):
        path = ast.Path(path, step, span=node.span)
    return None if path == node else path


def _named_steps(steps: list[ast.AxisStep], here: ElementConstraints, names: list[str]) -> list[ast.AxisStep] | None:
    """The first step, or `//` and the step after it, as steps to children by their names."""
    step = steps[0]
    if is_descend(step) and len(steps) > 1:
        step = steps[1]
        if step.axis != "child" or not isinstance(step.test, ast.NameTest) or not all(map(is_test, step.predicates)):
            return None
        way = _only_way(here, names, step.test.name)
        if way is None:
            return None
        found = [ast.AxisStep("child", ast.NameTest(ast.Name(local, None, uri))) for uri, local in way]
        return [*found[:-1], replace(step, test=found[-1].test)]
    if step.axis != "child":
        return None
    match step.test:
        case ast.NameTest():
            return [step]
        case ast.Wildcard(local=None, prefix=None, uri=None) | ast.ElementTest(name=None, type=None):
            if len(names) != 1 or names[0] == ANY:
                return None
            only = symbol(names[0])
            return [replace(step, test=ast.NameTest(ast.Name(only.local or names[0], None, only.uri or "")))]
    return None


def _below(
    root: ast.VarRef, step: ast.AxisStep, sought: ast.Name, schema: Schema | None, anywhere: bool
) -> ast.Expr | None:
    way = None if schema is None else _only_way(schema.document(), _roots(schema), sought)
    if way is None:
        # A position may count the elements below one parent, or all of them: this is not distinguished here.
        if not anywhere or sought.uri or any(not is_test(one) for one in step.predicates):
            return None
        marked = ast.NameTest(ast.Name(sought.local, None, ANYWHERE))
        return ast.Path(root, ast.AxisStep("child", marked, step.predicates), span=step.span)
    made: ast.Expr = root
    for uri, local in way[:-1]:
        made = ast.Path(made, ast.AxisStep("child", ast.NameTest(ast.Name(local, None, uri))))
    return ast.Path(made, ast.AxisStep("child", step.test, step.predicates), span=step.span)


def _roots(schema: Schema) -> list[str]:
    """The possible root elements: if any element may be the root, the one that no other element contains."""
    document = schema.document()
    names = sorted(document.elements)
    if len(names) < 2:
        return names
    inner: set[str] = set()
    for name in names:
        below = document.child(name)
        if below is not None:
            inner |= below.elements
    outer = [name for name in names if name not in inner]
    return outer if len(outer) == 1 else names


def _only_way(start: ElementConstraints, below: list[str], sought: ast.Name) -> Names | None:
    """The only path of names from a node to elements of a name; None if there are several, or none is known."""
    found: list[Names] = []
    waiting: list[tuple[ElementConstraints | None, Names, list[str]]] = [(start, (), below)]
    while waiting:
        here, way, elements = waiting.pop()
        if here is None or len(way) > MOST_STEPS:
            return None
        for name in elements:
            if name == ANY:
                return None
            one = symbol(name)
            names = (one.uri or sought.uri or "", one.local or name)
            if names in way:
                return None
            if names == sought.expanded:
                found.append((*way, names))
            inside = here.child(name)
            waiting.append((inside, (*way, names), [] if inside is None else sorted(inside.elements)))
            if len(found) > 1 or len(waiting) > 1000:
                return None
    return found[0] if found else None
