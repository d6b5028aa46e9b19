"""A tree as plain as can be, for the reference interpreter of FluX programs: elements, attributes, text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from xml.sax.saxutils import escape, quoteattr

from xylem.analysis.projection import Projection


@dataclass
class Element:
    """An element; without a name, the document node."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)

    def __str__(self) -> str:
        content = "".join(str(child) if isinstance(child, Element) else escape(child) for child in self.children)
        if not self.name:
            return content
        attributes = "".join(f" {name}={quoteattr(value)}" for name, value in self.attributes.items())
        return f"<{self.name}{attributes}>{content}</{self.name}>"

    def elements(self) -> list[Element]:
        return [child for child in self.children if isinstance(child, Element)]

    def below(self) -> Iterator[Element]:
        """All elements below, in document order."""
        for child in self.elements():
            yield child
            yield from child.below()


def parsed(xml: str) -> Element:
    """The document node of a text without namespaces."""
    from lxml import etree

    def made(node: etree._Element) -> Element:
        element = Element(str(node.tag), {str(k): str(v) for k, v in node.attrib.items()})
        if node.text:
            element.children.append(node.text)
        for child in node:
            element.children.append(made(child))
            if child.tail:
                element.children.append(child.tail)
        return element

    return Element("", {}, [made(etree.fromstring(xml))])


def projected(element: Element, projection: Projection) -> Element:
    """What a projection keeps of an element: what a buffer would hold, and no more."""
    return _kept(element, [projection], [])


def _kept(element: Element, here: list[Projection], deeper: list[Projection]) -> Element:
    """`here` say what is needed of the element itself; `deeper` are those whose descendant steps reach into it."""
    if any(projection.subtree for projection in here):
        return element
    wanted = {local for projection in here for _, local in projection.attributes}
    every = any(projection.all_attributes for projection in here)
    attributes = {name: value for name, value in element.attributes.items() if every or name in wanted}
    reaching = [*deeper, *here]
    children: list[Element | str] = []
    for child in element.children:
        if isinstance(child, str):
            if any(projection.text or projection.string for projection in here):
                children.append(child)
            continue
        found = [p for projection in here for test, p in projection.children.items() if _matches(test, "child", child)]
        found += [p for q in reaching for test, p in q.children.items() if _matches(test, "descendant", child)]
        if any(projection.string for projection in here):
            found.append(Projection(string=True))
        kept = _kept(child, found, reaching)
        if found or kept.children:
            children.append(kept)
    return Element(element.name, attributes, children)


def _matches(test: tuple[str, str | None, str | None], axis: str, element: Element) -> bool:
    return test[0] == axis and test[2] in (None, element.name)


def seen(element: Element, count: int) -> Element:
    """An open element, of which so many children have passed."""
    return replace(element, children=element.children[:count])
