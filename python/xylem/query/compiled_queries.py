"""The queries that were compiled last, by their texts and static context.

A query that is compiled anew for each document, request or message is compiled once. Its programs hold no state of a
run (`compiled_query.py`), so that all who compile the same text share them.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any

from xylem.pipeline import StaticEnvironment

from .compiled_query import CompiledQuery

MOST_QUERIES = 4
"""Few: with its programs a query keeps the names of its documents, forty megabytes for one with nothing else."""
MOST_CHARACTERS = 65_536
"""Of a query that is kept."""


class CompiledQueries:
    """The latest queries.

    Holds:  at most so many queries with all their programs.
    """

    def __init__(self, most: int = MOST_QUERIES) -> None:
        self._most = most
        self._known: OrderedDict[Any, CompiledQuery] = OrderedDict()
        self._lock = threading.Lock()

    def query(self, text: str, environment: StaticEnvironment) -> CompiledQuery:
        """A query, which is new unless it is known. Its environment has no modules, event times or late items."""
        names = environment.namespaces
        # A function that is kept keeps its identity.
        functions = tuple(map(id, environment.external_functions))
        key = text, environment.name, environment.base_uri, frozenset(names.items()), functions
        with self._lock:
            found = self._known.get(key)
            if found is not None:
                self._known.move_to_end(key)
                return found
            made = CompiledQuery(text, environment)
            if len(text) <= MOST_CHARACTERS:
                self._known[key] = made
                if len(self._known) > self._most:
                    self._known.popitem(last=False)
            return made


COMPILED = CompiledQueries()
"""Those of this process."""
