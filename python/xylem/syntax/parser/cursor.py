"""The cursor: a place in the query text, and the few moves that all productions use. There is no separate lexer,
because the meaning of a character depends on the production that reads it (XQuery 3.1, A.2). Between moves the cursor
stands on the first character of a token: white space and comments have already been skipped. `end` is where the last
token ended, so that spans hold no trailing white space.
"""

from __future__ import annotations

import re

from xylem.errors import SourceText, Span, StaticError, SyntaxFault

from ..ast import Expr
from .characters import CHAR, NCNAME, illegal_character
from .recursion_room import MAX_DEPTH

SENTINEL = "\0"
"""Ends the text, so that the next character can be read without asking for the length. No query may hold it."""

_white = re.compile(r"[ \t\n\r]*").match
_comment_edge = re.compile(r"\(:|:\)").search
_word = re.compile(NCNAME).match
_last_word = re.compile(rf"{NCNAME}\Z").search
_name_char = re.compile(CHAR).match
_token = re.compile(
    rf"[0-9]+(?:\.[0-9]*)?|(?:{NCNAME}:)?{NCNAME}|\$(?:{NCNAME}:)?{NCNAME}|:=|::|!=|==|&&|<<|>>|<=|>=|=>|<>|\|\||//|\.\.|."
).match
# `let $d := / return $d//a`: a name behind a lone slash is a step (A.1.2, leading-lone-slash).
_AFTER_LONE_SLASH = re.compile(
    r"(?:\A|[=(,{;\[<>|+]|\b(?:in|return|then|else|and|or|eq|ne|satisfies))\s*/\s*(return|where|order|group|count|for|let|and|or"
    r"|eq|ne|is|union|intersect|except|then|else|satisfies|instance|treat|cast|castable)\s*\Z"
)
LONGEST_LOOK_BACK = 80


