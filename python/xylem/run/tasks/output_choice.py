"""Which parts of the answer tasks can write as text, and how.

Text can be concatenated if it is plain XML and the static types prove that every item has a text of its own: no
attributes, which belong into the tag before them, and no maps, arrays or functions. Everything else travels as packed
items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from xylem.plan.distribution import PartKind
from xylem.plan.spread import SpreadPart, SpreadQuery
from xylem.sink.event_writer import can_write_events
from xylem.sink.serialization_parameters import SerializationParameters
from xylem.syntax import ast
from xylem.values.node import ATTRIBUTE, NAMESPACE
from xylem.values.sequence_type import AtomicItem, ItemType, NodeItem, Occurrence, SequenceType

from ..stream.collector import Recorder
from .answer_text import AnswerText, StartElement
from .part_query import PartCompiler, RunOptions


class TextChoice:
    """The way in which tasks write the text of one part."""

    def __init__(
        self, parameters: SerializationParameters, wrappers: tuple[ast.DirectElement, ...], compiler: PartCompiler
    ) -> None:
        self._parameters = parameters
        self._wrappers = wrappers
        self._compiler = compiler

    def prepare(self) -> None:
        """Find the constructors around the part."""
        self._around  # noqa: B018 - computed here, if it is not yet

    def writer(self) -> AnswerText:
        """A writer for one range, or one group."""
        return AnswerText(self._parameters, *self._around)

    @cached_property
    def _around(self) -> tuple[Sequence[StartElement], tuple[bool, bool]]:
        """The start tags of the constructors around the part, written as the query itself writes them."""
        body: ast.Expr = ast.SequenceExpr()
        for wrapper in reversed(self._wrappers):
            content: tuple[ast.Expr, ...] = ()
            if isinstance(body, ast.DirectElement):
                content = (ast.EnclosedExpr(body),) if wrapper.content else (body,)
            body = ast.DirectElement(wrapper.name, wrapper.namespaces, (), content, span=wrapper.span)
        program = self._compiler.streamed(body)
        assert program is not None, "constructors alone always stream"
        recorder = _Recorder()
        for _ in program.write(b"<input/>", RunOptions().resources, recorder):
            pass
        calls = [arguments for method, arguments in recorder.calls if method == "start_element"]
        return calls, program.copy_namespaces


class _Recorder(Recorder):
    def finish(self) -> None:
        """End the output."""


class OutputChoice:
    """The parameters of the answer, and the parts whose text tasks write."""

    def __init__(self, query: SpreadQuery, compiler: PartCompiler, output: Mapping[str, Any]) -> None:
        self.given = dict(output)
        self._compiler = compiler
        self.texts: dict[int, TextChoice] = {}
        """By part number."""
        parameters = SerializationParameters.from_options({**self.given, "method": self.given.get("method", "xml")})
        if not can_write_events(parameters) or parameters.item_separator is not None:
            return
        groups: dict[int, list[SpreadPart]] = {}
        for part in query.parts:
            if part.place.group is not None and part.kind is not PartKind.AGGREGATE:
                groups.setdefault(part.place.group, []).append(part)
        for parts in groups.values():
            if all(self._has_text(part) for part in parts):
                for part in parts:
                    self.texts[part.number] = TextChoice(parameters, part.place.wrappers, compiler)

    def _has_text(self, part: SpreadPart) -> bool:
        return has_text(self._compiler.type_of(part.answer))


def has_text(kind: SequenceType) -> bool:
    """Whether all items of a type can be written as text in any position."""
    return kind.occurrence is Occurrence.NONE or _item_has_text(kind.item)


def _item_has_text(item: ItemType) -> bool:
    if isinstance(item, NodeItem):
        return item.kind is not None and item.kind not in (ATTRIBUTE, NAMESPACE)
    return isinstance(item, AtomicItem)
