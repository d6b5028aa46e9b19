"""Generated code with one place left open, to be filled when the code for it is known.

What is filled in may hold text of the query, with any characters at all. So nothing is looked for in it, and nothing in
what stands around it: the three texts are put one after another.
"""

from __future__ import annotations

from typing import NamedTuple


class CodeGap(NamedTuple):
    """The code before and behind a gap."""

    before: str
    after: str = ""

    def filled(self, code: str) -> str:
        return self.before + code + self.after
