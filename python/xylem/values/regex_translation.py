"""From the regular expressions of XPath (F&O 3.1 §5.6.1, XSD 1.1 part 2 §G) to those of the `regex` module.

The expression is parsed by its grammar: syntax that XPath forbids is refused although Python would accept it, and
syntax with another meaning in Python is rewritten: `$` never matches before a final newline, `.` leaves out carriage
returns, and a back-reference to a group that took no part matches the empty string.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from xylem.errors import DynamicError

from .case_variants import case_variants
from .regex_classes import MULTI_ESCAPES, SINGLE_ESCAPES, CharacterClass, escaped, property_class

_MOST_REPETITIONS = 2**31 - 1
_MOST_REPETITION_DIGITS = 10
_MOST_REQUIRED = 1_000_000
EXPONENTIAL = 1000
_LINE_START = r"(?:\A|(?<=\n)(?!\Z))"  # Not after a newline that ends the text.
_LINE_END = r"(?:\Z|(?=\n))"


@dataclass(frozen=True)
class Translation:
    """A pattern for the `regex` module, and the parent of each capturing group (0 for none), group 1 first."""

    pattern: str
    group_parents: tuple[int, ...]
    literal: str | None
    """The text itself, if the expression is only a literal text."""
    degree: int = 1
    """A search in n characters takes at most about n to this power steps; `EXPONENTIAL` if there may be no bound."""


def translate(text: str, flags: str) -> Translation:
    """Translate a regular expression; FORX0002 if it is not valid."""
    if "q" in flags:
        characters = "".join(_cased(c) for c in text) if "i" in flags else "".join(map(escaped, text))
        return Translation(characters, (), text if "i" not in flags else None)
    if "x" in flags:
        text = _without_white_space(text)
    if "i" not in flags and not any(c in "\\|.?*+(){}[]^$" for c in text):
        return Translation("".join(map(escaped, text)), (), text)
    return _Parser(text, flags).translation()


def _cased(c: str) -> str:
    variants = case_variants(c)
    return escaped(c) if len(variants) == 1 else f"[{''.join(map(escaped, variants))}]"


def _without_white_space(text: str) -> str:
    """Without the white space outside brackets, for the flag `x`."""
    kept: list[str] = []
    depth, after_backslash = 0, False
    for c in text:
        if depth == 0 and c in " \t\n\r":
            continue
        kept.append(c)
        if after_backslash:
            after_backslash = False
        elif c == "\\":
            after_backslash = True
        else:
            depth += (c == "[") - (c == "]" and depth > 0)
    return "".join(kept)


def _repeated_too_often(atom: str) -> str:
    """A repetition for which the `regex` module would need gigabytes: it counts as matching no text.

    If the atom may be empty, any number of repetitions is equivalent to `*`.
    """
    import regex

    try:
        may_be_empty = regex.fullmatch(atom, "") is not None
    except regex.error:  # It refers to a group outside.
        may_be_empty = False
    return f"(?:{atom})*" if may_be_empty else f"(?!)(?:{atom})"


class _Parser:
    """Recursive descent over the grammar of F&O 3.1 §5.6.1; methods are named for its productions."""

    def __init__(self, text: str, flags: str) -> None:
        self.text = text
        self.at = 0
        self.ignore_case = "i" in flags
        self.any_character = "(?s:.)" if "s" in flags else r"[^\n\r]"
        self.start, self.end = (_LINE_START, _LINE_END) if "m" in flags else (r"\A", r"\Z")
        self.parents: list[int] = []
        self.open_groups: list[int] = [0]
        self.closed_groups: set[int] = set()
        self.choices = 0  # Places where matching may have to backtrack.
        self.is_exponential = False

    def translation(self) -> Translation:
        pattern = self.alternatives()
        if self.at < len(self.text):
            self.fault("a ) closes nothing")
        return Translation(pattern, tuple(self.parents), None, EXPONENTIAL if self.is_exponential else self.choices + 2)

    def fault(self, why: str) -> NoReturn:
        raise DynamicError("FORX0002", f"{self.text!r} at character {min(self.at + 1, len(self.text))}: {why}")

    @property
    def next(self) -> str:
        """The next character, empty at the end."""
        return self.text[self.at : self.at + 1]

    def take(self) -> str:
        c = self.next
        if not c:
            self.fault("it ends too early")
        self.at += 1
        return c

    def accept(self, expected: str) -> bool:
        if self.text.startswith(expected, self.at):
            self.at += len(expected)
            return True
        return False

    def alternatives(self) -> str:
        branches = [self.branch()]
        while self.accept("|"):
            self.choices += 1
            branches.append(self.branch())
        return "|".join(branches)

    def branch(self) -> str:
        pieces: list[str] = []
        while self.next not in ("", "|", ")"):
            choices_before = self.choices
            atom = self.atom()
            quantified = self.quantified(atom)
            if quantified is not atom:
                # A choice repeated is where exponential time comes from: (a|aa)+, (a+)+
                self.is_exponential |= self.choices > choices_before
                self.choices += 1
            pieces.append(quantified)
        return "".join(pieces)

    def quantified(self, atom: str) -> str:
        c = self.next
        if c in ("?", "*", "+"):
            self.at += 1
            sign = c
        elif c == "{":
            self.at += 1
            least, most = self.quantity()
            if least > _MOST_REQUIRED:
                return _repeated_too_often(atom)
            sign = f"{{{least},{'' if most is None else most}}}"
        else:
            return atom
        # Grouped, since one atom may become several here.
        return f"(?:{atom}){sign}{'?' if self.accept('?') else ''}"

    def quantity(self) -> tuple[int, int | None]:
        """After the opening brace: the least and the largest count, None if there is none."""
        least = self.number()
        if self.accept("}"):
            return least, least
        if not self.accept(","):
            self.fault("a quantity is {n}, {n,} or {n,m}")
        if self.accept("}"):
            return least, None
        most = self.number()
        if not self.accept("}"):
            self.fault("a quantity is {n}, {n,} or {n,m}")
        if most < least:
            self.fault(f"the quantity {{{least},{most}}} is empty")
        return least, most

    def number(self) -> int:
        start = self.at
        while self.next.isascii() and self.next.isdigit():
            self.at += 1
        if start == self.at:
            self.fault("a quantity is {n}, {n,} or {n,m}")
        digits = self.text[start : self.at].lstrip("0")
        if len(digits) > _MOST_REPETITION_DIGITS:
            return _MOST_REPETITIONS
        return min(int(digits or "0"), _MOST_REPETITIONS)

    def atom(self) -> str:
        c = self.take()
        if c == "(":
            return self.group()
        if c == "[":
            return self.class_expression()
        if c == "\\":
            return self.escape()
        if c == ".":
            return self.any_character
        if c == "^":
            return self.start
        if c == "$":
            return self.end
        if c in "?*+{":
            self.at -= 1
            self.fault(f"{c} has nothing to repeat")
        if c in "}]":
            self.at -= 1
            self.fault(f"write \\{c} for the character {c}")
        return _cased(c) if self.ignore_case else escaped(c)

    def group(self) -> str:
        if self.accept("?:"):
            inside = self.alternatives()
            self.close_group()
            return f"(?:{inside})"
        self.parents.append(self.open_groups[-1])
        number = len(self.parents)
        self.open_groups.append(number)
        inside = self.alternatives()
        self.close_group()
        self.open_groups.pop()
        self.closed_groups.add(number)
        return f"({inside})"

    def close_group(self) -> None:
        if not self.accept(")"):
            self.fault("a ( is not closed")

    def escape(self) -> str:
        c = self.take()
        if c in "123456789":
            return self.back_reference(int(c))
        single = SINGLE_ESCAPES.get(c)
        if single is not None:
            return _cased(single) if self.ignore_case else escaped(single)
        return f"[{self.class_escape(c)}]"

    def back_reference(self, number: int) -> str:
        """Further digits belong to it only while that many groups were opened before it."""
        while self.next in ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9"):
            longer = number * 10 + int(self.next)
            if longer > len(self.parents):
                break
            number = longer
            self.at += 1
        if number not in self.closed_groups:
            self.fault(f"there is no complete group {number} before \\{number}")
        self.choices += 1
        reference = f"\\g<{number}>"
        return f"(?({number}){f'(?i:{reference})' if self.ignore_case else reference}|)"

    def class_escape(self, c: str) -> str:
        """The inside of a class for a multi-character escape; `c` follows the backslash."""
        if c in ("p", "P"):
            if not self.accept("{"):
                self.fault(f"\\{c} is followed by {{Category}} or {{IsBlock}}")
            end = self.text.find("}", self.at)
            name = self.text[self.at : end] if end >= 0 else ""
            inside = property_class(name, c == "P")
            if inside is None:
                self.fault(f"there is no category or block {name!r}")
            self.at = end + 1
            return inside
        inside = MULTI_ESCAPES.get(c)
        if inside is None:
            self.at -= 1
            self.fault(f"\\{c} is not an escape")
        return inside

    def class_expression(self) -> str:
        """After the opening bracket."""
        made = CharacterClass(self.ignore_case, negated=self.accept("^"))
        if self.next in ("]", "") or self.text.startswith("-[", self.at):
            self.fault("a character class is empty")
        while not self.accept("]"):
            if self.accept("-["):
                made.subtracted = self.class_expression()
                if not self.accept("]"):
                    self.fault("nothing follows a subtracted class")
                break
            self.class_part(made)
        return made.written()

    def class_part(self, made: CharacterClass) -> None:
        c = self.take()
        if c == "[":
            self.fault("write \\[ for the character [ inside a class")
        if c == "-" and self.next == "-" and not self.text.startswith("-[", self.at):
            self.fault("write \\- for the character - as the start of a range")
        if c == "\\":
            c = self.take()
            if c not in SINGLE_ESCAPES:
                made.members.append(self.class_escape(c))
                return
            c = SINGLE_ESCAPES[c]
        if self.next != "-" or self.text[self.at + 1 : self.at + 2] in ("]", "["):
            made.add_character(c)
            return
        if self.text.startswith("--[", self.at):
            made.add_character(c)
            return
        self.at += 1
        last = self.range_end()
        if last < c:
            self.fault(f"the range {c}-{last} is empty")
        made.add_range(c, last)

    def range_end(self) -> str:
        c = self.take()
        if c == "\\":
            c = self.take()
            if c not in SINGLE_ESCAPES:
                self.fault(f"a range cannot end with \\{c}")
            return SINGLE_ESCAPES[c]
        if c == "-":
            self.fault("write \\- for the character - as the end of a range")
        return c
