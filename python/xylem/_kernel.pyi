"""The native part of Xylem, built from `kernel/`; absent where it could not be built."""

VERSION: str
PROFILE: str
