"""Write calls of built-in functions as Python expressions, if types and literals prove that both mean the same.

    substring($s, 7, 4)              →     s[6:10]
    tokenize($s, ", ")               →     s.split(', ') if s else []
    string-join($strings, "+")       →     '+'.join(strings)
    sort($strings)                   →     sorted(strings)

Gain:   saves a call, its checks and its lookups for each item: most of the cost of such a function.
Needs:  arguments converted as the signature asks; a pattern without special characters; the codepoint collation.
Safe:   if an expression would not mean the same, or a pattern is faulty, the code calls the function, with its errors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xylem.errors import DynamicError
from xylem.functions.registry import FN, Builtin
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values.sequence_type import AtomicItem, Occurrence, SequenceType

from .code import Code, Shape, atomic, boolean, many, optional
from .compiler import Compiler
from .operators import default_collation

Arguments = Sequence[ast.Expr]
Direct = Callable[[Compiler, Arguments, Sequence[Code]], "Code | None"]

_CHARACTERS = (at.STRING, at.UNTYPED_ATOMIC)
_OF_ONE_ORDER = {
    kind: kind
    for kind in (
        at.STRING,
        at.BOOLEAN,
        at.INTEGER,
        at.DECIMAL,
        at.DOUBLE,
        at.FLOAT,
        at.DATE,
        at.TIME,
        at.DATE_TIME,
        at.YEAR_MONTH_DURATION,
        at.DAY_TIME_DURATION,
    )
} | {at.UNTYPED_ATOMIC: at.DOUBLE}
"""The value types for which an extreme value is well defined, by type."""


def direct_call(c: Compiler, builtin: Builtin, arguments: Arguments, given: Sequence[Code]) -> Code | None:
    """A call of a function as a Python expression; `given` are its converted arguments."""
    write = _DIRECT.get((builtin.local, len(given))) if builtin.uri == FN else None
    return None if write is None else write(c, arguments, given)


def refined(builtin: Builtin, given: Sequence[Code], result: Code) -> Code:
    """The result of a call, with the type implied by the types of its arguments."""
    if builtin.uri != FN or not given:
        return result
    kind = given[0].atomic
    if builtin.local in ("min", "max") and kind in _OF_ONE_ORDER:
        return optional(result.text, AtomicItem(_OF_ONE_ORDER[kind]))
    if builtin.local == "sort" and kind is not None:
        return result.typed(SequenceType(AtomicItem(kind), Occurrence.MANY))
    return result


def _text(code: Code) -> str | None:
    """The characters of an xs:string?, '' for the empty sequence; None for any other type of argument."""
    if code.atomic is None or not (code.atomic.derives_from(at.STRING) or code.atomic in _CHARACTERS):
        return None
    text = code.text if code.simple else f"({code.text})"
    if code.shape is Shape.ONE:
        return text
    return f"({text} or '')" if code.shape is Shape.OPTIONAL else None


def _method(call: str) -> Direct:
    """A function that is a method of str."""

    def write(c: Compiler, arguments: Arguments, given: Sequence[Code]) -> Code | None:
        text = _text(given[0])
        return None if text is None else atomic(f"{text}.{call}()", at.STRING)

    return write


def _string_length(c: Compiler, arguments: Arguments, given: Sequence[Code]) -> Code | None:
    text = _text(given[0])
    return None if text is None else atomic(f"len({text})", at.INTEGER)


def _substring(c: Compiler, arguments: Arguments, given: Sequence[Code]) -> Code | None:
    """substring with literal positions that are whole numbers."""
    text, numbers = _text(given[0]), [_whole(argument) for argument in arguments[1:]]
    if text is None or None in numbers:
        return None
    first, *length = [number for number in numbers if number is not None]
    start = max(first, 1) - 1
    if not length:
        return atomic(f"{text}[{start}:]", at.STRING)
    end = first + length[0] - 1
    return atomic(f"{text}[{start}:{end}]", at.STRING) if end > start else None


def _whole(node: ast.Expr) -> int | None:
    """A literal whole number small enough to be a string position."""
    return node.value if isinstance(node, ast.IntegerLiteral) and node.value < 1 << 40 else None


def _tokenize(c: Compiler, arguments: Arguments, given: Sequence[Code]) -> Code | None:
    separator = _plain_pattern(arguments[1])
    if separator is None or _text(given[0]) is None:
        return None
    text = c.bind(given[0]).text
    return many(f"({text}.split({separator!r}) if {text} else [])", AtomicItem(at.STRING), reread=True)


def _replace(c: Compiler, arguments: Arguments, given: Sequence[Code]) -> Code | None:
    text, pattern, replacement = _text(given[0]), _plain_pattern(arguments[1]), arguments[2]
    if text is None or pattern is None or not isinstance(replacement, ast.StringLiteral):
        return None
    if "\\" in replacement.value or "$" in replacement.value:
        return None
    return atomic(f"{text}.replace({pattern!r}, {replacement.value!r})", at.STRING)


def _matches(c: Compiler, arguments: Arguments, given: Sequence[Code]) -> Code | None:
    text, pattern = _text(given[0]), _plain_pattern(arguments[1])
    return None if text is None or pattern is None else boolean(f"({pattern!r} in {text})")


def _plain_pattern(node: ast.Expr) -> str | None:
    """The text that a literal regular expression matches; None if it is more than text, faulty, or empty."""
    from xylem.values.regular_expression import regular_expression

    if not isinstance(node, ast.StringLiteral):
        return None
    try:
        return regular_expression(node.value).literal or None
    except DynamicError:
        return None


def _contains(c: Compiler, arguments: Arguments, given: Sequence[Code]) -> Code | None:
    whole, part = map(_text, given)
    if whole is None or part is None or default_collation(c) != "None":
        return None
    return boolean(f"({part} in {whole})")


def _edge(method: str) -> Direct:
    def write(c: Compiler, arguments: Arguments, given: Sequence[Code]) -> Code | None:
        whole, part = map(_text, given)
        if whole is None or part is None or default_collation(c) != "None":
            return None
        return boolean(f"{whole}.{method}({part})")

    return write


def _string_join(c: Compiler, arguments: Arguments, given: Sequence[Code]) -> Code | None:
    values = given[0]
    separator = _text(given[1]) if len(given) > 1 else "''"
    if values.atomic not in _CHARACTERS or separator is None or not _is_sequence(values):
        return None
    return atomic(f"{separator}.join({values.text})", at.STRING)


def _sort(c: Compiler, arguments: Arguments, given: Sequence[Code]) -> Code | None:
    values = given[0]
    if values.atomic not in (at.STRING, at.INTEGER) or default_collation(c) != "None":
        return None
    return many(f"sorted({values.text})", values.item, reread=True) if _is_sequence(values) else None


def _is_sequence(code: Code) -> bool:
    return code.shape in (Shape.SEQUENCE, Shape.ITERABLE) and not code.endless


def _field(name: str) -> Direct:
    """A part of a date or time."""

    def write(c: Compiler, arguments: Arguments, given: Sequence[Code]) -> Code | None:
        value = given[0]
        kind = AtomicItem(at.DECIMAL if name == "second" else at.INTEGER)
        if value.shape is Shape.ONE and value.atomic is not None:
            return atomic(f"{value.text}.{name}", kind.type)
        if value.shape is not Shape.OPTIONAL or value.is_empty:
            return None
        value = c.bind(value)
        return optional(f"(None if {value.text} is None else {value.text}.{name})", kind)

    return write


_DIRECT: dict[tuple[str, int], Direct] = {
    ("upper-case", 1): _method("upper"),
    ("string-length", 1): _string_length,
    ("substring", 2): _substring,
    ("substring", 3): _substring,
    ("tokenize", 2): _tokenize,
    ("replace", 3): _replace,
    ("matches", 2): _matches,
    ("contains", 2): _contains,
    ("starts-with", 2): _edge("startswith"),
    ("ends-with", 2): _edge("endswith"),
    ("string-join", 1): _string_join,
    ("string-join", 2): _string_join,
    ("sort", 1): _sort,
    **{
        (f"{part}-from-{source}", 1): _field(part)
        for part in ("year", "month", "day")
        for source in ("date", "dateTime")
    },
    **{
        (f"{part}s-from-{source}", 1): _field(part)
        for part in ("hour", "minute", "second")
        for source in ("time", "dateTime")
    },
}
