"""Generated code with one gap, which is filled when its code is known.

The filling may contain text of the query, with any characters. So there is no placeholder to search for: the part
before the gap, the filling and the part after it are concatenated.
"""

from __future__ import annotations

from typing import NamedTuple


class CodeGap(NamedTuple):
    """The code before and after a gap."""

    before: str
    after: str = ""

    def filled(self, code: str) -> str:
        return self.before + code + self.after
