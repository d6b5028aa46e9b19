"""The magics in a real IPython: answers, tables, variables of the notebook, errors with their place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import xylem

IPython = pytest.importorskip("IPython")


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    shell.run_line_magic("load_ext", "xylem")
    return shell


def test_a_table_and_a_frame(notebook: Any, tmp_path: Path) -> None:
    (tmp_path / "b.xml").write_text("<a><b n='1'>&lt;x</b><b n='2'>y</b></a>")
    cell = "//b ! map { 'n': xs:integer(@n), 't': string(.) }"
    answer = notebook.run_cell_magic("xquery", str(tmp_path / "b.xml"), cell)
    assert "<th>n</th><th>t</th>" in answer._repr_html_()
    assert "<td>1</td><td>&lt;x</td>" in answer._repr_html_()
    assert answer.to_pandas()["n"].tolist() == [1, 2]
    assert answer.items == [{"n": 1, "t": "<x"}, {"n": 2, "t": "y"}]


def test_variables_and_documents_of_the_notebook(notebook: Any) -> None:
    notebook.user_ns.update(doc=xylem.parse("<a><b>1</b></a>"), least=1)
    answer = notebook.run_cell_magic("xquery", "doc", "declare variable $least external; //b[. >= $least]")
    assert repr(answer) == "<b>1</b>"
    assert answer._repr_html_() == "<pre>&lt;b&gt;1&lt;/b&gt;</pre>"


def test_explain_and_line_magic(notebook: Any) -> None:
    explained = notebook.run_cell_magic("xquery", "--explain", "1 to 3")
    assert "<details" in explained._repr_html_()
    assert repr(notebook.run_line_magic("xquery", "1 + 1")) == "2"


def test_the_plot_of_a_run_and_the_input_as_on_the_command_line(notebook: Any, tmp_path: Path) -> None:
    (tmp_path / "b.xml").write_text("<a>" + "<b>x</b>" * 1000 + "</a>")
    line = f"-i {tmp_path / 'b.xml'} --plot"
    plotted = notebook.run_cell_magic("xquery", line, "for $b in //b order by $b return $b")
    assert plotted._repr_html_().startswith("<svg")
    assert "buffered bytes" in plotted._repr_html_()
    assert len(plotted.answer.items) == 1000


def test_errors_are_shown_with_their_place(notebook: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert notebook.run_line_magic("xquery", "$x + 1") is None
    assert "XPST0008 at query:1:1" in capsys.readouterr().out


def test_a_query_that_finds_nothing_for_its_namespace(
    notebook: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "b.xml").write_text("<a xmlns='urn:a'><b>1</b></a>")
    notebook.run_cell_magic("xquery", str(tmp_path / "b.xml"), "//b")
    assert "Add --default-ns auto" in capsys.readouterr().out
    assert repr(notebook.run_cell_magic("xquery", f"{tmp_path / 'b.xml'} --default-ns auto", "count(//b)")) == "1"
    notebook.user_ns.update(doc=xylem.parse("<a xmlns='urn:a'><b>1</b></a>"))
    assert repr(notebook.run_cell_magic("xquery", "doc --default-ns auto", "count(//b)")) == "1"
    assert notebook.run_cell_magic("xquery", "--default-ns auto", "count(//b)") is None
    assert "XYIN0002" in capsys.readouterr().out
