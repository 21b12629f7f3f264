"""Finding and loading the user's code."""

import importlib.util
import os
import sys
from importlib.machinery import SourceFileLoader

from mlcli_harness import paths
from mlcli_harness.failure import HarnessError


def enter_code_directory(kind):
    """Makes the code of `kind` (training, prediction, processing) importable; returns its directory.

    The mounted code is used instead of the image's own copy. Its directory comes first on sys.path,
    in the place of the harness's, so that user code imports the files beside it, and not ours.
    """
    directory = paths.CODE
    if not has_entries(directory):
        directory = os.path.join(paths.IMAGE_CODE, kind)
    if not os.path.isdir(directory):
        raise HarnessError(
            "No %s code: neither %s nor %s holds any" % (kind, paths.CODE, directory)
        )
    os.chdir(directory)
    sys.path[0] = directory
    return directory


def has_entries(directory):
    """Whether the directory exists and is not empty."""
    try:
        with os.scandir(directory) as entries:
            return any(True for _ in entries)
    except (FileNotFoundError, NotADirectoryError):
        return False


def load_module(name, path):
    """Runs the Python file at `path`, whatever its extension, as the module `name`.

    The module is registered under its name, as by an import: a pickled model needs that.
    """
    loader = SourceFileLoader(name, path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    sys.modules[name] = module
    loader.exec_module(module)
    return module


def required_function(module, name, signature, path):
    """The module's function of that name. Raises HarnessError, with its signature, if missing."""
    function = getattr(module, name, None)
    if not callable(function):
        raise HarnessError("%s does not define %s%s" % (path, name, signature))
    return function
