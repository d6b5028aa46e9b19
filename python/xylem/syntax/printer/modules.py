"""Modules and declarations as text: a line for each declaration."""

from __future__ import annotations

from .. import ast
from .lexical import name_text, string_text
from .types import annotations_text, node_test_text, type_declaration
from .writer import ANY, PRIMARY, Writer, prints


def write_module(out: Writer, node: ast.Module) -> None:
    """A whole module."""
    if node.version is not None or node.encoding is not None:
        version = f" version {string_text(node.version)}" if node.version is not None else ""
        encoding = f" encoding {string_text(node.encoding)}" if node.encoding is not None else ""
        _statement(out, f"xquery{version}{encoding}")
    if isinstance(node, ast.LibraryModule):
        _statement(out, f"module namespace {node.prefix} = {string_text(node.uri)}")
    for declaration in node.prolog:
        out.part(declaration)
        _statement(out, "")
    if isinstance(node, ast.MainModule):
        out.expr(node.body, ANY)


def _statement(out: Writer, text: str) -> None:
    out.put(text + ";")
    out.line()


@prints(PRIMARY, ast.BoundarySpaceDecl)
def _boundary_space(out: Writer, node: ast.BoundarySpaceDecl) -> None:
    out.put(f"declare boundary-space {node.policy}")


@prints(PRIMARY, ast.DefaultCollationDecl)
def _default_collation(out: Writer, node: ast.DefaultCollationDecl) -> None:
    out.put(f"declare default collation {string_text(node.uri)}")


@prints(PRIMARY, ast.BaseUriDecl)
def _base_uri(out: Writer, node: ast.BaseUriDecl) -> None:
    out.put(f"declare base-uri {string_text(node.uri)}")


@prints(PRIMARY, ast.ConstructionDecl)
def _construction(out: Writer, node: ast.ConstructionDecl) -> None:
    out.put(f"declare construction {node.mode}")


@prints(PRIMARY, ast.OrderingModeDecl)
def _ordering(out: Writer, node: ast.OrderingModeDecl) -> None:
    out.put(f"declare ordering {node.mode}")


@prints(PRIMARY, ast.EmptyOrderDecl)
def _empty_order(out: Writer, node: ast.EmptyOrderDecl) -> None:
    out.put(f"declare default order empty {node.mode}")


@prints(PRIMARY, ast.CopyNamespacesDecl)
def _copy_namespaces(out: Writer, node: ast.CopyNamespacesDecl) -> None:
    preserve = "preserve" if node.preserve else "no-preserve"
    inherit = "inherit" if node.inherit else "no-inherit"
    out.put(f"declare copy-namespaces {preserve}, {inherit}")


@prints(PRIMARY, ast.DecimalFormatDecl)
def _decimal_format(out: Writer, node: ast.DecimalFormatDecl) -> None:
    out.put(f"declare decimal-format {name_text(node.name)}" if node.name else "declare default decimal-format")
    for word, value in node.properties:
        out.put(f" {word} = {string_text(value)}")


@prints(PRIMARY, ast.NamespaceDecl)
def _namespace(out: Writer, node: ast.NamespaceDecl) -> None:
    out.put(f"declare namespace {node.prefix} = {string_text(node.uri)}")


@prints(PRIMARY, ast.DefaultNamespaceDecl)
def _default_namespace(out: Writer, node: ast.DefaultNamespaceDecl) -> None:
    out.put(f"declare default {node.kind} namespace {string_text(node.uri)}")


@prints(PRIMARY, ast.SchemaImport)
def _schema_import(out: Writer, node: ast.SchemaImport) -> None:
    prefix = f"namespace {node.prefix} = " if node.prefix else ""
    if node.prefix == "":
        prefix = "default element namespace "
    out.put(f"import schema {prefix}{string_text(node.uri)}{_locations(node.locations)}")


@prints(PRIMARY, ast.ModuleImport)
def _module_import(out: Writer, node: ast.ModuleImport) -> None:
    prefix = f"namespace {node.prefix} = " if node.prefix else ""
    out.put(f"import module {prefix}{string_text(node.uri)}{_locations(node.locations)}")


def _locations(locations: tuple[str, ...]) -> str:
    return " at " + ", ".join(map(string_text, locations)) if locations else ""


@prints(PRIMARY, ast.ContextItemDecl)
def _context_item(out: Writer, node: ast.ContextItemDecl) -> None:
    out.put("declare context item")
    if node.type is not None and node.type.item is not None:
        out.put(f" as {node_test_text(node.type.item)}")
    _value(out, node.external, node.value)


@prints(PRIMARY, ast.VariableDecl)
def _variable(out: Writer, node: ast.VariableDecl) -> None:
    annotations = annotations_text(node.annotations)
    out.put(f"declare {annotations}variable ${name_text(node.name)}{type_declaration(node.type)}")
    _value(out, node.external, node.value)


def _value(out: Writer, external: bool, value: ast.Expr | None) -> None:
    if external:
        out.put(" external")
    if value is not None:
        out.put(" := ")
        out.single(value)


@prints(PRIMARY, ast.FunctionDecl)
def _function(out: Writer, node: ast.FunctionDecl) -> None:
    out.put(f"declare {annotations_text(node.annotations)}function {name_text(node.name)}(")
    out.listed(node.parameters)
    out.put(")" + type_declaration(node.returns))
    if node.body is None:
        out.put(" external")
    else:
        out.put(" ")
        out.braced(node.body)


@prints(PRIMARY, ast.OptionDecl)
def _option(out: Writer, node: ast.OptionDecl) -> None:
    out.put(f"declare option {name_text(node.name)} {string_text(node.value)}")
