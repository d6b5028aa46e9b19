"""The public interface: compile a query, run it, read its result. It only delegates.

    >>> import xylem
    >>> query = xylem.compile("declare variable $n external; for $i in 1 to $n return $i * $i")
    >>> list(query.run(variables={"n": 4}))
    [1, 4, 9, 16]
    >>> print(xylem.compile("<total>{ sum(//price) }</total>").run(xylem.parse("<a><price>2</price></a>")))
    <total>2</total>
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from os import PathLike
from typing import TYPE_CHECKING, Any

from xylem.external_names import external_names
from xylem.functions.external import DEFAULT_FUNCTIONS, ExternalFunction, Functions
from xylem.pipeline import Program, StaticEnvironment, compile_query
from xylem.result import Result
from xylem.run.deep_stack import drawn_deep
from xylem.source.module_files import ModuleFiles
from xylem.source.resources import FileResources
from xylem.values.node import Node
from xylem.values.python_values import sequence_from_python

if TYPE_CHECKING:
    from xylem.plan.explain import Explanation

__all__ = ["Functions", "Query", "Result", "compile", "function", "parse"]

function = DEFAULT_FUNCTIONS.function
"""Register a Python function for all queries: ``@xylem.function("udf:name", "xs:integer", "xs:string?")``."""


def compile(
    text: str,
    *,
    name: str = "query",
    base_uri: str | None = None,
    functions: Iterable[ExternalFunction] | None = None,
    module_folders: Iterable[str | PathLike[str]] = (),
) -> Query:
    """Compile a query; static errors are raised here, with their place.

    `name` is what errors call the text. Relative URIs in it are resolved against `base_uri`. `functions` replaces
    the functions registered with `xylem.function`. Library modules are read from `module_folders` only.
    """
    environment = StaticEnvironment(
        name=name,
        base_uri=base_uri,
        modules=ModuleFiles(module_folders),
        external_functions=tuple(DEFAULT_FUNCTIONS if functions is None else functions),
    )
    return Query(compile_query(text, environment))


def parse(source: str | bytes | PathLike[str], *, uri: str | None = None) -> Node:
    """The document in a file (a path) or in memory (text or bytes). `uri` becomes its document URI.

    >>> parse("<a>x</a>").string_value
    'x'
    """
    from xylem.source.xml_reader import read_document

    return read_document(source, uri)


class Query:
    """A compiled query, which may be run any number of times."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def run(
        self,
        context: Any = None,
        variables: Mapping[str, Any] | None = None,
        *,
        collection: Iterable[Any] | None = None,
        allow: Iterable[str | PathLike[str]] = (),
        environment: Mapping[str, str] | None = None,
    ) -> Result:
        """Run the query; the result is computed as it is read.

        `context` and the values of `variables` are Python values or nodes (`xylem.parse`); the names are `local`,
        `prefix:local` with a prefix the query declares, or `Q{uri}local`. `collection` is what ``collection()``
        gives. ``doc()`` and its like read below the directories of `allow` only, and ``environment-variable()``
        sees `environment` only.
        """
        bound = {name: sequence_from_python(value) for name, value in (variables or {}).items()}
        start = None if context is None else sequence_from_python(context)
        resources = FileResources(allow)
        if collection is not None:
            resources.add_collection(None, sequence_from_python(collection))
        for item in chain(start or (), *bound.values()):
            # A document that was passed in may also be asked for by its URI, and is then the same node.
            if isinstance(item, Node) and item.document_uri is not None:
                resources.add_document(item.document_uri, item)
        names = external_names(self._program, bound)
        items = self._program.run(
            resources,
            context=start,
            variables={names[name]: value for name, value in bound.items()},
            environment=environment,
        )
        return Result(drawn_deep(items) if self._program.may_recurse else items, self._program.output)

    def explain(self) -> Explanation:
        """How the query is executed."""
        from xylem.plan.explain import explain

        return explain(self._program)
