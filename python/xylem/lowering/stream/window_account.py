"""The state of windows over a stream, for the account that `explain` prints."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import TYPE_CHECKING

from xylem.analysis.projection import Projection, project
from xylem.errors import Span
from xylem.plan.bounds import A_WINDOW, THE_RESULTS, THE_STREAM
from xylem.plan.flux import ITEMS, OpenWindows
from xylem.plan.flux_plan import Buffered
from xylem.plan.window_brackets import opened_windows
from xylem.run.windows.landmark import LandmarkCursor
from xylem.syntax import ast

from .window_code import is_distinct, keeps_results, window_clause

if TYPE_CHECKING:
    from xylem.run.stream.program import StreamProgram


def held_by_windows(program: StreamProgram) -> Iterator[Buffered]:
    """The items of open windows, and results that wait for the last window."""
    # Rules may have found that the items are not read; the compiler noted it.
    forgotten = {note.span for note in program.handlers.notes if note.topic == "items"}
    # Landmark windows with one end for each start are sliding ones.
    has_landmarks = LandmarkCursor.__name__ in program.handlers.code
    for opened in opened_windows(program.plan.program):
        yield from _held(opened, forgotten, has_landmarks)


def _held(opened: OpenWindows, forgotten: Container[Span], has_landmarks: bool) -> Iterator[Buffered]:
    expression = opened.expression
    clause = window_clause(expression)
    if clause is None:
        if is_distinct(expression):
            yield Buffered("results", ("each different value",), "the last window has ended", THE_STREAM, True)
        elif keeps_results(expression):
            yield Buffered("results", ("what windows give",), "the last window has ended", THE_RESULTS)
        return
    # A loop over window results holds none of them.
    is_loop = isinstance(clause, ast.ForClause) and not isinstance(clause.collection, ast.DataWindow)
    if not is_loop and clause.span not in forgotten:
        kept = Projection()
        project(expression, {ITEMS.expanded: kept})
        paths = tuple(kept.paths()) or ("item",)
        if _keeps_all(clause, has_landmarks):
            yield Buffered(str(clause.name), paths, "the last item has come", THE_STREAM, True)
        else:
            yield Buffered(str(clause.name), paths, "no open window needs it", A_WINDOW)
    if keeps_results(expression):
        told, bound = ("what windows give", THE_RESULTS) if is_loop else ("the tuples of all windows", THE_STREAM)
        yield Buffered(f"{clause.name}", (told,), "the last window has ended", bound)


def _keeps_all(clause: ast.Clause, has_landmarks: bool) -> bool:
    """Whether an item may be in a future window, however long ago it arrived."""
    if not isinstance(clause, ast.ForseqClause):
        return False
    # Every sub-sequence is a window; a landmark stays a first item for good.
    return clause.window is None or (has_landmarks and clause.window.kind == "landmark")
