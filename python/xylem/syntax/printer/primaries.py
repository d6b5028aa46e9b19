"""Primary and postfix expressions as text."""

from __future__ import annotations

from .. import ast
from ..parser.characters import is_ncname
from .lexical import decimal_text, double_text, name_text, string_text
from .types import annotations_text, type_declaration
from .writer import ANY, POSTFIX, PRIMARY, Writer, prints


@prints(PRIMARY, ast.StringLiteral)
def _string(out: Writer, node: ast.StringLiteral) -> None:
    out.put(string_text(node.value))


@prints(PRIMARY, ast.IntegerLiteral)
def _integer(out: Writer, node: ast.IntegerLiteral) -> None:
    # A rewrite may leave a negative literal, which the grammar does not have.
    out.put(str(node.value) if node.value >= 0 else f"({node.value})")


@prints(PRIMARY, ast.DecimalLiteral)
def _decimal(out: Writer, node: ast.DecimalLiteral) -> None:
    out.put(decimal_text(node.value) if node.value >= 0 else f"({decimal_text(node.value)})")


@prints(PRIMARY, ast.DoubleLiteral)
def _double(out: Writer, node: ast.DoubleLiteral) -> None:
    text = double_text(node.value)
    out.put(f"({text})" if text.startswith("-") else text)


@prints(PRIMARY, ast.VarRef)
def _variable(out: Writer, node: ast.VarRef) -> None:
    out.put("$" + name_text(node.name))


@prints(PRIMARY, ast.ContextItem)
def _context_item(out: Writer, node: ast.ContextItem) -> None:
    out.put(".")


@prints(ANY, ast.SequenceExpr)
def _sequence(out: Writer, node: ast.SequenceExpr) -> None:
    if node.items:
        out.listed(node.items)
    else:
        out.put("()")


@prints(PRIMARY, ast.ArgumentPlaceholder)
def _placeholder(out: Writer, node: ast.ArgumentPlaceholder) -> None:
    out.put("?")


@prints(PRIMARY, ast.FunctionCall)
def _call(out: Writer, node: ast.FunctionCall) -> None:
    out.put(name_text(node.name))
    arguments(out, node.arguments)


def arguments(out: Writer, nodes: tuple[ast.Expr, ...]) -> None:
    """An argument list; a single block keeps the brackets of the list for itself."""
    if len(nodes) == 1 and not isinstance(nodes[0], ast.SequenceExpr):
        out.bracketed(nodes[0])
        return
    out.put("(")
    out.listed(nodes)
    out.put(")")


@prints(PRIMARY, ast.NamedFunctionRef)
def _function_ref(out: Writer, node: ast.NamedFunctionRef) -> None:
    out.put(f"{name_text(node.name)}#{node.arity}")


@prints(PRIMARY, ast.Parameter)
def _parameter(out: Writer, node: ast.Parameter) -> None:
    out.put(f"${name_text(node.name)}{type_declaration(node.type)}")


@prints(PRIMARY, ast.InlineFunction)
def _inline_function(out: Writer, node: ast.InlineFunction) -> None:
    out.put(annotations_text(node.annotations) + "function(")
    out.listed(node.parameters)
    out.put(f"){type_declaration(node.returns)} ")
    out.braced(node.body)


@prints(PRIMARY, ast.StringConstructor)
def _string_constructor(out: Writer, node: ast.StringConstructor) -> None:
    out.put("``[")
    for part in node.parts:
        if isinstance(part, str):
            out.put(part)
        else:
            out.enclose("`{ ", part, " }`")
    out.put("]``")


@prints(PRIMARY, ast.MapEntry)
def _map_entry(out: Writer, node: ast.MapEntry) -> None:
    out.single(node.key)
    out.put(" : ")
    out.single(node.value)


@prints(PRIMARY, ast.MapConstructor)
def _map(out: Writer, node: ast.MapConstructor) -> None:
    if not node.entries:
        out.put("map {}")
        return
    out.put("map { ")
    out.listed(node.entries)
    out.put(" }")


@prints(PRIMARY, ast.SquareArray)
def _square_array(out: Writer, node: ast.SquareArray) -> None:
    out.put("[")
    out.listed(node.members)
    out.put("]")


@prints(PRIMARY, ast.CurlyArray)
def _curly_array(out: Writer, node: ast.CurlyArray) -> None:
    out.put("array ")
    out.braced(node.body)


@prints(PRIMARY, ast.UnaryLookup)
def _unary_lookup(out: Writer, node: ast.UnaryLookup) -> None:
    _key(out, node.key)


def _key(out: Writer, key: ast.Expr | None) -> None:
    if key is None:
        out.put("?*")
    elif isinstance(key, ast.StringLiteral) and is_ncname(key.value):
        out.put("?" + key.value)
    elif isinstance(key, ast.IntegerLiteral) and key.value >= 0:
        out.put(f"?{key.value}")
    else:
        out.put("?")
        out.bracketed(key)


# --- postfix forms: chains such as `$f(1)(2)…` are long to the left, and are written by a loop

_Postfix = ast.Filter | ast.DynamicCall | ast.Lookup


@prints(POSTFIX, ast.Filter, ast.DynamicCall, ast.Lookup)
def _postfix(out: Writer, node: _Postfix) -> None:
    chain: list[_Postfix] = [node]
    base = _base(node)
    while isinstance(base, ast.Filter | ast.DynamicCall | ast.Lookup):
        chain.append(base)
        base = _base(base)
    out.expr(base, POSTFIX)
    for link in reversed(chain):
        if isinstance(link, ast.Filter):
            predicate(out, link.predicate)
        elif isinstance(link, ast.DynamicCall):
            arguments(out, link.arguments)
        else:
            _key(out, link.key)


def _base(node: _Postfix) -> ast.Expr:
    return node.function if isinstance(node, ast.DynamicCall) else node.base


def predicate(out: Writer, node: ast.Expr) -> None:
    """`[E]`, where the empty sequence needs its own brackets."""
    if isinstance(node, ast.SequenceExpr) and not node.items:
        out.put("[()]")
    else:
        out.enclose("[", node, "]")
