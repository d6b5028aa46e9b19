"""The result of a query: items that are computed as they are read, as Python values or as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, overload

from xylem.errors import memory_may_run_out
from xylem.sink.default_parameters import DEFAULT_PARAMETERS, chosen_parameters, has_xml_text
from xylem.values.python_values import python_from_item, python_from_sequence

if TYPE_CHECKING:
    from xylem.plan.operator_counts import OperatorCounts
    from xylem.sink.output_buffer import OutputBuffer
    from xylem.sink.serialization_parameters import SerializationParameters

__all__ = ["DEFAULT_PARAMETERS", "Result", "chosen_parameters", "has_xml_text"]


class Result:
    """The items of a result. Reading it computes it; reading it again does not."""

    def __init__(
        self,
        items: Iterable[Any],
        output: Mapping[str, str],
        operators: Callable[[], OperatorCounts] | None = None,
        texts: Callable[[], Iterator[str] | None] | None = None,
    ) -> None:
        """`texts`: the same items as pieces of XML; it returns None if the items must be built for that."""
        self._rest: Iterator[Any] = iter(items)
        self._items: list[Any] = []
        self.output = output
        """The output declarations of the query."""
        self._buffer: OutputBuffer | None = None
        self._operators = operators
        self._texts = texts

    def operators(self) -> OperatorCounts:
        """The counts of each operator of the plan so far, for a run with ``measure=True``."""
        if self._operators is None:
            raise ValueError("nothing was counted: run the query with measure=True")
        return self._operators()

    def __iter__(self) -> Iterator[Any]:
        """The items as Python values."""
        return map(python_from_item, self._each())

    def __len__(self) -> int:
        return len(self.xdm)

    # An empty result is still a result: only XQuery's own boolean() decides about truth.
    def __bool__(self) -> bool:
        return True

    @overload
    def __getitem__(self, index: int) -> Any: ...

    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [python_from_item(item) for item in self.xdm[index]]
        if index >= 0:
            # The first items are available without computing the others.
            for position, item in enumerate(self._each()):
                if position == index:
                    return python_from_item(item)
            raise IndexError(index)
        return python_from_item(self.xdm[index])

    def __str__(self) -> str:
        return self.serialize()

    @property
    def xdm(self) -> list[Any]:
        """All items in XQuery's data model."""
        with memory_may_run_out():
            self._items.extend(self._rest)
        return self._items

    @property
    def items(self) -> list[Any]:
        """All items as Python values."""
        return [python_from_item(item) for item in self.xdm]

    @property
    def value(self) -> Any:
        """None for no item, the value of a single one, else the list of all."""
        return python_from_sequence(self.xdm)

    def drawn(self) -> Iterator[Any]:
        """The items in XQuery's data model, one by one as they are computed; they are not kept."""
        items = chain(self._items, self._rest)
        self._items, self._rest = [], _UsedUp()
        return items

    def one(self) -> Any:
        """The value of the only item; a ValueError if there is none or more than one."""
        items = self.xdm
        if len(items) != 1:
            raise ValueError(f"the result has {len(items)} items, not one")
        return python_from_item(items[0])

    def serialize(self, **parameters: Any) -> str:
        """The result as text, by the query's own output declarations and these parameters, which override them.

        Parameters are named as in Serialization 3.1, with `_` for `-`: ``serialize(method="json", indent=True)``.
        If neither names a method, it is xml, or adaptive if the first item has no XML text (a map, an array,
        a function, an attribute).
        """
        from xylem.sink.serialize import serialize

        with memory_may_run_out():
            texts = self._pieces(parameters)
            return serialize(self.xdm, self._parameters(parameters)) if texts is None else "".join(texts)

    def write_to(self, write: Callable[[bytes], object], **parameters: Any) -> None:
        """Write the result in chunks while it is computed, in the encoding the parameters name (UTF-8 by default).

        Output before an error remains. Items are not kept: the result cannot be read afterwards.
        """
        with memory_may_run_out():
            self._write(write, parameters)

    def _write(self, write: Callable[[bytes], object], parameters: Mapping[str, Any]) -> None:
        from xylem.sink.output_buffer import OutputBuffer
        from xylem.sink.output_encoding import byte_encoder
        from xylem.sink.serialize import serialize_into

        texts = self._pieces(parameters)
        chosen = self._parameters(parameters, has_text=texts is not None)
        encode = byte_encoder(chosen)
        items = self.drawn()
        if texts is not None:
            for text in texts:
                write(encode(text))
            return
        self._buffer = OutputBuffer(lambda text: write(encode(text)))
        serialize_into(self._buffer, items, chosen)

    def flush(self) -> None:
        """Flush the output of `write_to` so far, for a producer of items whose next one takes long."""
        if self._buffer is not None:
            self._buffer.flush()

    def _each(self) -> Iterator[Any]:
        position = 0
        while True:
            if position == len(self._items):
                try:
                    self._items.append(next(self._rest))
                except StopIteration:
                    return
            yield self._items[position]
            position += 1

    def _pieces(self, given: Mapping[str, Any]) -> Iterator[str] | None:
        """The items as pieces of XML, if none has been read and the parameters need nothing else."""
        if self._texts is None or self._items:
            return None
        from xylem.sink.bare_xml import is_bare

        chosen = self._parameters(given, has_text=True)
        return self._texts() if is_bare(chosen) and chosen.item_separator is None else None

    def _parameters(self, given: Mapping[str, Any], *, has_text: bool = False) -> SerializationParameters:
        if has_text:
            return chosen_parameters(self.output, given, lambda: True)
        # Only the first item is needed: the others may not be computed before it is written.
        return chosen_parameters(self.output, given, lambda: all(map(has_xml_text, islice(self._each(), 1))))


class _UsedUp(Iterator[Any]):
    """The rest of a result that was written without being kept."""

    def __next__(self) -> Any:
        raise ValueError("the result was written and not kept; run the query again to read it")
