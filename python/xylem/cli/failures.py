"""How a command ends when it does not end well: an exit code and a message, never a traceback.

The exit codes: 0 a result, 1 an error of the query, 2 wrong use of the command, 3 unreadable input, 130 interrupted by
Ctrl-C, 143 ended by SIGTERM.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

import typer

from xylem.errors import DynamicError, EngineBug, InputError, XylemError
from xylem.errors.optional_package import missing_package

from .standard_streams import OutputLost


class Exit(IntEnum):
    """The exit codes."""

    RESULT = 0
    QUERY_ERROR = 1
    USAGE = 2
    INPUT_ERROR = 3
    INTERRUPTED = 130
    TERMINATED = 143


@contextmanager
def reported() -> Iterator[None]:
    """Turn every exception inside into a message on standard error and an exit code."""
    try:
        yield
    except (typer.Exit, typer.BadParameter):
        raise  # Typer's own ways to stop and to complain about arguments
    except XylemError as error:
        _fail(error, Exit.INPUT_ERROR if isinstance(error, InputError) else Exit.QUERY_ERROR)
    except BrokenPipeError:
        # The reader has closed the pipe (`xylem run … | head`): that is a success.
        abandon_standard_output()
        sys.exit(Exit.RESULT)
    except OutputLost as reason:
        abandon_standard_output()
        _fail(InputError("XYIN0002", reason.strerror or str(reason), source="standard output"), Exit.INPUT_ERROR)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(Exit.INTERRUPTED)
    except ModuleNotFoundError as reason:
        missing = missing_package(reason)
        if missing is None:
            _bug(reason)
        else:
            missing.__cause__ = reason
            _fail(missing, Exit.INPUT_ERROR)
    except MemoryError:
        _fail(DynamicError("XYRT0042"), Exit.QUERY_ERROR)
    except OSError as reason:
        # What the system refuses: a directory that cannot be made, a certificate that is none.
        place = "" if reason.filename is None else os.fsdecode(reason.filename)
        refused = InputError("XYIN0002", reason.strerror or str(reason), source=place or "what the command was given")
        refused.__cause__ = reason
        _fail(refused, Exit.INPUT_ERROR)
    except Exception as reason:
        _bug(reason)


def end_in_order_when_terminated() -> None:
    """Let SIGTERM end the command like an error, so that it removes temporary files. A caller's own handler stays."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(Exit.TERMINATED))


def abandon_standard_output() -> None:
    """Send the last flush of standard output to the null device: Python would complain again when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _bug(reason: BaseException) -> None:
    bug = EngineBug("XYBUG0001", f"{type(reason).__name__}: {reason}")
    bug.__cause__ = reason
    _fail(bug, Exit.QUERY_ERROR)


def _fail(error: XylemError, code: Exit) -> None:
    if is_debugging():
        import traceback

        traceback.print_exception(error)
    print(error.render(), file=sys.stderr)
    sys.exit(code)


_debugging = False


def debug(on: bool) -> None:
    """Also show tracebacks, for developers of Xylem."""
    global _debugging
    _debugging = on


def is_debugging() -> bool:
    """Whether `--debug` was given."""
    return _debugging
