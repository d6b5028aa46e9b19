"""Random paths through the documents of a world."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from .random_schema import ATTRIBUTES, NAMES, NUMBERS, World


@dataclass(frozen=True)
class Variable:
    """A variable bound to an element, of a known name or of any."""

    name: str
    element: str | None


@dataclass(frozen=True)
class Found:
    """A path as text, and what it leads to."""

    text: str
    name: str | None = None
    """The name of the elements, if they all have the same."""
    is_element: bool = True
    is_number: bool = False
    """Whether all values are numbers."""


class Paths:
    """Writes paths. `condition_on` writes the predicates."""

    def __init__(
        self,
        world: World,
        random: Random,
        prefixes: dict[str, str],
        condition_on: Callable[[str | None], str],
        stray: float,
    ) -> None:
        self.world = world
        self.stray = stray
        self.random = random
        self.prefixes = prefixes
        self._condition_on = condition_on
        self._nesting = 0

    def path(self, start: Variable | None, elements: bool) -> Found:
        """A path from a variable, or from the document."""
        if start is None:
            return self._steps(self.random.choice(("", "", "", ".")), None, True, elements)
        is_leaf = start.element is not None and not self.world.children(start.element)
        if not elements and self.random.random() < (0.5 if is_leaf else 0.08):
            return Found(start.name, start.element, True, start.element in NUMBERS)
        return self._steps(start.name, start.element, False, elements)

    def further(self, found: Found) -> Found:
        """A path from what another one found."""
        return self._steps(found.text, found.name, False, False)

    def relative(self, name: str | None) -> Found:
        """A path from the context item, for a predicate."""
        if self.random.random() < 0.1:
            return Found(".", name, True, name in NUMBERS)
        found = self._steps(".", name, False, False)
        text = found.text if found.text.startswith(".//") else found.text.removeprefix("./")
        return Found(text, found.name, found.is_element, found.is_number)

    def _steps(self, text: str, name: str | None, from_document: bool, elements: bool) -> Found:
        number = self.random.choice((2, 2, 3, 3, 4) if from_document else (1, 1, 1, 2))
        for index in range(number):
            is_dead_end = name is not None and not self.world.children(name) and self.random.random() < 0.9
            if is_dead_end and index:
                break
            is_last = index == number - 1 or is_dead_end
            chance = 0.8 if is_dead_end else 0.25
            if is_last and not elements and self.random.random() < chance and not (from_document and index == 0):
                return self._leaf(text, name)
            is_root = from_document
            text, name, from_document = self._step(text, name, from_document)
            if not is_root or self.random.random() < 0.1:
                text += self._predicates(name)
        return Found(text, name, True, name in NUMBERS)

    def _leaf(self, text: str, name: str | None) -> Found:
        slash = "//" if self.random.random() < 0.1 else "/"
        if self.random.random() < 0.65:
            allowed = self.world.attributes.get(name or "", ATTRIBUTES) or ATTRIBUTES
            attribute = self.random.choice((*allowed, *ATTRIBUTES))
            if self.random.random() < 0.1:
                return Found(f"{text}{slash}@*", None, False)
            return Found(f"{text}{slash}@{attribute}", None, False, attribute == "n")
        return Found(f"{text}{slash}text()", None, False)

    def _step(self, text: str, name: str | None, from_document: bool) -> tuple[str, str | None, bool]:
        known = name is not None or from_document
        children = self.world.children(name) if known else list(NAMES)
        kind = self.random.random()
        if kind < 0.15:
            reachable = sorted(self._below(name) if known else set(NAMES))
            chosen = self.random.choice(reachable or list(NAMES))
            return f"{text}//{self._named(chosen)}", chosen, False
        if kind < 0.21:
            return f"{text}{self.random.choice(('/', '/', '//'))}*", None, False
        if kind < 0.24:
            chosen = self.random.choice(NAMES)
            axis = self.random.choice(("descendant::", "child::", "descendant-or-self::"))
            slash = "/"
            return f"{text}{slash}{axis}{self._named(chosen)}", chosen, False
        if kind < 0.255 and text not in ("", ".") and self.stray:
            return f"{text}/..", None, False
        if kind < 0.3 or not children:
            chosen = self.random.choice(NAMES)
        else:
            chosen = self.random.choice(children)
        return f"{text}/{self._named(chosen)}", chosen, False

    def _below(self, name: str | None) -> set[str]:
        found: set[str] = set()
        todo = [name]
        while todo:
            for child in self.world.children(todo.pop()):
                if child not in found:
                    found.add(child)
                    todo.append(child)
        return found

    def _predicates(self, name: str | None) -> str:
        if self._nesting > 1 or self.random.random() > 0.16:
            return ""
        kind = self.random.random()
        if kind < 0.2:
            return f"[{self.random.choice((1, 2, 3))}]"
        if kind < 0.35:
            return self.random.choice(("[last()]", "[position() < 3]", "[position() mod 2 = 1]", "[position() > 1]"))
        self._nesting += 1
        made = f"[{self._condition_on(name)}]"
        self._nesting -= 1
        return made + (self.random.choice(("[1]", "[2]")) if self.random.random() < 0.1 else "")

    def _named(self, name: str) -> str:
        return f"{self.prefixes.get(name, '')}{name}"
