"""`train`: calls the user's train(input_data_path, model_save_path)."""

from __future__ import annotations

import inspect
import os

from mlcli_harness import paths, report, sent
from mlcli_harness.code import enter_code_directory, load_module, required_function
from mlcli_harness.distribution import distribute
from mlcli_harness.environment import read_channels, read_hyperparameters, set_training_environment
from mlcli_harness.failure import HarnessError, run_user_code
from mlcli_harness.packages import report_packages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


KEYWORDS = ("hyperparameters", "hyperparameters_path")

# A third parameter, hyperparameters, is optional.
SIGNATURE = "input_data_path, model_save_path"


def train() -> None:
    """Runs the training. Ends the process with status 1 where the user's code raises."""
    run_user_code(call_train, paths.TRAINING_FAILURE)


def call_train() -> None:
    hyperparameters, platforms = read_hyperparameters()
    channels = read_channels()
    if sent.is_there():
        # It is no data.
        channels = {name: channels[name] for name in channels if name != "code"}
    set_training_environment(hyperparameters, platforms, channels)
    os.makedirs(paths.MODEL, exist_ok=True)

    path = os.path.join(enter_code_directory("training"), "training.py")
    if not os.path.isfile(path):
        raise HarnessError("Training code not found: %s" % path)
    worker = report.worker()
    if worker is None:
        distribute(platforms, [os.path.join(paths.HARNESS, "main.py"), "train"], report.variables())
    if worker in (None, "0"):
        report_packages()
    module = load_module("training", path)
    function = required_function(module, "train", "(%s)" % SIGNATURE, path)
    call_with_hyperparameters(function, input_path(channels), hyperparameters)


def input_path(channels: dict[str, Any]) -> str:
    """The channel `training`, else the only channel, else the directory of all channels."""
    if "training" in channels:
        return paths.TRAINING_DATA
    return os.path.join(paths.INPUT_DATA, *channels) if len(channels) == 1 else paths.INPUT_DATA


def call_with_hyperparameters(
    function: Callable[..., Any], data: str, hyperparameters: dict[str, Any]
) -> None:
    """Calls train(input, model), with the hyperparameters where it has a parameter for them: the
    third, or the keyword-only `hyperparameters` or `hyperparameters_path`. One whose name ends in
    `_path` gets the path of hyperparameters.json."""
    parameters = inspect.signature(function).parameters.values()
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    keywords = [p.name for p in parameters if p.kind == p.KEYWORD_ONLY and p.name in KEYWORDS]

    def wanted(name: str) -> Any:
        return paths.HYPERPARAMETERS if name.endswith("_path") else hyperparameters

    third = [wanted(positional[2].name)] if len(positional) > 2 else []
    named = {} if third else {name: wanted(name) for name in keywords}
    try:
        function(data, paths.MODEL, *third, **named)
    except TypeError as error:
        # Without a frame of the function, the call itself failed.
        if error.__traceback__ is None or error.__traceback__.tb_next is not None:
            raise
        raise HarnessError("%s. Define train(%s)" % (error, SIGNATURE)) from None
