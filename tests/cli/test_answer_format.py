"""`xylem run --format`: over a stream, a tree, several files and items that arrive; on a terminal one item a line."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.warm_command import xylem

ROWS = "//b ! map { 'n': xs:integer(@n), 't': string(.) }"
DOCUMENT = "<a><b n='1'>x</b><b n='2'>y</b></a>"


@pytest.mark.parametrize("more", [[], ["--no-stream"]])
def test_one_document(more: list[str]) -> None:
    ended = xylem("run", "-q", ROWS, "-i", "-", "--format", "csv", *more, stdin=DOCUMENT)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"n,t\n1,x\n2,y\n", b"")


def test_several_documents(tmp_path: Path) -> None:
    for name in ("1.xml", "2.xml"):
        (tmp_path / name).write_text(DOCUMENT)
    ended = xylem("run", "-q", ROWS, "-i", str(tmp_path), "--format", "jsonl")
    assert ended.stdout == b'{"n":1,"t":"x"}\n{"n":2,"t":"y"}\n' * 2, ended.stderr


def test_items_that_arrive() -> None:
    query = "declare variable $s as element(b)** external; for $b in $s return <r n='{ $b/@n }'/>"
    ended = xylem("run", "-q", query, "--items", "s=-", "--format", "csv", stdin=DOCUMENT)
    assert ended.stdout == b"n\n1\n2\n", ended.stderr


def test_options_that_contradict_it() -> None:
    ended = xylem("run", "-q", "1", "--format", "csv", "--output-param", "indent=yes")
    assert ended.returncode == 2
    assert b"--output-param" in ended.stderr


@pytest.mark.parametrize("more", [[], ["--no-stream"]])
def test_xml_is_asked_for(more: list[str]) -> None:
    ended = xylem("run", "-q", ROWS, "-i", "-", "--format", "xml", *more, stdin=DOCUMENT)
    assert (ended.returncode, ended.stdout) == (1, b"")
    assert b"SENR0001" in ended.stderr
    ended = xylem("run", "-q", "//b", "-i", "-", "--format", "xml", *more, stdin=DOCUMENT)
    assert ended.stdout == b'<b n="1">x</b><b n="2">y</b>\n', ended.stderr
    declared = 'declare option output:method "json"; //b'
    ended = xylem("run", "-q", declared, "-i", "-", "--format", "xml", *more, stdin=DOCUMENT)
    assert ended.stdout == b'<b n="1">x</b><b n="2">y</b>\n', ended.stderr


def test_a_method_is_named_too() -> None:
    ended = xylem("run", "-q", "map { 'a': 1 }", "--format", "xml", "--output-param", "method=json")
    assert ended.stdout == b'{"a":1}\n', ended.stderr


def test_on_a_terminal_each_item_has_its_line(tmp_path: Path) -> None:
    (tmp_path / "d.xml").write_text(DOCUMENT)
    shown, terminal = pty.openpty()
    command = [sys.executable, "-m", "xylem", "run", "-q", "//b", "-i", str(tmp_path / "d.xml")]
    subprocess.run(command, stdout=terminal, check=True, timeout=60)
    os.close(terminal)
    assert os.read(shown, 1000) == b'<b n="1">x</b>\r\n<b n="2">y</b>\r\n'
    os.close(shown)
