"""How a failure of user code is reported: a traceback of the user's frames, and a failure file."""

from __future__ import annotations

import os
import sys
import traceback

from mlcli_harness import paths, report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

# The longest reason in the report, in characters: mlcli shows the first 1,024.
LONGEST_REASON = 4096


class HarnessError(Exception):
    """The app has a mistake. The message says everything: it is shown without a traceback."""


def user_traceback(error: BaseException) -> TracebackType | None:
    """The error's traceback from the user's first frame on, or None where it has no user frame."""
    frames = error.__traceback__
    while frames is not None and is_machinery(frames.tb_frame.f_code.co_filename):
        frames = frames.tb_next
    return frames


def is_machinery(filename: str) -> bool:
    """Whether a frame belongs to the harness, or to the import system that it called."""
    own = [os.path.join(paths.HARNESS, name) for name in ("main.py", "mlcli_harness" + os.sep)]
    return filename.startswith((*own, "<frozen "))


def describe(error: BaseException) -> str:
    """The error as Python prints it, without the harness's frames."""
    if isinstance(error, HarnessError):
        return "mlcli: %s\n" % error
    return "".join(traceback.format_exception(type(error), error, user_traceback(error)))


def summary(error: BaseException) -> str:
    """Returns the type and the message of an error, as one text that begins with words."""
    try:
        message = str(error).strip()
    except Exception:
        # Its `__str__` fails.
        message = ""
    return "%s: %s" % (type(error).__name__, message) if message else type(error).__name__


def log(text: str) -> None:
    """Writes a message to standard error in one piece, so that threads do not mix theirs."""
    sys.stderr.write(text if text.endswith("\n") else text + "\n")
    sys.stderr.flush()


def run_user_code(call: Callable[[], object], failure_file: str) -> None:
    """Calls `call` and ends the process where that fails, as SageMaker expects.

    An exception: its traceback on standard error and in the failure file, exit status 1.
    SystemExit keeps its status; its message, if that is what it carries, goes into the file too.
    mlcli's report gets the same: another run of the app may have the same failure file.
    """
    report.take()
    # Of several workers, another may have written it already.
    if report.worker() is None:
        forget(failure_file)
    try:
        call()
    except SystemExit as stop:
        if isinstance(stop.code, str):
            write_failure(failure_file, stop.code)
        raise
    except KeyboardInterrupt:
        sys.exit(130)
    except HarnessError as error:
        log(describe(error))
        write_failure(failure_file, str(error))
        sys.exit(1)
    except BaseException as error:
        write_failure(failure_file, "%s\n\n%s" % (summary(error), describe(error)))
        show(error)
        sys.exit(1)


def show(error: BaseException) -> None:
    """Shows an error through the hook, since user code may have set its own."""
    error.__traceback__ = user_traceback(error)
    try:
        sys.excepthook(type(error), error, error.__traceback__)
    except Exception:
        sys.__excepthook__(type(error), error, error.__traceback__)


def forget(failure_file: str) -> None:
    """Removes what an earlier run left, so that a file found later is this run's."""
    try:
        os.remove(failure_file)
    except OSError:
        pass


def write_failure(failure_file: str, text: str) -> None:
    """Writes the failure file, unless user code has written one. Its directory may be missing."""
    report.add([["reason", text[:LONGEST_REASON]]])
    try:
        os.makedirs(os.path.dirname(failure_file), exist_ok=True)
        with open(failure_file, "x", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except FileExistsError:
        pass
    except OSError as error:
        log("mlcli: cannot write %s: %s" % (failure_file, error))
