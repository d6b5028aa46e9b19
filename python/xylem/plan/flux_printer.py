"""FluX programs as text, in the thesis' syntax: `{ ps $b: on-first past(author, title) return …; }`.

`ps` abbreviates `process-stream`, as in the thesis. Everything that fits on one line is written on one.
"""

from __future__ import annotations

from collections.abc import Iterable

from xylem.analysis.readable_names import with_readable_names
from xylem.syntax import ast, print_query

from .flux import (
    CloseWindows,
    Copy,
    Fixed,
    Flux,
    For,
    GiveItem,
    Handler,
    If,
    Leaf,
    On,
    OnEach,
    OnFirst,
    OnWindow,
    Opening,
    OpenWindows,
    ProcessStream,
    Sequence,
    Step,
)
from .symbols import written

WIDTH = 100


def print_flux(body: Flux, indent: int = 0, width: int = WIDTH) -> str:
    """The text of an expression of XQuery⁻ or FluX, without a line break at its end."""
    return "\n".join(" " * indent + line for line in _lines(body, width - indent))


def _lines(body: Flux, width: int) -> list[str]:
    short = _short(body)
    if short is not None and len(short) <= width:
        return [short]
    match body:
        case Sequence(parts=parts):
            return [line for part in parts for line in _lines(part, width)]
        case For(body=inner):
            return _block(f"{{ {_for_head(body)} return", [_lines(inner, width - 2)], " }")
        case If(condition=condition, body=inner):
            return _block(f"{{ if ({_text(condition)}) then", [_lines(inner, width - 2)], " }")
        case ProcessStream(variable=variable, handlers=handlers):
            return _block(f"{{ ps ${variable}:", [_handler(handler, variable, width - 2) for handler in handlers], " }")
        case Leaf(expression=expression):
            return ("{" + print_query(with_readable_names(expression)) + "}").splitlines()
        case OpenWindows(expression=expression):
            lines = print_query(with_readable_names(expression)).splitlines()
            return _block("{ open-windows:", [lines], " }")
    return [short or ""]


def _short(body: Flux) -> str | None:
    """The text on one line; None if it always needs several."""
    match body:
        case Fixed(text=text):
            return text
        case Opening(element=element):
            return print_query(with_readable_names(element)).removesuffix("/>").rstrip() + ">"
        case Copy(variable=variable, path=path):
            return f"{{{_path(variable, path)}}}"
        case Leaf(expression=expression):
            return f"{{{_text(expression)}}}"
        case OpenWindows(expression=expression):
            return f"{{ open-windows: {_text(expression)} }}"
        case GiveItem(variable=variable, source=source):
            return f"{{ give ${variable} }}" if source is None else f"{{ give {_text(source)} }}"
        case CloseWindows():
            return "{ close-windows }"
        case Sequence(parts=parts):
            return _joined(_short(part) for part in parts)
        case For(body=inner):
            return _around(f"{{ {_for_head(body)} return", inner, "}")
        case If(condition=condition, body=inner):
            return _around(f"{{ if ({_text(condition)}) then", inner, "}")
    return None


def _joined(parts: Iterable[str | None]) -> str | None:
    found = []
    for part in parts:
        if part is None:
            return None
        if part:
            found.append(part)
    return " ".join(found)


def _around(head: str, inner: Flux, tail: str) -> str | None:
    short = _short(inner)
    return None if short is None else f"{head} {short} {tail}"


def _block(head: str, blocks: Iterable[list[str]], tail: str) -> list[str]:
    lines = [head, *("  " + line for block in blocks for line in block)]
    lines[-1] += tail
    return lines


def _handler(handler: Handler, source: str, width: int) -> list[str]:
    head, body = _handler_head(handler, source)
    lines = _lines(body, width - 2)
    if len(lines) == 1 and len(head) + len(lines[0]) + 2 <= width:
        return [f"{head} {lines[0]}".rstrip() + ";"]
    return _block(head, [lines], ";")


def _handler_head(handler: Handler, source: str) -> tuple[str, Flux]:
    match handler:
        case On(step=step, variable=variable, body=body, through=through, position=position, outermost=outermost):
            counted = f" at ${position}" if position else ""
            which = "outermost " if outermost else ""
            return f"on {which}{_steps((*through, step))} as ${variable}{counted} return", body
        case OnFirst(symbols=symbols, body=body):
            return f"on-first past({written(symbols)}) return", body
        case OnWindow(path=path, window=window, variable=variable, body=body):
            return f"on-window {_window(source, path, window)} as ${variable} return", body
        case OnEach(path=path, window=window, variable=variable, body=body):
            return f"on-each past {_window(source, path, window)} as ${variable} return", body
    raise TypeError(handler)


def _for_head(loop: For) -> str:
    path = _path(loop.source, loop.path) if loop.window is None else _window(loop.source, loop.path, loop.window)
    counted = f" at ${loop.position}" if loop.position else ""
    path = f"outermost({path})" if loop.outermost else path
    where = "" if loop.where is None else f" where {_text(loop.where)}"
    return f"for ${loop.variable}{counted} in {path}{where}"


def _window(source: str, path: tuple[Step, ...], window: ast.DataWindow) -> str:
    reference = "" if window.reference is None else f"{_text(window.reference)} "
    step = "" if window.step is None else f" step {_text(window.step)}"
    return f"{_path(source, path)}|{reference}{window.kind} {_text(window.size)}{step}|"


def _path(variable: str, path: tuple[Step, ...]) -> str:
    steps = _steps(path)
    return f"${variable}" if not path else f"${variable}{steps if steps.startswith('//') else '/' + steps}"


def _steps(path: tuple[Step, ...]) -> str:
    text = ""
    for step in path:
        text += "//" if step.axis == "descendant" else "/" if text else ""
        text += step.name + "".join(f"[{_text(predicate)}]" for predicate in step.predicates)
    return text


def _text(expression: ast.Node) -> str:
    return " ".join(print_query(with_readable_names(expression)).split())
