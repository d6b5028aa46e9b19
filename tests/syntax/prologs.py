"""Random modules: a prolog the grammar allows, around random expressions."""

from __future__ import annotations

from collections.abc import Callable

from xylem.syntax import ast

from .trees import Trees


class Modules(Trees):
    """Grows main and library modules."""

    def prolog(self, depth: int) -> tuple[ast.Declaration, ...]:
        """At most one of each setter, then the other declarations."""
        first = [ast.ExecutionDecl("sequential")] if self.sequential else []
        first += [setter() for setter in self._setters() if self.chance(4)]
        second = self.some(lambda: self._declaration(depth))
        context = [self._context_item(depth)] if self.chance(4) else []
        return (*first, *context, *second)

    def _setters(self) -> list[Callable[[], ast.Declaration]]:
        choice = self.random.choice
        return [
            lambda: ast.BoundarySpaceDecl(choice(("preserve", "strip"))),
            lambda: ast.DefaultCollationDecl(self.uri()),
            lambda: ast.BaseUriDecl(self.uri()),
            lambda: ast.ConstructionDecl(choice(("preserve", "strip"))),
            lambda: ast.OrderingModeDecl(choice(("ordered", "unordered"))),
            lambda: ast.EmptyOrderDecl(choice(("greatest", "least"))),
            lambda: ast.CopyNamespacesDecl(self.chance(), self.chance()),
            lambda: ast.DecimalFormatDecl(self.maybe(self.name), (("NaN", "'\"&"), ("digit", "!"))),
            lambda: ast.NamespaceDecl("n", self.uri()),
            lambda: ast.DefaultNamespaceDecl(choice(("element", "function")), self.uri()),
            lambda: ast.SchemaImport(choice((None, "s")), self.uri(), self.some(self.uri)),
            lambda: ast.ModuleImport(choice((None, "m")), self.uri(), self.some(self.uri)),
        ]

    def _declaration(self, depth: int) -> ast.Declaration:
        def body() -> ast.Expr:
            return self.expr(depth)

        annotations = self.annotations()
        return self.one(
            lambda: ast.VariableDecl(self.name(), self.type(), body(), self.chance(), annotations),
            lambda: ast.VariableDecl(self.name(), self.type(), None, True, annotations),
            lambda: ast.FunctionDecl(
                self.function_name(), self._parameters(), self.type(), self.maybe(body), annotations
            ),
            lambda: ast.OptionDecl(self.name(), self.text()),
        )

    def _context_item(self, depth: int) -> ast.Declaration:
        item = self.maybe(self.item_type)
        declared = None if item is None else ast.SequenceTypeNode(item)
        return ast.ContextItemDecl(declared, self.expr(depth), self.chance())

    def main_module(self, depth: int) -> ast.MainModule:
        choice = self.random.choice
        return ast.MainModule(
            prolog=self.prolog(depth - 1),
            version=choice((None, "1.0", "3.1")),
            encoding=choice((None, "utf-8")),
            body=self.expr(depth),
        )

    def library_module(self, depth: int) -> ast.LibraryModule:
        prolog = tuple(part for part in self.prolog(depth) if not isinstance(part, ast.ContextItemDecl))
        return ast.LibraryModule(prolog=prolog, prefix="l", uri=self.uri())
