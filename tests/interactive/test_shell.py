"""What the shell does with a line, without a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest
from xylem.interactive.shell import SHOWN, Shell, names_in, take_all


@pytest.fixture
def told() -> list[str]:
    return []


def shell_over(tmp_path: Path, told: list[str], text: str) -> Shell:
    (tmp_path / "d.xml").write_text(text)
    return Shell(told.append, str(tmp_path / "d.xml"))


def test_queries_over_an_input(tmp_path: Path, told: list[str]) -> None:
    shell = shell_over(tmp_path, told, "<a><b>1</b><b>2</b></a>")
    assert shell.take("//b")
    assert shell.take("for $b in //b order by $b/preceding-sibling::b return $b/string()")
    assert "".join(told) == "<b>1</b>\n<b>2</b>\n1\n2\n"
    assert shell.elements() == {"a", "b"}


def test_more_results(tmp_path: Path, told: list[str]) -> None:
    shell = Shell(told.append)
    shell.take(f"1 to {SHOWN + 3}")
    assert told[-1].startswith("… :more")
    told.clear()
    shell.take(":more")
    assert told == [f"{SHOWN + n}\n" for n in (1, 2, 3)]


def test_errors_and_explanations(tmp_path: Path, told: list[str]) -> None:
    shell = shell_over(tmp_path, told, "<a xmlns='urn:a'/>")
    assert shell.take("1 +")
    assert "XPST0003" in told[-1]
    shell.take(":explain count(//a)")
    assert "streams" in told[-1]
    shell.take(":ns urn:a")
    shell.take("count(//a)")
    assert told[-1] == "1\n"
    shell.take(":nothing")
    assert "there is no command :nothing" in told[-1]
    shell.take(":input missing.xml")
    assert "XYIN0002" in told[-1]
    assert not shell.take(":quit")


def test_lines_without_a_terminal(told: list[str]) -> None:
    take_all(Shell(told.append), ["1 + 1\n", "for $x in 1 to 2\n", "return $x\n", "1 +\n", "\n", "5", ":quit\n", "6\n"])
    assert "".join(told[:3]) == "2\n1\n2\n"
    assert "XPST0003" in told[3]
    assert len(told) == 4 + 1


def test_whether_more_lines_are_needed() -> None:
    shell = Shell(print)
    assert shell.is_complete("1 + 1")
    assert shell.is_complete(":help")
    assert not shell.is_complete("for $x in 1 to 3")
    assert shell.is_complete("for $x in 1 to 3\n")
    assert shell.is_complete("1 ) 2")


def test_names_of_a_beginning() -> None:
    assert names_in(b"<a x='1' xmlns='u'><p:b xmlns:p='v'/><c><d y='2'") == ["a", "@x", "p:b", "c"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("count(//a)", "streams, in one pass; holds nothing"),
        ("for $b in //a order by $b/c return $b", "streams, in one pass; holds $ROOT: //a (the whole stream)"),
        ("<r>{ count(//a), //b }</r>", "streams, in 2 passes; holds nothing"),
        (":explain count(//a)", "streams, in one pass; holds nothing"),
        ("//a/preceding::b", "reads a tree: the whole document is needed"),
        ("$x", "XPST0008 at query:1:1"),
        ("1 +", ""),
        (":more", ""),
        ("", ""),
    ],
)
def test_the_line_below_says_what_a_query_would_do(told: list[str], text: str, wanted: str) -> None:
    shell = Shell(told.append)
    assert shell.account(text).startswith(wanted)
    assert bool(shell.account(text)) == bool(wanted)


def test_a_query_that_finds_nothing_for_its_namespace(tmp_path: Path, told: list[str]) -> None:
    shell = shell_over(tmp_path, told, "<a xmlns='urn:a'><b>1</b></a>")
    for query in ("//b", "count(//b)", "<r>{ //b }</r>"):
        told.clear()
        shell.take(query)
        assert "Add :ns auto" in "".join(told), query
    told.clear()
    shell.take(":ns auto")
    shell.take("count(//b)")
    shell.take("//c")
    assert "".join(told) == "1\n"
    shell.has_reader = True
    shell.take("//c")
    shell.take("1, //c")
    assert "".join(told) == "1\n(no results)\n1\n"
