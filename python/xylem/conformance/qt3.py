"""The adapter between the runner of the W3C suite and Xylem.

The contract stands at the top of the runner: one call compiles and evaluates a query completely, documents come as
files with URIs, and any `file:` URI may be read. Documents are kept between calls, so that the many cases of a test set
that share one do not parse it again; this is possible because they are immutable.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Protocol

from xylem.analysis.static_context import resolved_uri
from xylem.pipeline import StaticEnvironment, compile_query
from xylem.sink.serialization_parameters import SerializationParameters, declared_parameters
from xylem.sink.serialize import serialize
from xylem.source.resources import FileResources
from xylem.values.node import Node

EVERYWHERE = Path.cwd().anchor


class Document(Protocol):
    """An XML file of the suite, not yet parsed."""

    path: str
    uri: str


class Resource(Protocol):
    """A text of the suite."""

    path: str
    encoding: str | None
    media_type: str | None


class Module(Protocol):
    """A library module of a case; `location` is what an `at` hint resolves to."""

    uri: str
    location: str | None
    path: str


class CaseResult:
    """All items of one evaluation, and the serialization parameters of its query."""

    def __init__(self, items: Sequence[Any], output: SerializationParameters) -> None:
        self.items = items
        self.output = output

    def serialize(self, params: Mapping[str, str] | None) -> str:
        """Serialize by the output declarations of the query, or by these parameters instead."""
        return serialize(self.items, self.output if params is None else SerializationParameters.from_options(params))


def evaluate(
    query: str,
    *,
    context_item: Document | CaseResult | None,
    variables: Mapping[str, Document | CaseResult],
    base_uri: str | None,
    sources: Mapping[str, str],
    resources: Mapping[str, Resource],
    collections: Mapping[str, Sequence[Document | CaseResult]],
    modules: Sequence[Module],
) -> CaseResult:
    """Compile and run one query of the suite."""
    reachable = CaseResources(sources, resources, collections)
    environment = StaticEnvironment(base_uri=base_uri, modules=CaseModules(modules, reachable))
    program = compile_query(query, environment)
    base = program.static_base_uri
    output = declared_parameters(program.output, lambda uri: reachable.document(resolved_uri(base, uri)))
    items = program.evaluate(
        reachable,
        context=None if context_item is None else _items(context_item),
        variables={_expanded(name): _items(value) for name, value in variables.items()},
        environment=os.environ,
    )
    return CaseResult(items, output)


class CaseResources(FileResources):
    """The documents, texts and collections of a case, and every file."""

    def __init__(
        self,
        sources: Mapping[str, str],
        texts: Mapping[str, Resource],
        collections: Mapping[str, Sequence[Document | CaseResult]],
    ) -> None:
        super().__init__(allow=[EVERYWHERE], read_external_entities=True)
        self._sources = sources
        for uri, path in sources.items():
            # A text function also finds the file when it uses the same URI.
            self.add_document(uri, Path(path))
        for uri, text in texts.items():
            self.add_text(uri, Path(text.path), text.encoding, text.media_type)
        for uri, members in collections.items():
            self.add_collection(uri, partial(_all_items, members))

    def document(self, uri: str) -> Node:
        path = self._sources.get(uri)
        return super().document(uri) if path is None else _document(path, uri)


class CaseModules:
    """The library modules of a case, by location where a hint names one, else by namespace, else as files."""

    def __init__(self, modules: Sequence[Module], resources: FileResources) -> None:
        self.modules = modules
        self.resources = resources

    def __call__(self, uri: str, locations: Sequence[str]) -> list[tuple[str, str]]:
        hinted = [m for m in self.modules if m.uri == uri and m.location in locations]
        known = hinted or [m for m in self.modules if m.uri == uri]
        if known:
            return [(module.location or Path(module.path).as_uri(), _module_text(module.path)) for module in known]
        return [(location, self.resources.module_text(location)) for location in locations]


def _module_text(path: str) -> str:
    return Path(path).read_text(encoding="utf-8-sig")


def _expanded(name: str) -> tuple[str, str]:
    """`local` or `Q{uri}local` as (uri, local)."""
    uri, _, local = name.removeprefix("Q{").rpartition("}")
    return uri, local


def _all_items(members: Sequence[Document | CaseResult]) -> list[Any]:
    return [item for member in members for item in _items(member)]


def _items(value: Document | CaseResult) -> Sequence[Any]:
    return value.items if isinstance(value, CaseResult) else (_document(value.path, value.uri),)


@lru_cache(maxsize=64)
def _document(path: str, uri: str) -> Node:
    files = FileResources(allow=[Path(Path.cwd().anchor)], read_external_entities=True)
    files.add_document(uri, Path(path))
    return files.document(uri)
