"""Schemas: what a DTD or an XML Schema promises about the documents that follow it.

What comes in is the text of a schema; what goes out are constraints of each element, its content models, automata,
order and cardinality of its children, and cursors that follow a document through them. This package never
reads a document itself, and never fetches anything that was not named by the user.

    text ─dtd, xsd→ content_model ─glushkov→ automaton ─automaton_constraints→ Ord, Past, ≤1, =1
"""

from .automaton_constraints import AutomatonConstraints
from .constraints import ElementConstraints, Schema
from .declared_schema import DeclaredSchema
from .loading import load_schema

__all__ = ["AutomatonConstraints", "DeclaredSchema", "ElementConstraints", "Schema", "load_schema"]
