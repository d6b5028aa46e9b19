"""The version of the package, alone so that reading it costs nothing; the kernel has the same one."""

VERSION = "0.1.0"
