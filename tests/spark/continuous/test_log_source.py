"""What the source of a continuous query is told."""

from __future__ import annotations

import subprocess
import sys

import xylem
from xylem.spark.continuous.log_source import LogDescription
from xylem.spark.continuous.subscription import Mode, Subscription, Work
from xylem.spark.shipped_query import shipped_query


def test_functions_that_no_module_holds_arrive_in_other_processes() -> None:
    made = xylem.Functions()
    factor = 3

    @made.function("udf:times", "xs:integer", "xs:integer")
    def times(number: int) -> int:
        return factor * number

    query = shipped_query("udf:times(2)", functions=made)
    option = LogDescription(Work((Subscription("query", query, Mode.EACH),)), "journal", None).to_option()
    arrived = (
        "import sys, xylem\n"
        "from xylem.spark.continuous.log_source import LogDescription\n"
        "query = LogDescription.from_option(sys.stdin.read()).work.subscriptions[0].query\n"
        "print(xylem.compile(query.text, functions=query.functions).run().value)"
    )
    told = subprocess.run([sys.executable, "-c", arrived], input=option, capture_output=True, text=True, check=True)
    assert told.stdout == "6\n"
