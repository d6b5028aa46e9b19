"""Documents of a megabyte, each made to cost as much as its kind can: what stands in them is nobody's query's fault."""

from __future__ import annotations

from collections.abc import Callable

MEGABYTE = 1_000_000


def filled(start: str, piece: Callable[[int], str], end: str) -> str:
    """A document of about a megabyte."""
    parts, size, number = [start], len(start) + len(end), 0
    while size < MEGABYTE:
        made = piece(number)
        parts.append(made)
        size += len(made.encode())
        number += 1
    return "".join(parts) + end


def nested(name: str, depth: int) -> str:
    return f"<{name}>" * depth + f"</{name}>" * depth


def choices(depth: int) -> str:
    """A content model of choices in choices, each of which may repeat."""
    return "a" if depth == 0 else f"({choices(depth - 1)}|b{depth})*"


MANY_ATTRIBUTES = "<a " + " ".join(f"b{number}=''" for number in range(900)) + "/>"
LONG_NAME = "n" * 990
DOCUMENTS: dict[str, Callable[[], str | bytes]] = {
    "empty elements": lambda: filled("<r>", lambda n: "<a/>", "</r>"),
    "one text": lambda: filled("<r>", lambda n: "text ", "</r>"),
    "one word": lambda: filled("<r>", lambda n: "aaaaaaaaaa", "!</r>"),
    "texts of one character": lambda: filled("<r>", lambda n: "x<a/>", "</r>"),
    "white space": lambda: filled("<r>", lambda n: "<a> </a>\n", "</r>"),
    "names that differ": lambda: filled("<r>", lambda n: f"<n{n}/>", "</r>"),
    "long names": lambda: filled("<r>", lambda n: f"<{LONG_NAME}{n:06}/>", "</r>"),
    "attributes": lambda: filled("<r>", lambda n: MANY_ATTRIBUTES, "</r>"),
    "attributes that differ": lambda: filled("<r>", lambda n: f"<a b{n}='{n}'/>", "</r>"),
    "one long attribute": lambda: f"<r a='{'x' * (MEGABYTE - 100)}'/>",
    "numbers": lambda: filled("<r>", lambda n: f"<a n='{n}'>{n}</a>", "</r>"),
    "a deep tree": lambda: nested("a", 9_990) + " " * 900_000,
    "a deep tree with leaves": lambda: "<a><b n='1'>x</b>" * 9_900 + "</a>" * 9_900,
    "deep trees": lambda: filled("<r>", lambda n: nested("a", 900), "</r>"),
    "three names in turn, deep": lambda: filled("<r>", lambda n: "<a><b><c>" * 300 + "</c></b></a>" * 300, "</r>"),
    "namespaces, nested": lambda: "".join(f"<a xmlns:p{n}='u{n}'>" for n in range(9_000)) + "</a>" * 9_000,
    "namespaces, side by side": lambda: filled("<r>", lambda n: f"<p:a xmlns:p='u{n}'/>", "</r>"),
    "namespaces of one element": lambda: (
        "<r " + " ".join(f"xmlns:p{n}='u{n}'" for n in range(900)) + ">" + "<a/>" * 240_000 + "</r>"
    ),
    "references": lambda: filled("<r>", lambda n: "&#65;&amp;", "</r>"),
    "an entity bomb": lambda: (
        "<!DOCTYPE r ["
        + "<!ENTITY e0 'lol'>"
        + "".join(f"<!ENTITY e{n} '" + f"&e{n - 1};" * 10 + "'>" for n in range(1, 12))
        + "]><r>&e11;</r>"
    ),
    "a chain of entities": lambda: (
        "<!DOCTYPE r [<!ENTITY e0 'x'>"
        + "".join(f"<!ENTITY e{n} '&e{n - 1};'>" for n in range(1, 30_000))
        + "]><r>&e29999;</r>"
    ),
    "a long entity, often": lambda: f"<!DOCTYPE r [<!ENTITY e '{'y' * 400_000}'>]><r>{'&e;' * 100_000}</r>",
    "many entities": lambda: filled(
        "<!DOCTYPE r [", lambda n: f"<!ENTITY e{n} 'x'>", "]><r>" + "&e1;&e2;" * 20 + "</r>"
    ),
    "parameter entities": lambda: (
        "<!DOCTYPE r [<!ENTITY % p0 '<!ENTITY q &#34;Q&#34;>'>"
        + "".join(f"<!ENTITY % p{n} '&#37;p{n - 1};&#37;p{n - 1};'>" for n in range(1, 40))
        + "%p39;]><r>&q;</r>"
    ),
    "defaulted attributes": lambda: filled(
        "<!DOCTYPE r [<!ATTLIST a " + " ".join(f"b{n} CDATA 'v'" for n in range(900)) + ">]><r>",
        lambda n: "<a/>",
        "</r>",
    ),
    "defaulted namespaces": lambda: filled(
        "<!DOCTYPE r [<!ATTLIST a " + " ".join(f"xmlns:p{n} CDATA 'u{n}'" for n in range(900)) + ">]><r>",
        lambda n: "<a/>",
        "</r>",
    ),
    "many attribute lists": lambda: filled("<!DOCTYPE r [", lambda n: f"<!ATTLIST a b{n} CDATA #IMPLIED>", "]><r/>"),
    "a long enumeration": lambda: filled(
        "<!DOCTYPE r [<!ATTLIST r b (v", lambda n: f"|v{n}", ") #IMPLIED>]><r b='v1'/>"
    ),
    "a content model of choices": lambda: f"<!DOCTYPE r [<!ELEMENT r {choices(500)}>]><r>{'<a/>' * 200_000}</r>",
    "a content model of many names": lambda: filled(
        "<!DOCTYPE r [<!ELEMENT r (a", lambda n: f"|e{n}", ")*>]><r><a/></r>"
    ),
    "many content models": lambda: filled("<!DOCTYPE r [", lambda n: f"<!ELEMENT e{n} (a?,b?)>", "]><r/>"),
    "comments": lambda: filled("<r>", lambda n: "<!---->", "</r>"),
    "one comment": lambda: filled("<r><!--", lambda n: "c ", "--></r>"),
    "instructions": lambda: filled("<r>", lambda n: "<?p?>", "</r>"),
    "one instruction": lambda: filled("<r><?p ", lambda n: "i ", "?></r>"),
    "sections of characters": lambda: filled("<r>", lambda n: "<![CDATA[]]>x", "</r>"),
    "one section of characters": lambda: filled("<r><![CDATA[", lambda n: "]]", "></r>]]></r>"),
    "ends of sections in a text": lambda: filled("<r>", lambda n: "]]&gt;", "]]></r>"),
    "an end that never comes": lambda: "<r " + "a" * MEGABYTE,
    "a comment that never ends": lambda: filled("<r><!--", lambda n: "- ", ""),
    "quotes": lambda: filled("<r a='", lambda n: '"', "'/>"),
    "elements in elements of the same name": lambda: filled("<a>", lambda n: "<a><a>1</a></a>", "</a>"),
    "UTF-16": lambda: ("<r>" + "<a>é</a>" * 62_000 + "</r>").encode("utf-16"),
    "Latin-1": lambda: filled("<?xml version='1.0' encoding='ISO-8859-1'?><r>", lambda n: "<a>é</a>", "</r>").encode(
        "latin-1"
    ),
    "an encoding nobody has": lambda: filled("<?xml version='1.0' encoding='x-none'?><r>", lambda n: "<a/>", "</r>"),
}
