"""Random queries of the kind whose results the scan writes, and small random documents for them."""

from __future__ import annotations

from hypothesis import strategies as st

NAMES = ("a", "b", "c", "n:b", "n:c")
CHARACTERS = (
    "x",
    "7",
    "-2.5",
    "1e3",
    "é",
    "&amp;",
    "&lt;",
    "]]&gt;",
    '"',
    "'",
    " ",
    "\n",
    "&#13;",
    "\x85",
    "\u2028",
    "𝄞",
)
VALUES = ("1", "7", " 3.5 ", "-2", "NaN", "INF", "x", "", "10")
ATTRIBUTES = ("k", "m", "n:k", "xml:lang")
DECLARED = (
    "",
    "",
    ' xmlns="urn:d"',
    ' xmlns=""',
    ' xmlns:n="urn:other"',
    ' xmlns:q="urn:q"',
    ' xmlns:n="urn:other" xmlns="urn:d"',
)
PATH_NAMES = ("a", "b", "c", "n:b", "*", "n:*", "*:c")
OTHER_NODES = (
    "{of}/node()", "{of}/* except {of}/a", "{of}/(a, n:b)", "({path})[last()]", "({path}, {of}/b, 'none')[1]",
    "{of}/*[not(self::a or self::n:b)]", "{of}/a/node()", "{of}/*[self::b[a]]", "{of}/@*",
    "(for $k in {of}/@* return <k>{{ string($k) }}</k>)", "text {{ {path} }}",
    "(1, text {{ {path}, 2 }}, 3, text {{ () }}, 4)",
    "<t>{{ 'a', text {{ string({of}/@k) }}, text {{ 'b' }} }}</t>",
)  # fmt: skip
"""Nodes that are picked by their names, and so on."""
TAGS = (
    "o", "o", "o", 'o xmlns="urn:o"', 'o xmlns=""', 'o xmlns:n="urn:n"', 'o xmlns:n="urn:other"', "n:o", 'o n:i="1"',
    'q:o xmlns:q="urn:q"',
)  # fmt: skip
OPERATORS = ("=", "!=", "<", "<=", ">", ">=")


@st.composite
def elements(draw: st.DrawFn, name: str | None = None, depth: int = 3) -> str:
    """An element, with anything in it."""
    tag = name or draw(st.sampled_from(NAMES))
    attributes = draw(st.lists(st.sampled_from(ATTRIBUTES), unique=True, max_size=2))
    given = "".join(f' {key}="{_in_quotes(draw(values()))}"' for key in attributes)
    content = "".join(draw(st.lists(contents(depth - 1), max_size=4))) if depth else draw(values())
    start = f"<{tag}{draw(st.sampled_from(DECLARED))}{given}"
    return f"{start}/>" if not content and draw(st.booleans()) else f"{start}>{content}</{tag}>"


def _in_quotes(value: str) -> str:
    return value.replace('"', "&quot;")


def values() -> st.SearchStrategy[str]:
    """Characters, often a number."""
    return st.sampled_from(VALUES) | st.lists(st.sampled_from(CHARACTERS), max_size=3).map("".join)


