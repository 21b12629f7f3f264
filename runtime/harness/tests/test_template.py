import json
import os
import runpy
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from support import HARNESS, ContainerTest

TEMPLATE = os.path.join(os.path.dirname(HARNESS), "image", "template")
CODE = [os.path.join(TEMPLATE, folder) for folder in ("training", "common")]
DATA = os.path.join(TEMPLATE, "local_test", "test_dir", "input", "data", "training")

# What a person does who tries the code without mlcli: python with PYTHONPATH=common.
TRAIN = """
import os, sys
sys.path[:0] = sys.argv[2:]
from training import train
os.mkdir("model")
train(sys.argv[1], "model", {})
"""


class Template(ContainerTest):
    def train(self, **variables):
        """Runs the template's training on its own data; returns what it left in the current directory."""
        place = self.path("/run")
        os.mkdir(place)
        result = subprocess.run(
            [sys.executable, "-B", "-S", "-c", TRAIN, DATA, *CODE],
            cwd=place,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=30,
            check=False,
            encoding="utf-8",
        )
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return sorted(
            os.path.relpath(os.path.join(folder, file), place)
            for folder, _, files in os.walk(place)
            for file in files
        )

    def test_leaves_its_metrics_where_the_platform_keeps_them(self):
        directory = self.path("/opt/ml/output/data")
        self.assertEqual(self.train(SM_OUTPUT_DATA_DIR=directory), ["model/model.json"])
        self.assertGreater(json.loads(self.read("/opt/ml/output/data/metrics.json"))["r_squared"], 0.9)

    def test_runs_under_plain_python_too(self):
        self.assertEqual(self.train(), ["model/model.json", "output/data/metrics.json"])


class MlflowServer(unittest.TestCase):
    def tracking_uris(self, default, variables):
        """Runs the server's code with a stand-in for mlflow; returns the URIs that it sets."""
        mlflow = mock.MagicMock()
        mlflow.get_tracking_uri.return_value = default
        modules = dict.fromkeys(("mlflow", "mlflow.exceptions", "mlflow.pyfunc"), mlflow)
        with mock.patch.dict(sys.modules, modules), mock.patch.dict(os.environ, variables, clear=True):
            runpy.run_path(os.path.join(TEMPLATE, "from", "mlflow_serve.py"))
        return [call.args[0] for call in mlflow.set_tracking_uri.call_args_list]

    def test_keeps_runs_in_the_temporary_directory_unless_a_uri_is_set(self):
        runs = tempfile.gettempdir() + "/mlflow_runs"
        for default, variables, expected in (
            ("file:///mlruns", {}, ["file://" + runs]),
            ("file:///srv/a%20b%25c/mlruns", {}, ["file://" + runs]),
            ("sqlite:////mlflow.db", {}, ["sqlite:///" + runs]),
            ("sqlite:////srv/a%20b/mlflow.db", {"MLFLOW_TRACKING_URI": ""}, ["sqlite:///" + runs]),
            ("file:///mlruns", {"MLFLOW_TRACKING_URI": "http://server:5000"}, []),
        ):
            with self.subTest(default=default, variables=variables):
                self.assertEqual(self.tracking_uris(default, variables), expected)
