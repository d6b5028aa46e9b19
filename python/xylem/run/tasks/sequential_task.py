"""A query that cannot be divided: one task that gets the whole input, in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from xylem.functions.context import Context, Resources
from xylem.values.node import Node

from .answer_text import AnswerText
from .map_task import MapTask
from .part_query import RunOptions
from .range_tree import range_tree
from .rows import Row


class SequentialTask(MapTask):
    """One task that computes the whole answer. Several inputs are the documents of the query's collection.

    Holds:  the memory of the query in one process; with several inputs also their trees.
    """

    def prepare(self) -> None:
        super().prepare()
        self.query.prepare_value()

    def make(self, source: Any, range_number: int, run: RunOptions, context: Context, each_item: bool) -> Iterator[Row]:
        if not isinstance(source, list):
            return super().make(source, range_number, run, context, each_item)
        documents = [range_tree(each, run.limits) for each in source]
        items = self.query.evaluated(replace(run, resources=_WithCollection(run.resources, documents)))
        if self.text is None or each_item:
            return self.single_rows(items, range_number, each_item)
        writer = self.text.writer()
        return self.text_rows(_written(items, writer), writer, range_number)


def _written(items: Iterator[Any], writer: AnswerText) -> Iterator[None]:
    for item in items:
        writer.item(item)
        yield


class _WithCollection:
    """Resources whose default collection is the input."""

    def __init__(self, resources: Resources, documents: list[Node]) -> None:
        self._resources = resources
        self._documents = documents

    def collection(self, uri: str | None) -> list[Any]:
        return self._resources.collection(uri) if uri else list(self._documents)

    def document(self, uri: str) -> Node:
        return self._resources.document(uri)

    def collection_uris(self, uri: str | None) -> list[str]:
        if uri:
            return self._resources.collection_uris(uri)
        return [found for document in self._documents if (found := document.document_uri) is not None]

    def text(self, uri: str, encoding: str | None) -> str:
        return self._resources.text(uri, encoding)

    def entity(self, uri: str) -> bytes | None:
        return self._resources.entity(uri)

    def module_text(self, uri: str) -> str:
        return self._resources.module_text(uri)
