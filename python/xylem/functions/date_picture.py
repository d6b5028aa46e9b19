"""Pictures of fn:format-dateTime, parsed: literal text and variable markers (F&O 3.1 §9.8.4)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from xylem.errors import DynamicError

COMPONENTS = "YMDdFWwHhPmsfZzCE"
_DEFAULT_PRESENTATION = {"F": "n", "P": "n", "C": "n", "E": "n", "m": "01", "s": "01", "Z": "01:01", "z": "01:01"}
_MOST_WIDTH_DIGITS = 6
_LONGEST_SHOWN = 60
_WIDTH = re.compile(r"(\*|[0-9]+)(?:-(\*|[0-9]+))?")


@dataclass(frozen=True)
class Marker:
    """One variable marker, such as `[MNn,3-3]`."""

    component: str
    presentation: str
    is_default: bool
    """Whether the picture did not specify the presentation."""
    modifier: str
    """The second presentation modifier: o (ordinal), t (traditional), a, c, or nothing."""
    least: int | None
    most: int | None

    @property
    def has_width(self) -> bool:
        return self.least is not None or self.most is not None


@lru_cache(maxsize=256)
def parse_picture(picture: str) -> tuple[str | Marker, ...]:
    """The parts of a picture in order; FOFD1340 if it is malformed."""
    parts: list[str | Marker] = []
    text: list[str] = []
    i = 0
    while i < len(picture):
        c = picture[i]
        if c in "[]" and picture[i + 1 : i + 2] == c:
            text.append(c)
            i += 2
        elif c == "[":
            end = picture.find("]", i)
            if end < 0:
                raise fault(f"a [ of {picture!r} is never closed")
            parts += ["".join(text), _marker(picture[i + 1 : end])]
            text = []
            i = end + 1
        elif c == "]":
            raise fault(f"a single ] in {picture!r}", hint="write ]] for a bracket in the output")
        else:
            text.append(c)
            i += 1
    parts.append("".join(text))
    return tuple(part for part in parts if part)


def _marker(content: str) -> Marker:
    content = "".join(content.split())
    component, rest = content[:1], content[1:]
    if not component or component not in COMPONENTS:
        raise fault(f"[{content}] names no component", hint=f"the components are {' '.join(COMPONENTS)}")
    presentation, comma, width = rest.rpartition(",")
    if not comma:
        presentation, width = rest, ""
    least, most = _parse_width(width, content) if comma else (None, None)
    presentation, modifier = _split_modifier(presentation)
    default = _DEFAULT_PRESENTATION.get(component, "1")
    return Marker(component, presentation or default, not presentation, modifier, least, most)


def _split_modifier(presentation: str) -> tuple[str, str]:
    """The first and the second presentation modifier; a single letter is a first one, except o."""
    if presentation[-1:] in ("a", "t", "c", "o") and (len(presentation) > 1 or presentation == "o"):
        return presentation[:-1], presentation[-1]
    return presentation, ""


def _parse_width(width: str, content: str) -> tuple[int | None, int | None]:
    found = _WIDTH.fullmatch(width)
    if found is None:
        raise fault(f"the width of [{content}]", hint="a width is min, min-max, *-max or min-*")
    if max(map(len, filter(None, found.groups()))) > _MOST_WIDTH_DIGITS:
        raise fault(f"the width of [{content[:_LONGEST_SHOWN]}…", hint=f"up to {_MOST_WIDTH_DIGITS} digits")
    least = None if found[1] == "*" else int(found[1])
    most = None if found[2] in (None, "*") else int(found[2])
    if least == 0 or most == 0 or (least is not None and most is not None and most < least):
        raise fault(f"the width of [{content}]", hint="widths are positive, the least not above the most")
    return least, most


def fault(why: str, hint: str = "") -> DynamicError:
    return DynamicError("FOFD1340", why, hint=hint)
