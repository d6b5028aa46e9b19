"""A schema as a whole: element declarations by key, the constraints made from them when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from .automaton_constraints import AutomatonConstraints
from .content_model import Choice, Content, Name
from .declarations import ElementDeclaration
from .dtd import Dtd

DOCUMENT = "document-node()"


class DeclaredSchema:
    """A schema made of declarations.

    `declare` gives the declaration of a key (see `Name.declaration`), None where there is none; it is asked once.
    `keys` maps local names to the keys of all declarations of that name, `roots` are the elements a document may
    start with.
    """

    def __init__(
        self,
        keys: Mapping[str, Sequence[str]],
        roots: Iterable[Name],
        declare: Callable[[str], ElementDeclaration | None],
        *,
        is_complete: bool = True,
        is_closed: bool = False,
    ) -> None:
        self._keys = keys
        self._roots = tuple(roots)
        self._declare = declare
        self._constraints: dict[str, AutomatonConstraints | None] = {}
        self._document: AutomatonConstraints | None = None
        self.is_complete = is_complete
        """False where a part of the schema was not read."""
        self.is_closed = is_closed
        """Whether every element must be declared, as in a DTD that is known completely."""

    @property
    def names(self) -> tuple[str, ...]:
        """The local names of all declared elements, in the order of the schema."""
        return tuple(self._keys)

    def element(self, local: str, uri: str | None = None) -> AutomatonConstraints | None:
        """The constraints of an element type; None where it is not declared, or not alike everywhere."""
        found = self.declarations(local, uri)
        return found[0] if len(found) == 1 else None

    def declarations(self, local: str, uri: str | None = None) -> list[AutomatonConstraints]:
        """All element types of a name: in an XML Schema there may be several, by parent."""
        known = filter(None, map(self._of_key, self._keys.get(local, ())))
        return [one for one in known if None in (uri, one.declaration.uri) or uri == one.declaration.uri]

    def document(self) -> AutomatonConstraints:
        """The constraints of the document node: its only child is a root element."""
        if self._document is None:
            content: Content = Choice(self._roots) if len(self._roots) > 1 else self._roots[0]
            self._document = self._constrained(ElementDeclaration(DOCUMENT, content))
        return self._document

    def _of_key(self, key: str) -> AutomatonConstraints | None:
        if key not in self._constraints:
            declaration = self._declare(key)
            self._constraints[key] = None if declaration is None else self._constrained(declaration)
        return self._constraints[key]

    def _constrained(self, declaration: ElementDeclaration) -> AutomatonConstraints:
        return AutomatonConstraints(
            declaration,
            child_of=lambda name: self._of_key(name.declaration),
            declared=self.element,
            declared_names=lambda: self.names if self.is_complete else (*self.names, "*"),
        )


def dtd_schema(dtd: Dtd, root: str | None = None) -> DeclaredSchema:
    """The schema of a DTD. Without a root, by name or by DOCTYPE, a document may start with any declared element."""
    keys: dict[str, list[str]] = {}
    for name in dtd.elements:
        keys.setdefault(name.rpartition(":")[2], []).append(name)
    root = root or dtd.root
    starts = [root] if root else list(dtd.elements)
    roots: list[Name] = [Name(name.rpartition(":")[2], None, name) for name in starts]
    return DeclaredSchema(keys, roots, dtd.elements.get, is_complete=dtd.is_complete, is_closed=dtd.is_complete)
