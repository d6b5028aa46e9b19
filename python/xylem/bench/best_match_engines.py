"""The ways to find best matches that are measured: Xylem, and lxml with pandas, polars, DuckDB or scipy behind it.

Each takes two files of photons and gives, for the photons of the first one that have a partner, the time of the
photon and how far the best partner is; ties make no difference to that. Peers extract their columns by `iterparse`,
as users do.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

SECONDS = 0.5
DEGREES = 0.1

NEAREST = f"""
for $p in doc("first.xml")/photons/photon
for $q in doc("second.xml")/photons/photon
where $p left outer bestmatch join $q on (abs($p/det_time - $q/det_time)) min {SECONDS}
return <m t="{{ $p/det_time }}" e="{{ $p/en }}" u="{{ $q/det_time }}" f="{{ $q/en }}"/>
"""
COUNTED = f"count({NEAREST[: NEAREST.index('return')]} return 1)"
"""The same pairs, of which only the number is asked for."""
PARETO = f"""
for $p in doc("first.xml")/photons/photon
for $q in doc("second.xml")/photons/photon
where $p left outer bestmatch join $q on (abs($p/ra - $q/ra)) min {DEGREES}, (abs($p/dec - $q/dec)) min {DEGREES}
return <m d="{{ abs($p/ra - $q/ra) }}" e="{{ abs($p/dec - $q/dec) }}"/>
"""
UNORDERED = f"""
for $p in doc("first.xml")/photons/photon
for $q in doc("second.xml")/photons/photon
where $p left outer bestmatch join $q on (abs($p/ra - $q/ra)) min {DEGREES / 100}
return <m t="{{ $p/det_time }}" e="{{ $p/en }}" u="{{ $q/det_time }}" f="{{ $q/en }}"/>
"""
"""A join by a value that orders neither file."""
CROWDED = """
count(
  for $p in doc("first.xml")/photons/photon
  for $q in doc("second.xml")/photons/photon
  where $p left outer bestmatch join $q
    on (abs($p/ra - $q/ra)) min 6, (abs($p/dec - $q/dec)) min 6, (abs($p/en - $q/en)) min
  return 1
)
"""
"""Many photons are near each other by three values: finding pairs takes far longer than reading files."""


def xylem_text(query: str, folder: Path, **options: Any) -> str:
    """The answer of Xylem, from file to text."""
    import xylem

    return str(xylem.compile(query, base_uri=f"{folder.as_uri()}/").run(allow=[folder], **options))


def extracted(path: Path, *names: str) -> list[array[float]]:
    """Columns of a file, by a loop over its elements."""
    from lxml import etree

    columns = [array("d") for _ in names]
    for _, photon in etree.iterparse(str(path), tag="photon"):
        for column, name in zip(columns, names, strict=True):
            column.append(float(photon.findtext(name)))
        photon.clear()
        while photon.getprevious() is not None:
            del photon.getparent()[0]
    return columns


Columns = list[Any]
"""Arrays of numbers."""


def by_pandas(first: Columns, second: Columns) -> Any:
    """Time and energy of each photon, and of the one that is nearest to it."""
    import numpy as np
    import pandas as pd

    left = pd.DataFrame({"t": np.frombuffer(first[0]), "e": np.frombuffer(first[1])})
    times = np.frombuffer(second[0])
    right = pd.DataFrame({"t": times, "u": times, "f": np.frombuffer(second[1])})
    found = pd.merge_asof(left, right, on="t", direction="nearest", tolerance=SECONDS).dropna()
    return [found[name].to_numpy() for name in "teuf"]


def by_polars(first: Columns, second: Columns) -> Any:
    """The same."""
    import numpy as np
    import polars as pl

    left = pl.DataFrame({"t": np.frombuffer(first[0]), "e": np.frombuffer(first[1])}).set_sorted("t")
    times = np.frombuffer(second[0])
    right = pl.DataFrame({"t": times, "u": times, "f": np.frombuffer(second[1])}).set_sorted("t")
    found = left.join_asof(right, on="t", strategy="nearest", tolerance=SECONDS).drop_nulls("u")
    return [found[name].to_numpy() for name in "teuf"]


def by_duckdb(first: Columns, second: Columns) -> Any:
    """The same: the last before and the first after each photon, and the nearer of the two."""
    import duckdb  # type: ignore[import-not-found]
    import numpy as np

    times, energies = np.frombuffer(first[0]), np.frombuffer(first[1])
    database = duckdb.connect()
    database.register("l", {"n": np.arange(len(times)), "t": times, "e": energies})
    database.register("r", {"u": np.frombuffer(second[0]), "f": np.frombuffer(second[1])})
    found = database.execute(
        "WITH near AS (SELECT n, t, e, u, f FROM l ASOF JOIN r ON l.t >= r.u"
        " UNION ALL SELECT n, t, e, u, f FROM l ASOF JOIN r ON l.t <= r.u)"
        " SELECT t, e, u, f FROM near WHERE abs(t - u) <= ?"
        " QUALIFY row_number() OVER (PARTITION BY n ORDER BY abs(t - u), u) = 1 ORDER BY n",
        [SECONDS],
    ).fetchnumpy()
    return [np.asarray(found[name]) for name in "teuf"]


def written(columns: Any) -> str:
    """Rows as the query writes them."""
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return "".join([f'<m t="{t:.3f}" e="{e:.4f}" u="{u:.3f}" f="{f:.4f}"/>' for t, e, u, f in rows])


def by_scipy(first: list[array[float]], second: list[array[float]]) -> Any:
    """Candidates by a tree of points, then the skyline of each photon."""
    import numpy as np
    from scipy.spatial import cKDTree  # type: ignore[import-untyped]

    left, right = (np.column_stack([np.frombuffer(column) for column in side]) for side in (first, second))
    near = cKDTree(right).query_ball_point(left, DEGREES, p=np.inf)
    found = []
    for number, others in enumerate(near):
        if others:
            apart = np.abs(right[others] - left[number])
            apart = apart[np.lexsort((apart[:, 1], apart[:, 0]))]
            least = np.minimum.accumulate(apart[:, 1])
            keeps = np.concatenate(([True], apart[1:, 1] < least[:-1]))
            found += [(number, *pair) for pair in apart[keeps]]
    return found


ASOF: dict[str, Callable[[Columns, Columns], Any]] = {
    "pandas": by_pandas,
    "polars": by_polars,
    "duckdb": by_duckdb,
}
