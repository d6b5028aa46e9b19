"""The extensions of Xylem: forseq, data windows, best-match joins, history, sequential blocks.

Each is recognised by syntax that the standard grammar cannot have at that place, so no standard query changes its
meaning: `forseq` begins a clause only before `$`, a `|` opens a data window only before `count 4` or `… diff 60`, and
braces are a block only under `declare execution sequential`.
"""

from __future__ import annotations

import re

from ..ast import (
    BestMatchClause,
    BestMatchOrder,
    Block,
    Clause,
    DataWindow,
    Expr,
    ForseqClause,
    ForseqCondition,
    ForseqVariable,
    ForseqWindow,
    IntegerLiteral,
    Name,
    SetStatement,
    TimeProjection,
    TimeWindow,
    VersionProjection,
    VersionWindow,
)
from .characters import NCNAME
from .primaries import PrimaryGrammar

_QNAME = rf"(?:Q\{{[^{{}}]*\}}|{NCNAME}:)?{NCNAME}"
_STEP = rf"(?:@|child::|attribute::)?{_QNAME}"
_data_window = re.compile(rf"\|\s*(?:count\s+[0-9]|(?:{_STEP}(?:\s*/\s*{_STEP})*\s+|\.\s+)?diff\s+[0-9.])").match
_variable = re.compile(rf"\$\s*{_QNAME}").match
_call = re.compile(rf"{_QNAME}\(").match
_ORDER_HINT = "an order is an expression in parentheses and what is best: on (abs($r/a - $s/b)) min 5, ($s/c) max"
JOIN_WORDS = ("constrained", "left", "right", "full", "bestmatch")
_fraction = re.compile(r"\.[0-9]|[0-9]+(?:\.[0-9]|[eE][+-]?[0-9])").match
_WINDOW_KINDS = ("tumbling", "sliding", "landmark")
_ROLES = ("position", "curItem", "prevItem", "nextItem")
_COMMAS = "the variables of forseq are separated by commas: `start curItem $s, position $i when …`"
_CLAUSE_WORDS = ("for", "let", "where", "group", "order", "stable", "count", "return", "forseq")
_LIMIT_STARTS = frozenset("0123456789.\"'$(")


