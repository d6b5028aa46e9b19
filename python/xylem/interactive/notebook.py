"""Jupyter and IPython: `%load_ext xylem`, then `%xquery` and `%%xquery` with rich answers.

    %%xquery books.xml --explain
    for $b in //book where $b/@year > 2000 return map { "title": string($b/title), "year": xs:integer($b/@year) }

Rows (maps with literal keys, flat elements) are shown as a table, anything else as XML; `_` is the answer. `--plot`
shows how much the query buffered while it read its input.
"""

from __future__ import annotations

import argparse
import html
import shlex
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

from xylem.errors import InputError, XylemError

MOST_SHOWN = 50


class Answer:
    """The items of an answer, and the ways a notebook shows them; only the first page is read at first."""

    def __init__(self, query: Any, items: Iterable[Any]) -> None:
        from xylem.tables.row_shape import Record, answer_shape

        shape = answer_shape(query.compiled).item
        self._shape = shape
        self._is_table = isinstance(shape, Record)
        rest = iter(items)
        self._shown = list(islice(rest, MOST_SHOWN))
        self._rest = rest
        self._all: list[Any] | None = None

    @property
    def xdm(self) -> list[Any]:
        """All items in XQuery's data model."""
        if self._all is None:
            self._all = [*self._shown, *self._rest]
        return self._all

    @property
    def items(self) -> list[Any]:
        """All items as Python values."""
        from xylem.values.python_values import python_from_item

        return [python_from_item(item) for item in self.xdm]

    def to_pandas(self) -> Any:
        """The rows as a DataFrame of pandas."""
        from xylem.tables.arrow_columns import batch_reader
        from xylem.tables.frames import pandas_frame

        return pandas_frame(batch_reader(self.xdm, self._shape))

    def __repr__(self) -> str:
        from xylem.tables.item_values import text_of

        return "\n".join(map(text_of, self._shown))

    def _repr_html_(self) -> str:
        from xylem.tables.formats import cell
        from xylem.tables.item_values import row_of, text_of

        more = "<p>… the first of more results</p>" if len(self._shown) == MOST_SHOWN else ""
        if not self._is_table:
            return "".join(f"<pre>{html.escape(text_of(item))}</pre>" for item in self._shown) + more
        rows = [row_of(self._shape)(item) for item in self._shown]
        names = "".join(f"<th>{html.escape(name)}</th>" for name in (rows[0] if rows else ()))
        lines = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell(value))}</td>" for value in row.values()) + "</tr>" for row in rows
        )
        return f"<table><thead><tr>{names}</tr></thead><tbody>{lines}</tbody></table>{more}"


class Explained:
    """The explanation beside the answer."""

    def __init__(self, text: str, answer: Answer | None) -> None:
        self.text = text
        self.answer = answer

    def __repr__(self) -> str:
        return self.text if self.answer is None else f"{self.text}\n{self.answer!r}"

    def _repr_html_(self) -> str:
        shown = "" if self.answer is None else self.answer._repr_html_()
        return f"<details open><summary>explain</summary><pre>{html.escape(self.text)}</pre></details>{shown}"


class Plotted:
    """The plot of the buffers above the answer."""

    def __init__(self, svg: str, answer: Answer) -> None:
        self.svg = svg
        self.answer = answer

    def __repr__(self) -> str:
        return repr(self.answer)

    def _repr_html_(self) -> str:
        return f"{self.svg}{self.answer._repr_html_()}"


def _arguments(line: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser("%%xquery", description="Run the query of this cell.")
    parser.add_argument("input", nargs="?", help="the document: a path, a URL, or the name of a variable")
    parser.add_argument("-i", "--input", dest="named", help="the same, as on the command line")
    parser.add_argument("--explain", action="store_true", help="explain how the query runs, too")
    parser.add_argument("--plot", action="store_true", help="plot the buffers of the run, too")
    parser.add_argument("--ns", action="append", default=[], metavar="PREFIX=URI")
    parser.add_argument("--default-ns", metavar="URI|auto")
    return parser.parse_args(shlex.split(line))


def xquery(line: str, cell: str, variables: dict[str, Any]) -> Answer | Explained | Plotted | None:
    """Run a cell: its text is the query, and external variables take their values from the notebook."""
    from xylem import api

    try:
        given = _arguments(line)
    except SystemExit:
        return None
    namespaces = dict(pair.split("=", 1) for pair in given.ns)
    name = given.named or given.input
    source = variables.get(name, name) if name else None
    if given.default_ns:
        namespaces[""] = _namespace_of_root(source) if given.default_ns == "auto" else given.default_ns
    query = api.compile(cell, namespaces=namespaces)
    bound = {name.local: variables[name.local] for name in query.external_variables if name.local in variables}
    if given.plot:
        return _plotted(query, source, bound)
    answer = Answer(query, _items(query, source, bound))
    _tell_of_namespaces(query, cell, source, answer)
    return Explained(query.explain().to_text(), answer) if given.explain else answer


def _head(source: Any) -> bytes:
    """The first bytes of an input that can be read again; none of another."""
    from xylem.source.byte_source import ByteSource
    from xylem.source.root_element import head_of

    if not isinstance(source, (str, bytes, Path)):
        return b""
    with ByteSource.of(source) as opened:
        return head_of(opened)


def _namespace_of_root(source: Any) -> str:
    from xylem import api
    from xylem.source.root_element import root_element
    from xylem.values.node import Node

    if isinstance(source, Node):
        uri: str = api.compile("(self::*, *)[1]/namespace-uri()").run(source).serialize(method="text")
        return uri
    root = root_element(_head(source))
    if root is None:
        raise InputError("XYIN0002", "no root element was found to take the namespace from")
    return root.uri


def _tell_of_namespaces(query: Any, text: str, source: Any, answer: Answer) -> None:
    """Print a note if nothing was found because the input is in another namespace."""
    from xylem.query.unmatched_names import advice_for, is_nothing

    if source is not None and is_nothing(repr(answer)):
        told = advice_for(query.compiled, text, _head(source))
        if told is not None:
            print(told)


def _plotted(query: Any, source: Any, bound: dict[str, Any]) -> Plotted:
    """A streamed run with its plot, which needs the whole answer; XYST0004 if the query cannot stream."""
    from xylem.run.stream.plot import BufferPlot, in_small_pieces
    from xylem.source.byte_source import ByteSource

    plot = BufferPlot()
    result = query.stream(in_small_pieces(ByteSource.of(source)), variables=bound)
    result.statistics.is_exact = True
    result.watch(plot.sample)
    answer = Answer(query, list(result.xdm()))
    return Plotted(plot.svg(), answer)


def _items(query: Any, source: Any, bound: dict[str, Any]) -> Iterable[Any]:
    from xylem.stream_result import StreamResult
    from xylem.values.element_trees import is_element_tree, is_foreign_element
    from xylem.values.node import Node

    if source is None or isinstance(source, Node) or is_foreign_element(source) or is_element_tree(source):
        items: Iterable[Any] = query.run(source, bound).drawn()
        return items
    streamed: Iterable[Any] = query._read(source, {"variables": bound}, StreamResult.xdm)
    return streamed


def load_ipython_extension(ipython: Any) -> None:
    """`%load_ext xylem`"""

    def magic(line: str, cell: str | None = None) -> Any:
        # `%xquery QUERY` has no room for options; `%%xquery OPTIONS` has the query in its cell.
        text, options = (line, "") if cell is None else (cell, line)
        try:
            return xquery(options, text, ipython.user_ns)
        except XylemError as error:
            print(error.render())
            return None

    ipython.register_magic_function(magic, "line_cell", "xquery")
