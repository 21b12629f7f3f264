import os
import socket
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
    def distribute(self, config):
        """What torchrun gets, with what the environment says of the master."""
        with mock.patch.object(distribution, "read_config", lambda name: config), \
                mock.patch.object(distribution, "wait_for") as wait, \
                mock.patch.object(distribution, "torchrun") as torchrun, \
                mock.patch.dict(os.environ, {"MASTER_PORT": "29500"}):
            groups = {"sagemaker_distribution_instance_groups": ["gpus"]}
            distribution.distribute({**ASKED, **groups}, ["a.py", "-x"], {"MLCLI_REPORT": "/r"})
            variables = [os.environ.get(name) for name in ("MASTER_ADDR", "MASTER_PORT", "MLCLI_REPORT")]
            return [call.args[0][-3:] for call in torchrun.mock_calls], wait.mock_calls, variables

    def test_waits_for_all_hosts_of_the_job_and_leaves_variables_that_are_set(self):
        groups = [("cpus", ["algo-1"]), ("gpus", ["algo-3", "algo-2"])]
        called, waited, variables = self.distribute(resources("algo-2", *groups))
        self.assertEqual(called, [["7777", "a.py", "-x"]])
        self.assertEqual(waited, [mock.call(["algo-1", "algo-2", "algo-3"])])
        self.assertEqual(variables, ["algo-3", "29500", "/r"])

    def test_leaves_hosts_of_other_groups_and_names_of_a_single_host_alone(self):
        groups = [("cpus", ["algo-1"]), ("gpus", ["algo-2"])]
        self.assertEqual(self.distribute(resources("algo-1", *groups)), ([], [], [None, "29500", None]))
        called, waited, _ = self.distribute(resources("algo-2", *groups))
        self.assertEqual((len(called), waited), (1, []))


class Wait(unittest.TestCase):
    def wait(self, seconds):
        """Waits for hosts of which the second resolves after so many seconds, by a clock of the test."""
        now = [0.0]

        def lookup(host):
            if host == "algo-2" and now[0] < seconds:
                raise socket.gaierror("not yet")

        def sleep(duration):
            now[0] += duration

        with mock.patch.object(socket, "gethostbyname", lookup), mock.patch.object(time, "sleep", sleep), \
                mock.patch.object(time, "monotonic", lambda: now[0]):
            distribution.wait_for(["algo-1", "algo-2"])
            raise SystemExit(int(now[0]))

    def test_says_after_a_while_which_host_it_waits_for(self):
        said = "mlcli: waiting for the host algo-2: its name does not resolve yet\n"
        for seconds, text in [(0, ""), (4, ""), (60, said), (899, said)]:
            status, err = ending(lambda: self.wait(seconds))
            self.assertEqual((abs(status - seconds) < 2, err), (True, text))

    def test_ends_after_15_minutes(self):
        with self.assertRaisesRegex(HarnessError, "^The name of the host algo-2 .* after 15 minutes$"):
            ending(lambda: self.wait(1000))
