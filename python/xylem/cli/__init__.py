"""The command line: a thin shell over `api.py`.

Arguments, files and standard input come in. A result goes out on standard output, or an error
with its place on standard error and an exit code. It never evaluates anything itself, and it imports what a
command needs only when that command runs.
"""

from __future__ import annotations


def main() -> None:
    """The console script `xylem`."""
    import signal
    import sys

    # Ctrl-C while modules are imported would show a traceback.
    can_be_interrupted = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if can_be_interrupted:
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    from xylem.run.garbage_collection import collect_seldom

    from .failures import end_in_order_when_terminated, reported
    from .standard_streams import take_standard_streams

    take_standard_streams()
    end_in_order_when_terminated()
    collect_seldom()
    with reported():
        if can_be_interrupted:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        from .app import app
        from .optional_values import with_default_values

        try:
            app(with_default_values(sys.argv[1:]), prog_name="xylem")
        finally:
            # Otherwise Python flushes after the last handler, and reports a failure in its own way.
            # A language server has closed it when its editor has.
            if not sys.stdout.closed:
                sys.stdout.flush()
