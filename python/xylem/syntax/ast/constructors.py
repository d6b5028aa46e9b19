"""Direct and computed node constructors."""

from __future__ import annotations

from .node import Expr, Name, Node, ast_node


@ast_node
class DirectText(Expr):
    """Literal characters inside a direct element, boundary white space already treated."""

    value: str


@ast_node
class EnclosedExpr(Expr):
    """`{ E }` in direct content or in an attribute value; the body may be empty."""

    body: Expr


@ast_node
class DirectAttribute(Node):
    """Parts are literal strings and enclosed expressions, white space of literals already normalised."""

    name: Name
    parts: tuple[str | EnclosedExpr, ...] = ()


@ast_node
class NamespaceDeclaration(Node):
    """xmlns:prefix="uri", or xmlns="uri" with the prefix ''."""

    prefix: str
    uri: str


@ast_node
class DirectElement(Expr):
    name: Name
    namespaces: tuple[NamespaceDeclaration, ...] = ()
    attributes: tuple[DirectAttribute, ...] = ()
    content: tuple[Expr, ...] = ()
    """DirectText, EnclosedExpr and nested direct constructors."""


@ast_node
class DirectComment(Expr):
    value: str


@ast_node
class DirectPI(Expr):
    target: str
    value: str


@ast_node
class ComputedDocument(Expr):
    body: Expr


@ast_node
class ComputedElement(Expr):
    name: Name | Expr
    body: Expr


@ast_node
class ComputedAttribute(Expr):
    name: Name | Expr
    body: Expr


@ast_node
class ComputedNamespace(Expr):
    """namespace prefix { uri }: the prefix as a string, or an expression."""

    prefix: str | Expr
    body: Expr


@ast_node
class ComputedText(Expr):
    body: Expr


@ast_node
class ComputedComment(Expr):
    body: Expr


@ast_node
class ComputedPI(Expr):
    """processing-instruction target { E }: the target as a string, or an expression."""

    target: str | Expr
    body: Expr
