"""Decoding the texts of fn:unparsed-text and similar functions (F&O 3.1 §14.8.5)."""

from __future__ import annotations

from xylem.errors import DynamicError

from .encodings import declared_encoding, encoding_mark, text_codec


def decode_text(data: bytes, requested: str | None, external: str | None = None, media_type: str | None = None) -> str:
    """The characters of a text.

    In this order: the encoding known from outside, the rules of XML for an XML media type, what the query asked for,
    a byte order mark, UTF-8. Line ends are left alone, and so are characters that XML does not allow: JSON may.
    """
    if requested is not None and text_codec(requested) is None:
        raise DynamicError("FOUT1190", f"the encoding '{requested}' is not known")
    asked = external or _xml_encoding(data, media_type) or requested
    if asked is not None:
        codec = text_codec(asked)
        if codec is None:
            raise DynamicError("FOUT1190", f"the encoding '{asked}' is not known")
        guessed = False
    else:
        codec, guessed = encoding_mark(data) or "utf-8", True
    try:
        text = data.decode(codec)
    except UnicodeError as error:
        if guessed:
            raise DynamicError("FOUT1200", f"the text is not {codec}", hint="name its encoding") from error
        raise DynamicError("FOUT1190", f"the text is not {asked}: {error}") from error
    return text.removeprefix("\ufeff")


def _xml_encoding(data: bytes, media_type: str | None) -> str | None:
    if media_type is None:
        return None
    kind = media_type.partition(";")[0].strip().lower()
    if kind in ("text/xml", "application/xml") or kind.endswith("+xml"):
        return encoding_mark(data) or declared_encoding(data) or "utf-8"
    return None
