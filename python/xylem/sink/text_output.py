"""The text output method (Serialization 3.1 §8): string values, nothing escaped."""

from __future__ import annotations

from collections.abc import Iterable

from xylem.values.node import COMMENT, PROCESSING_INSTRUCTION, Node

from .character_expansion import CharacterExpansion
from .output_buffer import CHUNK_PIECES, OutputBuffer
from .serialization_parameters import SerializationParameters


def write_text(items: Iterable[str | Node], parameters: SerializationParameters, buffer: OutputBuffer) -> None:
    """Write the text of a normalized sequence; comments and processing instructions have none."""
    expand = CharacterExpansion(parameters).verbatim("the text")
    parts = buffer.parts
    for item in items:
        if isinstance(item, str):
            parts.append(expand(item))
        elif item.kind not in (COMMENT, PROCESSING_INSTRUCTION):
            parts.append(expand(item.string_value))
        if len(parts) > CHUNK_PIECES:
            buffer.flush()
