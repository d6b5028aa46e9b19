"""Generated code with one gap, which is filled when its code is known.

The filling may contain text of the query, with any characters. So no text is searched for a placeholder: the part
before the gap, the filling and the part after it are concatenated.
"""

from __future__ import annotations

from typing import NamedTuple


class CodeGap(NamedTuple):
    """The code before and behind a gap."""

    before: str
    after: str = ""

    def filled(self, code: str) -> str:
        return self.before + code + self.after