class Cursor:
    """A query text and a place in it."""

    def __init__(self, text: str, name: str = "query") -> None:
        if "\r" in text:
            # XQuery 3.1, A.2.3. Lines and columns stay what the user sees.
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.source = SourceText(text, name)
        self.text = text + SENTINEL
        self.pos = 0
        self.end = 0
        self.depth = 0
        bad = illegal_character(text)
        if bad >= 0:
            raise self.fault(f"the character U+{ord(text[bad]):04X} is not allowed in a query", bad, bad + 1)
        self.skip()

    # --- moves

    def skip(self) -> None:
        """Go on to the next token."""
        char = self.text[self.pos]
        if char > " " and char != "(":
            return
        self.pos = self.after(self.pos)

    def after(self, pos: int) -> int:
        """Where the first token at or behind a place begins."""
        text = self.text
        pos = _white(text, pos).end()  # type: ignore[union-attr]  # matches the empty string too
        while text.startswith("(:", pos):
            pos = _white(text, self._comment_end(pos)).end()  # type: ignore[union-attr]
        return pos

    def _comment_end(self, pos: int) -> int:
        level, at = 1, pos + 2
        while level:
            edge = _comment_edge(self.text, at)
            if edge is None:
                raise self.fault("this comment is never closed by `:)`", pos, pos + 2)
            level += 1 if edge.group() == "(:" else -1
            at = edge.end()
        return at

    def jump(self, pos: int) -> None:
        """Take everything up to a place as one token."""
        self.end = self.pos = pos
        self.skip()

    def take(self, symbol: str) -> bool:
        """Take a symbol if it stands here."""
        if not self.text.startswith(symbol, self.pos):
            return False
        self.end = self.pos = self.pos + len(symbol)
        self.skip()
        return True

    def word(self) -> str:
        """The name without colon that stands here, or ''."""
        found = _word(self.text, self.pos)
        return found.group() if found else ""

    def word_at(self, pos: int) -> str:
        """The name without colon at a place, or ''."""
        found = _word(self.text, pos)
        return found.group() if found else ""

    def at_word(self, word: str) -> bool:
        """Whether a keyword stands here."""
        return self.text.startswith(word, self.pos) and not _name_char(self.text, self.pos + len(word))

    def take_word(self, word: str) -> bool:
        """Take a keyword if it stands here."""
        if not self.at_word(word):
            return False
        self.jump(self.pos + len(word))
        return True

    def take_one_of(self, *words: str) -> str:
        """Take the one of several keywords that stands here."""
        word = self.word()
        if word not in words:
            raise self.expected(" or ".join(f"`{choice}`" for choice in words))
        self.jump(self.pos + len(word))
        return word

    def at_words(self, first: str, second: str) -> bool:
        """Whether two keywords stand here."""
        return self.at_word(first) and self.word_at(self.after(self.pos + len(first))) == second

    # --- demands

    def expect(self, symbol: str, hint: str = "") -> None:
        """Take a symbol that must stand here."""
        if not self.take(symbol):
            raise self.expected(f"`{symbol}`", hint)

    def expect_word(self, word: str, hint: str = "") -> None:
        """Take a keyword that must stand here."""
        if not self.take_word(word):
            raise self.expected(f"`{word}`", hint)

    def close(self, symbol: str, opener: int) -> None:
        """Take the symbol that closes a bracket; at the end of the text, the fault lies with the opener."""
        if self.take(symbol):
            return
        raise self.unclosed(symbol, opener)

    def unclosed(self, symbol: str, opener: int) -> StaticError:
        """The fault of a bracket that is not closed where it should be."""
        size = 2 if self.text[opener] == "`" else 1
        mark = self.text[opener : opener + size]
        if self.text[self.pos] == SENTINEL and self.pos == len(self.text) - 1:
            return self.fault(f"this {quoted(mark)} is never closed by {quoted(symbol)}", opener, opener + size)
        line, column = self.source.position(opener)
        return self.expected(f"{quoted(symbol)} for the {quoted(mark)} at {line}:{column}")

    # --- places and faults

    def span(self, start: int) -> Span:
        """From a place to the end of the last token."""
        return Span(start, self.end, self.source)

    def found(self) -> str:
        """What stands here, for a message."""
        token = _token(self.text, self.pos)
        if token is None or token.group() == SENTINEL:
            return "the end of the query" if self.pos >= len(self.text) - 1 else "a line end"
        return quoted(token.group())

    def expected(self, what: str, hint: str = "") -> StaticError:
        """The fault of finding something else here."""
        token = _token(self.text, self.pos)
        end = token.end() if token else self.pos + 1
        found = self.found()
        return self.fault(f"expected {what}, found {found}", self.pos, end, self._hint(what, found) or hint)

    def _hint(self, what: str, found: str) -> str:
        """A hint at the most likely slip here."""
        if found in FOREIGN:
            return FOREIGN[found]
        after_slash = _AFTER_LONE_SLASH.search(self.text, max(0, self.pos - LONGEST_LOOK_BACK), self.pos)
        if after_slash is not None:
            word = after_slash[1]
            return f"`/ {word}` is a path to an element of that name; write `(/) {word}` for the keyword"
        if not what.startswith(("an expression", "an operator")):
            return ""
        if found in OUT_OF_PLACE:
            return OUT_OF_PLACE[found]
        # An operator is expected after a name. Where an expression is, the word before was understood.
        before = _last_word(self.text, 0, self.end) if what.startswith("an operator") else None
        return HALF_SAID.get(before.group(), "") if before else ""

    def fault(self, why: str, start: int, end: int | None = None, hint: str = "") -> StaticError:
        """A fault of grammar at a place."""
        return SyntaxFault("XPST0003", why, span=self._place(start, end), hint=hint)

    def error(self, code: str, why: str, start: int, end: int | None = None, hint: str = "") -> StaticError:
        """Another static error that the grammar stage is responsible for."""
        return StaticError(code, why, span=self._place(start, end), hint=hint)

    def _place(self, start: int, end: int | None) -> Span:
        return Span(start, max(start + 1, self.end if end is None else end), self.source)

    # --- nesting

    def descend(self, start: int) -> None:
        """Enter one more level of nesting. Leaving it is `self.depth -= 1`; after a fault nobody cares."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise StaticError(
                "XYST0003",
                f"more than {MAX_DEPTH} levels",
                span=Span(start, start + 1, self.source),
                hint="bind inner parts with `let`, or move them to functions",
            )

    # --- what the families of productions need from each other; each is defined in the file named

    def expr(self) -> Expr:
        """Expr [39]: see expressions.py."""
        raise NotImplementedError

    def expr_single(self) -> Expr:
        """ExprSingle [40]: see expressions.py."""
        raise NotImplementedError

    def enclosed_expr(self) -> Expr:
        """EnclosedExpr [5]: see expressions.py."""
        raise NotImplementedError


def quoted(sign: str) -> str:
    """A sign in backticks, unless it holds one."""
    return f"`{sign}`" if "`" not in sign else f'"{sign}"'


FOREIGN = {
    "`==`": "XQuery compares with `=` or `eq`",
    "`&&`": "XQuery writes `and`",
    "`<>`": "XQuery writes `!=` or `ne`",
    "`&`": "XQuery writes `and`; in a literal, `&amp;`",
    "`elseif`": "XQuery writes `else if`",
}
"""What other languages write, and what XQuery writes instead."""

OUT_OF_PLACE = {
    "`return`": "a `return` belongs to `for` or `let`; a bare expression needs none",
    "`else`": "is a bracket or a `then` missing before?",
    "`:=`": "only `let`, `group by` and declarations bind with `:=`",
    "`{`": "braces belong to constructors, functions, maps and arrays; group with `( … )`",
}
"""What has a meaning, but not where an expression or an operator is wanted."""

HALF_SAID = {
    "return": "a `return` belongs to `for` or `let`; a bare expression needs none",
    "if": "write `if (…) then … else …`",
    "for": "write `for $x in … return …`",
    "let": "write `let $x := … return …`",
    "some": "write `some $x in … satisfies …`",
    "every": "write `every $x in … satisfies …`",
    "switch": "write `switch (…) case … return … default return …`",
    "typeswitch": "write `typeswitch (…) case … return … default return …`",
    "try": "write `try { … } catch * { … }`",
    "function": "write `function($x) { … }`",
}
"""Keywords that stand before the fault as mere names, because what makes them keywords is missing."""
