"""The operators of a plan: what a compiled query does, as descriptions that are the same for every way to run it.

In comes what lowering is about to run (`lowering/operator_plans`); out go frozen descriptions that can be printed,
pickled, compared and told apart by content. They never run anything and know no spelling of the query: what follows
from them, such as how much they hold, is derived in `plan/properties.py`.
"""

from .gathering import Aggregate, Fold, KeysOf, Sort, Window
from .operator import Extent, Meter, Operator, Runs
from .operator_plan import OperatorPlan
from .results import Construct, Leaf, Union
from .sources import Scan, Step
from .tuples import Bind, Join, Number, Select

__all__ = [
    "Aggregate",
    "Bind",
    "Construct",
    "Extent",
    "Fold",
    "Join",
    "KeysOf",
    "Leaf",
    "Meter",
    "Number",
    "Operator",
    "OperatorPlan",
    "Runs",
    "Scan",
    "Select",
    "Sort",
    "Step",
    "Union",
    "Window",
]
