"""Turns characters into output (Serialization 3.1 §4, "character expansion").

The order matters: characters of the character map are replaced first and left alone afterwards; the others are
normalised, then escaped, then checked against the encoding. The usual case, no map, no normalisation and a
Unicode encoding, is the escape function alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from xylem.errors import DynamicError
from xylem.values.normalized_text import Form, normalized

from .output_encoding import OutputEncoding

if TYPE_CHECKING:
    from .serialization_parameters import SerializationParameters

Expand = Callable[[str], str]
_FORMS = frozenset({"NFC", "NFD", "NFKC", "NFKD"})

# XML 1.1 line ends and the C1 controls are written as references, so they survive parsing (§5.1.9).
_BEYOND_ASCII = re.compile("[\x80-\x9f\u2028]")


def escape_text(text: str) -> str:
    """Text content of XML. Six searches at C speed beat one pass of a pattern or a table."""
    if "&" in text:
        text = text.replace("&", "&amp;")
    if "<" in text:
        text = text.replace("<", "&lt;")
    if ">" in text:
        text = text.replace(">", "&gt;")
    if "\r" in text:
        text = text.replace("\r", "&#xD;")
    if "\x7f" in text:
        text = text.replace("\x7f", "&#x7F;")
    if not text.isascii():
        text = _BEYOND_ASCII.sub(_reference, text)
    return text


def escape_attribute(text: str) -> str:
    """The value of an XML attribute, for use between quotation marks."""
    if '"' in text:
        text = text.replace("&", "&amp;").replace('"', "&quot;")
    elif "&" in text:
        text = text.replace("&", "&amp;")
    if "<" in text:
        text = text.replace("<", "&lt;")
    if ">" in text:
        text = text.replace(">", "&gt;")
    if not text.isprintable():
        text = text.replace("\t", "&#x9;").replace("\n", "&#xA;").replace("\r", "&#xD;").replace("\x7f", "&#x7F;")
        text = _BEYOND_ASCII.sub(_reference, text)
    return text


def unescaped(text: str) -> str:
    """The original of the output of `escape_text` or `escape_attribute`."""
    return _REFERENCE.sub(_referred, text) if "&" in text else text


_REFERENCE = re.compile("&(?:#x([0-9A-F]+)|([a-z]+));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"'}


def _referred(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else _NAMED[found[2]]


def _reference(found: re.Match[str]) -> str:
    return f"&#x{ord(found[0]):X};"


def unchanged(text: str) -> str:
    return text


class CharacterExpansion:
    """The parameters about characters; makes the function for each context."""

    __slots__ = ("_pattern", "character_map", "encoding", "normalize")

    def __init__(self, parameters: SerializationParameters) -> None:
        self.encoding = OutputEncoding(parameters.encoding)
        self.character_map = parameters.character_map
        self.normalize = _normalizer(parameters.normalization_form)
        self._pattern = (
            re.compile("([" + "".join(map(re.escape, self.character_map)) + "])") if self.character_map else None
        )

    @property
    def is_needed(self) -> bool:
        """Whether characters need more than escaping."""
        return not self.encoding.is_unicode or self.normalize is not None or self._pattern is not None

    def through(self, escape: Expand) -> Expand:
        """The expansion for a context with this escape function; references replace unencodable characters."""
        return self._with_map(self.without_map(escape))

    def without_map(self, escape: Expand) -> Expand:
        """Like `through`, if the character map does not apply: for escaped URIs."""
        if self.encoding.is_unicode and self.normalize is None:
            return escape
        normalize = self.normalize or unchanged
        refer = self.encoding.with_references
        return lambda text: refer(escape(normalize(text)))

    def verbatim(self, where: str) -> Expand:
        """The expansion for a context without references, like the text method: SERE0008 for unencodable characters."""
        return self._with_map(self.verbatim_without_map(where))

    def verbatim_without_map(self, where: str) -> Expand:
        if self.encoding.is_unicode and self.normalize is None:
            return unchanged
        normalize = self.normalize or unchanged
        require = self.encoding.require
        return lambda text: require(normalize(text), where)

    def mapped(self, expand: Expand) -> Expand:
        """A custom expansion of characters outside the character map."""
        return self._with_map(expand)

    def _with_map(self, expand: Expand) -> Expand:
        pattern = self._pattern
        if pattern is None:
            return expand
        mapping = {
            character: self.encoding.require(replacement, "the character map")
            for character, replacement in self.character_map.items()
        }

        def expand_mapped(text: str) -> str:
            if not pattern.search(text):
                return expand(text)
            parts = pattern.split(text)
            parts[::2] = [expand(part) for part in parts[::2]]
            parts[1::2] = [mapping[character] for character in parts[1::2]]
            return "".join(parts)

        return expand_mapped


def _normalizer(form: str) -> Expand | None:
    if form == "none":
        return None
    if form not in _FORMS:
        raise DynamicError("SESU0011", f"the normalization form {form!r} is not supported")
    known = cast(Form, form)
    return lambda text: normalized(known, text)
