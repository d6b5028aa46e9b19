"""Errors: the catalogue of codes, the classes by stage, and the places they point at.

A code of the catalogue with its details comes in; a message with a line, a caret and a hint goes out. This package
never decides anything and imports nothing else of Xylem.
"""

from .catalogue import CATALOGUE, Entry
from .error import (
    ERR_NAMESPACE,
    DynamicError,
    EngineBug,
    InputError,
    StaticError,
    SyntaxFault,
    XylemError,
)
from .input_place import InputPlace
from .no_memory import memory_may_run_out, no_memory_left
from .source_text import NOWHERE, SourceText, Span

__all__ = [
    "CATALOGUE",
    "ERR_NAMESPACE",
    "NOWHERE",
    "DynamicError",
    "EngineBug",
    "Entry",
    "InputError",
    "InputPlace",
    "SourceText",
    "Span",
    "StaticError",
    "SyntaxFault",
    "XylemError",
    "memory_may_run_out",
    "no_memory_left",
]
