"""What all tests share: property tests that do not depend on how busy the machine is, nor on chance."""

from __future__ import annotations

from hypothesis import settings

# The time limit of each test is pytest's; a deadline per example would only measure the machine.
settings.register_profile("xylem", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("xylem")
