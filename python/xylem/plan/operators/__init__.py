"""The operators of a plan: what a compiled query does, as descriptions that are the same for every way to run it.

Lowering passes in what it is about to run (`lowering/operator_plans`); frozen descriptions go out, which can be
printed, pickled, and compared by content. They never run anything and do not depend on the spelling of the query: their
properties, such as the memory they hold, are derived in `plan/properties.py`.
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
