"""Code as a user writes it, for the type checker: the public interface is typed from outside too."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import xylem


@xylem.function("udf:twice", "xs:integer", "xs:integer")
def twice(number: int) -> int:
    return 2 * number


def titles(path: Path) -> list[str]:
    document: xylem.Node = xylem.parse(path)
    query: xylem.Query = xylem.compile("//title/string()")
    result: xylem.Result = query.run(document)
    return [str(title) for title in result]


def long_titles(path: Path) -> int:
    result: xylem.StreamResult = xylem.compile("//title").stream(path, schema="<!ELEMENT title (#PCDATA)>")
    result.watch(lambda progress: print(progress.fraction, progress.megabytes_per_second))
    found = [title for title in result if len(str(title)) > 80]
    peak: int = result.statistics.peak_buffered_bytes
    return len(found) + peak


def total(prices: list[Decimal]) -> object:
    try:
        return xylem.compile("declare variable $prices external; sum($prices)").run(variables={"prices": prices}).value
    except xylem.XylemError as error:
        code: str = error.code
        return code


four: int = twice(2)
own = xylem.Functions()


@own.function("udf:greet", "xs:string?", "xs:string")
def greet(name: str | None) -> str:
    return f"hello {name or 'world'}"


text: str = xylem.compile("udf:greet(())", functions=own).run().serialize(method="text")
