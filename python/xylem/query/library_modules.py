"""The library modules of one query: each is read once, so all programs of the query use the same text."""

from __future__ import annotations

from collections.abc import Sequence

from xylem.pipeline import ModuleResolver


class LibraryModules:
    """Finds modules, and keeps their texts, which are shipped with the query."""

    def __init__(self, found: ModuleResolver) -> None:
        self._found = found
        self.texts: dict[str, str] = {}
        """By location."""

    def __call__(self, uri: str, locations: Sequence[str]) -> Sequence[tuple[str, str]]:
        if locations and all(location in self.texts for location in locations):
            return [(location, self.texts[location]) for location in locations]
        modules = self._found(uri, locations)
        self.texts.update(modules)
        return modules
