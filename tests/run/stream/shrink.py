"""Making a failing case small: while it fails in the same way, take parts of the document and of the query away.

    python -m tests.run.stream.shrink 17          # the case of this seed, as small as it gets
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from random import Random
from typing import Any

from lxml import etree
from xylem.syntax import ast, parse, print_query

from .compare import from_stream, from_tree, stream_program
from .generate import generated_case, pieces

Fails = Callable[[str, str | None, str], bool]


def fails(query: str, dtd: str | None, document: str, seed: int = 0) -> str:
    """How a triple fails; the empty string where it does not."""
    data = document.encode()
    expected = from_tree(query, data)
    if expected.error.startswith(("XPST", "XQST", "XYBUG")):
        return ""
    try:
        program = stream_program(query, dtd)
        if program is None:
            return ""
        for chunks in ([data], [data[i : i + 1] for i in range(len(data))], pieces(data, Random(seed))):
            found = from_stream(program, chunks)
            if found != expected:
                return found.error or "another answer"
    except Exception as error:
        return type(error).__name__
    return ""


def shrunk(query: str, dtd: str | None, document: str, seed: int = 0) -> tuple[str, str | None, str]:
    """A smaller triple that fails in the same way."""
    how = fails(query, dtd, document, seed)
    if dtd is not None and fails(query, None, document, seed) == how:
        dtd = None
    changed = True
    while changed:
        changed = False
        for smaller in _smaller_documents(document) if dtd is None else _smaller_valid(document, dtd):
            if len(smaller) < len(document) and fails(query, dtd, smaller, seed) == how:
                document, changed = smaller, True
                break
        else:
            for text in _smaller_queries(query):
                if len(text) < len(query) and fails(text, dtd, document, seed) == how:
                    query, changed = text, True
                    break
    return query, dtd, document


# --- documents


def _smaller_documents(document: str) -> Iterator[str]:
    root = etree.fromstring(document.encode())
    number = sum(1 for _ in root.iter())
    for index in range(1, number):
        yield _without(document, index)
    for index in range(1, number):
        yield _without(document, index, keep_children=True)
    for index in range(number):
        tree = etree.fromstring(document.encode())
        element = list(tree.iter())[index]
        if not isinstance(element.tag, str):
            continue
        for attribute in list(element.attrib):
            value = element.attrib.pop(attribute)
            yield etree.tostring(tree, encoding="unicode")
            element.attrib[attribute] = value
        for part in ("text", "tail"):
            text = getattr(element, part)
            if text:
                for shorter in ("", text[: len(text) // 2]):
                    setattr(element, part, shorter)
                    yield etree.tostring(tree, encoding="unicode")
                setattr(element, part, text)


def _without(document: str, index: int, keep_children: bool = False) -> str:
    tree = etree.fromstring(document.encode())
    element = list(tree.iter())[index]
    parent = element.getparent()
    place = parent.index(element)
    children = list(element) if keep_children else []
    parent.remove(element)
    for child in reversed(children):
        parent.insert(place, child)
    return etree.tostring(tree, encoding="unicode")


def _smaller_valid(document: str, dtd: str) -> Iterator[str]:
    from io import StringIO

    grammar = etree.DTD(StringIO(dtd))
    for smaller in _smaller_documents(document):
        if grammar.validate(etree.fromstring(smaller.encode())):
            yield smaller


# --- queries


def _smaller_queries(query: str) -> Iterator[str]:
    module = parse(query)
    for made in _reduced(module):
        try:
            yield print_query(made)
        except Exception:
            continue


def _reduced(node: Any) -> Iterator[Any]:
    """The node with one part of it left out, or put in place of what contains it."""
    for entry in fields(node):
        if entry.name == "span":
            continue
        value = getattr(node, entry.name)
        if isinstance(value, tuple):
            for index, member in enumerate(value):
                yield _with(node, entry.name, (*value[:index], *value[index + 1 :]))
                for made in _replacements(member):
                    yield _with(node, entry.name, (*value[:index], made, *value[index + 1 :]))
        elif isinstance(value, ast.Node):
            for made in _replacements(value):
                yield _with(node, entry.name, made)


def _with(node: Any, name: str, value: Any) -> Any:
    return replace(node, **{name: value})


def _replacements(value: Any) -> Iterator[Any]:
    if not isinstance(value, ast.Node):
        return
    if isinstance(value, ast.Expr):
        yield ast.SequenceExpr(())
        for part in value.walk():
            if part is not value and isinstance(part, ast.Expr):
                yield part
    yield from _reduced(value)


def main() -> None:
    for argument in sys.argv[1:]:
        seed = int(argument)
        for query, dtd, document in generated_case(seed).triples():
            how = fails(query, dtd, document, seed)
            if how:
                small, schema, text = shrunk(query, dtd, document, seed)
                print(f"{seed}: {how}\n--- query\n{small}\n--- document\n{text}")
                if schema is not None:
                    print(f"--- schema\n{schema}")
                program = stream_program(small, schema)
                if how != "RuntimeError":
                    print("--- tree\n" + str(from_tree(small, text.encode())))
                    print("--- stream\n" + str(program and from_stream(program, [text.encode()])))
                break


if __name__ == "__main__":
    main()
