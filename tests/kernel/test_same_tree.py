"""Whole documents: the kernel and expat make the same tree, column by column."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xylem.errors import InputError
from xylem.source.kernel import is_kernel_built
from xylem.source.xml_reader import read_document
from xylem.values.tree_interface import TreeInterface

from .random_documents import DOCUMENTS

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here")


def by(reader: str, text: str, strip_space: bool) -> TreeInterface | str:
    try:
        return read_document(text.encode(), strip_space=strip_space, reader=reader).tree
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
    kernel, expat = by("kernel", text, strip_space), by("python", text, strip_space)
    if isinstance(kernel, str) or isinstance(expat, str):
        assert kernel == expat
    else:
        assert columns(kernel) == columns(expat)


@settings(max_examples=200, deadline=None)
@given(DOCUMENTS, st.integers(0, 10_000), st.sampled_from("<>&;]\"' =/x\x01"))
def test_both_readers_refuse_the_same(text: str, place: int, sign: str) -> None:
    place %= len(text)
    damaged = text[:place] + sign + text[place + 1 :]
    kernel, expat = by("kernel", damaged, False), by("python", damaged, False)
    if isinstance(kernel, str) or isinstance(expat, str):
        assert kernel == expat
    else:
        assert columns(kernel) == columns(expat)
