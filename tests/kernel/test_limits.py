"""Every limit: at it and one past it, in what is kept and in what is skipped, with the place."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest
from xylem.errors import InputError
from xylem.plan.scan_plan import Keep, Report, ScanPlan, ScanStep
from xylem.source.kernel import Scanner, is_kernel_built
from xylem.source.limits import Limits

from .records import records_of

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here")

KEEPS = ScanPlan((ScanStep(-1), ScanStep(0, report=Report.ITEM, keep=Keep.SUBTREE)), comments=True)
SKIPS = ScanPlan((ScanStep(-1), ScanStep(0, local="none", report=Report.ITEM)))

Make = Callable[[int], str]
ANYWHERE: list[tuple[str, int, Make]] = [
    ("depth", 5, lambda n: "<a>" * n + "</a>" * n),
    ("attributes", 5, lambda n: "<a>\n<b " + " ".join(f"a{i}=''" for i in range(n)) + "/></a>"),
    ("attributes", 50, lambda n: "<a>\n<b " + " ".join(f"a{i}=''" for i in range(n)) + "/></a>"),
    ("name_characters", 5, lambda n: f"<a><{'é' * n}/></a>"),
    ("name_characters", 5, lambda n: f"<a><b {'é' * n}='1'/></a>"),
    ("name_characters", 5, lambda n: f"<a><?{'é' * n} x?></a>"),
    ("name_characters", 5, lambda n: f"<!DOCTYPE a [<!ENTITY {'e' * n} ''>]><a/>"),
    ("attribute_characters", 5, lambda n: f"<a><b c='{'é' * n}'/></a>"),
    ("attribute_characters", 5, lambda n: f"<a><b c='{'&#233;' * n}'/></a>"),
    ("text_characters", 5, lambda n: f"<a><!--{'é' * n}--></a>"),
    ("text_characters", 5, lambda n: f"<a><?pi {'é' * n}?></a>"),
    ("expanded_characters", 500, lambda n: f"<!DOCTYPE a [<!ENTITY e '{'é' * n}'>]><a>&e;</a>"),
    (
        "expanded_characters",
        5000,
        lambda n: f"<!DOCTYPE a [<!ENTITY e '{'x' * 1003}'>]><a>{'&e;' * 4}{'&#233;' * 9}{'&e;' * (n - 4999)}</a>",
    ),
]
WHERE_KEPT: list[tuple[str, int, Make]] = [
    ("text_characters", 5, lambda n: f"<a>{'é' * n}</a>"),
    ("text_characters", 5, lambda n: f"<a><![CDATA[{'é' * n}]]></a>"),
    ("text_characters", 5, lambda n: f"<a>{'&#233;' * n}</a>"),
    ("text_characters", 200_000, lambda n: f"<a>{'x' * n}</a>"),
]
CASES = [(plan, *case) for plan in (KEEPS, SKIPS) for case in ANYWHERE] + [(KEEPS, *case) for case in WHERE_KEPT]


@pytest.mark.parametrize(("plan", "limit", "most", "document"), CASES)
def test_at_the_limit_and_one_past_it(plan: ScanPlan, limit: str, most: int, document: Make) -> None:
    limits = dataclasses.replace(Limits(), **{limit: most})
    for size in (3, 1_000_000):
        for is_past in (False, True):
            data = document(most + is_past).encode()
            pieces = [(data[i : i + size], False) for i in range(0, len(data), size)]
            error = records_of(Scanner(plan, limits), pieces)[2]
            if not is_past:
                assert error is None
            else:
                assert error is not None
                assert error.startswith("XYIN0004")
                assert limit.replace("_", " ") in error
                assert ", at line " in error
                assert "(byte " in error


def test_text_that_is_skipped_has_no_limit() -> None:
    assert records_of(Scanner(SKIPS, Limits(text_characters=5)), [(b"<a>" + b"x" * 100 + b"</a>", False)])[2] is None


def test_an_item_that_never_ends() -> None:
    pieces = [(b"<a>", False), *[(b"<b>some text</b>", False)] * 10_000]
    error = records_of(Scanner(KEEPS, Limits(item_bytes=100_000)), pieces)[2]
    assert error is not None
    assert error.startswith("XYIN0004")
    assert "item bytes" in error
    assert error.endswith((", in /a", ", in /a/b"))


def test_records_before_an_item_that_is_too_large_are_told() -> None:
    plan = ScanPlan((ScanStep(-1), ScanStep(0), ScanStep(1, report=Report.ITEM, keep=Keep.SUBTREE)))
    large = b"<r><a/><a/><a>" + b"<b/>" * 10_000
    scanner = Scanner(plan, Limits(item_bytes=100_000))
    batch = scanner.feed(large)
    assert batch is not None
    assert batch.kinds == [4, 4]
    with pytest.raises(InputError, match="item bytes"):
        scanner.feed(b"")


@pytest.mark.parametrize("start", ["<!--", "<?p ", "<a b='", "<a ", "<", "<!DOCTYPE ", "<!DOCTYPE a [<!ENTITY e '"])
def test_a_token_that_never_ends(start: str) -> None:
    more = b" " * 10_000 if start == "<a " else b"x" * 10_000
    pieces = [(start.encode(), False), *[(more, False)] * 1000]
    error = records_of(Scanner(KEEPS, Limits(text_characters=10_000)), pieces)[2]
    assert error is not None
    assert error.startswith("XYIN0004")


def test_a_document_type_can_be_refused() -> None:
    with pytest.raises(InputError, match=r"XYIN0004.*document type"):
        Scanner(KEEPS, Limits(allow_dtd=False)).feed(b"<!DOCTYPE a><a/>")


@pytest.mark.parametrize("place", ["<a>&e9;</a>", "<a b='&e9;'/>"])
@pytest.mark.parametrize("is_backwards", [False, True])
def test_entity_bombs(place: str, is_backwards: bool) -> None:
    lines = [f"<!ENTITY e{i} '{f'&e{i - 1};' * 10}'>" for i in range(1, 10)] + ["<!ENTITY e0 'lol'>"]
    subset = "".join(reversed(lines) if is_backwards else lines)
    for plan in (KEEPS, SKIPS):
        with pytest.raises(InputError, match=r"XYIN0004.*expan"):
            Scanner(plan).feed(f"<!DOCTYPE a [{subset}]>{place}".encode())


def test_entities_that_add_nothing_have_no_limit() -> None:
    document = "<!DOCTYPE a [<!ENTITY ouml '&#246;'>]><a>" + "&ouml;" * 10_000 + "</a>"
    assert records_of(Scanner(KEEPS, Limits(expanded_characters=100)), [(document.encode(), False)])[2] is None


def test_long_defaults_are_expansion_too() -> None:
    document = f"<!DOCTYPE a [<!ATTLIST b c CDATA '{'x' * 5000}'>]><a>{'<b/>' * 1000}</a>"
    with pytest.raises(InputError, match="expan"):
        Scanner(SKIPS).feed(document.encode())


def test_the_expansion_factor() -> None:
    entity = "x" * 1000
    limits = Limits(expanded_characters=10_000_000, expansion_factor=50)
    for plan in (KEEPS, SKIPS):
        document = f"<!DOCTYPE a [<!ENTITY e '{entity}'>]><a>{'&e;' * 3000}</a>"
        with pytest.raises(InputError, match=r"expansion factor: \d+ where 50 are allowed"):
            Scanner(plan, limits).feed(document.encode())
        roomy = f"<!DOCTYPE a [<!ENTITY e '{entity}'>]><a>{'&e; and some more text beside the entity' * 3000}</a>"
        Scanner(plan, limits).feed(roomy.encode())
