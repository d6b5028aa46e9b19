"""The abstract syntax tree: immutable nodes with spans, one file per production family.

The parser builds the tree; every later stage reads it. Nodes never
resolve names, never hold anything mutable, and are never changed in place.
"""

from .constructors import *  # noqa: F403
from .expressions import *  # noqa: F403
from .extensions import *  # noqa: F403
from .flwor import *  # noqa: F403
from .modules import *  # noqa: F403
from .node import *  # noqa: F403
from .types import *  # noqa: F403
