"""Direct and computed node constructors."""

from __future__ import annotations

from dataclasses import dataclass

from .node import Expr, Name, Node


@dataclass(frozen=True)
class DirectText(Expr):
    """Literal characters inside a direct element, boundary white space already treated."""

    value: str


@dataclass(frozen=True)
class EnclosedExpr(Expr):
    """`{ E }` in direct content or in an attribute value; the body may be empty."""

    body: Expr


@dataclass(frozen=True)
class DirectAttribute(Node):
    """Parts are literal strings and enclosed expressions, white space of literals already normalised."""

    name: Name
    parts: tuple[str | EnclosedExpr, ...] = ()


@dataclass(frozen=True)
class NamespaceDeclaration(Node):
    """xmlns:prefix="uri", or xmlns="uri" with the prefix ''."""

    prefix: str
    uri: str


@dataclass(frozen=True)
class DirectElement(Expr):
    name: Name
    namespaces: tuple[NamespaceDeclaration, ...] = ()
    attributes: tuple[DirectAttribute, ...] = ()
    content: tuple[Expr, ...] = ()
    """DirectText, EnclosedExpr and nested direct constructors."""


@dataclass(frozen=True)
class DirectComment(Expr):
    value: str


@dataclass(frozen=True)
class DirectPI(Expr):
    target: str
    value: str


@dataclass(frozen=True)
class ComputedDocument(Expr):
    body: Expr


@dataclass(frozen=True)
class ComputedElement(Expr):
    name: Name | Expr
    body: Expr


@dataclass(frozen=True)
class ComputedAttribute(Expr):
    name: Name | Expr
    body: Expr


@dataclass(frozen=True)
class ComputedNamespace(Expr):
    """namespace prefix { uri }: the prefix as a string, or an expression."""

    prefix: str | Expr
    body: Expr


@dataclass(frozen=True)
class ComputedText(Expr):
    body: Expr


@dataclass(frozen=True)
class ComputedComment(Expr):
    body: Expr


@dataclass(frozen=True)
class ComputedPI(Expr):
    """processing-instruction target { E }: the target as a string, or an expression."""

    target: str | Expr
    body: Expr
