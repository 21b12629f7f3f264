import os
import sys
import time
import unittest
from unittest import mock

from support import ending
from mlcli_harness import distribution
from mlcli_harness.failure import HarnessError
from mlcli_harness.toolkit import TORCHRUN, instances

ASKED = {TORCHRUN: True}


def resources(current, *groups):
    """resourceconfig.json of a host, with groups as (name, hosts)."""
    listed = [{"instance_group_name": name, "hosts": hosts} for name, hosts in groups]
    hosts = sorted(host for _, hosts in groups for host in hosts)
    group = next(name for name, hosts in groups if current in hosts)
    names = {"current_host": current, "hosts": hosts, "network_interface_name": "eth0"}
    return {**names, "current_group_name": group, "instance_groups": listed}


class Plan(unittest.TestCase):
    def test_has_a_node_a_host_in_the_order_of_its_group_and_a_process_a_gpu(self):
        # As a real job lists them.
        four = ("homogeneousCluster", ["algo-3", "algo-1", "algo-2", "algo-4"])
        older = {"current_host": "algo-2", "hosts": ["algo-1", "algo-2"]}
        gpus = {"sagemaker_distribution_instance_groups": ["gpus"]}
        groups = [("cpus", ["algo-1"]), ("gpus", ["algo-3", "algo-2"])]
        for what, asked, config, machine, hosts, rank, processes, master in [
            ("one", ASKED, resources("algo-1", ("one", ["algo-1"])), (0, 0), 1, 0, 1, "algo-1"),
            ("no file", ASKED, {}, (2, 0), 1, 0, 2, "algo-1"),
            ("four", ASKED, resources("algo-3", four), (0, 0), 4, 0, 1, "algo-3"),
            ("four, GPUs", ASKED, resources("algo-2", four), (8, 0), 4, 2, 8, "algo-3"),
            ("no groups", ASKED, older, (0, 2), 2, 1, 2, "algo-1"),
            ("a group", {**ASKED, **gpus}, resources("algo-2", *groups), (4, 0), 2, 1, 4, "algo-3"),
        ]:
            with self.subTest(what):
                found = dict(zip(("num_gpus", "num_neurons"), machine))
                words, variables = distribution.plan(instances(config, asked), found)
                several = ["--node_rank", str(rank), "--master_addr", master, "--master_port", "7777"]
                options = ["--nnodes", str(hosts), "--nproc_per_node", str(processes)]
                self.assertEqual(words, options + (several if hosts > 1 else []))
                self.assertEqual(variables, {
                    **{"MASTER_ADDR": master, "MASTER_PORT": "7777", "NCCL_SOCKET_IFNAME": "eth0"},
                    **{"NCCL_IB_DISABLE": "1", "NCCL_DEBUG": "WARN", "NCCL_PROTO": "simple"},
                    **{"SM_MASTER_ADDR": master, "SM_MASTER_PORT": "7777", "SM_HOST_COUNT": str(hosts)},
                    "SM_CURRENT_HOST_RANK": str(rank),
                    "SM_DISTRIBUTED_CONFIG": '{"process_count_per_node": %d}' % processes,
                })


class Distribute(unittest.TestCase):
    def test_waits_for_all_hosts_and_leaves_other_groups_and_variables_that_are_set_alone(self):
        asked = {**ASKED, "sagemaker_distribution_instance_groups": ["gpus"]}
        names = ("MASTER_ADDR", "MASTER_PORT", "MLCLI_REPORT")
        many, one = ("gpus", ["algo-3", "algo-2"]), ("gpus", ["algo-2"])
        for host, group, waits, runs, variables in [
            ("algo-2", many, [["algo-1", "algo-2", "algo-3"]], True, ["algo-3", "29500", "/r"]),
            ("algo-2", one, [], True, ["algo-2", "29500", "/r"]),
            ("algo-1", many, [], False, [None, "29500", None]),
        ]:
            config = resources(host, ("cpus", ["algo-1"]), group)
            with mock.patch.object(distribution, "read_config", lambda name, config=config: config), \
                    mock.patch.object(distribution, "wait_for") as wait, \
                    mock.patch.object(distribution, "torchrun") as torchrun, \
                    mock.patch.dict(os.environ, {"MASTER_PORT": "29500"}):
                distribution.distribute(asked, ["a.py", "-x"], {"MLCLI_REPORT": "/r"})
                self.assertEqual([os.environ.get(name) for name in names], variables)
            self.assertEqual([call.args[0] for call in wait.mock_calls], waits)
            ends = [call.args[0][-2:] for call in torchrun.mock_calls]
            self.assertEqual(ends, [["a.py", "-x"]] if runs else [])


class Wait(unittest.TestCase):
    def wait(self, seconds):
        """Waits for hosts of which the second resolves after so many seconds, by a clock of the test."""
        now = [0.0]
        clock = {"sleep": lambda more: now.append(now[-1] + more), "monotonic": lambda: now[-1]}
        names = {"resolves": lambda host: host == "algo-1" or now[-1] >= seconds}
        with mock.patch.multiple(distribution, **names), mock.patch.multiple(time, **clock):
            distribution.wait_for(["algo-1", "algo-2"])
            sys.exit(round(now[-1]))

    def test_says_after_a_while_which_host_it_waits_for_and_ends_after_15_minutes(self):
        said = "mlcli: waiting for host algo-2, whose name does not resolve yet\n"
        for seconds, text in [(4, ""), (899, said)]:
            self.assertEqual(ending(lambda: self.wait(seconds)), (seconds, text))
        with self.assertRaisesRegex(HarnessError, "^The host name algo-2 did not resolve within 15 "):
            ending(lambda: self.wait(1000))

    def test_looks_names_up(self):
        found = [distribution.resolves(name) for name in ("localhost", "no-such-host.invalid")]
        self.assertEqual(found, [True, False])
