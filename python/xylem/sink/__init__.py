"""Where results go: the output methods of Serialization 3.1, and what takes their text.

What comes in is a sequence of items with the parameters a query or a user chose; what goes out is text, in chunks
as the items arrive. A sink never evaluates anything: it asks items for no more than their names and characters.
"""

from .output_encoding import OutputEncoding, byte_encoder
from .serialization_parameters import (
    DEFAULTS,
    OPTION_NAMES,
    OUTPUT_NAMESPACE,
    PARAMETER_DOCUMENT,
    SerializationParameters,
    declared_parameters,
)
from .serialize import serialize, serialize_to

__all__ = [
    "DEFAULTS",
    "OPTION_NAMES",
    "OUTPUT_NAMESPACE",
    "PARAMETER_DOCUMENT",
    "OutputEncoding",
    "SerializationParameters",
    "byte_encoder",
    "declared_parameters",
    "serialize",
    "serialize_to",
]