class ExtensionGrammar(PrimaryGrammar):
    """The productions of the extensions."""

    is_sequential = False

    # --- forseq

    def forseq_bindings(self, clauses: list[Clause]) -> None:
        """`forseq $w in E window?, …`, each binding a clause of its own."""
        start = self.pos
        self.jump(start + len("forseq"))
        clauses.append(self._forseq_binding(start))
        while self.take(","):
            clauses.append(self._forseq_binding(self.pos))

    def _forseq_binding(self, start: int) -> Clause:
        name = self.variable_name()
        declared = self.type_declaration()
        self.expect_word("in")
        collection = self.expr_single()
        window = self._forseq_window() if self.word() in _WINDOW_KINDS else None
        return ForseqClause(name, declared, collection, window, span=self.span(start))

    def _forseq_window(self) -> ForseqWindow:
        start = self.pos
        kind = self.take_one_of(*_WINDOW_KINDS)
        self.expect_word("window")
        at = self.pos
        self.expect_word("start")
        opening = self._forseq_condition(at, force=False)
        at = self.pos
        force = self.take_word("force")
        self.expect_word("end")
        closing = self._forseq_condition(at, force, may_be_newstart=True)
        return ForseqWindow(kind, opening, closing, span=self.span(start))

    def _forseq_condition(self, start: int, force: bool, may_be_newstart: bool = False) -> ForseqCondition:
        variables: list[ForseqVariable] = []
        if self.word() != "when":
            variables.append(self._forseq_variable())
            while self.take(","):
                variables.append(self._forseq_variable())
        if self.word() in _ROLES:
            raise self.expected("`,` or `when`", hint=_COMMAS)
        self.expect_word("when")
        when = None if may_be_newstart and self.take_word("newstart") else self.expr_single()
        return ForseqCondition(tuple(variables), when, force, span=self.span(start))

    def _forseq_variable(self) -> ForseqVariable:
        start = self.pos
        role = self.take_one_of(*_ROLES)
        name = self.variable_name()
        declared = self.type_declaration()
        return ForseqVariable(role, name, declared, span=self.span(start))

    # --- data windows

    def at_data_window(self) -> bool:
        """Whether the `|` that stands here opens a data window and is no union."""
        return _data_window(self.text, self.pos) is not None

    def data_window(self, base: Expr, start: int) -> Expr:
        """`|count n step m|` or `|path diff d step s|` behind a path."""
        opener = self.pos
        self.take("|")
        reference = None
        if self.at_word("count"):
            kind = "count"
        else:
            kind = "diff"
            if not (self.at_word("diff") and self.text[self.after(self.pos + 4)] in "0123456789."):
                reference = self.path()
        self.expect_word(kind)
        size = self.number()
        step = self.number() if self.take_word("step") else None
        self.close("|", opener)
        return DataWindow(base, kind, reference, size, step, span=self.span(start))

    def path(self) -> Expr:
        """PathExpr [108]: see paths.py."""
        raise NotImplementedError

    # --- best-match joins

    def at_best_match(self) -> bool:
        """Whether the `where` that stands here begins a best-match join."""
        side = _variable(self.text, self.after(self.pos + len("where")))
        if side is None:
            return False
        # The standard grammar never has a name or a number after a variable.
        behind = self.after(side.end())
        return self.word_at(behind) in JOIN_WORDS or self.text[behind].isdigit()

    def best_match(self) -> Clause:
        """`where $r (left|right|full outer)? k? bestmatch join $s on order, …`."""
        start = self.pos
        self.take_word("where")
        left = self.variable_reference()
        if self.word() == "constrained":
            raise self.expected("`left`, `right`, `full` or `bestmatch`", "limits behind the orders constrain the join")
        kind = "inner"
        if self.word() in ("left", "right", "full"):
            kind = self.take_one_of("left", "right", "full")
            if self.word() != "outer":
                raise self.expected("`outer`", f"where $r {kind} outer bestmatch join $s on …")
            self.take_word("outer")
        best = self._how_many_best()
        if self.word() != "bestmatch":
            raise self.expected("`bestmatch`", "one word, with a number before it for several best: 3 bestmatch join")
        self.take_word("bestmatch")
        self.expect_word("join")
        right = self.variable_reference()
        self.expect_word("on", _ORDER_HINT)
        orders = [self._best_match_order()]
        while self.take(","):
            orders.append(self._best_match_order())
        return BestMatchClause(left, kind, right, tuple(orders), best, span=self.span(start))

    def _how_many_best(self) -> int:
        """The k of `k bestmatch join`, 1 by default."""
        start = self.pos
        if not self.text[start].isdigit():
            return 1
        number = self.number()
        if not isinstance(number, IntegerLiteral) or number.value < 1:
            raise self.fault(
                "how many best partners there may be is a whole number from 1 on",
                start,
                self.pos,
                "where $r left outer 3 bestmatch join $s on …; without a number, the best",
            )
        return number.value

    def _best_match_order(self) -> BestMatchOrder:
        start = self.pos
        operands = self._operands()
        direction, function = self._measure(len(operands))
        limit = None
        if self.text[self.pos] in _LIMIT_STARTS:
            limit = self._limit()
        elif self.text[self.pos] in "-+" or _call(self.text, self.pos):
            raise self.expected("a limit, a comma or a clause", "an expression as a limit has parentheses: min (2 * 3)")
        return BestMatchOrder(operands, direction, function, limit, span=self.span(start))

    def _operands(self) -> tuple[Expr, ...]:
        opener = self.pos
        self.expect("(", _ORDER_HINT)
        operands = [self.expr_single()]
        while self.take(","):
            operands.append(self.expr_single())
        self.close(")", opener)
        return tuple(operands)

    def _measure(self, count: int) -> tuple[str, Name | None]:
        if count == 1 and self.word() in ("min", "max"):
            return self.take_one_of("min", "max"), None
        if self.word() in _CLAUSE_WORDS:
            raise self.expected("`min`, `max` or the name of a comparison function", _ORDER_HINT)
        return "", self.eqname("`min`, `max` or the name of a comparison function")

    def _limit(self) -> Expr:
        char = self.text[self.pos]
        if char == "$":
            return self.variable_reference()
        if char == "(":
            return self.parenthesized()
        return self.string_literal() if char in "\"'" else self.number()

    # --- history

    def at_history(self) -> bool:
        """Whether `#` or `?` behind a primary means history: `$x?60` is a lookup, `$x?[60]` and `$x?0.5` are none."""
        if self.text[self.pos] == "#":
            return True
        after = self.after(self.pos + 1)
        return self.text[after] in "[$" or _fraction(self.text, after) is not None

    def history(self, base: Expr, start: int) -> Expr:
        """`E#v`, `E#[v]`, `E?t` or `E?[t]`, with the cursor on the sign."""
        sign = self.text[self.pos]
        self.jump(self.pos + 1)
        amount = self._version if sign == "#" else self._seconds
        if self.text[self.pos] != "[":
            value = amount()
            made = VersionProjection if sign == "#" else TimeProjection
            return made(base, value, span=self.span(start))
        opener = self.pos
        self.take("[")
        value = amount()
        self.close("]", opener)
        window = VersionWindow if sign == "#" else TimeWindow
        return window(base, value, span=self.span(start))

    def _version(self) -> Expr:
        start = self.pos
        if self.text[start] == "$":
            return self.variable_reference()
        return IntegerLiteral(self.integer(), span=self.span(start))

    def _seconds(self) -> Expr:
        if self.text[self.pos] == "$":
            return self.variable_reference()
        if self.text[self.pos] in "0123456789.":
            return self.number()
        if self.text.startswith("xs:", self.pos):
            # A duration: xs:dayTimeDuration("PT1M").
            return self.expr_single()
        raise self.expected("a number of seconds", "a lookup such as `?name` needs brackets around the step")

    # --- sequential execution

    def at_set(self) -> bool:
        """Whether a `set` statement stands here."""
        return self.is_sequential and self.at_word("set") and self.text[self.after(self.pos + 3)] == "$"

    def set_statement(self) -> Expr:
        """`set $x := E`."""
        start = self.pos
        self.take_word("set")
        name = self.variable_name()
        self.expect(":=")
        value = self.expr_single()
        return SetStatement(name, value, span=self.span(start))

    def block(self) -> Expr:
        """`{ S; S; E }`."""
        start = self.pos
        self.take("{")
        statements = self.statements("}")
        self.close("}", start)
        return Block(statements, span=self.span(start))

    def statements(self, end: str) -> tuple[Expr, ...]:
        """Expressions separated by `;`, optionally with one after the last, up to a closing sign."""
        found = [self.expr()]
        while self.take(";"):
            if self.text[self.pos] == end:
                break
            found.append(self.expr())
        return tuple(found)
