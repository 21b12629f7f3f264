"""Runs the user's program in an image that mlcli did not make, as AWS's training toolkit would.

mlcli sends this module, and those that it imports, as one shell script beside the code's archive: the
job's ContainerEntrypoint runs that. What is installed, the variables, the arguments, and what kinds of
programs there are, is as in sagemaker-training 5.1.4 (entry_point.py, process.py). Of a processing job,
it is as in the `runproc.sh` of SageMaker's Python SDK (processing.py): the code is unpacked where it lies,
and the arguments are passed on. But the program takes the place of this one: it gets SIGTERM, and its exit
status is the container's.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile

from mlcli_harness import paths
from mlcli_harness.distribution import distribute
from mlcli_harness.environment import read_channels, read_hyperparameters, set_training_environment
from mlcli_harness.failure import HarnessError, run_user_code
from mlcli_harness.sent import ARCHIVE, PROCESSING_ARCHIVE, unpack
from mlcli_harness.stopping import stop_on_sigterm
from mlcli_harness.toolkit import command_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Nobody else uses this Python: a Debian image must not refuse (PEP 668).
PIP_VARIABLES = {
    "PIP_BREAK_SYSTEM_PACKAGES": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_ROOT_USER_ACTION": "ignore",
}


def start(script: str, entry_point: str, *arguments: str) -> None:
    """Prepares, and never returns. `script` is this one's path, `entry_point` a file of the code."""
    stop_on_sigterm()
    if os.path.dirname(script) == paths.PROCESSING_CODE:
        run_user_code(lambda: process(entry_point, arguments), paths.PROCESSING_MESSAGE)
    else:
        run_user_code(lambda: train(entry_point), paths.TRAINING_FAILURE)


def train(entry_point: str) -> None:
    hyperparameters, platforms = read_hyperparameters()
    platforms = {"sagemaker_program": entry_point, "sagemaker_submit_directory": ARCHIVE, **platforms}
    set_training_environment(hyperparameters, platforms, read_channels())
    enter(code_directory(paths.CODE), ARCHIVE, entry_point)
    install(packages(entry_point))
    arguments = command_line(hyperparameters)
    distribute(platforms, [entry_point, *arguments], {})
    replace_by(program(entry_point), arguments)


def process(entry_point: str, arguments: Sequence[str]) -> None:
    enter(code_directory(paths.PROCESSING_CODE), PROCESSING_ARCHIVE, entry_point)
    install(packages(entry_point) or requirements())
    replace_by(program(entry_point), arguments)


def enter(directory: str, archive: str, entry_point: str) -> None:
    """Unpacks the code into the directory, and makes it the current one."""
    unpack(archive, directory)
    os.chdir(directory)
    os.environ["PWD"] = directory
    # What is imported lies beside the program, or at the top of the code.
    known = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = directory + os.pathsep + known if known else directory
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    if not os.path.exists(entry_point) and not is_package(entry_point):
        raise HarnessError("Entry point not found: %s" % entry_point)


def code_directory(path: str) -> str:
    """The path; where the image's user may not write there, a directory of their own."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError:
        pass
    return path if os.access(path, os.W_OK) else tempfile.mkdtemp(prefix="mlcli-code-")


def is_package(entry_point: str) -> bool:
    """Whether the entry point is a module: mlcli names none of a training otherwise."""
    return not entry_point.endswith((".sh", ".py")) and os.path.exists("setup.py")


def program(entry_point: str) -> list[str]:
    if is_package(entry_point):
        return [sys.executable, "-m", entry_point]
    if entry_point.endswith(".py"):
        return [sys.executable, "--", entry_point]
    return ["./" + entry_point]


def requirements() -> list[str]:
    return ["-r", "requirements.txt"] if os.path.exists("requirements.txt") else []


def packages(entry_point: str) -> list[str]:
    """What a package or a Python program asks for. Of a training, a shell's script sees to it itself."""
    if is_package(entry_point):
        return [".", *requirements()]
    return requirements() if entry_point.endswith(".py") else []


def install(words: Sequence[str]) -> None:
    """Installs packages, if there are any. Raises HarnessError where pip fails."""
    if not words:
        return
    command = [sys.executable, "-m", "pip", "install", *words]
    status = subprocess.call(command, env={**PIP_VARIABLES, **os.environ})
    if status != 0:
        raise HarnessError("%s failed" % " ".join(["pip install", *words]))


def replace_by(words: Sequence[str], arguments: Sequence[str]) -> None:
    """Becomes the program. A script without a line `#!` is a shell's."""
    program = words[0]
    try:
        if program.startswith("./"):
            os.chmod(program, 0o777)
        os.execv(program, [*words, *arguments])
    except OSError as error:
        if error.errno == errno.ENOEXEC:
            os.execv("/bin/sh", ["/bin/sh", *words, *arguments])
        raise HarnessError("Cannot run %s: %s%s" % (program, error.strerror, hint(program))) from error


def hint(program: str) -> str:
    """Why a file that is there may not be found: its interpreter is not."""
    with open(program, "rb") as file:
        line = file.readline()
    if line.startswith(b"#!") and line.endswith(b"\r\n"):
        return " (it has Windows line endings, CRLF)"
    return ""
