"""Whether two processors gave the same answer: the same XML, however each of them wrote it down."""

from __future__ import annotations

import re
from xml.etree import ElementTree

_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>\s*")


def canonical(answer: str) -> str:
    """A serialized sequence as canonical XML; as it stands where it is not XML (maps, say)."""
    content = _DECLARATION.sub("", answer)
    try:
        return ElementTree.canonicalize(f"<answer>{content}</answer>")
    except ElementTree.ParseError:
        return content.strip()


def same_answer(one: str, other: str) -> bool:
    """Equal as canonical XML. White space counts, white space around the whole does not."""
    return canonical(one.strip()) == canonical(other.strip())
