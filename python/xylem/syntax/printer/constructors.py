"""Constructors as text. Nothing inside direct content is moved: every character there counts."""

from __future__ import annotations

from .. import ast
from .lexical import attribute_text, content_text, name_text
from .writer import PRIMARY, Writer, prints


@prints(PRIMARY, ast.DirectElement)
def _element(out: Writer, node: ast.DirectElement) -> None:
    name = name_text(node.name)
    out.put("<" + name)
    for part in (*node.namespaces, *node.attributes):
        out.put(" ")
        out.part(part)
    if not node.content:
        out.put("/>")
        return
    out.put(">")
    for child in node.content:
        out.part(child)
    out.put(f"</{name}>")


@prints(PRIMARY, ast.NamespaceDeclaration)
def _namespace_declaration(out: Writer, node: ast.NamespaceDeclaration) -> None:
    out.put(f'xmlns{":" if node.prefix else ""}{node.prefix}="{attribute_text(node.uri)}"')


@prints(PRIMARY, ast.DirectAttribute)
def _attribute(out: Writer, node: ast.DirectAttribute) -> None:
    out.put(f'{name_text(node.name)}="')
    for part in node.parts:
        if isinstance(part, str):
            out.put(attribute_text(part))
        else:
            out.part(part)
    out.put('"')


@prints(PRIMARY, ast.EnclosedExpr)
def _enclosed(out: Writer, node: ast.EnclosedExpr) -> None:
    out.braced(node.body)


@prints(PRIMARY, ast.DirectText)
def _text(out: Writer, node: ast.DirectText) -> None:
    out.put(content_text(node.value))


@prints(PRIMARY, ast.DirectComment)
def _comment(out: Writer, node: ast.DirectComment) -> None:
    out.put(f"<!--{node.value}-->")


@prints(PRIMARY, ast.DirectPI)
def _pi(out: Writer, node: ast.DirectPI) -> None:
    out.put(f"<?{node.target}{' ' if node.value else ''}{node.value}?>")


# --- computed


@prints(PRIMARY, ast.ComputedDocument, ast.ComputedText, ast.ComputedComment)
def _unnamed(out: Writer, node: ast.ComputedDocument | ast.ComputedText | ast.ComputedComment) -> None:
    out.put(_KEYWORDS[type(node)] + " ")
    out.braced(node.body)


@prints(PRIMARY, ast.ComputedElement, ast.ComputedAttribute)
def _named(out: Writer, node: ast.ComputedElement | ast.ComputedAttribute) -> None:
    _head(out, _KEYWORDS[type(node)], name_text(node.name) if isinstance(node.name, ast.Name) else node.name)
    out.braced(node.body)


@prints(PRIMARY, ast.ComputedNamespace)
def _namespace(out: Writer, node: ast.ComputedNamespace) -> None:
    _head(out, "namespace", node.prefix)
    out.braced(node.body)


@prints(PRIMARY, ast.ComputedPI)
def _computed_pi(out: Writer, node: ast.ComputedPI) -> None:
    _head(out, "processing-instruction", node.target)
    out.braced(node.body)


def _head(out: Writer, keyword: str, name: str | ast.Expr) -> None:
    out.put(keyword + " ")
    if isinstance(name, str):
        out.put(name)
    elif isinstance(name, ast.SequenceExpr) and not name.items:
        out.put("{ () }")
    else:
        out.braced(name)
    out.put(" ")


_KEYWORDS: dict[type[ast.Expr], str] = {
    ast.ComputedDocument: "document",
    ast.ComputedText: "text",
    ast.ComputedComment: "comment",
    ast.ComputedElement: "element",
    ast.ComputedAttribute: "attribute",
}
