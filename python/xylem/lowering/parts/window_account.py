"""The state that windows over a stream will keep, and where: `explain` reports it before anything runs.

keyed state, by $u := user
  items   /log/entry, found by tasks, shuffled by key
  holds   for each key the items of the open window; sum($w/v), kept as items pass
  bound   the items of one window of each key; keys stay, at most held-items of them (XYDY0010)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xylem.analysis.event_order_call import event_order_call
from xylem.analysis.readable_names import with_readable_names
from xylem.functions.registry import FN
from xylem.run.tasks.program import DistributedProgram
from xylem.run.tasks.windows_task import WindowsTask
from xylem.syntax import ast, print_query

_OPEN = {
    "tumbling": ("the items of the open window", "the items of one window"),
    "sliding": ("the items since the oldest open window", "the items of the longest windows that overlap"),
    "landmark": (
        "all items since the first start, which stays for good",
        "none: what a landmark window holds grows with the stream",
    ),
    "count": ("the items of the windows that are not complete", "as many items as a window has"),
    "diff": ("the items of the windows that are not complete", "the items whose values lie within one window"),
    "": ("all items", "none: every sub-sequence is asked for"),
}


@dataclass(frozen=True)
class WindowAccount:
    """The memory of one window clause over a stream."""

    line: int
    state: str
    """`keyed state, by …` or `sequential state`."""
    items: str
    holds: tuple[str, ...]
    bound: str

    def lines(self) -> list[str]:
        return [
            f"windows, line {self.line}: {self.state}",
            f"    items   {self.items}",
            *(f"    holds   {held}" for held in self.holds),
            f"    bound   {self.bound}",
        ]


def window_accounts(
    program: DistributedProgram, body: ast.Node, waits_for_end: Callable[[], bool]
) -> list[WindowAccount]:
    """The memory of each window clause of a program over a stream that is one endless document.

    `body`: the query; `waits_for_end`: whether one process would need memory that grows with the stream.
    """
    tasks = [program.windows(part.number) for part in program.distribution.parts]
    formed = [task for task in tasks if task is not None]
    if formed and program.windows_go_on(waits_for_end):
        return [_account(task) for task in formed]
    return [_in_order(node, waits_for_end()) for node in body.walk() if isinstance(node, _CLAUSES)]


_CLAUSES = (ast.WindowClause, ast.ForseqClause, ast.DataWindow)


def _in_order(clause: ast.Node, waits_for_end: bool) -> WindowAccount:
    """Windows in a query that a single program answers, which sees the stream in order."""
    return WindowAccount(
        clause.span.line,
        "no state of its own: one program on the driver sees the stream in its order",
        "whatever it asks for",
        ("what `xylem explain` tells of one process",),
        "that of one process"
        + ("; it waits for the end of the stream" if waits_for_end else "")
        + "; after a restart it sees the stream again, from its beginning",
    )


def _account(task: WindowsTask) -> WindowAccount:
    part = task.part
    windowed = part.windowed
    assert windowed is not None
    kind, order = _clause(windowed.query)
    keeps_items = not any(note.topic == "items" for note in task.program.notes)
    open_items, bound = _OPEN[kind]
    holds = [open_items] if keeps_items else []
    holds += [note.text for note in task.program.notes if note.topic == "aggregate"]
    after: tuple[str, ...]
    if part.function:
        after = (f"of their results {part.function}(…), as its state",)
    else:
        after = () if task.is_text else ("their results, until the stream ends",)
    if not holds:
        holds = ["where the open windows began"]
    if windowed.time is not None or order is not None:
        delay = windowed.watermark or (order or "")
        holds.append(f"items that wait for their turn in event time, for {delay}")
    if not keeps_items and kind != "landmark":
        is_column = kind == "sliding" and any(note.topic == "aggregate" for note in task.program.notes)
        bound = "the values of the items in open windows" if is_column else "a few values for each open window"
    of_items = _printed(part.body)
    if windowed.key is None:
        return WindowAccount(
            part.source.span.line,
            "sequential state, in the one order of the stream, on the driver",
            f"{of_items}, found by tasks",
            (*holds, *after),
            bound,
        )
    keys = "keys without an open window are forgotten" if _forgets_keys(task) else "keys stay"
    return WindowAccount(
        part.source.span.line,
        f"keyed state, by ${windowed.key_name} := {_key(windowed.key)}",
        f"{of_items}, found by tasks, shuffled by key",
        ("for each key " + holds[0], *holds[1:], *after),
        f"{bound}, for each key; {keys}, at most held-items of them (XYDY0010)",
    )


def _forgets_keys(task: WindowsTask) -> bool:
    return any(note.topic == "keys" for note in task.program.notes)


def _clause(query: ast.Expr) -> tuple[str, str | None]:
    """The kind of the windows, and the bound of their event time."""
    while isinstance(query, ast.Flwor) and all(isinstance(clause, ast.LetClause) for clause in query.clauses):
        query = query.result
    assert isinstance(query, ast.Flwor)
    for clause in query.clauses:
        match clause:
            case ast.WindowClause(kind=kind, collection=collection):
                return kind, _delay(collection)
            case ast.ForseqClause(window=window, collection=collection):
                return "" if window is None else window.kind, _delay(collection)
            case ast.ForClause(collection=ast.DataWindow(kind=kind, base=base)):
                return "count" if kind == "count" else "diff", _delay(base)
    raise AssertionError("a part of windows has a window clause")


def _delay(collection: ast.Expr) -> str | None:
    order = event_order_call(collection)
    return order.bound.value if order is not None and isinstance(order.bound, ast.StringLiteral) else None


def _key(function: ast.Expr) -> str:
    while isinstance(function, ast.Flwor):
        function = function.result
    assert isinstance(function, ast.InlineFunction)
    body = function.body
    while isinstance(body, ast.FunctionCall) and body.name.expanded == (FN, "data"):
        body = body.arguments[0]
    if isinstance(body, ast.SimpleMap):
        body = body.right
    return _printed(body) if body is not None else ""


def _printed(expr: ast.Expr) -> str:
    return " ".join(print_query(with_readable_names(expr)).split())
