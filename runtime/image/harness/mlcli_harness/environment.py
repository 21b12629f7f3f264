"""The environment that training code written for SageMaker reads.

SageMaker's own images set `SM_*` by a toolkit inside them; this does it for an app's image.
Variables that are set already stay: `mlcli local` sets some, and so may the user.
"""

import glob
import json
import os

from mlcli_harness import paths
from mlcli_harness.failure import HarnessError


# Hyperparameters that are the platform's own, besides those that begin with `sagemaker_`: what a
# tuning job looks for, and a name that older SDKs send. As in sagemaker-training 5.1.4, params.py.
PLATFORM_HYPERPARAMETERS = ("_tuning_objective_metric", "default_user_module_name")


def read_hyperparameters():
    """The user's hyperparameters and the platform's own, as two dicts.

    Their values are decoded: SageMaker sends every one as a string.
    """
    raw = read_config("hyperparameters.json")
    everything = {name: decode(value) for name, value in raw.items()}
    platforms = {name: everything[name] for name in everything if is_platforms(name)}
    return {name: everything[name] for name in everything if name not in platforms}, platforms


def is_platforms(name):
    """Whether a hyperparameter is meant for the platform's own code, and not for the user's."""
    return name.startswith("sagemaker_") or name in PLATFORM_HYPERPARAMETERS


def decode(value):
    """What the string says as JSON, or the string itself."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def read_config(name):
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
        raise HarnessError("%s must hold a JSON object" % path)
    return config


def set_training_environment(hyperparameters):
    """Sets what is missing of the `ML_*` and `SM_*` variables, and makes the output directory."""
    os.makedirs(paths.OUTPUT_DATA, exist_ok=True)
    resources = read_config("resourceconfig.json")
    for name, value in training_environment(hyperparameters, channels(), resources).items():
        # Not every hyperparameter's name can be a variable's; hyperparameters.json has all of them.
        if "=" not in name and "\0" not in name + value:
            os.environ.setdefault(name, value)


def channels():
    """The names of the input channels, sorted."""
    names = read_config("inputdataconfig.json")
    if not names and os.path.isdir(paths.INPUT_DATA):
        names = [entry.name for entry in os.scandir(paths.INPUT_DATA) if entry.is_dir()]
    return sorted(names)


def training_environment(hyperparameters, channel_names, resources):
    """The variables as a dict, named and written as by SageMaker's training toolkit."""
    host = resources.get("current_host", "algo-1")
    variables = {
        **shared_environment(),
        "ML_CHANNEL_TRAINING": paths.TRAINING_DATA,
        "SM_INPUT_CONFIG_DIR": paths.INPUT_CONFIG,
        "SM_OUTPUT_DATA_DIR": paths.OUTPUT_DATA,
        "SM_CHANNELS": to_variable(channel_names),
        "SM_HPS": to_variable(hyperparameters),
        "SM_HOSTS": to_variable(resources.get("hosts", [host])),
        "SM_CURRENT_HOST": host,
        "SM_NETWORK_INTERFACE_NAME": resources.get("network_interface_name", "eth0"),
        "SM_NUM_CPUS": str(len(os.sched_getaffinity(0))),
        "SM_NUM_GPUS": str(len(glob.glob("/dev/nvidia[0-9]*"))),
    }
    for name in channel_names:
        variables["SM_CHANNEL_" + name.upper()] = os.path.join(paths.INPUT_DATA, name)
    for name, value in hyperparameters.items():
        variables["SM_HP_" + name.upper()] = to_variable(value)
    return variables


def shared_environment():
    """The variables that serving and processing code may read, too."""
    return {
        "ML_MODEL_DIR": paths.MODEL,
        "ML_INPUT_DIR": paths.INPUT,
        "ML_OUTPUT_DIR": paths.OUTPUT,
        "SM_MODEL_DIR": paths.MODEL,
        "SM_INPUT_DIR": paths.INPUT,
        "SM_OUTPUT_DIR": paths.OUTPUT,
    }


def set_shared_environment():
    """Sets those of them that are missing."""
    for name, value in shared_environment().items():
        os.environ.setdefault(name, value)


def to_variable(value):
    """A string as it is, None as an empty string, the rest as JSON: the toolkit's own encoding."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
