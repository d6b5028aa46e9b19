"""HTML's elements and attributes, as far as writing needs them (Serialization 3.1 §6, §7)."""

from __future__ import annotations

XHTML = "http://www.w3.org/1999/xhtml"
SVG = "http://www.w3.org/2000/svg"
MATHML = "http://www.w3.org/1998/Math/MathML"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


UNPREFIXED = frozenset({XHTML, SVG, MATHML})
"""Namespaces whose elements HTML 5 writes without a prefix."""

VOID_4 = _words("area base basefont br col embed frame hr img input isindex link meta param")
VOID_5 = _words("area base br col embed hr img input keygen link meta param source track wbr")

BOOLEAN_ATTRIBUTES = _words(
    """
    async autofocus autoplay checked compact controls declare default defer disabled formnovalidate hidden ismap
    itemscope loop multiple muted nohref nomodule noresize noshade novalidate nowrap open playsinline readonly required
    reversed scoped seamless selected truespeed typemustmatch
    """
)
"""Written as the name alone if the value is the name."""

RAW_TEXT = frozenset({"script", "style"})
"""Elements whose text HTML does not escape."""

SPACE_KEPT = frozenset({"listing", "plaintext", "pre", "script", "style", "textarea", "title", "xmp"})
"""Elements in which white space shows, or would be content."""

INLINE = _words(
    """
    a abbr acronym applet area audio b basefont bdi bdo big br button canvas cite code command data datalist del dfn em
    embed font i iframe image img input ins kbd keygen label map mark math meter noscript object output picture progress
    q rp rt ruby s samp select slot small span strike strong sub sup svg textarea time tt u var video
    wbr
    """
)
"""Inline elements: white space before, in or after them would show."""

_URI_ATTRIBUTES: dict[str, str] = {
    "action": "form",
    "archive": "object",
    "background": "body",
    "cite": "blockquote del ins q",
    "classid": "object",
    "codebase": "applet object",
    "data": "object",
    "datasrc": "button div input object select span table textarea",
    "for": "script",
    "formaction": "button input",
    "href": "a area base link",
    "icon": "command",
    "longdesc": "frame iframe img",
    "manifest": "html",
    "name": "a",
    "poster": "video",
    "profile": "head",
    "src": "audio embed frame iframe img input script source track video",
    "usemap": "img input object",
}

URI_ATTRIBUTES = frozenset(
    (element, attribute) for attribute, elements in _URI_ATTRIBUTES.items() for element in elements.split()
)
"""(element, attribute) pairs whose values are URIs, in lower case (appendix D)."""


def escape_uri(value: str) -> str:
    """fn:escape-html-uri: all but printable ASCII as percent escapes of its UTF-8 bytes."""
    if value.isascii() and value.isprintable():
        return value
    return "".join(
        character
        if " " <= character <= "~"
        else "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))
        for character in value
    )
