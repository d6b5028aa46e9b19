"""Binary values: octets with one of two text forms (XSD 1.1 part 2 §3.3.15, §3.3.16)."""

from __future__ import annotations

import base64
import binascii


class HexBinary:
    """xs:hexBinary"""

    __slots__ = ("value",)

    def __init__(self, value: bytes) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return type(other) is HexBinary and self.value == other.value

    def __hash__(self) -> int:
        return hash(("hex", self.value))

    def __str__(self) -> str:
        return self.value.hex().upper()

    def __repr__(self) -> str:
        return f"HexBinary({self})"

    @staticmethod
    def parse(text: str) -> HexBinary | None:
        """None if the text is not in the lexical space; callers trim surrounding white space."""
        try:
            return HexBinary(binascii.unhexlify(text.encode("ascii")))
        except (binascii.Error, UnicodeEncodeError):
            return None


class Base64Binary:
    """xs:base64Binary"""

    __slots__ = ("value",)

    def __init__(self, value: bytes) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return type(other) is Base64Binary and self.value == other.value

    def __hash__(self) -> int:
        return hash(("base64", self.value))

    def __str__(self) -> str:
        return base64.b64encode(self.value).decode("ascii")

    def __repr__(self) -> str:
        return f"Base64Binary({self})"

    @staticmethod
    def parse(text: str) -> Base64Binary | None:
        """None where the text is not in the lexical space, which allows white space between the characters.

        The unused bits of the last character must be zero, which is stricter than Python's decoder.
        """
        compact = text.translate(_NO_SPACE)
        try:
            octets = base64.b64decode(compact.encode("ascii"), validate=True)
        except (binascii.Error, UnicodeEncodeError):
            return None
        return Base64Binary(octets) if len(compact) % 4 == 0 and _rest_is_zero(compact) else None


_NO_SPACE = {0x20: None, 0x9: None, 0xA: None, 0xD: None}
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def _rest_is_zero(compact: str) -> bool:
    """Whether the last character before the padding has no bits beyond the last octet."""
    padding = len(compact) - len(compact.rstrip("="))
    if padding == 0:
        return True
    return padding <= 2 and _ALPHABET.find(compact[-1 - padding]) % (4**padding) == 0
