"""Resolve every name of a module to a namespace, so later stages never see a prefix.

Names follow the defaults of XQuery 3.1 §2.4.5 ff: the default element namespace for elements and types, the default
function namespace for functions, none for variables and attributes. Direct constructors declare namespaces
for their attributes and content.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, TypeVar, cast

from xylem.errors import StaticError
from xylem.syntax import ast

from .ast_replacement import with_fields
from .distinct_names import check_clause, check_parameters
from .facts.best_match_loops import check_sides
from .static_context import XML, XMLNS, XQUERY, StaticContext

N = TypeVar("N", bound=ast.Node)


def resolve_names(node: N, context: StaticContext) -> N:
    """The node with the `uri` of every name filled in."""
    handler = _HANDLERS.get(type(node))
    if handler is not None:
        return cast(N, handler(node, context))
    return _resolve_fields(node, context)


def _resolve_fields(node: N, context: StaticContext, skip: tuple[str, ...] = ()) -> N:
    changed: dict[str, Any] = {}
    for entry in fields(node):
        name = entry.name
        if name == "span" or name in skip:
            continue
        value = getattr(node, name)
        resolved = _resolve_value(value, context)
        if resolved is not value:
            changed[name] = resolved
    return replace(node, **changed) if changed else node


def _resolve_value(value: Any, context: StaticContext) -> Any:
    if isinstance(value, ast.Name):
        return plain_name(value, context)
    if isinstance(value, ast.Node):
        return resolve_names(value, context)
    if isinstance(value, tuple) and value:
        resolved = tuple(_resolve_value(member, context) for member in value)
        return value if all(a is b for a, b in zip(value, resolved, strict=True)) else resolved
    return value


def plain_name(name: ast.Name, context: StaticContext) -> ast.Name:
    """A name without default namespace: variables, attributes, decimal formats."""
    return _with_default(name, context, "")


def _with_default(name: ast.Name, context: StaticContext, default: str) -> ast.Name:
    if name.uri is not None:
        return name
    uri = context.uri_of(name.prefix, name.span) if name.prefix else default
    return replace(name, uri=uri)


def _element_name(name: ast.Name, context: StaticContext) -> ast.Name:
    return _with_default(name, context, context.namespaces.get("", ""))


def _function_name(name: ast.Name, context: StaticContext) -> ast.Name:
    return _with_default(name, context, context.default_function_namespace)


# --- nodes whose names have a default namespace, or that declare namespaces


def _function_call(node: ast.FunctionCall, context: StaticContext) -> ast.FunctionCall:
    return with_fields(
        node,
        name=_function_name(node.name, context),
        arguments=_resolve_value(node.arguments, context),
    )


def _flwor(node: ast.Flwor, context: StaticContext) -> ast.Flwor:
    made = _resolve_fields(node, context)
    check_sides(made.clauses)
    for clause in made.clauses:
        check_clause(clause)
    return made


def _inline_function(node: ast.InlineFunction, context: StaticContext) -> ast.InlineFunction:
    made = _resolve_fields(node, context)
    check_parameters(made.parameters)
    return made


def _best_match_order(node: ast.BestMatchOrder, context: StaticContext) -> ast.BestMatchOrder:
    rest = _resolve_fields(node, context, skip=("function",))
    return rest if node.function is None else with_fields(rest, function=_function_name(node.function, context))


def _named_function_ref(node: ast.NamedFunctionRef, context: StaticContext) -> ast.NamedFunctionRef:
    return with_fields(node, name=_function_name(node.name, context))


def _arrow(node: ast.Arrow, context: StaticContext) -> ast.FunctionCall | ast.DynamicCall:
    """E => f(x) is f(E, x): after this stage the two spellings are indistinguishable."""
    function, arguments = node.function, (node.operand, *node.arguments)
    if isinstance(function, ast.Name):
        return _function_call(ast.FunctionCall(function, arguments, span=node.span), context)
    return _resolve_fields(ast.DynamicCall(function, arguments, span=node.span), context)


def _function_decl(node: ast.FunctionDecl, context: StaticContext) -> ast.FunctionDecl:
    rest = _resolve_fields(node, context, skip=("name",))
    check_parameters(rest.parameters)
    return with_fields(rest, name=_function_name(node.name, context))


def _annotation(node: ast.Annotation, context: StaticContext) -> ast.Annotation:
    return with_fields(node, name=_with_default(node.name, context, XQUERY))


def _option(node: ast.OptionDecl, context: StaticContext) -> ast.OptionDecl:
    return with_fields(node, name=_with_default(node.name, context, XQUERY))


def _typed_test(node: Any, context: StaticContext) -> Any:
    is_attribute = isinstance(node, (ast.AttributeTest, ast.SchemaAttributeTest))
    changed = {}
    if node.name is not None:
        changed["name"] = plain_name(node.name, context) if is_attribute else _element_name(node.name, context)
    if getattr(node, "type", None) is not None:
        changed["type"] = _element_name(node.type, context)
    return with_fields(node, **changed) if changed else node


def _type_name(node: Any, context: StaticContext) -> Any:
    return with_fields(node, name=_element_name(node.name, context))


def _validate(node: ast.Validate, context: StaticContext) -> ast.Validate:
    kind = _element_name(node.type, context) if node.type else None
    return with_fields(node, type=kind, body=resolve_names(node.body, context))


def _axis_step(node: ast.AxisStep, context: StaticContext) -> ast.AxisStep:
    test = node.test
    if isinstance(test, ast.NameTest):
        named = plain_name if node.axis in ("attribute", "namespace") else _element_name
        resolved: ast.NodeTest = with_fields(test, name=named(test.name, context))
    else:
        resolved = resolve_names(test, context)
    return with_fields(node, test=resolved, predicates=_resolve_value(node.predicates, context))


def _wildcard(node: ast.Wildcard, context: StaticContext) -> ast.Wildcard:
    if node.prefix is None or node.uri is not None:
        return node
    return with_fields(node, uri=context.uri_of(node.prefix, node.span))


def _name_test(node: ast.NameTest, context: StaticContext) -> ast.NameTest:
    return with_fields(node, name=_element_name(node.name, context))


def _computed_element(node: ast.ComputedElement, context: StaticContext) -> ast.ComputedElement:
    name = _element_name(node.name, context) if isinstance(node.name, ast.Name) else resolve_names(node.name, context)
    return with_fields(node, name=name, body=resolve_names(node.body, context))


def _direct_element(node: ast.DirectElement, context: StaticContext) -> ast.DirectElement:
    inner = context.inside_element(declared_namespaces(node))
    seen: set[tuple[str, str]] = set()
    attributes = []
    for attribute in node.attributes:
        name = plain_name(attribute.name, inner)
        if name.expanded in seen:
            raise StaticError("XQST0040", str(attribute.name), span=attribute.span)
        seen.add(name.expanded)
        attributes.append(with_fields(attribute, name=name, parts=_resolve_value(attribute.parts, inner)))
    return with_fields(
        node,
        name=_element_name(node.name, inner),
        attributes=tuple(attributes),
        content=_resolve_value(node.content, inner),
    )


def declared_namespaces(node: ast.DirectElement) -> dict[str, str]:
    """The namespace declarations of a direct element, checked."""
    declared: dict[str, str] = {}
    for entry in node.namespaces:
        prefix, uri = entry.prefix, entry.uri
        if prefix in declared:
            raise StaticError("XQST0071", prefix or "xmlns", span=entry.span)
        if prefix == "xmlns" or uri == XMLNS or (prefix == "xml") != (uri == XML):
            raise StaticError("XQST0070", f"{prefix!r} = {uri!r}", span=entry.span)
        if prefix and not uri:
            raise StaticError("XQST0085", prefix, span=entry.span)
        declared[prefix] = uri
    return declared


_HANDLERS: dict[type, Any] = {
    ast.FunctionCall: _function_call,
    ast.Flwor: _flwor,
    ast.BestMatchOrder: _best_match_order,
    ast.NamedFunctionRef: _named_function_ref,
    ast.Arrow: _arrow,
    ast.FunctionDecl: _function_decl,
    ast.InlineFunction: _inline_function,
    ast.Annotation: _annotation,
    ast.OptionDecl: _option,
    ast.ElementTest: _typed_test,
    ast.AttributeTest: _typed_test,
    ast.SchemaElementTest: _typed_test,
    ast.SchemaAttributeTest: _typed_test,
    ast.AtomicType: _type_name,
    ast.SingleType: _type_name,
    ast.Validate: _validate,
    ast.AxisStep: _axis_step,
    ast.Wildcard: _wildcard,
    ast.NameTest: _name_test,
    ast.ComputedElement: _computed_element,
    ast.DirectElement: _direct_element,
}
