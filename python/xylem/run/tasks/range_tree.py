"""The tree of a range, or of a whole input, for queries that do not stream; errors refer to the whole file."""

from __future__ import annotations

from typing import Any

from xylem.errors import InputError
from xylem.source.byte_source import ByteSource
from xylem.source.limits import Limits
from xylem.source.message_inputs import MessageSource
from xylem.source.xml_reader import read_document
from xylem.values.node import Node

from ..stream.run import Statistics


def range_tree(source: Any, limits: Limits, statistics: Statistics | None = None) -> Node:
    """The document; XYIN0001 names the file and the place in it, whichever part of it was read."""
    if isinstance(source, MessageSource):
        return source.document()[0]
    with ByteSource.of(source, limits.decompression_ratio) as opened:
        data = b"".join(opened)
        if statistics is not None:
            statistics.input_bytes = opened.position
        try:
            return read_document(data, opened.uri, limits=limits)
        except InputError as error:
            raise opened.located(error.located(opened.name or "")) from error.__cause__
