"""Whole documents: the kernel and expat make the same tree, column by column."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xylem.errors import InputError
from xylem.source import xml_reader
from xylem.source.kernel import is_kernel_built
from xylem.source.xml_reader import read_document
from xylem.values.tree_interface import TreeInterface

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here")

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


def by(reader: str, text: str, strip_space: bool) -> TreeInterface | str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(xml_reader, "is_kernel_built", lambda: reader == "kernel")
        try:
            return read_document(text.encode(), strip_space=strip_space).tree
        except InputError as error:
            return error.code


def columns(tree: TreeInterface) -> tuple[object, ...]:
    names = [str(tree.name(row)) for row in range(len(tree))]
    rules = tree.id_rules, tree.idref_rules
    numbers = [list(column) for column in (tree.codes, tree.ends, tree.parents)]
    return numbers, list(tree.values), tree.declared, names, rules


@settings(max_examples=200, deadline=None)
@given(DOCUMENTS, st.booleans())
def test_both_readers_make_the_same_tree(text: str, strip_space: bool) -> None:
    kernel, expat = by("kernel", text, strip_space), by("expat", text, strip_space)
    if isinstance(kernel, str) or isinstance(expat, str):
        assert kernel == expat
    else:
        assert columns(kernel) == columns(expat)


@settings(max_examples=200, deadline=None)
@given(DOCUMENTS, st.integers(0, 10_000), st.sampled_from("<>&;]\"' =/x\x01"))
def test_both_readers_refuse_the_same(text: str, place: int, sign: str) -> None:
    place %= len(text)
    damaged = text[:place] + sign + text[place + 1 :]
    kernel, expat = by("kernel", damaged, False), by("expat", damaged, False)
    if isinstance(kernel, str) or isinstance(expat, str):
        assert kernel == expat
    else:
        assert columns(kernel) == columns(expat)
