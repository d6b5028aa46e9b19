"""Documents for validation: valid ones, generated from content models, and then some of them spoiled a little."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import strategies as st
from lxml import etree
from xylem.schema import AutomatonConstraints, DeclaredSchema, Validator, Violation, load_schema
from xylem.schema.content_model import All, Choice, Content, Name, Sequence, Wildcard, allows_text

DTDS = {
    "order": """<!ELEMENT r (a*, b, (c, a*)?, b*)> <!ELEMENT a EMPTY> <!ELEMENT b (a, a?)> <!ELEMENT c (#PCDATA | a)*>
                <!ATTLIST r x CDATA #REQUIRED> <!ATTLIST a x (1 | 2) #IMPLIED>""",
    "choice": """<!ELEMENT r ((a, b)+ | c)> <!ELEMENT a (#PCDATA)> <!ELEMENT b (r?)> <!ELEMENT c ANY>
                 <!ATTLIST a x CDATA #FIXED "1">""",
    "star": "<!ELEMENT r ((a | b)*, (c, a?)*)> <!ELEMENT a EMPTY> <!ELEMENT b (#PCDATA)> <!ELEMENT c (b | a)>",
}
SCHEMAS = {name: load_schema(text) for name, text in DTDS.items()}


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
def documents(draw: st.DrawFn, schema: DeclaredSchema) -> etree._Element:
    """Documents of the element r: about half of them follow the schema, the others have been spoiled."""
    top = schema.element("r")
    assert top is not None
    root = _tree(draw, top, 0)
    for _ in range(draw(st.sampled_from([0, 0, 1, 1, 2]))):
        _spoil(draw, root)
    return root


def _tree(draw: st.DrawFn, of: AutomatonConstraints, depth: int) -> etree._Element:
    element = etree.Element(of.name)
    for attribute in of.attributes:
        if attribute.required or draw(st.booleans()):
            element.set(attribute.local, attribute.values[0] if attribute.values else "1")
    for name in _word(draw, of.model, depth):
        child = of.child(name)
        assert child is not None
        element.append(_tree(draw, child, depth + 1))
    if allows_text(of.content) and draw(st.booleans()):
        element.text = "text"
    return element


def _word(draw: st.DrawFn, model: Content, depth: int) -> list[str]:
    match model:
        case Name(local):
            return [local]
        case Sequence(parts):
            return [name for part in parts for name in _word(draw, part, depth)]
        case All(parts):
            return [name for part in draw(st.permutations(parts)) for name in _word(draw, part, depth)]
        case Choice(parts):
            return _word(draw, parts[-1] if depth > 2 else draw(st.sampled_from(parts)), depth)
        case Wildcard():
            return ["c"]
    least, most = model.bounds()  # type: ignore[attr-defined]
    times = least if depth > 2 else draw(st.integers(least, least + 2 if most is None else most))
    part = model.part  # type: ignore[attr-defined]
    return [name for _ in range(times) for name in _word(draw, part, depth)]


def _spoil(draw: st.DrawFn, root: etree._Element) -> None:
    """Change something, which need not make the document invalid."""
    element = draw(st.sampled_from(list(root.iter())))
    match draw(st.sampled_from(["tag", "add", "remove", "text", "space", "attribute", "no attribute"])):
        case "tag":
            element.tag = draw(st.sampled_from("rabcd"))
        case "add":
            element.insert(draw(st.integers(0, len(element))), etree.Element(draw(st.sampled_from("rabcd"))))
        case "remove" if element is not root:
            parent = element.getparent()
            assert parent is not None
            parent.remove(element)
        case "text":
            element.text = "text"
        case "space":
            element.text = "\n "
        case "attribute":
            element.set(draw(st.sampled_from("xy")), draw(st.sampled_from("123")))
        case "no attribute":
            element.attrib.pop("x", None)
