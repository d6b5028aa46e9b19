"""Values to text: the one entrance to all output methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .adaptive_output import write_adaptive
from .html_output import write_html
from .json_output import write_json
from .output_buffer import OutputBuffer
from .sequence_normalization import normalized
from .serialization_parameters import DEFAULTS, SerializationParameters
from .text_output import write_text
from .xhtml_output import write_xhtml
from .xml_output import write_xml

_WHOLE_VALUES = {"json": write_json, "adaptive": write_adaptive}
_NORMALIZED = {"xml": write_xml, "xhtml": write_xhtml, "html": write_html, "text": write_text}


def serialize(items: Iterable[Any], parameters: SerializationParameters = DEFAULTS) -> str:
    """A sequence as text.

    >>> serialize((1, 2, "a"), SerializationParameters(method="adaptive", item_separator=" "))
    '1 2 "a"'
    """
    pieces: list[str] = []
    serialize_to(items, parameters, pieces.append)
    return "".join(pieces)


def serialize_to(items: Iterable[Any], parameters: SerializationParameters, write: Callable[[str], object]) -> None:
    """Write a sequence in chunks, while it is read; what was written before an error stays written."""
    buffer = OutputBuffer(write)
    try:
        whole = _WHOLE_VALUES.get(parameters.method)
        if whole is not None:
            whole(items, parameters, buffer)
        else:
            _NORMALIZED[parameters.method](normalized(items, parameters.item_separator), parameters, buffer)
    finally:
        buffer.flush()
