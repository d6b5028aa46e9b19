"""The items of windows in the form sent to where windows are formed: reduced to the parts read there.

    for $u in distinct-values(/log/e/user)            for $i in /log/e
    forseq $w in /log/e[user eq $u] …            →    return <sent k="{ for $k in $i/user[1] return '=' || $k }">{
    return sum($w/v)                                    element { node-name($i) } { $i/*[self::user or self::v] }
                                                      }</sent>

Gain:   the scan itself writes such elements, so a task creates no nodes for items, and few bytes are sent.
Needs:  elements; a text key, which the attribute holds; no event time, which is sent with each item.
Safe:   windows read copies of items in any case. Children keep their order. If the analysis does not know which parts
        are read, the whole item is sent.
"""

from __future__ import annotations

from functools import reduce

from xylem.analysis.keyed_input import KeyedInput
from xylem.analysis.projection import NotProjectable, Projection, Use, project
from xylem.functions.library import look_up
from xylem.functions.registry import FN
from xylem.plan.spread import ITEMS_OF_STREAM, KEY_OF_SENT, SENT
from xylem.syntax import ast

from ..substitution import Substitution
from .frame_rewrites import data_of

_ITEM = ast.Name("item", None, "urn:xylem:part")
_KEY = ast.Name("key", None, "urn:xylem:part")
_VARIABLE = ast.VarRef(_ITEM)


def sent_items(body: ast.Expr, query: ast.Expr, keyed: KeyedInput | None) -> ast.Expr | None:
    """The expression that replaces `body` for the windows that `query` forms; None if `body` itself is as good."""
    key = None if keyed is None else _key(keyed)
    kept = Projection()
    try:
        project(query, {ITEMS_OF_STREAM.name.expanded: kept}, focus=Projection(), root=Projection())
        if key is not None:
            project(key, {_ITEM.expanded: kept}, use=Use.STRING)
    except NotProjectable:
        kept.subtree = True
    item = _pruned(kept)
    if key is None:
        return None if item is _VARIABLE else _each(body, item)
    return _each(body, _wrapped(item, key)) if _is_text(key) else None


def _key(keyed: KeyedInput) -> ast.Expr:
    """The key of the item."""
    if keyed.item is None:
        join = ast.Path if isinstance(keyed.key, (ast.AxisStep, ast.Path)) else ast.SimpleMap
        return join(_VARIABLE, keyed.key, span=keyed.key.span)
    return Substitution({keyed.item.expanded: _VARIABLE}).apply(keyed.key)


def _each(body: ast.Expr, result: ast.Expr) -> ast.Expr:
    return ast.Flwor((ast.ForClause(_ITEM, None, body, span=body.span),), result, span=body.span)


def _wrapped(item: ast.Expr, key: ast.Expr) -> ast.Expr:
    """The item with its first key, if it has one, after a sign that distinguishes an empty key from none."""
    first = ast.Filter(data_of(key), ast.IntegerLiteral(1), span=key.span)
    told = ast.StringConcat(ast.StringLiteral("="), ast.VarRef(_KEY), span=key.span)
    each = ast.Flwor((ast.ForClause(_KEY, None, first, span=key.span),), told, span=key.span)
    attribute = ast.DirectAttribute(ast.Name(KEY_OF_SENT, None, ""), (ast.EnclosedExpr(each, span=key.span),))
    content = ast.EnclosedExpr(item, span=key.span)
    return ast.DirectElement(ast.Name(SENT, None, ""), (), (attribute,), (content,), span=key.span)


def _is_text(key: ast.Expr) -> bool:
    """Whether the values of a key are strings or untyped for every item."""
    match key:
        case ast.Path(right=right) | ast.SimpleMap(right=right):
            return _is_text(right)
        case ast.AxisStep():
            return True
        case ast.FunctionCall(name=name, arguments=arguments):
            known = look_up(*name.expanded, len(arguments))
            return name.uri == FN and known is not None and known.returns.rstrip("?*+") == "xs:string"
    return False


def _pruned(kept: Projection) -> ast.Expr:
    """An element with the projected parts of the item; the item itself unless only attributes and named children are
    read.
    """
    names = [(uri, local) for axis, uri, local in kept.children if axis == "child" and uri is not None and local]
    reads_more = kept.subtree or kept.string or kept.leaves or kept.above is not None or kept.siblings
    if reads_more or len(names) < len(kept.children):
        return _VARIABLE
    content: list[ast.Expr] = []
    if kept.all_attributes:
        content.append(_step("attribute", ast.Wildcard()))
    else:
        content += [_step("attribute", _named(uri, local)) for uri, local in sorted(kept.attributes)]
    if len(names) == 1:
        content.append(_step("child", _named(*names[0])))
    elif names:
        tests: list[ast.Expr] = [ast.AxisStep("self", _named(uri, local)) for uri, local in names]
        content.append(_step("child", ast.Wildcard(), reduce(ast.Or, tests)))
    name = ast.FunctionCall(ast.Name("node-name", "fn", FN), (_VARIABLE,))
    return ast.ComputedElement(name, ast.SequenceExpr(tuple(content)))


def _named(uri: str, local: str) -> ast.NameTest:
    return ast.NameTest(ast.Name(local, None, uri))


def _step(axis: str, test: ast.NodeTest, *predicates: ast.Expr) -> ast.Expr:
    return ast.Path(_VARIABLE, ast.AxisStep(axis, test, predicates))
