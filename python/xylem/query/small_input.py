"""Small inputs in memory, one after another: a tree answers them, since it costs less than to begin a stream.

A stream that is begun again and again for some hundred bytes spends its time on beginning. The tree gives the same
items, and where the whole query is a template, a scan of the bytes writes the same text. For errors or many items, the
stream is used instead: it returns the items before the error, and keeps no more than necessary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xylem.errors import XylemError
from xylem.functions.context import Resources
from xylem.functions.registry import FN, PREFIXES
from xylem.functions.traits import UNSTEADY, standard
from xylem.run.prepared_program import PreparedProgram
from xylem.run.program import Program
from xylem.source.limits import DEFAULT_LIMITS
from xylem.source.message_batches import ListedBatch
from xylem.source.message_reader import MessageReader
from xylem.source.xml_reader import read_document
from xylem.syntax import ast

if TYPE_CHECKING:
    from .compiled_query import CompiledQuery

MOST_BYTES = 32 * 1024
MOST_ITEMS = 256
FIRST_STREAMED = 2
"""Number of inputs that are streamed first: a query for one input is compiled for the stream alone."""
_PLAIN = frozenset({FN, "http://www.w3.org/2001/XMLSchema", *(PREFIXES[one] for one in ("map", "array", "math"))})
_READING = standard(
    """collection doc doc-available document environment-variable json-doc stream unparsed-text
    unparsed-text-available unparsed-text-lines uri-collection"""
)
_MOST_IDLE = 4


class SmallInputs:
    """Answers small inputs of one query."""

    def __init__(self, compiled: CompiledQuery, resources: Resources, *, writes: bool = False) -> None:
        """`writes`: a scan may write the text of the answer."""
        self._compiled = compiled
        self._writes = writes
        self._readers: list[MessageReader] = []
        """Readers that no thread uses."""
        self._resources = resources
        self._seen = 0
        self._idle: list[PreparedProgram] = []
        """Prepared programs that no thread uses."""
        self._is_plain: bool | None = None

    def may_answer(self, source: object) -> bool:
        """Whether a tree may answer an input: a small one in memory, by a query that nothing outside can see run."""
        if type(source) is not bytes or len(source) > MOST_BYTES or not source.startswith(b"<"):
            return False
        self._seen += 1
        if self._seen <= FIRST_STREAMED:
            return False
        if self._is_plain is None:
            self._is_plain = _is_plain(self._compiled.program)
        return self._is_plain

    def text(self, source: bytes) -> str | None:
        """The text of the answer; None if the scan alone cannot give it."""
        try:
            reader = self._readers.pop()
        except IndexError:
            template = self._compiled.document_template() if self._writes else None
            if template is None:
                self._writes = False
                return None
            reader = MessageReader(DEFAULT_LIMITS, template)
        (found,) = reader.read(ListedBatch((source,)), writes=True).written()
        if len(self._readers) < _MOST_IDLE:
            self._readers.append(reader)
        return None if found is None else found[0]

    def items(self, source: bytes) -> list[Any] | None:
        """The items of the answer; None if the stream must return it."""
        try:
            prepared = self._idle.pop()
        except IndexError:
            prepared = PreparedProgram(self._compiled.program, self._resources)
        try:
            return prepared.items_now(read_document(source, limits=DEFAULT_LIMITS), MOST_ITEMS)
        except XylemError:
            return None
        finally:
            if len(self._idle) < _MOST_IDLE:
                self._idle.append(prepared)


def _is_plain(program: Program) -> bool:
    """Whether a program only computes: it only calls standard functions without visible effects."""
    if program.may_recurse:
        return False  # It would get a separate stack each time.
    for node in program.module.walk():
        match node:
            case ast.ExtensionNode():
                return False
            case ast.OptionDecl(name=ast.Name(uri=uri)) if uri == PREFIXES["xylem"]:
                return False
            case ast.FunctionCall(name=name):
                if name.uri not in _PLAIN or name.expanded in UNSTEADY or name.expanded in _READING:
                    return False
    return True


