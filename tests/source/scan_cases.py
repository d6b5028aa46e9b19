"""Documents and plans that Hypothesis makes up for scanners.

What is drawn from is made once, here, and not at every draw: to make and check a strategy takes longer than to draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, reduce
from operator import or_

from hypothesis import strategies as st
from xylem.plan.scan_plan import (
    ABSENT,
    EXISTS,
    AttributeTest,
    Keep,
    NameTest,
    PositionTest,
    PresenceTest,
    Report,
    ScanPlan,
    ScanStep,
    ValueTest,
)

ENCODINGS = ("", "", "utf-8", "utf-16", "iso-8859-1", "windows-1252")
DOCTYPES = (
    "",
    "",
    "",
    """<!DOCTYPE a [<!ENTITY e "ent"><!ENTITY m "x<b x='&#49;'>in&e;</b>y"> <!-- no node -->]>""",
    """<!DOCTYPE a [<!ENTITY e ""><!ENTITY m "<c/>"><!ATTLIST b y CDATA "&#60;dflt" n NMTOKENS #IMPLIED>]>""",
)
PIECES = (
    "t",
    "word word",
    " ",
    "\n  ",
    "\r\n",
    "a\rb",
    "&amp;&lt;",
    "&#65;&#x1F600;",
    "é€",
    "<![CDATA[<x>&]]>",
    "<![CDATA[]]>",
    "<!-- c -->",
    "<!---->",
    "<?p q  r?>",
    "<?target?>",
    "one<!-- c -->two",
    "one<?p?>two<![CDATA[three]]>",
    "]].",
    ">",
)
ENTITY_PIECES = ("&e;", "&m;", "u&e;v")
VALUES = ("1", "2.5", " 3 ", "x", "", "a&#10;b\tc\nd", "&lt;&amp;&quot;'", "NaN", "1e1", "&#233;")


ONE_IN_SIX = st.integers(0, 5)
ONE_IN_TEN = st.integers(0, 9)
ONE_IN_FIVE = st.integers(0, 4)
ONE_IN_FOUR = st.integers(0, 3)
EITHER = st.booleans()
ROOT_URIS = st.sampled_from("uuv")
URIS = st.sampled_from(["u", "v"])
PREFIXES = st.sampled_from(["p", "q", "", ""])
TAGS = st.sampled_from(["a", "a", "b", "b", "c", "p:a", "p:b", "q:a", "q:b"])
PREFIXED = st.sampled_from(["p:x", "q:x"])  # never both: they may be one name
ATTRIBUTES = {
    prefixed: st.lists(st.sampled_from(["x", "y", "n", prefixed, "xml:id"]), max_size=3, unique=True)
    for prefixed in ("p:x", "q:x")
}
CHILDREN = st.sampled_from([2, 3, 0, 1, 4, 5])
one_of_them = cache(st.sampled_from)
order_of = cache(lambda number: st.permutations(range(number)))


@cache
def elements(pieces: tuple[str, ...], values: tuple[str, ...], depth: int, is_root: bool) -> st.SearchStrategy[str]:
    return _elements(pieces, values, depth, is_root)


@st.composite
def _elements(draw: st.DrawFn, pieces: tuple[str, ...], values: tuple[str, ...], depth: int, is_root: bool) -> str:
    """The text of an element; p and q are always declared, and now and then anew."""
    declared = {"p": "u", "q": draw(ROOT_URIS)} if is_root else {}
    if draw(ONE_IN_SIX) == 0:
        declared[draw(PREFIXES)] = draw(URIS)
    elif draw(ONE_IN_TEN) == 0:
        declared[""] = ""
    name = draw(TAGS)
    tags = [f'xmlns{":" if prefix else ""}{prefix}="{uri}"' for prefix, uri in declared.items()]
    for attribute in draw(ATTRIBUTES[draw(PREFIXED)]):
        value = "id " if attribute == "xml:id" else draw(one_of_them(values))
        tags.append(f'{attribute}="{value}"')
    tags = [tags[number] for number in draw(order_of(len(tags)))]
    start = f"<{' '.join([name, *tags])}"
    content: list[str] = []
    for _ in range(draw(CHILDREN) if depth else 0):
        if draw(ONE_IN_FIVE) < 3:
            content.append(draw(elements(pieces, values, depth - 1, False)))
        else:
            content.append(draw(one_of_them(pieces)))
    if not content and draw(EITHER):
        return f"{start}/>"
    return f"{start}>{''.join(content)}</{name} >" if draw(EITHER) else f"{start}>{''.join(content)}</{name}>"


DOCTYPE = st.sampled_from(DOCTYPES)
AROUND = st.sampled_from([("", ""), ("<!--b-->\n", "<?after all?>"), ("\n", "\n")])


