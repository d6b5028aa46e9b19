"""FLWOR expressions (XQuery 3.1, 3.12)."""

from __future__ import annotations

import re

from ..ast import (
    Clause,
    CountClause,
    Expr,
    Flwor,
    ForClause,
    GroupByClause,
    GroupingSpec,
    LetClause,
    OrderByClause,
    OrderSpec,
    WhereClause,
    WindowClause,
    WindowCondition,
    WindowVariables,
)
from .control import ControlGrammar
from .extensions import JOIN_WORDS

_BEST_MATCH = re.compile(r"best\s?match", re.IGNORECASE)
_CLAUSES = "`return` or a clause such as `where` or `order by`"


class FlworGrammar(ControlGrammar):
    """The productions of FLWOR expressions."""

    def flwor(self) -> Expr:
        """FLWORExpr [41], entered where its first clause is known to begin."""
        start = self.pos
        clauses: list[Clause] = []
        while True:
            word = self.word()
            if word == "return":
                break
            if word in ("for", "let"):
                self._bindings(word, clauses)
            elif word == "where":
                clauses.append(self.best_match() if self.at_best_match() else self._where())
            elif word == "forseq":
                self.forseq_bindings(clauses)
            elif word == "count":
                clauses.append(self._count())
            elif word == "group":
                clauses.append(self._group_by())
            elif word in ("order", "stable"):
                clauses.append(self._order_by())
            else:
                raise self.expected(_CLAUSES, self._missing_return(clauses, word))
        self.jump(self.pos + len("return"))
        result = self.expr_single()
        return Flwor(tuple(clauses), result, span=self.span(start))

    def _missing_return(self, clauses: list[Clause], word: str) -> str:
        if self.text[self.pos] == ";":
            return "XQuery ends no clause with `;`"
        if word.lower() in (*JOIN_WORDS, "outer", "best") and _BEST_MATCH.search(self.text, self.pos, self.pos + 40):
            return "a best-match join has a `where` of its own: where $r left outer bestmatch join $s on …"
        return "every FLWOR expression ends with `return`" if clauses and not word.startswith("=") else ""

    # --- for and let

    def _bindings(self, word: str, clauses: list[Clause]) -> None:
        start = self.pos
        self.jump(start + len(word))
        if word == "for" and self.text[self.pos] != "$":
            clauses.append(self._window(start))
            return
        read = self._for_binding if word == "for" else self._let_binding
        clauses.append(read(start))
        while self.take(","):
            clauses.append(read(self.pos))

    def _for_binding(self, start: int) -> Clause:
        """ForBinding [44]."""
        name = self.variable_name()
        declared = self.type_declaration()
        allowing_empty = self.take_word("allowing")
        if allowing_empty:
            self.expect_word("empty")
        position = self.variable_name() if self.take_word("at") else None
        self.expect_word("in")
        collection = self.expr_single()
        return ForClause(name, declared, collection, position, allowing_empty, span=self.span(start))

    def _let_binding(self, start: int) -> Clause:
        """LetBinding [49]."""
        name = self.variable_name()
        declared = self.type_declaration()
        self.expect_binding()
        value = self.expr_single()
        return LetClause(name, declared, value, span=self.span(start))

    def expect_binding(self) -> None:
        """Take `:=`, knowing how it is missed."""
        self.expect(":=", "`let` binds with `:=`" if self.text[self.pos] in "=:" or self.at_word("in") else "")

    # --- windows (3.12.4)

    def _window(self, start: int) -> Clause:
        kind = self.take_one_of("tumbling", "sliding")
        self.expect_word("window")
        name = self.variable_name()
        declared = self.type_declaration()
        self.expect_word("in")
        collection = self.expr_single()
        opening = self.pos
        self.expect_word("start")
        first = self._window_condition(opening, only=False)
        last = None
        closing = self.pos
        only = self.at_word("only")
        if only or self.at_word("end") or kind == "sliding":
            if only:
                self.take_word("only")
            self.expect_word("end", "only a tumbling window may go without an end condition")
            last = self._window_condition(closing, only)
        return WindowClause(kind, name, declared, collection, first, last, span=self.span(start))

    def _window_condition(self, start: int, only: bool) -> WindowCondition:
        at = self.pos
        current = self.variable_name() if self.text[self.pos] == "$" else None
        position = self.variable_name() if self.take_word("at") else None
        previous = self.variable_name() if self.take_word("previous") else None
        following = self.variable_name() if self.take_word("next") else None
        variables = WindowVariables(current, position, previous, following, span=self.span(at))
        self.expect_word("when")
        when = self.expr_single()
        return WindowCondition(variables, when, only, span=self.span(start))

    # --- the clauses between

    def _where(self) -> Clause:
        start = self.pos
        self.take_word("where")
        test = self.expr_single()
        return WhereClause(test, span=self.span(start))

    def _count(self) -> Clause:
        start = self.pos
        self.take_word("count")
        name = self.variable_name()
        return CountClause(name, span=self.span(start))

    def _group_by(self) -> Clause:
        start = self.pos
        self.take_word("group")
        self.expect_word("by")
        specs = [self._grouping_spec()]
        while self.take(","):
            specs.append(self._grouping_spec())
        return GroupByClause(tuple(specs), span=self.span(start))

    def _grouping_spec(self) -> GroupingSpec:
        """GroupingSpec [63]."""
        start = self.pos
        name = self.variable_name()
        declared = self.type_declaration()
        value = None
        if declared is not None or self.text[self.pos] == ":":
            self.expect(":=")
            value = self.expr_single()
        collation = self.uri() if self.take_word("collation") else None
        return GroupingSpec(name, declared, value, collation, span=self.span(start))

    def _order_by(self) -> Clause:
        start = self.pos
        stable = self.take_word("stable")
        self.expect_word("order")
        self.expect_word("by")
        specs = [self._order_spec()]
        while self.take(","):
            specs.append(self._order_spec())
        return OrderByClause(tuple(specs), stable, span=self.span(start))

    def _order_spec(self) -> OrderSpec:
        """OrderSpec [67]."""
        start = self.pos
        key = self.expr_single()
        descending = self.take_word("descending")
        if not descending:
            self.take_word("ascending")
        empty = self.take_one_of("greatest", "least") if self.take_word("empty") else None
        collation = self.uri() if self.take_word("collation") else None
        return OrderSpec(key, descending, empty, collation, span=self.span(start))
