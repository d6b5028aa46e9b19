"""The classes of errors, one per stage, and how an error is shown."""

from __future__ import annotations

from .catalogue import CATALOGUE
from .input_place import InputPlace
from .source_text import Span

_LONGEST_LINE = 400
ERR_NAMESPACE = "http://www.w3.org/2005/xqt-errors"


class XylemError(Exception):
    """An error of the catalogue: a code, what happened, where, and a hint.

    `code` is a W3C or Xylem code such as ``XPST0008``, or ``Q{uri}local`` for an error a query raised in a namespace of
    its own. `why` adds the details of this case to the catalogue's general sentence. `value` is what ``fn:error``
    passed as its third argument, `name` the QName it was given, prefix included.
    """

    def __init__(
        self,
        code: str,
        why: str = "",
        *,
        span: Span | None = None,
        hint: str = "",
        value: object = (),
    ) -> None:
        entry = CATALOGUE.get(code)
        self.code = code
        self.title = entry.title if entry else ""
        self.why = why
        self.hint = hint or (entry.hint if entry else "")
        self.span = span
        self.value = value
        self.name: object = None
        self.description: str | None = None
        """The description that the query gave to error(); it may be empty."""
        super().__init__(self.message)

    @property
    def message(self) -> str:
        """The catalogue's sentence and the details, without code and place."""
        return ": ".join(part for part in (self.title, self.why) if part)

    @property
    def notes(self) -> list[str]:
        """Notes added later, such as the file that was being read (`add_note`)."""
        return list(getattr(self, "__notes__", ()))

    def at(self, span: Span | None) -> XylemError:
        """This error, placed at a span unless it already has a place."""
        if self.span is None:
            self.span = span
        return self

    def __str__(self) -> str:
        place = f" at {self.span.source.name}:{self.span.line}:{self.span.column}" if self.span else ""
        return f"{self.code}{place}: {self.message}"

    def render(self) -> str:
        """The error as a user sees it: headline, the query's line with a caret, notes, a hint."""
        lines = [str(self)]
        if self.span is not None:
            lines += _excerpt(self.span)
        lines += [f"  {note}" for note in self.notes]
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


def _excerpt(span: Span) -> list[str]:
    line, column = span.source.position(span.start)
    text = span.source.line(line)
    number = str(line)
    text, column = _around(text, column)
    width = max(1, min(span.end - span.start, len(text) - column + 1))
    # A tab before the caret keeps its width, so the caret stands under its place.
    pad = "".join("\t" if c == "\t" else " " for c in text[: column - 1])
    return [f"    {number} | {text}", f"    {' ' * len(number)} | {pad}{'^' * width}"]


def _around(text: str, column: int) -> tuple[str, int]:
    """The shown part of a very long line, and the column in it."""
    if len(text) <= _LONGEST_LINE:
        return text, column
    start = max(0, min(column - 1 - _LONGEST_LINE // 2, len(text) - _LONGEST_LINE))
    shown, column = text[start : start + _LONGEST_LINE], column - start
    if start:
        shown, column = f"…{shown}", column + 1
    return (f"{shown}…" if start + _LONGEST_LINE < len(text) else shown), column


class StaticError(XylemError):
    """Found before anything runs: grammar, names, static types."""


class SyntaxFault(StaticError):
    """The text does not follow the grammar."""


class DynamicError(XylemError):
    """Raised while a query runs, type errors included."""


class InputError(DynamicError):
    """The input cannot be read: malformed XML, a limit, a missing or forbidden file.

    `place` is the place in the input, `source` the name of the input, `detail` the fault; the message has all three.
    `limit` is the exceeded limit, which a caller may know by another name.
    """

    def __init__(
        self,
        code: str,
        why: str = "",
        *,
        span: Span | None = None,
        hint: str = "",
        value: object = (),
        place: InputPlace | None = None,
        source: str = "",
        limit: str = "",
    ) -> None:
        self.detail = why
        self.limit = limit
        self.place = place
        self.source = source
        told = f"{source}: {why}" if source else why
        super().__init__(code, told if place is None else f"{told}{place}", span=span, hint=hint, value=value)

    def located(self, source: str = "", place: InputPlace | None = None) -> InputError:
        """This error, with the name of the input, or at another place."""
        source, place = source or self.source, place or self.place
        return InputError(
            self.code, self.detail, span=self.span, hint=self.hint, place=place, source=source, limit=self.limit
        )


class EngineBug(XylemError):
    """An internal fault of Xylem, never a mistake of the user."""
