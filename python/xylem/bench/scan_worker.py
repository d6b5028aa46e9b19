"""One engine, one task, one document, in a process of its own: CPU time from file to answer, and peak memory.

python -m xylem.bench.scan_worker Xylem Q1 auction.xml
"""

from __future__ import annotations

from .file_to_answer import tell_figures
from .scan_engines import ENGINES, PACKAGES

if __name__ == "__main__":
    tell_figures(ENGINES, PACKAGES)
