"""`--ns`, `--default-ns`, and the note on standard error where nothing matched because of namespaces."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from xylem.cli.namespace_options import namespaces_of
from xylem.source.limits import DEFAULT_LIMITS

from tests.warm_command import xylem

WIKI = "<w xmlns='urn:wiki'><page><title>A</title></page></w>"


def test_nothing_matched_is_told_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "w.xml").write_text(WIKI)
    ended = xylem("run", "-q", "count(//page)", "-i", "w.xml", cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (0, b"0\n")
    assert b'declare default element namespace "urn:wiki";' in ended.stderr
    assert b"count(//*:page)" in ended.stderr


@pytest.mark.parametrize("format_name", ["csv", "table", "jsonl"])
def test_also_for_a_table_without_rows(format_name: str) -> None:
    query = "//page ! map { 'title': string(title) }"
    ended = xylem("run", "-q", query, "-i", "-", "--format", format_name, stdin=WIKI)
    assert b"urn:wiki" in ended.stderr
    found = xylem("run", "-q", query.replace("//page", "//*:page"), "-i", "-", "--format", format_name, stdin=WIKI)
    assert b"urn:wiki" not in found.stderr


def test_also_for_standard_input_and_over_several_files(tmp_path: Path) -> None:
    assert b"urn:wiki" in xylem("run", "-q", "//page", "-i", "-", stdin=WIKI).stderr
    for name in ("a.xml", "b.xml"):
        (tmp_path / name).write_text(WIKI)
    ended = xylem("run", "-q", "//page", "-i", str(tmp_path))
    assert (ended.returncode, ended.stdout) == (0, b"")
    assert b"urn:wiki" in ended.stderr


@pytest.mark.parametrize("query", ["doc('w.xml')//page", "declare variable $d external; $d//page", "$d"])
def test_also_for_documents_that_are_no_inputs(tmp_path: Path, query: str) -> None:
    """`--default-ns auto` would need an input: the note gives the namespace itself."""
    (tmp_path / "w.xml").write_text(WIKI)
    options = ["--var-file", "d=w.xml"] if "external" in query else ["--allow", "."]
    found = "doc('w.xml')/*/page" if query == "$d" else query
    ended = xylem("run", "-q", found, *options, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (0, b"")
    assert b"Add --default-ns urn:wiki, or" in ended.stderr
    assert xylem("run", "-q", found, *options, "--default-ns", "urn:wiki", cwd=tmp_path).stderr == b""


def test_auto_takes_the_namespace_of_the_root_and_loses_no_byte() -> None:
    ended = xylem("run", "-q", "//page/title/string()", "-i", "-", "--default-ns", "auto", stdin=WIKI)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"A\n", b"")


def test_a_prefix() -> None:
    ended = xylem("run", "-q", "//w:title/string()", "-i", "-", "--ns", "w=urn:wiki", stdin=WIKI)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"A\n", b"")


def test_what_they_bind(tmp_path: Path) -> None:
    (tmp_path / "w.xml").write_text(WIKI)
    place = str(tmp_path / "w.xml")
    assert namespaces_of(["a=urn:a"], "urn:d", [], DEFAULT_LIMITS) == {"a": "urn:a", "": "urn:d"}
    assert namespaces_of([], "auto", [place], DEFAULT_LIMITS) == {"": "urn:wiki"}


@pytest.mark.parametrize("pair", ["urn:a", "=urn:a", "a=", "a b=urn:a"])
def test_what_is_no_prefix(pair: str) -> None:
    with pytest.raises(typer.BadParameter, match="PREFIX=URI"):
        namespaces_of([pair], None, [], DEFAULT_LIMITS)


def test_auto_needs_an_input() -> None:
    with pytest.raises(typer.BadParameter, match="needs an input"):
        namespaces_of([], "auto", [], DEFAULT_LIMITS)


def test_a_prefix_that_is_not_declared_is_told_with_the_ways_to_declare_it() -> None:
    told = xylem("run", "-q", "//w:title", "-i", "-", stdin=WIKI).stderr
    assert b'declare namespace w = "\xe2\x80\xa6"; or --ns w=' in told
    # The engine's own prefixes are nobody else's.
    assert b"Declared are array, err," in told
