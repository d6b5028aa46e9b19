"""Documents for validation: nearly valid ones, generated from content models and then spoiled a little."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import strategies as st
from lxml import etree
from xylem.schema import DeclaredSchema, Validator, Violation

DTDS = {
    "order": """<!ELEMENT r (a*, b, c?, (a | c)*)> <!ELEMENT a EMPTY> <!ELEMENT b (a, a?)> <!ELEMENT c (#PCDATA | a)*>
                <!ATTLIST r x CDATA #REQUIRED> <!ATTLIST a x (1 | 2) #IMPLIED>""",
    "choice": """<!ELEMENT r ((a, b)+ | c)> <!ELEMENT a (#PCDATA)> <!ELEMENT b (r?)> <!ELEMENT c ANY>
                 <!ATTLIST a x CDATA #FIXED "1">""",
    "star": "<!ELEMENT r ((a | b)*, (c, a?)*)> <!ELEMENT a EMPTY> <!ELEMENT b (#PCDATA)> <!ELEMENT c (a | b)>",
}


def violations(schema: DeclaredSchema, root: etree._Element, only: set[str] | None = None) -> list[Violation]:
    """Everything a validator says about a tree."""
    validator = Validator(schema, only)
    return [found for found in _events(validator, root) if found is not None]


def _events(validator: Validator, element: etree._Element) -> Iterator[Violation | None]:
    name = etree.QName(element)
    attributes = [(etree.QName(key), value) for key, value in element.items()]
    yield validator.start(
        name.localname, name.namespace or "", [(key.namespace or "", key.localname, value) for key, value in attributes]
    )
    if element.text:
        yield validator.text(element.text)
    for child in element:
        yield from _events(validator, child)
        if child.tail:
            yield validator.text(child.tail)
    yield validator.end()


@st.composite
def documents(draw: st.DrawFn, name: str) -> etree._Element:
    """Small trees over the names of a DTD: half of them follow it by luck or by being steered."""
    return _tree(draw, "r", 0)


_LIKELY = {"r": ["a", "b"], "b": ["a"], "c": ["a"], "a": []}


def _tree(draw: st.DrawFn, tag: str, depth: int) -> etree._Element:
    element = etree.Element(tag)
    if tag == "r" and draw(st.integers(0, 3)):
        element.set("x", "1")
    elif not draw(st.integers(0, 5)):
        element.set("x", draw(st.sampled_from(["1", "2"])))
    names = st.sampled_from([*"abc", *_LIKELY[tag] * 3])
    for child in draw(st.lists(names, max_size=4 - depth if tag != "a" else 1)) if depth < 4 else ():
        element.append(_tree(draw, child, depth + 1))
    if not draw(st.integers(0, 4)):
        element.text = draw(st.sampled_from([" ", "x"]))
    return element
