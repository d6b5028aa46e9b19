"""JSON text to its XML representation and back (F&O 3.1 §17.4)."""

from __future__ import annotations

from xylem.errors import DynamicError
from xylem.values.json_parser import parse_json
from xylem.values.json_tree import JsonTree
from xylem.values.json_values import Duplicates
from xylem.values.map import XMap
from xylem.values.node import Node

from .context import Context
from .json_from_tree import json_from_tree
from .json_functions import duplicates_option, reading_options
from .option_parameters import ONE_BOOLEAN, option
from .registry import function

_FOR_TREES = frozenset({Duplicates.REJECT, Duplicates.USE_FIRST, Duplicates.RETAIN})


@function("fn:json-to-xml", "xs:string?, map(*)", "document-node()?", context=True)
def json_to_xml(context: Context, text: str | None, options: XMap | None = None) -> Node | None:
    reading = reading_options(options)
    duplicates = duplicates_option(options, Duplicates.RETAIN, _FOR_TREES)
    if option(options, "validate", ONE_BOOLEAN, False):
        if options is not None and options.contains("duplicates") and duplicates is Duplicates.RETAIN:
            raise DynamicError("FOJS0005", "a valid tree cannot retain duplicates")
        raise DynamicError("FOJS0004", "validate=true()")
    if text is None:
        return None
    tree = JsonTree(duplicates, reading["escape"], context.static.base_uri)
    parse_json(text, tree, **reading)
    return tree.finish()


@function("fn:xml-to-json", "node()?, map(*)", "xs:string?")
def xml_to_json(node: Node | None, options: XMap | None = None) -> str | None:
    indents = option(options, "indent", ONE_BOOLEAN, False)
    return None if node is None else json_from_tree(node, indents)
