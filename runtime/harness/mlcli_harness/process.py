"""`process FILE [ARGS...]`: runs one of the user's processing scripts as the main program."""

from __future__ import annotations

import os
import sys
import types

from mlcli_harness import paths
from mlcli_harness.code import enter_code_directory
from mlcli_harness.environment import set_shared_environment
from mlcli_harness.failure import HarnessError, run_user_code
from mlcli_harness.lost_files import report_lost_files_at_end
from mlcli_harness.packages import report_packages


def process(file: str, arguments: list[str]) -> None:
    """Runs the script. Ends the process with status 1 where it raises."""
    run_user_code(lambda: run_script(file, arguments), paths.PROCESSING_MESSAGE)


def run_script(file: str, arguments: list[str]) -> None:
    set_shared_environment()
    directory = enter_code_directory("processing")
    path = os.path.join(directory, file)
    if not os.path.isfile(path):
        raise HarnessError("Processing file not found: %s" % path)

    with open(path, "rb") as source:
        code = compile(source.read(), path, "exec")
    report_packages()
    report_lost_files_at_end(paths.PROCESSING, kept=("input", "output"))
    sys.argv = [path, *arguments]
    if os.path.dirname(path) != directory:
        sys.path.insert(0, os.path.dirname(path))
    # The script takes the place of the main module for good, as if Python had been started with it:
    # its pickles, threads and `multiprocessing` children look for their names there. (runpy would
    # clear the module when the script ends, though its threads may still be running.)
    module = types.ModuleType("__main__")
    module.__file__ = path
    sys.modules["__main__"] = module
    exec(code, module.__dict__)
