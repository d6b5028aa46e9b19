"""fn:string, fn:data, fn:error and fn:trace."""

from __future__ import annotations

from decimal import Decimal

import pytest
import xylem
from xylem.errors import ERR_NAMESPACE, DynamicError
from xylem.functions import accessor_functions as fn
from xylem.functions.context import Context
from xylem.values.array import XArray
from xylem.values.map import XMap
from xylem.values.qname import QName
from xylem.values.strings import UntypedAtomic


def test_string() -> None:
    assert fn.string(None) == ""
    assert fn.string(Decimal("1.50")) == "1.5"
    assert type(fn.string(UntypedAtomic("a"))) is str
    for item in (XMap(), XArray()):
        with pytest.raises(DynamicError) as caught:
            fn.string(item)
        assert caught.value.code == "FOTY0014"


def test_data() -> None:
    assert list(fn.data([XArray([(1, 2)]), "a"])) == [1, 2, "a"]
    with pytest.raises(DynamicError) as caught:
        list(fn.data([XMap()]))
    assert caught.value.code == "FOTY0013"


@pytest.mark.parametrize(
    ("code", "raised"),
    [
        (None, "FOER0000"),
        (QName(ERR_NAMESPACE, "FOAR0001", "err"), "FOAR0001"),
        (QName("urn:mine", "oops", "m"), "Q{urn:mine}oops"),
        (QName("", "oops"), "Q{}oops"),
    ],
)
def test_error(code: QName | None, raised: str) -> None:
    with pytest.raises(DynamicError) as caught:
        fn.error(code, "in our own words", (1, 2))
    error = caught.value
    assert (error.code, error.message, error.value, error.name) == (raised, "in our own words", (1, 2), code)


def test_trace(ctx: Context) -> None:
    heard: list[tuple[str, str]] = []
    ctx.run.trace = lambda label, value: heard.append((label, value))
    assert fn.trace(ctx, [1, "a"], "here") == [1, "a"]
    assert heard == [("here", '1, "a"')]


def test_a_description_of_nothing_is_a_string() -> None:
    query = "try { error(QName('urn:u', 'x'), '') } catch * { $err:description = '' }"
    assert xylem.compile(query).run().value is True
    query = "try { error(QName('urn:u', 'x')) } catch * { empty($err:description) }"
    assert xylem.compile(query).run().value is True
