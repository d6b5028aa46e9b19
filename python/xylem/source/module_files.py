"""Library modules in files: found at the locations an import names, in allowed folders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike

from .resources import FileResources


class ModuleFiles:
    """Finds the modules of `import module namespace p = "uri" at "location";`. Without a location it knows none."""

    def __init__(self, folders: Iterable[str | PathLike[str]]) -> None:
        self._files = FileResources(folders)

    def __call__(self, uri: str, locations: Sequence[str]) -> Sequence[tuple[str, str]]:
        """(location, text) of each module; XQST0059 for a missing or forbidden one."""
        return [(location, self._files.module_text(location)) for location in locations]
