"""`train`: calls the user's train(input_data_path, model_save_path)."""

import inspect
import os

from mlcli_harness import paths
from mlcli_harness.code import enter_code_directory, load_module, required_function
from mlcli_harness.environment import read_hyperparameters, set_training_environment
from mlcli_harness.failure import HarnessError, run_user_code


def train():
    """Runs the training. Ends the process with status 1 where the user's code raises."""
    run_user_code(call_train, paths.TRAINING_FAILURE)


def call_train():
    hyperparameters = read_hyperparameters()
    set_training_environment(hyperparameters)
    os.makedirs(paths.MODEL, exist_ok=True)

    path = os.path.join(enter_code_directory("training"), "training.py")
    if not os.path.isfile(path):
        raise HarnessError("Training code not found: %s" % path)
    function = required_function(load_module("training", path), "train", "(input_data_path, model_save_path)", path)
    call_with_hyperparameters(function, hyperparameters)


def call_with_hyperparameters(function, hyperparameters):
    """Calls train(input, model), with the hyperparameters where it has a parameter for them:
    the third, or a keyword-only one of that name."""
    parameters = inspect.signature(function).parameters.values()
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(positional) > 2:
        function(paths.TRAINING_DATA, paths.MODEL, hyperparameters)
    elif any(p.kind == p.KEYWORD_ONLY and p.name == "hyperparameters" for p in parameters):
        function(paths.TRAINING_DATA, paths.MODEL, hyperparameters=hyperparameters)
    else:
        function(paths.TRAINING_DATA, paths.MODEL)
