"""Order, past and cardinality of the children of one element, from the Glushkov automaton of its content (thesis §3.3).

Beyond the thesis: attributes come with the start tag, before all children and all at once. Text, comments and
instructions may occur anywhere; white space between children is text to a query even where the schema allows no text,
so nothing is ever ordered against it. A symbol the schema does not know never occurs, and is always past.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Protocol

from .cardinality import Occurrences, occurrences
from .content_model import All, Any, Content, Empty, Name, Optional, Star, Wildcard, allows_text, leaves, word_model
from .declarations import AttributeDeclaration, ElementDeclaration
from .glushkov import Glushkov, glushkov
from .matcher import MOST_REMEMBERED, Matcher, matcher
from .state_sets import states, union
from .symbols import ANY_ELEMENT, TEXT, Symbol, SymbolKind, element_symbol, symbol

_ELEMENT = SymbolKind.ELEMENT
_ATTRIBUTE = SymbolKind.ATTRIBUTE
_OTHER = SymbolKind.OTHER
_END = SymbolKind.END


class Surroundings(Protocol):
    """The schema around one element, for its constraints."""

    @property
    def names(self) -> tuple[str, ...]:
        """The local names of all declared elements."""

    @property
    def is_complete(self) -> bool:
        """Whether undeclared elements are excluded where a DTD says ANY."""

    def declared(self, key: str) -> AutomatonConstraints | None:
        """The constraints of a declaration by its key."""

    def admitted(self, wildcard: Wildcard, local: str, uri: str | None) -> set[AutomatonConstraints | None]:
        """The possible types of an element with a name in place of a wildcard; None if nothing is known."""


class AutomatonConstraints:
    """The constraints of one element declaration. Immutable; results are cached."""

    def __init__(self, declaration: ElementDeclaration, schema: Surroundings | None = None) -> None:
        self.declaration = declaration
        self._schema = schema
        self._states: dict[str, int] = {}
        self._ordered: dict[tuple[str, str], bool] = {}
        self._children: dict[tuple[str, str | None], AutomatonConstraints | None] = {}

    def __repr__(self) -> str:
        return f"<constraints of {self.name}: {self.content}>"

    # --- declarations

    @property
    def name(self) -> str:
        """The element's name as the schema writes it."""
        return self.declaration.name

    @property
    def content(self) -> Content:
        """The content model as declared."""
        return self.declaration.content

    @property
    def attributes(self) -> tuple[AttributeDeclaration, ...]:
        """The declared attributes."""
        return self.declaration.attributes

    @cached_property
    def required_attributes(self) -> int:
        """Number of required attributes."""
        return sum(attribute.required for attribute in self.attributes)

    def attribute(self, local: str, uri: str) -> AttributeDeclaration | None:
        """The declaration of an attribute, None if there is none."""
        for attribute in self._attributes.get(local, ()):
            if attribute.uri is None or attribute.uri == uri:
                return attribute
        return None

    @cached_property
    def _attributes(self) -> dict[str, list[AttributeDeclaration]]:
        by_local: dict[str, list[AttributeDeclaration]] = {}
        for attribute in self.attributes:
            by_local.setdefault(attribute.local, []).append(attribute)
        return by_local

    @cached_property
    def model(self) -> Content:
        """The expression over child elements only; ANY is any element any number of times."""
        if isinstance(self.content, Any):
            is_closed = self._schema is not None and self._schema.is_complete
            return Star(Wildcard(process_contents="strict" if is_closed else "lax"))
        return word_model(self.content)

    @cached_property
    def automaton(self) -> Glushkov:
        """G(ρ̄), with the end marker."""
        return glushkov(self.model)

    @cached_property
    def matcher(self) -> Matcher:
        """Follows the children of one element through the model."""
        return matcher(self.model, self.automaton)

    @cached_property
    def symbols(self) -> frozenset[str]:
        """symb(ρ): local names of children, `@name`, `text()`; `*` where elements may occur that are not listed."""
        names = {f"@{attribute.local}" for attribute in self.attributes}
        if self.declaration.other_attributes:
            names.add("@*")
        if allows_text(self.content):
            names.add(TEXT)
        if isinstance(self.content, Any):
            names.update(self._schema.names if self._schema else ())
            if not (self._schema and self._schema.is_complete):
                names.add(ANY_ELEMENT)
            return frozenset(names)
        for leaf in leaves(self.model):
            names.add(leaf.local if isinstance(leaf, Name) else ANY_ELEMENT)
        return frozenset(names)

    @cached_property
    def elements(self) -> frozenset[str]:
        """The child elements among them, with their namespaces if the schema knows these."""
        if isinstance(self.content, Any):
            return frozenset(name for name in self.symbols if symbol(name).kind is _ELEMENT)
        names = (ANY_ELEMENT if isinstance(leaf, Wildcard) else leaf for leaf in leaves(self.model))
        return frozenset(name if isinstance(name, str) else element_symbol(name.local, name.uri) for name in names)

    # --- order (thesis Def. 3.2.1)

    def ordered(self, first: str, second: str) -> bool:
        """Ord(first, second): when a `second` starts, every `first` has been read completely.

        So no symbol is ordered before itself, even if it occurs once: it has only started. The relation covers
        occurring symbols: nothing waits for a `second` that never comes, whereas a `first` that never comes counts as
        read.
        """
        key = (first, second)
        known = self._ordered.get(key)
        if known is None:
            known = self._ordered[key] = self._find_order(first, second)
        return known

    def _find_order(self, first: str, second: str) -> bool:
        one, other = symbol(first), symbol(second)
        if one.kind is _ATTRIBUTE or self.never(first):
            return True
        if other.kind is _END:
            return one.kind is not _END
        if one.kind is _END or other.kind is _ATTRIBUTE or self.never(second):
            return False
        if one.kind is _OTHER or other.kind is _OTHER:
            return False
        firsts, seconds = self.states(first), self.states(second)
        if firsts & seconds:
            return False  # The symbol itself, or a wildcard that may be either.
        return not union(self.automaton.reach[q] for q in states(seconds)) & firsts

    def implied_past(self, label: str) -> frozenset[str]:
        """The symbols that can no longer occur, and have been read, once a child `label` has started."""
        return frozenset(name for name in self.symbols if self.ordered(name, label))

    # --- past (thesis Def. 3.3.2)

    def states(self, name: str) -> int:
        """The states of the automaton that a symbol can lead into; text has none."""
        found = self._states.get(name)
        if found is None:
            what = symbol(name)
            if what.kind is _ELEMENT:
                found = self.automaton.states_that_may_be(what)
            else:
                found = 1 << self.automaton.end if what.kind is _END else 0
            self._states[name] = found
        return found

    def past(self, state: int, name: str) -> bool:
        """Past(q, a): in state q no `a` is being read, and none can come. Text can until the end tag."""
        kind = symbol(name).kind
        if kind is _ATTRIBUTE:
            return True
        if kind is _OTHER:
            return state == self.automaton.end or self.never(name)
        return not (self.automaton.reach[state] | 1 << state) & self.states(name)

    def past_all(self, state: int, names: Iterable[str]) -> bool:
        """PastTable: whether all of a set are past in a state."""
        return all(self.past(state, name) for name in names)

    def first_past(self, names: Iterable[str]) -> frozenset[tuple[int, int]]:
        """The transitions (q, p) on which a set becomes past; none if it is past from the start."""
        wanted = tuple(names)
        is_past = [self.past_all(q, wanted) for q in range(self.automaton.end + 1)]
        follows = self.automaton.follows
        return frozenset((q, p) for q, bits in enumerate(follows) if not is_past[q] for p in states(bits) if is_past[p])

    def past_implies(self, names: Iterable[str], other: str) -> bool:
        """Whether `other` is past wherever all of a set are: a buffer of `other` is full when `past(names)` fires.

        Def. 3.4.18 asks for `other` ∈ S or Ord(other, a) for some a ∈ S. That is not enough if `a` may be missing: in
        `(b* | a)` no b follows an a, yet at the first b the symbol a is past and b is not.
        """
        wanted = tuple(names)
        if self.is_unordered:
            return self._is_among(other, wanted)
        return all(self.past(q, other) for q in range(self.automaton.end + 1) if self.past_all(q, wanted))

    @property
    def is_unordered(self) -> bool:
        """Whether the parts may come in any order (xs:all); `matcher` then knows more than the automaton."""
        return isinstance(self.model.part if isinstance(self.model, Optional) else self.model, All)

    def _is_among(self, other: str, names: Iterable[str]) -> bool:
        if symbol(other).kind is _ATTRIBUTE or self.never(other):
            return True
        if any(not self.past(0, name) and self.occurrences(name).most is None for name in names):
            return True  # Then they are past at the end tag only.
        return symbol(other).kind is _ELEMENT and not self.states(other) & ~union(map(self.states, names))

    # --- cardinality (thesis Def. 3.2.3)

    def occurrences(self, name: str) -> Occurrences:
        """The least and the greatest number of occurrences of a symbol."""
        what = symbol(name)
        match what.kind:
            case SymbolKind.ELEMENT:
                return occurrences(self.model, what)
            case SymbolKind.ATTRIBUTE:
                return self._attribute_occurrences(what)
            case SymbolKind.END:
                return Occurrences(1, 1)
        return Occurrences(0, 0 if isinstance(self.content, Empty) else None)

    def _attribute_occurrences(self, what: Symbol) -> Occurrences:
        matching = [
            a
            for a in self.attributes
            if what.local in (None, a.local) and (None in (what.uri, a.uri) or what.uri == a.uri)
        ]
        most: int | None = len(matching)
        if self.declaration.other_attributes:
            most = None if what.local is None or what.uri is None else 1
        return Occurrences(sum(a.required for a in matching), most)

    def never(self, name: str) -> bool:
        """||0: the symbol does not occur."""
        return self.occurrences(name).most == 0

    def at_most_once(self, name: str) -> bool:
        """||≤1."""
        most = self.occurrences(name).most
        return most is not None and most <= 1

    def exactly_once(self, name: str) -> bool:
        """||=1."""
        return self.occurrences(name) == Occurrences(1, 1)

    # --- below

    def child(self, name: str) -> AutomatonConstraints | None:
        """The constraints of a child element; None if nothing is known of it, or more than one type."""
        what = symbol(name)
        if what.kind is not _ELEMENT or what.local is None:
            return None
        return self.child_element(what.local, what.uri)

    def child_element(self, local: str, uri: str | None) -> AutomatonConstraints | None:
        """Like `child`, by the parts of a name; a namespace of None is any."""
        if (local, uri) not in self._children:
            if len(self._children) >= MOST_REMEMBERED:
                self._children.clear()
            self._children[local, uri] = self._find_child(Symbol(_ELEMENT, local, uri))
        return self._children[local, uri]

    def _find_child(self, what: Symbol) -> AutomatonConstraints | None:
        assert what.local is not None
        if self._schema is None:
            return None
        found: set[AutomatonConstraints | None] = set()
        for leaf in leaves(self.model):
            if isinstance(leaf, Wildcard):
                found |= self._schema.admitted(leaf, what.local, what.uri) if leaf.admits(what.uri) else set()
            elif what.may_be(leaf):
                found.add(self._schema.declared(leaf.declaration))
        return found.pop() if len(found) == 1 else None
