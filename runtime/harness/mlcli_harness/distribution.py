"""A training by torchrun: a process for each GPU, or else one, on every host of the distribution.

As sagemaker-training 5.1.4 has it (torch_distributed.py, runner.py), with the variables that
sagemaker-pytorch-training 3.0 and SDK v3 (container_drivers) set. But torchrun runs in this process: it
passes SIGTERM on, and the status of the worker that failed first is the container's.
"""

from __future__ import annotations

import json
import sys
import time

from mlcli_harness.environment import read_config, set_missing
from mlcli_harness.failure import HarnessError, log
from mlcli_harness.toolkit import TORCHRUN, instances, machine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

PORT = "7777"

# In seconds. The name of a host that starts late does not resolve yet: AWS's images wait as long.
LONGEST_WAIT, QUIET_WAIT, BETWEEN_LOOKUPS = 900, 5, 0.2


def distribute(platforms: dict[str, Any], program: Sequence[str], variables: dict[str, str]) -> None:
    """Runs a Python program (its file and its arguments) by torchrun, and never returns. `variables` are
    for its workers. Returns where the job does not ask for torchrun, and on a host whose group of instances
    is none of the distribution's."""
    found = instances(read_config("resourceconfig.json"), platforms)
    if not platforms.get(TORCHRUN) or found["current_host"] not in found["distribution_hosts"]:
        return
    words, own = plan(found, machine())
    set_missing({**own, **variables})
    if len(found["distribution_hosts"]) > 1:
        wait_for(found["hosts"])
    torchrun([*words, *program])


def plan(found: dict[str, Any], machine: dict[str, int]) -> tuple[list[str], dict[str, str]]:
    """The options of torchrun and the variables, by what `toolkit.py` finds."""
    hosts, master = found["distribution_hosts"], found["master_hostname"]
    processes = machine["num_gpus"] or machine["num_neurons"] or 1
    count, rank = str(len(hosts)), str(hosts.index(found["current_host"]))
    words = ["--nnodes", count, "--nproc_per_node", str(processes)]
    if len(hosts) > 1:
        words += ["--node_rank", rank, "--master_addr", master, "--master_port", PORT]
    return words, {
        **{"MASTER_ADDR": master, "MASTER_PORT": PORT, "SM_MASTER_ADDR": master, "SM_MASTER_PORT": PORT},
        **{"NCCL_SOCKET_IFNAME": found["network_interface_name"], "NCCL_IB_DISABLE": "1"},
        **{"NCCL_DEBUG": "WARN", "NCCL_PROTO": "simple"},
        **{"SM_HOST_COUNT": count, "SM_CURRENT_HOST_RANK": rank},
        "SM_DISTRIBUTED_CONFIG": json.dumps({"process_count_per_node": processes}),
    }


def wait_for(hosts: Sequence[str]) -> None:
    """Waits until the names of all hosts resolve. Raises HarnessError where one never does."""
    began, told = time.monotonic(), ""
    for host in hosts:
        while not resolves(host):
            waited = time.monotonic() - began
            if waited > LONGEST_WAIT:
                raise HarnessError("The host name %s did not resolve within 15 min" % host)
            if waited > QUIET_WAIT and told != host:
                log("mlcli: waiting for host %s, whose name does not resolve yet" % host)
                told = host
            time.sleep(BETWEEN_LOOKUPS)


def resolves(host: str) -> bool:
    import socket

    try:
        return bool(socket.gethostbyname(host))
    except OSError:
        return False


def torchrun(words: Sequence[str]) -> None:
    """Ends the process with the status of the worker that failed first, or 0."""
    try:
        from torch.distributed import run
        from torch.distributed.elastic.multiprocessing import api, errors
    except ImportError as error:
        problem = "distribution torchrun requires torch 1.9 or later in the image: %s" % error
        raise HarnessError(problem) from error
    status = 0
    try:
        run.main(list(words))
    except errors.ChildFailedError as error:
        status = error.get_first_failure()[1].exitcode
    except api.SignalException as stop:
        status = -stop.sigval
    # A signal's number is negative; a shell's status of it is not.
    sys.exit(status if status >= 0 else 128 - status)
