"""A schema as a whole: element declarations by key, with constraints derived on first use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from .automaton_constraints import AutomatonConstraints
from .content_model import Choice, Content, Name, Wildcard
from .declarations import ElementDeclaration
from .dtd import Dtd
from .dtd_namespaces import DtdNamespaces
from .matcher import MOST_REMEMBERED

DOCUMENT = "document-node()"


class DeclaredSchema:
    """A schema made of declarations.

    `declare` returns the declaration of a key (see `Name.declaration`), None if there is none; it is called once.
    `keys` maps local names to the keys of all declarations of that name; `everywhere` are the elements that may occur
    where anything may (global elements), and `roots` those a document may start with. `open_places` are the wildcards
    of the schema: below them, undeclared elements may occur.
    """

    def __init__(
        self,
        keys: Mapping[str, Sequence[str]],
        everywhere: Iterable[Name],
        roots: Iterable[Name],
        declare: Callable[[str], ElementDeclaration | None],
        *,
        is_complete: bool = True,
        is_closed: bool = False,
        open_places: Iterable[Wildcard] = (),
    ) -> None:
        self._keys = keys
        self._everywhere: dict[str, list[Name]] = {}
        for name in everywhere:
            self._everywhere.setdefault(name.local, []).append(name)
        self._roots = tuple(roots)
        self._declare = declare
        self._constraints: dict[str, AutomatonConstraints | None] = {}
        self._open_places = tuple(place for place in open_places if place.process_contents != "strict")
        self._found: dict[tuple[str, str | None], AutomatonConstraints | None] = {}
        self._document: AutomatonConstraints | None = None
        self._is_complete = is_complete
        self.is_closed = is_closed
        """Whether every element must be declared, as in a completely known DTD."""

    @property
    def names(self) -> tuple[str, ...]:
        """The local names of all declared elements, in the order of the schema."""
        return tuple(self._keys)

    @property
    def is_complete(self) -> bool:
        """False if a part of the schema was not read."""
        return self._is_complete

    @property
    def roots(self) -> tuple[str, ...]:
        """The local names of the elements a document may start with."""
        return tuple(name.local for name in self._roots)

    def element(self, local: str, uri: str | None = None) -> AutomatonConstraints | None:
        """The constraints of an element type; None if it is not declared, or in several ways."""
        key = (local, uri)
        if key not in self._found:
            if len(self._found) >= MOST_REMEMBERED:
                self._found.clear()
            self._found[key] = self._find(local, uri)
        return self._found[key]

    def _find(self, local: str, uri: str | None) -> AutomatonConstraints | None:
        found: set[AutomatonConstraints | None] = set(self.declarations(local, uri))
        for wildcard in self._open_places if found else ():
            if wildcard.admits(uri):
                # Here an element with this name need not follow the declaration.
                found |= self.admitted(wildcard, local, uri)
        return found.pop() if len(found) == 1 else None

    def declarations(self, local: str, uri: str | None = None) -> list[AutomatonConstraints]:
        """All element types of a name: in an XML Schema there may be several, by parent."""
        known = filter(None, map(self.declared, self._keys.get(local, ())))
        return [one for one in known if None in (uri, one.declaration.uri) or uri == one.declaration.uri]

    def document(self) -> AutomatonConstraints:
        """The constraints of the document node: its only child is a root element."""
        if self._document is None:
            content: Content = Choice(self._roots) if len(self._roots) > 1 else self._roots[0]
            self._document = AutomatonConstraints(ElementDeclaration(DOCUMENT, content), self)
        return self._document

    # --- the interface for constraints

    def declared(self, key: str) -> AutomatonConstraints | None:
        """The constraints of a declaration by its key."""
        if key not in self._constraints:
            declaration = self._declare(key)
            self._constraints[key] = None if declaration is None else AutomatonConstraints(declaration, self)
        return self._constraints[key]

    def admitted(self, wildcard: Wildcard, local: str, uri: str | None) -> set[AutomatonConstraints | None]:
        """The possible types of an element with a name in place of a wildcard; None if nothing is known."""
        if wildcard.process_contents == "skip":
            return {None}
        found = {
            self.declared(name.declaration)
            for name in self._everywhere.get(local, ())
            if wildcard.admits(name.uri) and (None in (uri, name.uri) or uri == name.uri)
        }
        # `lax` lets undeclared elements in; a namespace that is declared leaves no room for them.
        is_certain = bool(found) and uri is not None
        if wildcard.process_contents == "lax" and not is_certain:
            found.add(None)
        return found


def dtd_schema(dtd: Dtd, root: str | None = None) -> DeclaredSchema:
    """The schema of a DTD. Without a root, by name or by DOCTYPE, a document may start with any declared element."""
    namespaces = DtdNamespaces(dtd.elements, dtd.namespaces)
    root = root or dtd.root
    roots = namespaces.roots([root] if root else dtd.elements)
    everywhere = namespaces.all_below([*roots, *namespaces.roots(dtd.elements)]).values()
    keys: dict[str, list[str]] = {}
    for name in everywhere:
        keys.setdefault(name.local, []).append(name.declaration)
    return DeclaredSchema(
        keys, everywhere, roots, namespaces.declaration, is_complete=dtd.is_complete, is_closed=dtd.is_complete
    )
