"""Schemas: the guarantees of a DTD or an XML Schema about valid documents.

The text of a schema comes in; the constraints of each element go out: content models, automata, order and cardinality
of children, and cursors that follow a document through them. This package never reads a document itself, and only
fetches what the user named.

    text ─dtd, xsd→ content_model ─glushkov→ automaton ─automaton_constraints→ Ord, Past, ≤1, =1
"""

from typing import TYPE_CHECKING, Any

from .constraints import ElementConstraints, Schema

if TYPE_CHECKING:
    from .automaton_constraints import AutomatonConstraints
    from .declared_schema import DeclaredSchema
    from .loading import document_schema, load_schema
    from .past_tracker import PastTracker
    from .validator import Validator, Violation

__all__ = [
    "AutomatonConstraints",
    "DeclaredSchema",
    "ElementConstraints",
    "PastTracker",
    "Schema",
    "Validator",
    "Violation",
    "document_schema",
    "load_schema",
]

_HOME = {
    "AutomatonConstraints": "automaton_constraints",
    "DeclaredSchema": "declared_schema",
    "PastTracker": "past_tracker",
    "Validator": "validator",
    "Violation": "validator",
    "document_schema": "loading",
    "load_schema": "loading",
}


def __getattr__(name: str) -> Any:
    """Lazy import: most queries have no schema, and never load its readers."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOME[name]}", __name__), name)
