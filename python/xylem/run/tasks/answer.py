"""The answer of a distributed query: the frame, evaluated once, with the results of the tasks inserted.

The driver never parses text that tasks wrote. A processing instruction with a unique name marks the place of this text
in the frame; when the frame is written, the text of the rows is inserted there. Other parts are values of variables.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from tempfile import SpooledTemporaryFile
from typing import Any
from uuid import uuid4

from xylem.functions.context import Context
from xylem.plan.spread import SpreadQuery
from xylem.sink.default_parameters import chosen_parameters, has_xml_text
from xylem.sink.serialize import serialize, serialize_to
from xylem.values.builder import TreeBuilder

from .answer_text import BEGINS_WITH_ATOMIC, ENDS_WITH_ATOMIC, HAS_NO_ITEMS
from .output_choice import OutputChoice
from .part_query import PartCompiler, PartQuery, RunOptions
from .part_task import PartTask
from .rows import Row

_SPOOLED_BYTES = 16 << 20
_CHUNK = 1 << 16


class Answer:
    """Writes answers of one query."""

    def __init__(self, query: SpreadQuery, compiler: PartCompiler, choice: OutputChoice) -> None:
        self._query = query
        self._choice = choice
        self._frame = PartQuery(compiler, query.frame)
        self._groups = {part.number: part.place.group for part in query.parts}

    def pieces(
        self, rows: Mapping[int, Iterable[Row]], tasks: Mapping[int, PartTask], run: RunOptions, context: Context
    ) -> Iterator[str]:
        """The text of the answer, in its order."""
        alone = self.alone()
        if alone is not None and not tasks[alone].is_text:
            return self._serialized(tasks[alone].items(rows.get(alone, ()), run, context))
        token = uuid4().hex
        values = {
            number: (TreeBuilder.pi_node(f"xylem-{token}-{number}", ""),)
            if task.is_text
            else task.frame_value(rows.get(number, ()), run, context)
            for number, task in tasks.items()
        }
        items = list(self._frame.evaluated(run.with_parts(values)))
        text = serialize(items, self._parameters(items))
        marks = re.compile(rf"<\?xylem-{token}-(\d+)\?>")
        return self._spliced(marks.split(text), rows, tasks)

    def items(
        self, rows: Mapping[int, Iterable[Row]], tasks: Mapping[int, PartTask], run: RunOptions, context: Context
    ) -> Iterator[Any]:
        """The items of the answer, if no part is text."""
        alone = self.alone()
        if alone is not None:
            return tasks[alone].items(rows.get(alone, ()), run, context)
        values = {number: task.frame_value(rows.get(number, ()), run, context) for number, task in tasks.items()}
        return self._frame.evaluated(run.with_parts(values))

    def alone(self) -> int | None:
        """The part that is the whole answer."""
        return next((part.number for part in self._query.parts if part.variable == self._query.frame), None)

    def _parameters(self, first: list[Any]) -> Any:
        return chosen_parameters({}, self._choice.given, lambda: all(map(has_xml_text, first[:1])))

    def _serialized(self, items: Iterator[Any]) -> Iterator[str]:
        """Items that only the driver can serialise: through a file, so that a long answer is not held."""
        first = [item for _, item in zip(range(1), items, strict=False)]
        with SpooledTemporaryFile(_SPOOLED_BYTES, "w+", encoding="utf-8", newline="") as file:
            failure: Exception | None = None
            try:
                serialize_to(chain(first, items), self._parameters(first), file.write)
            except Exception as error:
                failure = error
            file.seek(0)
            while chunk := file.read(_CHUNK):
                yield chunk
            if failure is not None:
                # After all complete output before it.
                raise failure

    def _spliced(
        self, marked: list[str], rows: Mapping[int, Iterable[Row]], tasks: Mapping[int, PartTask]
    ) -> Iterator[str]:
        """Text and numbers of parts in turn; an element that turns out to be empty is written as such."""
        is_open, after_atomic, group = False, False, None
        literal = marked[0]
        for number, following in zip(map(int, marked[1::2]), marked[2::2], strict=True):
            if literal:
                is_open = _ends_with_start_tag(literal)
                yield literal[:-1] if is_open else literal
            if literal or self._groups[number] != group:
                after_atomic, group = False, self._groups[number]
            for flags, text in tasks[number].texts(rows.get(number, ())):
                if flags & HAS_NO_ITEMS:
                    continue
                if after_atomic and flags & BEGINS_WITH_ATOMIC:
                    text = " " + text
                if text:
                    yield ">" + text if is_open else text
                    is_open = False
                after_atomic = bool(flags & ENDS_WITH_ATOMIC)
            literal = following
            if is_open and literal.startswith("</"):
                yield "/>"
                literal = literal[literal.index(">") + 1 :]
                is_open = False
            elif is_open and literal:
                yield ">"
                is_open = False
        if literal:
            yield literal


def _ends_with_start_tag(text: str) -> bool:
    """Whether a piece of XML ends with the start tag of an element, so that nothing is in it yet."""
    if not text.endswith(">") or text.endswith(("/>", "?>", "-->")):
        return False
    return not text.startswith(("</", "<!"), text.rfind("<"))
