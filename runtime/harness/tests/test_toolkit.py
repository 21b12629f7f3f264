import json
import os
import subprocess

from support import ContainerTest
from mlcli_harness import environment, toolkit

# What `Environment().to_env_vars()` of sagemaker-training 5.1.4 gave for these files, on a machine with
# 2 processors, with TRAINING_JOB_NAME=job-1, and with SAGEMAKER_PROGRAM=training.py where no
# hyperparameter says it: it is told its program, and this harness's is always training.py.
RECORDED = os.path.join(os.path.dirname(__file__), "recorded", "toolkit.json")


class Toolkit(ContainerTest):
    def setUp(self):
        super().setUp()
        self.devices = {}
        self.replace(os, "sched_getaffinity", lambda process: {4, 7})
        self.replace(toolkit.glob, "glob", lambda pattern: self.devices.get(pattern, []))

    def variables(self, files):
        for name, content in files.items():
            self.write("/opt/ml/input/config/%s.json" % name, json.dumps(content))
        own, platforms = environment.read_hyperparameters()
        resources = environment.read_config("resourceconfig.json")
        inputs = environment.read_channels()
        found = toolkit.toolkit_variables(own, platforms, resources, inputs)
        return {name: value.replace(self.root, "") for name, value in found.items()}

    def test_sets_what_the_platforms_toolkit_sets(self):
        with open(RECORDED, encoding="utf-8") as file:
            recorded = json.load(file)
        os.environ["TRAINING_JOB_NAME"] = "job-1"
        for record in recorded:
            with self.subTest(record["case"]):
                found = self.variables(record["files"])
                self.assertEqual(found.pop("SM_NUM_CPUS"), "2")
                self.assertEqual(found, record["variables"])
        self.assertEqual(len(recorded), 4)

    def test_is_that_of_one_host_without_the_platforms_files(self):
        found = self.variables({})
        for name, value in {
            "SM_HOSTS": '["algo-1"]',
            "SM_CURRENT_HOST": "algo-1",
            "SM_NETWORK_INTERFACE_NAME": "eth0",
            "SM_CURRENT_INSTANCE_TYPE": "local",
            "SM_CURRENT_INSTANCE_GROUP": "homogeneousCluster",
            "SM_CURRENT_INSTANCE_GROUP_HOSTS": "[]",
            "SM_INSTANCE_GROUPS": "[]",
            "SM_INSTANCE_GROUPS_DICT": "{}",
            "SM_RESOURCE_CONFIG": "{}",
            "SM_INPUT_DATA_CONFIG": "{}",
            "SM_CHANNELS": "[]",
            "SM_HPS": "{}",
            "SM_USER_ARGS": "[]",
            "SM_MODULE_NAME": "training",
            "SM_USER_ENTRY_POINT": "training.py",
        }.items():
            self.assertEqual(found[name], value, name)
        self.assertEqual(json.loads(found["SM_TRAINING_ENV"])["is_master"], True)

    def test_counts_devices(self):
        self.devices["/dev/nvidia[0-9]*"] = ["/dev/nvidia0", "/dev/nvidia1"]
        self.devices["/dev/neuron[0-9]*"] = ["/dev/neuron0"]
        for answer, cores in [
            (b'[{"nc_count": 2}, {"nc_count": 4}, {}]', "6"),
            (b"no json", "0"),
            (b"[1]", "0"),
            (OSError("no such program"), "0"),
        ]:

            def neuron_ls(command, answer=answer):
                self.assertEqual(command, ["neuron-ls", "-j"])
                if isinstance(answer, Exception):
                    raise answer
                return answer

            self.replace(subprocess, "check_output", neuron_ls)
            found = self.variables({})
            self.assertEqual((found["SM_NUM_GPUS"], found["SM_NUM_NEURONS"]), ("2", cores))

    def test_takes_a_module_of_a_framework(self):
        os.environ["SAGEMAKER_TRAINING_MODULE"] = "framework:main"
        self.assertEqual(self.variables({})["SM_FRAMEWORK_MODULE"], "framework:main")
