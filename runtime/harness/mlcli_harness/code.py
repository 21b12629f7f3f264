"""Finding and loading the user's code."""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
from importlib.machinery import SourceFileLoader

from mlcli_harness import paths, report, sent
from mlcli_harness.failure import HarnessError, log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any


def enter_code_directory(kind: str, tell: Callable[[str], object] | None = log) -> str:
    """Makes the code of `kind` (training, prediction, processing) and the shared code importable;
    returns the directory of the first.

    It takes the place of the harness's directory on sys.path, so that user code imports the files
    beside it, and not ours. The shared code comes next, before installed packages.

    A training that is sent code runs that, and nothing of the image's own: `mlcli train --send-code`.
    """
    common = paths.COMMON
    if kind == "training" and sent.is_there():
        if report.worker() is None:
            unpacked = tempfile.mkdtemp(prefix="mlcli-code-")
            sent.unpack(sent.ARCHIVE, unpacked)
            directory = placed(os.path.join(unpacked, "code"), tell)
        else:
            # What started the worker has unpacked it.
            directory = os.environ["PWD"]
        common = os.path.join(os.path.dirname(os.path.realpath(directory)), "common")
    else:
        directory = code_directory(kind, tell)
    os.chdir(directory)
    # Shells take the name of a link from here.
    os.environ["PWD"] = directory
    sys.path[0] = directory
    if os.path.isdir(common) and common not in sys.path:
        sys.path.insert(1, common)
    return directory


def code_directory(kind: str, tell: Callable[[str], object] | None = log) -> str:
    """Where the code is: /opt/ml/code, here as on SageMaker.

    `mlcli local` mounts it there. On SageMaker, a link there leads to the image's copy, so that the
    code has the same paths in both. Where no link can be made, the copy runs in its own place, and
    `tell` is called with the reason.
    """
    image = os.path.join(paths.IMAGE_CODE, kind)
    if has_entries(paths.CODE) and not is_own_link(paths.CODE):
        return paths.CODE
    if not os.path.isdir(image):
        raise HarnessError("No %s code in %s or %s" % (kind, paths.CODE, image))
    return placed(image, tell)


def placed(directory: str, tell: Callable[[str], object] | None) -> str:
    """Makes /opt/ml/code lead to a directory of code, and returns the path at which it runs."""
    reason = link_code(directory)
    if reason is None:
        return paths.CODE
    if tell:
        tell("mlcli: the code runs in %s, because %s cannot link to it: %s" % (directory, paths.CODE, reason))
    return directory


def link_code(target: str) -> str | None:
    """Makes /opt/ml/code a link to `target`; replaces an empty directory or an earlier link.
    Returns why it cannot, or None. Several processes may do it side by side."""
    if leads_to(target):
        return None
    try:
        os.makedirs(os.path.dirname(paths.CODE), exist_ok=True)
        if not os.path.islink(paths.CODE) and os.path.isdir(paths.CODE):
            remove_directory(paths.CODE)
        elif os.path.lexists(paths.CODE) and not is_own_link(paths.CODE):
            return "the path already exists"
        replace_by_link(paths.CODE, target)
    except OSError as error:
        return None if leads_to(target) else error.strerror
    return None


def remove_directory(path: str) -> None:
    """Removes an empty directory, if another process has not done so just now."""
    try:
        os.rmdir(path)
    except FileNotFoundError:
        pass


def replace_by_link(path: str, target: str) -> None:
    """Makes the link in one step, also where there is one already."""
    own = "%s.%d" % (path, os.getpid())
    os.symlink(target, own)
    try:
        os.replace(own, path)
    except OSError:
        os.unlink(own)
        raise


def leads_to(target: str) -> bool:
    """Whether /opt/ml/code is a link to it."""
    return os.path.islink(paths.CODE) and os.readlink(paths.CODE) == target


def is_own_link(path: str) -> bool:
    """Whether it leads to the image's own code, of whatever kind."""
    return os.path.islink(path) and os.path.dirname(os.readlink(path)) == paths.IMAGE_CODE


def has_entries(directory: str) -> bool:
    """Whether the directory exists and is not empty."""
    try:
        with os.scandir(directory) as entries:
            return any(True for _ in entries)
    except (FileNotFoundError, NotADirectoryError):
        return False


def load_module(name: str, path: str) -> ModuleType:
    """Runs the Python file at `path`, whatever its extension, as the module `name`.

    The module is registered under its name, as by an import: a pickled model needs that.
    """
    loader = SourceFileLoader(name, path)
    spec = importlib.util.spec_from_loader(name, loader)
    # A file loader always makes a spec.
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader.exec_module(module)
    return module


def required_function(module: ModuleType, name: str, signature: str, path: str) -> Callable[..., Any]:
    """The module's function of that name. Raises HarnessError, with its signature, if missing."""
    function = getattr(module, name, None)
    if not callable(function):
        raise HarnessError("%s does not define %s%s" % (path, name, signature))
    return function
