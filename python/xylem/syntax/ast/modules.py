"""Modules and their prologs."""

from __future__ import annotations

from dataclasses import dataclass

from .expressions import Parameter
from .node import Expr, Name, Node
from .types import Annotation, SequenceTypeNode


@dataclass(frozen=True)
class Declaration(Node):
    """Anything a prolog declares."""


@dataclass(frozen=True)
class BoundarySpaceDecl(Declaration):
    policy: str
    """preserve or strip"""


@dataclass(frozen=True)
class DefaultCollationDecl(Declaration):
    uri: str


@dataclass(frozen=True)
class BaseUriDecl(Declaration):
    uri: str


@dataclass(frozen=True)
class ConstructionDecl(Declaration):
    mode: str
    """preserve or strip"""


@dataclass(frozen=True)
class OrderingModeDecl(Declaration):
    mode: str
    """ordered or unordered"""


@dataclass(frozen=True)
class EmptyOrderDecl(Declaration):
    mode: str
    """greatest or least"""


@dataclass(frozen=True)
class CopyNamespacesDecl(Declaration):
    preserve: bool
    inherit: bool


@dataclass(frozen=True)
class DecimalFormatDecl(Declaration):
    """No name: the default format. Properties are (name, value) pairs in the order written."""

    name: Name | None
    properties: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class NamespaceDecl(Declaration):
    prefix: str
    uri: str


@dataclass(frozen=True)
class DefaultNamespaceDecl(Declaration):
    """kind is element or function."""

    kind: str
    uri: str


@dataclass(frozen=True)
class SchemaImport(Declaration):
    """prefix None: none declared; '' : `default element namespace`."""

    prefix: str | None
    uri: str
    locations: tuple[str, ...] = ()


@dataclass(frozen=True)
class ModuleImport(Declaration):
    prefix: str | None
    uri: str
    locations: tuple[str, ...] = ()


@dataclass(frozen=True)
class ContextItemDecl(Declaration):
    type: SequenceTypeNode | None = None
    value: Expr | None = None
    external: bool = False


@dataclass(frozen=True)
class VariableDecl(Declaration):
    name: Name
    type: SequenceTypeNode | None = None
    value: Expr | None = None
    external: bool = False
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True)
class FunctionDecl(Declaration):
    """No body: external."""

    name: Name
    parameters: tuple[Parameter, ...] = ()
    returns: SequenceTypeNode | None = None
    body: Expr | None = None
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True)
class OptionDecl(Declaration):
    name: Name
    value: str


@dataclass(frozen=True, kw_only=True)
class Module(Node):
    """What main and library modules share."""

    prolog: tuple[Declaration, ...]
    version: str | None = None
    encoding: str | None = None


@dataclass(frozen=True, kw_only=True)
class MainModule(Module):
    body: Expr


@dataclass(frozen=True, kw_only=True)
class LibraryModule(Module):
    prefix: str
    uri: str