@st.composite
def documents(draw: st.DrawFn, encodings: Sequence[str] = ENCODINGS) -> bytes:
    doctype = draw(DOCTYPE)
    pieces, values = PIECES, VALUES
    if doctype:
        pieces, values = (*PIECES, *ENTITY_PIECES * 3), (*VALUES, "&e;1")
    root = draw(elements(pieces, values, 4, True))
    before, after = draw(AROUND)
    encoding = draw(one_of_them(tuple(encodings)))
    declaration = f'<?xml version="1.0" encoding="{encoding}"?>' if encoding else ""
    text = f"{declaration}{before}{doctype}{root}{after}"
    # Only text and attribute values have characters that an encoding may lack.
    return text.encode(encoding or "utf-8", "xmlcharrefreplace")


NAMES = st.sampled_from([("", "x"), ("", "y"), ("u", "x"), ("v", "x")])
OPERATORS = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
CONSTANTS = st.sampled_from([("1", None), ("x", None), ("é", None), (None, 1.0), (None, 2.5), (None, 10.0)])
TESTS = st.builds(lambda name, op, constant: AttributeTest(*name, op, *constant), NAMES, OPERATORS, CONSTANTS)
PRESENCE_TESTS = st.builds(lambda name: PresenceTest(*name), NAMES)
POSITION_TESTS = st.builds(PositionTest, st.integers(0, 3), st.sampled_from([None, 1, 2, 3]))
NAME_TESTS = st.builds(
    lambda names: NameTest(tuple(names)),
    st.lists(
        st.tuples(st.sampled_from([None, "", "u"]), st.sampled_from([None, "a", "b", "c"])), min_size=1, max_size=3
    ),
)
VALUE_TESTS = st.builds(
    lambda path, op, constant, text, attribute: ValueTest(tuple(path), op, *constant, text, attribute),
    st.lists(st.sampled_from([("", "a"), ("", "b"), ("u", "a"), ("u", "b"), (None, None)]), max_size=2),
    st.one_of(OPERATORS, OPERATORS, st.sampled_from([EXISTS, ABSENT])),
    st.one_of(CONSTANTS, st.sampled_from([("t", None), ("", None)])),
    st.booleans(),
    st.one_of(st.none(), NAMES),
)
REPORTS = [Report.NOTHING, Report.START, Report.END, Report.ITEM, Report.ITEM, Report.COUNT]


STEPS = st.integers(2, 7)
PARENTS = [st.integers(0, number) for number in range(7)]
TEXTS = st.sampled_from([None, False, True])
REMARKS = st.sampled_from([None, None, None, False, True])
LEAVES = Report.TEXTS | Report.COMMENTS | Report.INSTRUCTIONS
AXES = st.sampled_from([*["child", "descendant"] * 3, "self"])
STEP_URIS = st.sampled_from([None, None, "", "u"])
STEP_NAMES = st.sampled_from([None, "a", "b", "c"])
REPORT = st.sampled_from(REPORTS)
MORE_REPORT = st.sampled_from([Report.NOTHING, *REPORTS])
KEEP = st.sampled_from([Keep.NOTHING, Keep.NOTHING, Keep.SUBTREE, Keep.STRING])
KEPT_ATTRIBUTES = st.one_of(st.just(()), st.none(), st.lists(NAMES, max_size=2).map(tuple))
STEP_TESTS = st.lists(st.one_of(TESTS, NAME_TESTS, PRESENCE_TESTS, POSITION_TESTS), max_size=3)
STEP_VALUE_TESTS = st.lists(VALUE_TESTS, max_size=2)


@st.composite
def plans(draw: st.DrawFn) -> ScanPlan:
    steps: list[ScanStep] = []
    for number in range(draw(STEPS)):
        texts, comments, instructions = draw(TEXTS), draw(REMARKS), draw(REMARKS)
        leaves = [Report.TEXTS] * bool(texts) + [Report.COMMENTS] * bool(comments)
        leaves += [Report.INSTRUCTIONS] * bool(instructions)
        axis, parent = (draw(AXES), draw(PARENTS[number - 1])) if number else ("child", -1)
        is_element = number > 0 and axis != "self"
        steps.append(
            ScanStep(
                0 if axis == "self" else parent,
                axis,
                draw(STEP_URIS) if number else None,
                draw(STEP_NAMES) if number else None,
                draw(REPORT) | draw(MORE_REPORT) | reduce(or_, leaves, Report.NOTHING),
                draw(KEEP),
                draw(KEPT_ATTRIBUTES),
                texts is not None,
                tuple(draw(STEP_TESTS)) if is_element and draw(ONE_IN_FOUR) == 0 else (),
                tuple(draw(STEP_VALUE_TESTS)) if is_element and draw(ONE_IN_FOUR) == 0 else (),
                remarks=comments is not None or bool(instructions),
            )
        )
        if steps[-1].report & ~LEAVES == Report.ITEM and is_element and draw(ONE_IN_FOUR) == 0:
            steps[-1] = replace(steps[-1], outermost=True)
    return ScanPlan(tuple(steps), draw(EITHER))
