"""Modules and their prologs."""

from __future__ import annotations

from .expressions import Parameter
from .node import Expr, Name, Node, ast_node
from .types import Annotation, SequenceTypeNode


@ast_node
class Declaration(Node):
    """Any declaration of a prolog."""


@ast_node
class BoundarySpaceDecl(Declaration):
    policy: str
    """preserve or strip."""


@ast_node
class DefaultCollationDecl(Declaration):
    uri: str


@ast_node
class BaseUriDecl(Declaration):
    uri: str


@ast_node
class ConstructionDecl(Declaration):
    mode: str
    """preserve or strip"""


@ast_node
class OrderingModeDecl(Declaration):
    mode: str
    """ordered or unordered"""


@ast_node
class EmptyOrderDecl(Declaration):
    mode: str
    """greatest or least"""


@ast_node
class CopyNamespacesDecl(Declaration):
    preserve: bool
    inherit: bool


@ast_node
class DecimalFormatDecl(Declaration):
    """No name: the default format. Properties are (name, value) pairs in the order written."""

    name: Name | None
    properties: tuple[tuple[str, str], ...] = ()


@ast_node
class NamespaceDecl(Declaration):
    prefix: str
    uri: str


@ast_node
class DefaultNamespaceDecl(Declaration):
    """kind is element or function."""

    kind: str
    uri: str


@ast_node
class SchemaImport(Declaration):
    """prefix None: none declared; '' : `default element namespace`."""

    prefix: str | None
    uri: str
    locations: tuple[str, ...] = ()


@ast_node
class ModuleImport(Declaration):
    prefix: str | None
    uri: str
    locations: tuple[str, ...] = ()


@ast_node
class ContextItemDecl(Declaration):
    type: SequenceTypeNode | None = None
    value: Expr | None = None
    external: bool = False


@ast_node
class VariableDecl(Declaration):
    name: Name
    type: SequenceTypeNode | None = None
    value: Expr | None = None
    external: bool = False
    annotations: tuple[Annotation, ...] = ()


@ast_node
class FunctionDecl(Declaration):
    """No body: external."""

    name: Name
    parameters: tuple[Parameter, ...] = ()
    returns: SequenceTypeNode | None = None
    body: Expr | None = None
    annotations: tuple[Annotation, ...] = ()


@ast_node
class OptionDecl(Declaration):
    name: Name
    value: str


@ast_node(kw_only=True)
class Module(Node):
    """The common part of main and library modules."""

    prolog: tuple[Declaration, ...]
    version: str | None = None
    encoding: str | None = None


@ast_node(kw_only=True)
class MainModule(Module):
    body: Expr


@ast_node(kw_only=True)
class LibraryModule(Module):
    prefix: str
    uri: str
