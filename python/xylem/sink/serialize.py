"""Values to text: the one entrance to all output methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from .bare_xml import is_bare, write_bare
from .output_buffer import OutputBuffer
from .sequence_normalization import normalized
from .serialization_parameters import DEFAULTS, SerializationParameters

_WHOLE_VALUES = frozenset({"json", "adaptive"})
"""The methods that write items unchanged; the others write a normalized sequence."""


def serialize(items: Iterable[Any], parameters: SerializationParameters = DEFAULTS) -> str:
    """A sequence as text.

    >>> serialize((1, 2, "a"), SerializationParameters(method="adaptive", item_separator=" "))
    '1 2 "a"'
    """
    pieces: list[str] = []
    serialize_to(items, parameters, pieces.append)
    return "".join(pieces)


def serialize_to(items: Iterable[Any], parameters: SerializationParameters, write: Callable[[str], object]) -> None:
    """Write a sequence in chunks while it is read; output before an error remains."""
    serialize_into(OutputBuffer(write), items, parameters)


def serialize_into(buffer: OutputBuffer, items: Iterable[Any], parameters: SerializationParameters) -> None:
    """Write a sequence through a buffer, which the producer of items may flush while nothing more comes."""
    method = parameters.method
    if is_bare(parameters):
        try:
            write_bare(items, parameters.item_separator, buffer)
        finally:
            buffer.flush()
        return
    # A query uses one method: the others are not loaded.
    write_method = getattr(import_module(f"{__package__}.{method}_output"), f"write_{method}")
    try:
        if method not in _WHOLE_VALUES:
            items = normalized(items, parameters.item_separator)
        write_method(items, parameters, buffer)
    finally:
        buffer.flush()
