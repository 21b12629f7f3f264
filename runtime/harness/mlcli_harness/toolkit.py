"""The `SM_*` variables of a training, as SageMaker's own images have them.

There a toolkit in the image sets them; this does the same for an app's image. Names, values and
encodings are those of sagemaker-training 5.1.4: `Environment` in environment.py, and mapping.py.
"""

from __future__ import annotations

import glob
import json
import os

from mlcli_harness import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The toolkit's defaults for the instance type and the group of instances.
LOCAL, ONE_GROUP = "local", "homogeneousCluster"

# logging.INFO, without the module.
INFO = 20

# The hyperparameter that asks for torchrun.
TORCHRUN = "sagemaker_torch_distributed_enabled"

# Hyperparameters that turn a way of distributed training on, for the current group of instances.
DISTRIBUTED = [
    "sagemaker_%s_enabled" % name
    for name in [
        "mpi",
        "parameter_server",
        "distributed_dataparallel",
        "pytorch_ddp",
        "pytorch_xla_multi_worker",
        "multi_worker_mirrored_strategy",
        "torch_distributed",
    ]
]

# The `sagemaker_*` hyperparameters that have a meaning of their own. The others are SM_FRAMEWORK_PARAMS.
NAMED = [
    "sagemaker_" + name
    for name in [
        "program",
        "submit_directory",
        "enable_cloudwatch_metrics",
        "region",
        "container_log_level",
        "job_name",
        "s3_output",
    ]
]


def toolkit_variables(
    hyperparameters: dict[str, Any],
    platforms: dict[str, Any],
    resources: dict[str, Any],
    inputs: dict[str, Any],
) -> dict[str, str]:
    """The variables as a dict.

    `hyperparameters` are the user's, `platforms` SageMaker's own; `resources` is what
    resourceconfig.json says, `inputs` inputdataconfig.json, which has a key a channel.
    """
    training: dict[str, Any] = {
        **places(),
        **machine(),
        **instances(resources, platforms),
        **program(platforms),
        "hyperparameters": hyperparameters,
        "additional_framework_parameters": {
            name: value
            for name, value in platforms.items()
            if name.startswith("sagemaker_") and name not in NAMED
        },
        "resource_config": resources,
        "input_data_config": inputs,
        "channel_input_dirs": {name: os.path.join(paths.INPUT_DATA, name) for name in inputs},
    }
    # These have no variables of their own: they are only in SM_TRAINING_ENV.
    hidden = ["is_master", "master_hostname", "distribution_hosts", "job_name", "topology"]
    hidden += ["is_modelparallel_enabled", "is_smddprun_installed", "is_smddpmprun_installed"]
    shown = {name: value for name, value in training.items() if name not in hidden}
    shown["hps"] = shown.pop("hyperparameters")
    shown["framework_params"] = shown.pop("additional_framework_parameters")
    for name, path in shown.pop("channel_input_dirs").items():
        shown["channel_" + name] = path
    shown["channels"] = sorted(inputs)
    shown["user_args"] = command_line(hyperparameters)
    shown["training_env"] = training
    if training["topology"]:
        shown["topology"] = training["topology"]
    for name, value in hyperparameters.items():
        shown["hp_" + name] = value
    return {"SM_" + name.upper(): to_variable(value) for name, value in shown.items()}


def places() -> dict[str, str]:
    return {
        "model_dir": paths.MODEL,
        "input_dir": paths.INPUT,
        "input_config_dir": paths.INPUT_CONFIG,
        "output_dir": paths.OUTPUT,
        "output_data_dir": paths.OUTPUT_DATA,
        "output_intermediate_dir": paths.OUTPUT_INTERMEDIATE,
    }


def machine() -> dict[str, int]:
    """Processors and accelerators. Unlike the toolkit, this counts the processors that the container may
    use, and finds GPUs without NVIDIA's program."""
    return {
        "num_cpus": len(os.sched_getaffinity(0)),
        "num_gpus": len(glob.glob("/dev/nvidia[0-9]*")),
        "num_neurons": neuron_cores() if glob.glob("/dev/neuron[0-9]*") else 0,
    }


def neuron_cores() -> int:
    """The cores of AWS's own accelerators, which only their program counts."""
    import subprocess

    try:
        devices = json.loads(subprocess.check_output(["neuron-ls", "-j"]))
        return sum(device.get("nc_count", 0) for device in devices)
    except (OSError, ValueError, AttributeError, TypeError, subprocess.CalledProcessError):
        return 0


def instances(resources: dict[str, Any], platforms: dict[str, Any]) -> dict[str, Any]:
    """The hosts, and the groups of instances that they are in. Older files have no groups."""
    host = resources.get("current_host", "algo-1")
    hosts = resources.get("hosts", [host])
    group = resources.get("current_group_name", ONE_GROUP)
    groups = resources.get("instance_groups", [])
    by_name = {one["instance_group_name"]: one for one in groups if "instance_group_name" in one}
    distributed = platforms.get(
        "sagemaker_distribution_instance_groups",
        [group] if any(platforms.get(name) for name in DISTRIBUTED) else [],
    )
    distribution_hosts = hosts
    if groups:
        distribution_hosts = [
            host for name, one in by_name.items() if name in distributed for host in one.get("hosts", [])
        ]
    master = (distribution_hosts or hosts or [host])[0]
    return {
        "current_host": host,
        "hosts": hosts,
        "is_master": host == master,
        "master_hostname": master,
        "network_interface_name": resources.get("network_interface_name", "eth0"),
        "topology": resources.get("topology", []),
        "current_instance_type": resources.get("current_instance_type", LOCAL),
        "current_instance_group": group,
        "current_instance_group_hosts": by_name.get(group, {}).get("hosts", []),
        "instance_groups": list(by_name),
        "instance_groups_dict": by_name,
        "is_hetero": len(by_name) > 1,
        "distribution_instance_groups": distributed,
        "distribution_hosts": distribution_hosts,
    }


def program(platforms: dict[str, Any]) -> dict[str, Any]:
    """The code that runs: training.py, unless a variable or a hyperparameter names another."""
    entry = os.environ.get("SAGEMAKER_PROGRAM") or platforms.get("sagemaker_program") or "training.py"
    entry = str(entry)
    return {
        "user_entry_point": entry,
        "module_name": entry[: -len(".py")] if entry.endswith(".py") else entry,
        "module_dir": str(platforms.get("sagemaker_submit_directory", paths.CODE)),
        "framework_module": os.environ.get("SAGEMAKER_TRAINING_MODULE"),
        "log_level": platforms.get("sagemaker_container_log_level", INFO),
        "job_name": os.environ.get("TRAINING_JOB_NAME"),
        # Parts of AWS's libraries for distributed training, which the toolkit would start.
        "is_modelparallel_enabled": None,
        "is_smddprun_installed": False,
        "is_smddpmprun_installed": False,
    }


def command_line(hyperparameters: dict[str, Any]) -> list[str]:
    """The hyperparameters as arguments of a program."""
    arguments = []
    for name, value in sorted(hyperparameters.items()):
        if isinstance(value, dict):
            value = ",".join("%s=%s" % item for item in sorted(value.items()))
        option = "--" + name if len(name) > 1 else "-" + name if name else ""
        arguments += [option, "" if value is None else str(value)]
    return arguments


def to_variable(value: Any) -> str:
    """A string as it is, None as an empty string, the rest as JSON: the toolkit's own encoding."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
