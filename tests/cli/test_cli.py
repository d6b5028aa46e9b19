"""The command line as a shell sees it: what it prints, and how it ends."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.warm_command import xylem

BOOKS = "<books><book year='2001'><title>A</title></book><book year='1999'><title>B</title></book></books>"


@pytest.fixture
def books(tmp_path: Path) -> Path:
    path = tmp_path / "books.xml"
    path.write_text(BOOKS, encoding="utf-8")
    return path


def test_a_query_over_a_file(books: Path) -> None:
    ended = xylem("run", "-q", "//title/string()", "-i", str(books))
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"A B\n", b"")


def test_a_query_file_and_standard_input(tmp_path: Path) -> None:
    query = tmp_path / "q.xq"
    query.write_text("count(//book)", encoding="utf-8")
    ended = xylem("run", str(query), "-i", "-", stdin=BOOKS)
    assert (ended.returncode, ended.stdout) == (0, b"2\n")


def test_the_query_from_standard_input() -> None:
    assert xylem("run", "-", stdin="1 + 1").stdout == b"2\n"


def test_a_query_where_a_file_is_expected(tmp_path: Path) -> None:
    ended = xylem("run", "//title[. = 'A']", "-i", "books.xml", cwd=tmp_path)
    assert ended.returncode == 3
    assert b"hint: a query itself is given with -q" in ended.stderr
    assert b"hint" not in xylem("run", "titles.xq", cwd=tmp_path).stderr


def test_variables(books: Path) -> None:
    query = "declare namespace p = 'urn:p'; declare variable $p:y as xs:integer external; declare variable $d external;"
    query += "$p:y + 1, count($d//book)"
    ended = xylem("run", "-q", query, "-v", "p:y=41", "--var-file", f"d={books}")
    assert (ended.returncode, ended.stdout) == (0, b"42 2\n")
    assert xylem("run", "-q", query, "-v", "Q{urn:p}y=1", "--var-file", f"d={books}").stdout == b"2 2\n"


def test_values_may_hold_equals_signs() -> None:
    query = "declare variable $v external; string($v)"
    assert xylem("run", "-q", query, "-v", "v=a=b").stdout == b"a=b\n"


def test_several_inputs_are_the_collection(books: Path) -> None:
    ended = xylem("run", "-q", "count(collection()), count(collection()//book)", "-i", str(books), "-i", str(books))
    assert ended.stdout == b"2 4\n"


def test_output_goes_to_a_file_exactly(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    ended = xylem("run", "-q", "map { 'a': 'é' }", "--output-param", "method=json", "-o", str(out))
    assert (ended.returncode, ended.stdout) == (0, b"")
    assert out.read_bytes() == '{"a":"é"}'.encode()


def test_output_parameters_go_before_the_querys_own() -> None:
    query = "declare option output:method 'xml'; map { 'a': 1 }"
    assert xylem("run", "-q", query, "--output-param", "method=adaptive").stdout == b'map{"a":1}\n'


def test_files_need_permission(books: Path) -> None:
    query = f"count(doc('{books.name}')//book)"
    refused = xylem("run", "-q", query, cwd=books.parent)
    assert refused.returncode == 3
    assert b"--allow" in refused.stderr
    assert xylem("run", "-q", query, "--allow", ".", cwd=books.parent).stdout == b"2\n"


def test_a_document_that_is_not_there_is_an_error_that_queries_catch(books: Path) -> None:
    query = "try { doc('none.xml')//book } catch err:FODC0002 { 'none' }"
    assert xylem("run", "-q", query, "--allow", ".", cwd=books.parent).stdout == b"none\n"


def test_environment_variables_need_permission() -> None:
    query = "environment-variable('XYLEM_TEST')"
    env = {"XYLEM_TEST": "seen"}
    assert xylem("run", "-q", query, env=env).stdout == b""
    assert xylem("run", "-q", query, "--allow-env", env=env).stdout == b"seen\n"


def test_modules_stand_beside_the_query(tmp_path: Path) -> None:
    (tmp_path / "m.xqm").write_text("module namespace m = 'urn:m'; declare function m:f() { 7 };", encoding="utf-8")
    (tmp_path / "q.xq").write_text("import module namespace m = 'urn:m' at 'm.xqm'; m:f()", encoding="utf-8")
    assert xylem("run", str(tmp_path / "q.xq")).stdout == b"7\n"


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["run", "-q", "1 +"], 1, "XPST0003 at query:1:"),
        (["run", "-q", "1 div 0"], 1, "FOAR0001 at query:1:"),
        (["run", "-q", "\n  $x"], 1, "XPST0008 at query:2:3"),
        (["run", "-q", "declare variable $x external; $x"], 1, "XPDY0002"),
        (["run", "-q", "//a"], 1, "XPDY0002"),
        (["run", "-q", "1", "-v", "x=1"], 3, "XYIN0006"),
        (["run", "missing.xq"], 3, "missing.xq"),
        (["run", "-q", "1", "-i", "missing.xml"], 3, "missing.xml"),
        (["run", "-q", "1", "-i", "-"], 3, "XYIN0001"),
        (["run", "-q", "1", "-o", "no/such/dir/out"], 3, "XYIN0002"),
        (["run", "-q", "1", "--output-param", "method=pdf"], 1, "SEPM0016"),
        (["run"], 2, "-q"),
        (["run", "q.xq", "-q", "1"], 2, "-q"),
        (["run", "-q", "1", "-v", "x"], 2, "NAME=VALUE"),
        (["run", "-q", "1", "--output-param", "x"], 2, "NAME=VALUE"),
        (["run", "--nonsense"], 2, "--nonsense"),
        (["nonsense"], 2, "nonsense"),
        (["check", "-q", "unknown()"], 1, "XPST0017"),
    ],
)
def test_ends_with_a_code_and_a_reason(tmp_path: Path, arguments: list[str], code: int, told: str) -> None:
    ended = xylem(*arguments, cwd=tmp_path, env={"COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"})
    assert ended.returncode == code
    assert told in ended.stderr.decode()
    assert "Traceback" not in ended.stderr.decode()


def test_errors_show_the_line_and_a_caret(tmp_path: Path) -> None:
    query = tmp_path / "q.xq"
    query.write_text("let $book := 1\nreturn $boook", encoding="utf-8")
    ended = xylem("run", str(query))
    assert ended.stderr.decode().splitlines()[1:] == [
        "    2 | return $boook",
        "      |        ^^^^^^",
        "  hint: did you mean $book?",
    ]


def test_check_runs_nothing() -> None:
    ended = xylem("check", "-q", "error()")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


def test_results_before_an_error_are_written() -> None:
    ended = xylem("run", "-q", "for $i in 1 to 40000 return if ($i = 40000) then error() else $i")
    assert ended.returncode == 1
    assert ended.stdout.startswith(b"1 2 3 ")


def test_the_encoding_of_a_query_is_respected(tmp_path: Path) -> None:
    query = tmp_path / "q.xq"
    query.write_bytes("xquery version '3.1' encoding 'iso-8859-1'; string-length('é')".encode("iso-8859-1"))
    assert xylem("run", str(query)).stdout == b"1\n"
    query.write_bytes(b"'\xff'")
    assert xylem("run", str(query)).returncode == 3


def test_explain_for_people_and_programs() -> None:
    query = "for $a in 1 to 3 for $b in 1 to 3 where $a = $b order by $a return $a"
    text = xylem("explain", "-q", query, "--code").stdout.decode()
    assert "hash join" in text
    assert "def main" in text
    facts = json.loads(xylem("explain", "-q", query, "--format", "json", "--ast").stdout)
    assert [step["construct"] for step in facts["steps"]] == ["for $a", "for $b", "order by"]
    assert facts["ast"][0].startswith("MainModule")


def test_help_and_version() -> None:
    assert xylem("--version").stdout.startswith(b"xylem ")
    told = xylem("run", "--help", env={"COLUMNS": "100", "NO_COLOR": "1"}).stdout.decode()
    assert "--var-file" in told
    assert "Examples" in told


def test_doctor_names_the_parts() -> None:
    told = xylem("doctor").stdout.decode()
    assert all(part in told for part in ("xylem", "python", "kernel", "expat", "typer"))


def test_a_reader_that_stops_early_is_no_error() -> None:
    code = "import subprocess, sys; p = subprocess.Popen([sys.executable, '-m', 'xylem', 'run', '-q', '1 to 3000000'],"
    code += "stdout=subprocess.PIPE, stderr=subprocess.PIPE); p.stdout.read(10); p.stdout.close();"
    code += "print(p.stderr.read().decode()); sys.exit(p.wait())"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert (ended.returncode, ended.stdout.strip()) == (0, "")


def test_an_interrupt_ends_it_quietly() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "xylem", "run", "-q", "for $i in 1 to 30000000 return $i"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Tests that a shell runs in the background ignore interrupts, and their processes would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    process.stdout.read(10)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in errors


def test_start_up_is_cheap(books: Path) -> None:
    """Not a timed test: the parts that would make it slow must not be loaded."""
    code = (
        "import sys; sys.argv = ['xylem', 'run', '-q', 'count(//book)', '-i', sys.argv[1]]\n"
        "from xylem.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'rich', 'regex', 'lxml', 'pydantic', 'asyncio', 'pyspark'}\n"
        "print(sorted({name.split('.')[0] for name in sys.modules} & heavy))"
    )
    ended = subprocess.run([sys.executable, "-c", code, str(books)], capture_output=True, text=True, timeout=60)
    assert ended.stdout == "2\n[]\n"


def test_debug_shows_the_traceback() -> None:
    before = time.monotonic()
    ended = xylem("--debug", "run", "-q", "1 div 0")
    assert b"Traceback" in ended.stderr
    assert time.monotonic() - before < 60
