"""Runs over parts of the input in this process: several files one after another, or one file with checkpoints."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .query_source import QuerySource, output_parameters, variables

if TYPE_CHECKING:
    from xylem.run.tasks.program import DistributedProgram
    from xylem.spark.shipped_query import ShippedQuery

    from .run_query import RunOptions


def parts_query(source: QuerySource, options: RunOptions, *, several_documents: bool) -> ShippedQuery:
    """The query with its variables and limits, prepared as for another process."""
    from xylem.spark.shipped_query import shipped_query

    return shipped_query(
        source.text,
        variables=variables(options.values, options.documents),
        name=source.name,
        base_uri=source.base_uri,
        namespaces=source.namespaces,
        module_folders=[source.folder],
        allow=options.allowed,
        environment=dict(os.environ) if options.allow_environment else None,
        limits=options.limits,
        scanner=options.scanner,
        # Tables need items; for an answer in XML, tasks give text.
        output=output_parameters(options.output_parameters) if options.format is None else {"method": "adaptive"},
        several_documents=several_documents,
        event_time=options.event_time,
        late_items=options.late_items,
    )


def encoder(program: DistributedProgram) -> Callable[[str], bytes]:
    """Turns the text of the answer into bytes."""
    from xylem.sink.output_encoding import byte_encoder
    from xylem.sink.serialization_parameters import SerializationParameters

    parameters: dict[str, Any] = {**program.output, "method": "xml"}
    return byte_encoder(SerializationParameters.from_options(parameters))
