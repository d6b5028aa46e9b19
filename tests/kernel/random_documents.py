"""Random documents with all that a tree can hold: mixed content, namespaces, comments, instructions, identifiers."""

from __future__ import annotations

from hypothesis import strategies as st

NAMES = st.sampled_from(["a", "b", "p:c", "q:c", "long-näme-of-many-letters"])
TEXTS = st.text(st.sampled_from("ab é\n\t日\U0001f600]>"), max_size=6).map(lambda text: text.replace(">", "&gt;"))
REFERENCES = st.sampled_from(["&amp;", "&lt;", "&#65;", "&#x1F600;", "&e;", "&tag;", "&deep;"])
OTHER = st.sampled_from(["<![CDATA[<x>]]>", "<!--c-->", "<?pi some data?>", "\r\n", "\r", "<![CDATA[]]>"])
VALUES = st.lists(TEXTS | st.sampled_from(["&amp;", "&#10;", "&e;", "\r\n", " "]), max_size=3).map("".join)
ATTRIBUTES = st.dictionaries(
    st.sampled_from(["x", "p:x", "q:x", "xml:id", "id", "ref", "tokens", "xmlns", "xmlns:p"]), VALUES, max_size=3
)


def _element(name: str, attributes: dict[str, str], content: list[str]) -> str:
    written = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return f"<{name}{written}>{''.join(content)}</{name}>" if content else f"<{name}{written}/>"


NODES = st.recursive(
    TEXTS | REFERENCES | OTHER,
    lambda inner: st.builds(_element, NAMES, ATTRIBUTES, st.lists(inner, max_size=4)),
    max_leaves=15,
)
SUBSET = """<!DOCTYPE r [
<!-- declarations --><?pi in the subset?>
<!ENTITY e "ent&#233;&#13;"><!ENTITY tag "1<b x='&e;'>2</b>3"><!ENTITY deep "(&tag;)"><!ENTITY e "later">
<!ATTLIST a id ID #IMPLIED ref IDREFS #IMPLIED d CDATA ' de  fault &e; '>
<!ATTLIST b tokens NMTOKENS ' x  y ' xmlns:q CDATA #FIXED "urn:fixed">
]>"""
DOCUMENTS = st.builds(
    lambda content, before, after: f'{before}<r xmlns:p="urn:p" xmlns:q="urn:q">{"".join(content)}</r>{after}',
    st.lists(NODES, max_size=5),
    st.sampled_from([SUBSET, SUBSET + "<!--x-->", '<?xml version="1.0"?>\r\n' + SUBSET]),
    st.sampled_from(["", "\n<?end?>", "<!--y-->\n"]),
)
