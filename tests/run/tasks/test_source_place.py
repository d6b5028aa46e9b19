"""An error of the query over one of many inputs says over which."""

from __future__ import annotations

from pathlib import Path

import pytest
from xylem.errors import DynamicError
from xylem.pipeline import StaticEnvironment, compile_distributed
from xylem.run.packing import pack_error, unpack_error
from xylem.run.tasks.in_process import run_in_process
from xylem.run.tasks.source_place import source_place
from xylem.source.byte_ranges import ranges
from xylem.source.cut_points import find_cuts


def test_the_file_and_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text("<t>" + "".join(f"<r n='{n}'/>" for n in range(20)) + "</t>")
    program = compile_distributed("for $r in //r return 1 div (xs:integer($r/@n) - 13)", StaticEnvironment())
    parts = ranges(path, find_cuts(path, program.scopes, 40))
    with pytest.raises(DynamicError) as caught:
        run_in_process(program, parts)
    wanted = [part for part in parts if part.start and b"n='13'" in b"".join(part.chunks())]
    assert caught.value.notes == [f"while reading {source_place(wanted[0])}"]
    assert source_place(wanted[0]) == f"{path}, bytes {wanted[0].start.offset} to {wanted[0].end.offset}"
    assert source_place(parts[-1]).endswith("to the end")
    assert source_place(ranges(path, ())[0]) == str(path)


def test_an_error_that_is_kept_keeps_its_notes(tmp_path: Path) -> None:
    """Parts that may never be read carry their errors along; a note of the first input stays."""
    path = tmp_path / "a.xml"
    path.write_text("<t><r n='x'/></t>")
    query = "if (//r) then sum(//r/xs:integer(@n)) else ()"
    with pytest.raises(DynamicError) as caught:
        run_in_process(compile_distributed(query, StaticEnvironment()), [str(path)])
    assert caught.value.notes == [f"while reading {path}"]
    assert unpack_error(pack_error(caught.value)).notes == caught.value.notes


def test_what_has_no_name_is_not_told() -> None:
    program = compile_distributed("for $r in //r return 1 div 0", StaticEnvironment())
    with pytest.raises(DynamicError) as caught:
        run_in_process(program, [b"<t><r/></t>"])
    assert caught.value.notes == []
