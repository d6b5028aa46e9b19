"""Ships the code of this package to the executors, with the native kernel and its dependencies.

Python imports native modules from files only, never from a zip. So the package is sent as an archive that Spark
unpacks in the working directory of each executor, which is on the path of its Python workers: `xylem.zip#xylem` becomes
a directory `xylem` there. Executors need a Python of the same version and platform, with PySpark and PyArrow.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

PACKAGES = ("xylem", "regex")
"""This package, and the only other package that evaluation imports beyond the standard library."""
NOT_EVALUATION = ("bench", "conformance", "cli", "web")
"""Parts that never run in a task."""


def ship(spark: SparkSession) -> None:
    """Send the code to the executors of a session, including those that join later."""
    ship_to(spark.sparkContext)


def ship_to(context: SparkContext) -> None:
    """The same for the executors of a context."""
    folder = tempfile.mkdtemp(prefix="xylem-code-")
    # The driver serves the files as long as it lives.
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for package in PACKAGES:
        archive = zipped(package, Path(folder))
        context.addArchive(f"{archive}#{package}")


def zipped(package: str, folder: Path) -> Path:
    """The package as an archive in the folder."""
    found = find_spec(package)
    assert found is not None
    assert found.submodule_search_locations
    root = Path(found.submodule_search_locations[0])
    archive = folder / f"{package}.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for path in sorted(root.rglob("*")):
            inside = path.relative_to(root)
            if path.is_file() and "__pycache__" not in inside.parts and inside.parts[0] not in NOT_EVALUATION:
                out.write(path, inside.as_posix())
    return archive