def contents(depth: int) -> st.SearchStrategy[str]:
    """A child of an element."""
    leaves = st.sampled_from(("<!-- c -->", "<?t  data?>", "<?t?>", "<![CDATA[<&]]>", "\n  "))
    return values() | leaves | st.deferred(lambda: elements(None, depth)) | st.deferred(lambda: elements(None, depth))


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A document of some records."""
    records = draw(st.lists(elements("r") | elements(None, 1), min_size=1, max_size=4))
    return f'<d xmlns:n="urn:n"{draw(st.sampled_from(DECLARED[:3]))}>{"".join(records)}</d>'


# --- queries


@st.composite
def paths(draw: st.DrawFn, variable: str) -> str:
    """To elements: by children, perhaps to descendants last."""
    steps = draw(st.lists(st.sampled_from(PATH_NAMES), min_size=1, max_size=2))
    slash = draw(st.sampled_from(("/", "/", "/", "//")))
    return f"{variable}/" + "/".join(steps[:-1]) + (slash if len(steps) > 1 else slash[1:]) + steps[-1]


@st.composite
def conditions(draw: st.DrawFn, variable: str) -> str:
    path = draw(st.sampled_from(("/a", "/b", "/a/b", "/b/text()", "/@k", "/a/@k", "/n:b/c")))
    constant = draw(st.sampled_from(("3", "2.5", "-2", '"x"', '"7"', "1e0")))
    sides = [f"{variable}{path}", constant]
    if draw(st.booleans()):
        sides.reverse()
    test = f" {draw(st.sampled_from(OPERATORS))} ".join(sides)
    return f"not({test})" if draw(st.integers(0, 5)) == 0 else test


@st.composite
def nodes(draw: st.DrawFn, variable: str) -> str:
    """An expression that gives nodes."""
    form = draw(st.integers(0, 4))
    if form == 0:
        return variable
    path = draw(paths(variable))
    if form == 1:
        return f"{path}/text()"
    if form == 2:
        return draw(st.sampled_from(OTHER_NODES)).format(path=path, of=variable)
    return path


@st.composite
def atomics(draw: st.DrawFn, variable: str) -> str:
    """An expression that gives atomic values."""
    path = draw(paths(variable) | st.just(f"{variable}/@k") | st.just(f"{variable}/a/@n:k") | st.just(variable))
    literals = ('"&lt;&amp;>"', "3", "1.50", "1e7", '""')
    return draw(st.sampled_from((f"string({path})", f"data({path})", f"data({path})", *literals)))


@st.composite
def results(draw: st.DrawFn, variable: str, depth: int = 2, others: tuple[str, ...] = ()) -> str:
    """What a loop returns."""
    known = draw(st.sampled_from((variable, variable, *others)))
    form = draw(st.integers(0, 9 if depth else 2))
    if form < 2:
        return draw(nodes(known))
    if form == 2:
        return draw(atomics(known))
    if form == 3:
        inner = draw(results(variable, depth - 1, others))
        otherwise = draw(st.just("()") | results(variable, 0, others))
        return f"if ({draw(conditions(variable))}) then {inner} else {otherwise}"
    if form == 4:
        loop = f"$v{len(others)}"
        where = f" where {draw(conditions(loop))}" if draw(st.booleans()) else ""
        inner = draw(results(loop, depth - 1, (*others, variable)))
        return f"for {loop} in {draw(paths(variable))}{where} return {inner}"
    if form == 5:
        return f"({draw(results(variable, depth - 1, others))}, {draw(results(variable, depth - 1, others))})"
    attributes = "".join(
        f' {key}="{draw(st.sampled_from(("", "&lt;x", " ")))}{{{draw(atomics(known) | paths(known))}}}"'
        for key in draw(st.lists(st.sampled_from(("i", "j")), unique=True, max_size=2))
    )
    texts = st.sampled_from(("", "", " t ", "&amp;&#13;", "<e/>", "<e f='1'>g</e>"))
    parts = [draw(texts) + f"{{{draw(results(variable, depth - 1, others))}}}" for _ in range(draw(st.integers(0, 3)))]
    if draw(st.integers(0, 5)) == 0:
        return f"element {{ 'x' || {variable}/@k }} {{ {draw(results(variable, depth - 1, others))} }}"
    tag = draw(st.sampled_from(TAGS))
    return f"<{tag}{attributes}>{''.join(parts)}{draw(texts)}</{tag.split()[0]}>"


@st.composite
def queries(draw: st.DrawFn) -> str:
    """A query over the records of a document."""
    prolog = 'declare namespace n = "urn:n"; '
    if draw(st.integers(0, 9)) == 0:
        prolog += 'declare default element namespace "urn:d"; '
    where = " and ".join(draw(st.lists(conditions("$p"), max_size=2)))
    source = draw(st.sampled_from(("/d/r", "/d/r", "/d/*", "/*/r", "//r", "/d/a")))
    if draw(st.integers(0, 4)) == 0:
        # A record around the records, which its attributes select.
        condition = draw(st.sampled_from(('$o/@k = "7"', "$o/@k > 2", '$o/@m != "x"')))
        inner = draw(st.sampled_from(("a", "b", "*", "n:b")))
        return f"{prolog}<z>{{for $o in {source}, $p in $o/{inner} where {condition} return {draw(results('$p'))}}}</z>"
    filtered = f"{source}[{where.replace('$p/', '')}]" if where and "not" not in where and draw(st.booleans()) else None
    if draw(st.integers(0, 5)) == 0:
        taken = draw(st.sampled_from(("$p", "$p/a", "$p/@k", "$p/text()", "$p/a/b")))
        loop = f"for $p in {filtered or source}" + (f" where {where}" if where and not filtered else "")
        return f"{prolog}count({loop} return {taken})"
    loop = f"for $p in {filtered or source}" + (f" where {where}" if where and not filtered else "")
    result = draw(results("$p"))
    if not filtered and draw(st.integers(0, 3)) == 0:
        loop = loop.replace("for $p in", "for $p at $i in", 1)
        place = draw(st.sampled_from(("<o i='{{ $i }}'>{{ {} }}</o>", "({}, $i)", "if ($i > 1) then {} else ()")))
        result = place.format(result)
    body = f"{loop} return {result}"
    form = draw(st.integers(0, 4))
    if form == 4:
        tag = draw(st.sampled_from(TAGS))
        return f"{prolog}<{tag}>{{{body}}}</{tag.split()[0]}>"
    if form == 0:
        return prolog + body
    if form == 1:
        return f"{prolog}<z>{{{body}}}</z>"
    return f"{prolog}<z>{{1, {body}, 2}}<y>{{{body}}}</y></z>"
