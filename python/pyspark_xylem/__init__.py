"""PySpark looks for data sources in packages whose names begin with pyspark_: this one is for it, not for programs.

Where Xylem is installed, `spark.read.format("xylem")` is known without being registered. `xylem.spark.register(spark)`
makes it known to one session wherever the package comes from.
"""

from xylem.spark.data_source import XylemSource as DefaultSource

__all__ = ["DefaultSource"]
