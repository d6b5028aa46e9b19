"""A distributed run in one process: every range one after another, rows kept in memory. The tests' transport."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from xylem.source.byte_ranges import ByteRange
from xylem.source.byte_source import ByteSource, Source

from .program import DistributedProgram


def run_in_process(
    program: DistributedProgram, ranges: Iterable[Source | ByteSource | ByteRange], **options: Any
) -> str:
    """The text of the answer over ranges in the order of the input; options as for `DistributedProgram.task`."""
    raise NotImplementedError
