"""Modules and the second part of their prologs: variables, functions, the context item, options (XQuery 3.1, 4)."""

from __future__ import annotations

import re
from collections.abc import Callable

from xylem.errors import Span

from ..ast import (
    Annotation,
    Block,
    ContextItemDecl,
    Declaration,
    Expr,
    FunctionDecl,
    LibraryModule,
    MainModule,
    OptionDecl,
    SequenceTypeNode,
    VariableDecl,
)
from .cursor import SENTINEL
from .setters import SetterGrammar

_VERSIONS = ("1.0", "3.0", "3.1")
_encoding = re.compile(r"[A-Za-z][A-Za-z0-9._\-]*").fullmatch
_DECLARED = frozenset(
    [
        "boundary-space",
        "default",
        "base-uri",
        "construction",
        "ordering",
        "copy-namespaces",
        "decimal-format",
        "namespace",
        "context",
        "variable",
        "function",
        "option",
        "execution",
    ]
)


class ModuleGrammar(SetterGrammar):
    """The productions of modules."""

    is_library = False

    def module(self) -> MainModule | LibraryModule:
        """Module [1]."""
        version, encoding = self._version_decl()
        if self.at_words("module", "namespace"):
            return self._library_module(version, encoding)
        prolog = self._prolog()
        if self._at_end():
            raise self.expected("an expression", "" if not prolog else "a main module ends with the query itself")
        body = self._sequential_body() if self.is_sequential else self.expr()
        if not self._at_end():
            raise self.expected("an operator or the end of the query")
        return MainModule(prolog=prolog, version=version, encoding=encoding, body=body, span=self._whole())

    def _library_module(self, version: str | None, encoding: str | None) -> LibraryModule:
        start = self.pos
        self.is_library = True
        self.take_word("module")
        self.take_word("namespace")
        prefix = self.ncname("a prefix")
        self.expect("=")
        uri = self.uri()
        if not uri:
            raise self.error("XQST0088", "", start)
        self.check_prefix(prefix, uri, start)
        self.expect(";")
        prolog = self._prolog()
        if not self._at_end():
            raise self.expected("a declaration or the end of the module", "a library module has no query body")
        return LibraryModule(
            prolog=prolog, version=version, encoding=encoding, prefix=prefix, uri=uri, span=self._whole()
        )

    def _sequential_body(self) -> Expr:
        start = self.pos
        statements = self.statements(SENTINEL)
        return statements[0] if len(statements) == 1 else Block(statements, span=self.span(start))

    def _at_end(self) -> bool:
        return self.text[self.pos] == SENTINEL

    def _whole(self) -> Span:
        return Span(0, self.end, self.source)

    def _version_decl(self) -> tuple[str | None, str | None]:
        """VersionDecl? [2]."""
        start = self.pos
        word = self.word_at(self.after(start + len("xquery"))) if self.at_word("xquery") else ""
        if word not in ("version", "encoding"):
            return None, None
        if self.text[self.after(self.after(start + len("xquery")) + len(word))] not in "\"'":
            return None, None
        self.take_word("xquery")
        version = encoding = None
        if self.take_word("version"):
            version = self.string()
            if version not in _VERSIONS:
                raise self.error("XQST0031", f"`{version}`", start)
        if self.take_word("encoding"):
            encoding = self.string()
            if not _encoding(encoding):
                raise self.error("XQST0087", f"`{encoding}`", start)
        self.expect(";")
        return version, encoding

    # --- the prolog

    def _prolog(self) -> tuple[Declaration, ...]:
        """Prolog [6]."""
        declarations: list[Declaration] = []
        second = False
        while True:
            start = self.pos
            if self.at_words("import", "schema") or self.at_words("import", "module"):
                self.take_word("import")
                declaration: Declaration | None = self.import_decl(start)
                is_first = True
            elif self._at_declaration():
                self.take_word("declare")
                declaration = self.first_part(self.word(), start)
                is_first = declaration is not None
                declaration = declaration or self._second_part(start)
            else:
                return tuple(declarations)
            if is_first and second:
                hint = "setters, namespaces and imports come before variables, functions and options"
                raise self.fault("this declaration comes too late", start, hint=hint)
            second = second or not is_first
            assert declaration is not None
            self.expect(";", "every declaration ends with `;`")
            declarations.append(declaration)

    def _at_declaration(self) -> bool:
        if not self.at_word("declare"):
            return False
        after = self.after(self.pos + len("declare"))
        return self.text[after] == "%" or self.word_at(after) in _DECLARED

    def _second_part(self, start: int) -> Declaration:
        if self.text[self.pos] == "%":
            annotations = self.annotations()
            kind = self.take_one_of("variable", "function")
            return self._variable(start, annotations) if kind == "variable" else self._function_decl(start, annotations)
        word = self.word()
        self.jump(self.pos + len(word))
        return _SECOND_PART[word](self, start)

    def _variable(self, start: int, annotations: tuple[Annotation, ...] = ()) -> Declaration:
        """VarDecl [28]."""
        name = self.variable_name()
        declared = self.type_declaration()
        external = self.take_word("external")
        value = None
        if not external or self.text[self.pos] == ":":
            self.expect_binding()
            value = self.expr_single()
        return VariableDecl(name, declared, value, external, annotations, span=self.span(start))

    def _function_decl(self, start: int, annotations: tuple[Annotation, ...] = ()) -> Declaration:
        """FunctionDecl [32]."""
        name = self.function_name()
        parameters = self.parameters()
        returns = self.type_declaration()
        body = None if self.take_word("external") else self.enclosed_expr()
        return FunctionDecl(name, parameters, returns, body, annotations, span=self.span(start))

    def _context(self, start: int) -> Declaration:
        """ContextItemDecl [31]."""
        self.expect_word("item")
        declared = None
        if self.take_word("as"):
            at = self.pos
            declared = SequenceTypeNode(self.item_type(), span=self.span(at))
        external = self.take_word("external")
        value = None
        if not external or self.text[self.pos] == ":":
            self.expect_binding()
            value = self.expr_single()
        self.only_once("context item", "XQST0099", start)
        if self.is_library and value is not None:
            raise self.error("XQST0113", "", start)
        return ContextItemDecl(declared, value, external, span=self.span(start))

    def _option(self, start: int) -> Declaration:
        """OptionDecl [37]."""
        name = self.eqname("the name of an option")
        value = self.string()
        return OptionDecl(name, value, span=self.span(start))


_SECOND_PART: dict[str, Callable[[ModuleGrammar, int], Declaration]] = {
    "variable": ModuleGrammar._variable,
    "function": ModuleGrammar._function_decl,
    "context": ModuleGrammar._context,
    "option": ModuleGrammar._option,
}
