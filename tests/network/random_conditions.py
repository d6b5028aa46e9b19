"""Random conditions on records that hold everything a match must not stumble over, and records to try them on."""

from __future__ import annotations

import random

DTD = """<!ELEMENT rs (rec*)><!ELEMENT rec (a, b, c?, d*, s?)><!ATTLIST rec k CDATA #IMPLIED>
<!ELEMENT a (#PCDATA)><!ELEMENT b (#PCDATA)><!ELEMENT c (#PCDATA)><!ELEMENT d (#PCDATA)><!ELEMENT s (#PCDATA)>"""

NUMBERS = ["0", "1", "2", "3", "1.5", "2.5", "-1", "0.1", "0.30000000000000004", "0.3", "1e0", "2.0"]
CONSTANTS = ["0", "1", "2", "3", "1.5", "2.5", "-1", "0.1", "0.3", "0.30000000000000004", "1e0", "2 - 0.5", "1 + 1"]
ODD = ["NaN", "INF", "-INF", "abc", "", "9007199254740993", "9007199254740992"]
STRINGS = ["x", "y", "z", "", "1", "xy", "2024-01-01", "2024-06-30", "2024-06-30Z", "2024-12-31"]
OPERATORS = ["<", "<=", ">", ">=", "=", "!="]
VALUE_OPERATORS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "=": "eq", "!=": "ne"}
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}


def record(draw: random.Random) -> str:
    """One record, valid by the DTD: numbers, what is none, values that are missing or come several times."""

    def value() -> str:
        return draw.choice(ODD) if draw.random() < 0.15 else draw.choice(NUMBERS)

    attribute = f' k="{value()}"' if draw.random() < 0.7 else ""
    c = f"<c>{value()}</c>" if draw.random() < 0.7 else ""
    d = "".join(f"<d>{value()}</d>" for _ in range(draw.choice([0, 1, 1, 2, 3])))
    s = f"<s>{draw.choice(STRINGS)}</s>" if draw.random() < 0.7 else ""
    return f"<rec{attribute}><a>{value()}</a><b>{value()}</b>{c}{d}{s}</rec>"


def condition(draw: random.Random, depth: int = 2) -> str:
    """One condition on `$r`, in one of the ways to spell it."""
    roll = draw.random()
    if depth and roll < 0.3:
        return f"({condition(draw, depth - 1)} and {condition(draw, depth - 1)})"
    if depth and roll < 0.45:
        return f"({condition(draw, depth - 1)} or {condition(draw, depth - 1)})"
    if depth and roll < 0.6:
        return f"not({condition(draw, depth - 1)})"
    return _atom(draw)


def _atom(draw: random.Random) -> str:
    path = "$r/" + draw.choice(["a", "a", "a", "b", "b", "c", "d", "@k"])
    op, constant, roll = draw.choice(OPERATORS), draw.choice(CONSTANTS), draw.random()
    if roll < 0.3:
        return f"{path} {op} {constant}" if draw.random() < 0.6 else f"{constant} {TURNED[op]} {path}"
    if roll < 0.45:
        return _in_other_words(draw, path, op, constant)
    if roll < 0.55:
        return f"number({path}) {op} {constant}"
    if roll < 0.62:
        kind = draw.choice(["decimal", "double"])
        return f"xs:{kind}({path}) {draw.choice([op, VALUE_OPERATORS[op]])} {constant}"
    if roll < 0.67:
        return f"{draw.choice(['exists', 'empty', 'boolean'])}({path})"
    if roll < 0.71:
        return f"count({path}) {op} {draw.choice(['0', '1', '2'])}"
    if roll < 0.76:
        return f'$r/s {op} "{draw.choice(STRINGS)}"'
    if roll < 0.80:
        return f"{path} {op} ({constant}, {draw.choice(CONSTANTS)})"
    if roll < 0.84:
        return f"(some $v in {path} satisfies $v {op} {constant})"
    if roll < 0.88:
        return f"number({path}) {op} number($r/{draw.choice(['a', 'b', 'c'])})"
    if roll < 0.91:
        return f"xs:decimal({path}) - xs:decimal($r/b) {op} {draw.choice(['0', '1', '0.5'])}"
    if roll < 0.92:
        return f"$r/a {op} $r/b" if draw.random() < 0.5 else f"$r/b {TURNED[op]} $r/a"
    if roll < 0.94:
        return f"$r/a {op} $r/b + {draw.choice(['0', '1', '0.1'])}"
    if roll < 0.97:
        return f"{path}[. {op} {constant}]"
    return f"(let $v := {path} return $v {op} {constant})"


DATES = ["2024-01-01", "2024-06-30", "2024-06-30Z", "2025-01-01"]


def _in_other_words(draw: random.Random, path: str, op: str, constant: str) -> str:
    """Arithmetic with constants, single values said to be the first or the last, counts, sums, dates, texts."""
    other, single = draw.choice(CONSTANTS), draw.choice(["$r/a", "$r/b", "$r/c", "$r/@k", "$r/d[1]", "$r/d[last()]"])
    match draw.randrange(18):
        case 0 | 1:
            return f"{single} {draw.choice(['+', '-', '*', 'div'])} ({other}) {op} {constant}"
        case 2:
            return f"({other}) {draw.choice(['+', '-', '*'])} {single} {op} {constant}"
        case 3:
            return f"{draw.choice(['round', 'floor', 'ceiling', 'abs', '-'])}({single}) {op} {constant}"
        case 4:
            return f"abs({single} - {draw.choice(['0', '1', '2'])}) {op} {constant}"
        case 5:
            return f"{path}[{draw.choice(['1', '2', 'last()', 'position() = 1'])}] {op} {constant}"
        case 6:
            return f"{draw.choice(['head', 'sum', 'max', 'min', 'avg'])}({path}) {op} {constant}"
        case 7:
            return f"count({path}[. {op} {constant}]) {draw.choice(OPERATORS)} {draw.choice('012')}"
        case 8:
            return f"{draw.choice(['exists', 'empty'])}({path}[{draw.choice('12')}])"
        case 9:
            return f"xs:decimal({single}) * {draw.choice(['2', '-1', '0.5'])} {op} {draw.choice(['1', '0.3', '3'])}"
        case 10:
            cast = draw.choice(["integer", "int", "byte", "nonNegativeInteger"])
            return f"xs:{cast}({single}) {draw.choice(['', '+ 1', '* 2'])} {op} {draw.choice(['0', '1.5', '2', '3'])}"
        case 11:
            return f"number({single}) {op} number($r/b) {draw.choice('+-')} {draw.choice(['0', '1', '0.1'])}"
        case 12:
            return f"number($r/a) - number({single}) {op} {draw.choice(['0', '1', '-1'])}"
        case 13:
            typed = draw.choice(["xs:date($r/s)", "$r/s", "($r/s cast as xs:date)"])
            return f"{typed} {op} xs:date('{draw.choice(DATES)}')"
        case 14:
            return f"matches($r/s, '{draw.choice(['^x', 'x$', '^x$', '2024', '^2024-06', r'y[.]?', '^2024-0'])}')"
        case 15:
            return f"substring($r/s, 1, {draw.choice('147')}) {draw.choice(['=', '!='])} '{draw.choice(['x', '2024'])}'"
        case 16:
            return f"$r/s {op} '{draw.choice(['2024-01', '2024-06-30', 'x', 'xy'])}'"
        case _:
            text = draw.choice(["string($r/s)", "xs:string($r/s)", "$r/s/string()", "$r/d"])
            return f"starts-with({text}, '{draw.choice(['x', '2', '2024-0', '1'])}')"
