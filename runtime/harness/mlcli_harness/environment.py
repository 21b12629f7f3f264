"""What the user's code finds in its environment, and the files of /opt/ml/input/config.

Variables that are set already stay: the image may set some, and so may the user.
"""

from __future__ import annotations

import json
import os

from mlcli_harness import paths
from mlcli_harness.failure import HarnessError
from mlcli_harness.toolkit import places, toolkit_variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


# Hyperparameters that are SageMaker's own, besides those that begin with `sagemaker_`: what a
# tuning job looks for, and a name that older SDKs send. As in sagemaker-training 5.1.4, params.py.
PLATFORM_HYPERPARAMETERS = ("_tuning_objective_metric", "default_user_module_name")


def read_hyperparameters() -> tuple[dict[str, Any], dict[str, Any]]:
    """The user's hyperparameters and SageMaker's own, as two dicts.

    Their values are decoded: SageMaker sends every one as a string.
    """
    raw = read_config("hyperparameters.json")
    everything = {name: decode(value) for name, value in raw.items()}
    platforms = {name: everything[name] for name in everything if is_platforms(name)}
    return {name: everything[name] for name in everything if name not in platforms}, platforms


def is_platforms(name: str) -> bool:
    """Whether a hyperparameter is meant for SageMaker's own code, and not for the user's."""
    return name.startswith("sagemaker_") or name in PLATFORM_HYPERPARAMETERS


def decode(value: Any) -> Any:
    """What the string says as JSON, or the string itself."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def read_config(name: str) -> dict[str, Any]:
    """A file of /opt/ml/input/config, empty where there is none. Raises HarnessError if broken."""
    path = os.path.join(paths.INPUT_CONFIG, name)
    try:
        with open(path, encoding="utf-8") as file:
            config = json.load(file)
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise HarnessError("%s is not valid JSON: %s" % (path, error)) from error
    if not isinstance(config, dict):
        raise HarnessError("%s must contain a JSON object" % path)
    return config


def set_training_environment(
    hyperparameters: dict[str, Any], platforms: dict[str, Any], inputs: dict[str, Any]
) -> None:
    """Sets what is missing of the `ML_*` and `SM_*` variables, and makes the output directory.

    The arguments are the user's hyperparameters, SageMaker's own, and the channels.
    """
    os.makedirs(paths.OUTPUT_DATA, exist_ok=True)
    resources = read_config("resourceconfig.json")
    set_missing(ml_variables())
    set_missing(toolkit_variables(hyperparameters, platforms, resources, inputs))


def set_shared_environment() -> None:
    """Sets what serving and processing code may read, too: the paths."""
    set_missing(ml_variables())
    set_missing({"SM_" + name.upper(): path for name, path in places().items()})


def set_missing(variables: dict[str, str]) -> None:
    """Sets the variables that are not set."""
    for name, value in variables.items():
        # Not every hyperparameter's name can be a variable's; hyperparameters.json has all of them.
        if "=" not in name and "\0" not in name + value:
            os.environ.setdefault(name, value)


def read_channels() -> dict[str, Any]:
    """The input channels, as inputdataconfig.json has them: names to properties."""
    channels = read_config("inputdataconfig.json")
    if not channels and os.path.isdir(paths.INPUT_DATA):
        names = [entry.name for entry in os.scandir(paths.INPUT_DATA) if entry.is_dir()]
        return {name: {} for name in sorted(names)}
    return channels


def ml_variables() -> dict[str, str]:
    """mlcli's own, the same in every container."""
    return {
        "ML_MODEL_DIR": paths.MODEL,
        "ML_INPUT_DIR": paths.INPUT,
        "ML_OUTPUT_DIR": paths.OUTPUT,
        "ML_CHANNEL_TRAINING": paths.TRAINING_DATA,
    }
