"""The base of all AST nodes: an immutable value with its place in the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, NoReturn, TypeVar, dataclass_transform, overload

from xylem.errors import NOWHERE, Span

T = TypeVar("T")


@overload
def ast_node(cls: type[T], /) -> type[T]: ...
@overload
def ast_node(*, kw_only: bool) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def ast_node(cls: type[Any] | None = None, /, *, kw_only: bool = False) -> Any:
    """A frozen dataclass, made the cheap way.

    The tree has some 120 classes, and the code that `dataclass` generates for all of them takes a third of a command's
    start. Comparison, hashing and printing are written once, in `Node`; the initialiser, which also fills a node
    faster, is generated only for the kinds of nodes in a query.
    """
    if cls is None:
        return lambda decorated: _node_class(decorated, kw_only)
    return _node_class(cls, kw_only)


def _node_class(cls: type[Any], kw_only: bool) -> type[Any]:
    # Without a docstring, `dataclass` would compute a signature for it.
    cls.__doc__ = cls.__doc__ or cls.__name__
    made = dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(cls)
    made._compared = tuple(entry.name for entry in fields(made) if entry.compare)
    made.__init__ = _initialise_first
    return made


def _initialise_first(self: Node, *args: object, **keywords: object) -> None:
    """Initialise the first node of its kind: generate the initialiser that all others get."""
    cls: Any = type(self)
    cls.__init__ = _initialiser(cls)
    cls.__init__(self, *args, **keywords)


def _initialiser(cls: type[Any]) -> Any:
    entries = fields(cls)
    scope: dict[str, Any] = {f"_{entry.name}": entry.default for entry in entries if entry.default is not MISSING}

    def parameter(name: str) -> str:
        return f"{name}=_{name}" if f"_{name}" in scope else name

    positional = [parameter(entry.name) for entry in entries if not entry.kw_only]
    keywords = [parameter(entry.name) for entry in entries if entry.kw_only]
    lines = [f"    state[{entry.name!r}] = {entry.name}" for entry in entries]
    apart = ["*"] if keywords else []
    head = f"def __init__(self, {', '.join([*positional, *apart, *keywords])}):"
    exec("\n".join([head, "    state = self.__dict__", *lines]), scope)
    return scope["__init__"]


FACT = "fact "
"""How the names begin under which a node keeps what is known about it; no field has a space in its name."""
_HASH = f"{FACT}hash"
_CHILDREN = f"{FACT}children"


@ast_node(kw_only=True)
class Node:
    """An AST node. Its span never counts when nodes are compared.

    Comparison and hashing use no recursion: a chain of ten thousand operators is a tree ten thousand levels deep.
    """

    span: Span = field(default=NOWHERE, compare=False, repr=False)
    _compared: ClassVar[tuple[str, ...]]

    def children(self) -> tuple[Node, ...]:
        """The nodes directly below, in the order of the text."""
        state = self.__dict__
        known: tuple[Node, ...] | None = state.get(_CHILDREN)
        if known is None:
            found: list[Node] = []
            for name in self._compared:
                value = state[name]
                if isinstance(value, Node):
                    found.append(value)
                elif type(value) is tuple:
                    found.extend(_nodes_in(value))
            known = state[_CHILDREN] = tuple(found)
        return known

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in the order of the text."""
        stack: list[Node] = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children()))

    def __eq__(self, other: object) -> bool:
        stack: list[tuple[object, object]] = [(self, other)]
        while stack:
            left, right = stack.pop()
            if left is right:
                continue
            if isinstance(left, Node):
                if type(left) is not type(right):
                    return False
                mine, theirs = left.__dict__, right.__dict__
                stack.extend((mine[name], theirs[name]) for name in left._compared)
            elif type(left) is tuple and type(right) is tuple:
                if len(left) != len(right):
                    return False
                stack.extend(zip(left, right, strict=True))
            elif left != right:
                return False
        return True

    def __hash__(self) -> int:
        # Conditions are looked up repeatedly while a query is rewritten, and they never change.
        state = self.__dict__
        known = state.get(_HASH)
        if known is None:
            found: list[object] = []
            for node in self.walk():
                found.append(type(node))
                found.extend(value for value in map(node.__dict__.__getitem__, node._compared) if _is_plain(value))
            known = state[_HASH] = hash(tuple(found))
        return known

    def __getstate__(self) -> dict[str, object]:
        """The fields alone: the hash differs between processes, and what is known is found again."""
        return {name: value for name, value in self.__dict__.items() if not name.startswith(FACT)}

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={self.__dict__[name]!r}" for name in self._compared)
        return f"{type(self).__name__}({inside})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} cannot be changed; use dataclasses.replace")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} cannot be changed; use dataclasses.replace")


def _nodes_in(members: tuple[object, ...]) -> Iterator[Node]:
    for member in members:
        if isinstance(member, Node):
            yield member
        elif isinstance(member, tuple):
            yield from _nodes_in(member)


def _is_plain(value: object) -> bool:
    return not isinstance(value, Node | tuple)


@ast_node
class Expr(Node):
    """A node that has a value."""


@ast_node
class Name(Node):
    """A QName as written (`prefix`, None where none was written) or an EQName (`uri` given).

    The parser fills `uri` for ``Q{uri}local`` only; name resolution fills it everywhere.
    """

    local: str
    prefix: str | None = None
    uri: str | None = None

    def __str__(self) -> str:
        if self.prefix:
            return f"{self.prefix}:{self.local}"
        return self.local if not self.uri else f"Q{{{self.uri}}}{self.local}"

    @property
    def expanded(self) -> tuple[str, str]:
        """(namespace URI, local name) of a resolved name."""
        return self.uri or "", self.local
