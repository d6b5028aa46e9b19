"""The version of the package, in its own file so that reading it costs nothing; the kernel has the same version."""

VERSION = "0.1.0"
