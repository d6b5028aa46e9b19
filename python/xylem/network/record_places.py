"""The paths of records: a schema supplies the names that `//photon` and `/*/photon` leave out."""

from __future__ import annotations

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.streamable_paths import is_descend, is_test
from xylem.plan.flux import ROOT
from xylem.plan.symbols import ANY
from xylem.schema.constraints import ElementConstraints, Schema
from xylem.schema.symbols import symbol
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
            case ast.Path(
                left=ast.VarRef(name=name) as root, right=ast.AxisStep(axis="child", test=ast.Wildcard()) as step
            ) if name.expanded == ("", ROOT) and schema is not None:
                only = _roots(schema)
                if len(only) != 1 or only[0] == ANY:
                    return None
                found = symbol(only[0])
                test = ast.NameTest(ast.Name(found.local or only[0], None, found.uri or ""))
                return ast.Path(root, ast.AxisStep("child", test, step.predicates), span=node.span)
        return None

    return replaced(body, spelled)


def _below(
    root: ast.VarRef, step: ast.AxisStep, sought: ast.Name, schema: Schema | None, anywhere: bool
) -> ast.Expr | None:
    way = None if schema is None else _only_way(schema, sought)
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


def _only_way(schema: Schema, sought: ast.Name) -> Names | None:
    """The only path of names from the document to elements of a name; None if there are several, or none is known."""
    found: list[Names] = []
    document = schema.document()
    waiting: list[tuple[ElementConstraints | None, Names, list[str]]] = [(document, (), _roots(schema))]
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
            below = here.child(name)
            waiting.append((below, (*way, names), [] if below is None else sorted(below.elements)))
            if len(found) > 1 or len(waiting) > 1000:
                return None
    return found[0] if found else None
