import contextlib
import functools
import io
import json
import os
import sys
import tarfile
import tempfile
import unittest

from support import ContainerTest, ending, make_torch
from mlcli_harness import paths, sent
from mlcli_harness.failure import HarnessError
from mlcli_harness.train import call_with_hyperparameters, train

HYPERPARAMETERS = {"rate": 0.1}


class Parameters(unittest.TestCase):
    def given(self, function):
        """What the code's function returns, which is called with as much as its parameters say."""
        returned = []

        @functools.wraps(function)
        def train(*arguments, **keywords):
            returned.append(function(*arguments, **keywords))

        call_with_hyperparameters(train, "/data", HYPERPARAMETERS)
        return returned[0]

    def assert_given(self, *rows):
        for function, more in rows:
            self.assertEqual(self.given(function), ["/data", paths.MODEL, *more])

    def test_a_third_one_gets_the_hyperparameters_whatever_its_name(self):
        self.assert_given(
            (lambda data, model, anything: [data, model, anything], [HYPERPARAMETERS]),
            (lambda data, model, hps=None, other=5: [data, model, hps, other], [HYPERPARAMETERS, 5]),
        )

    def test_a_keyword_only_one_gets_them_by_its_name(self):
        self.assert_given(
            (lambda data, model, *, hyperparameters: [data, model, hyperparameters], [HYPERPARAMETERS]),
            (lambda data, model, *, epochs=3: [data, model, epochs], [3]),
        )

    def test_one_whose_name_ends_in_path_gets_the_file(self):
        def keyword(data, model, *, hyperparameters_path, checkpoint_path="x"):
            return [data, model, hyperparameters_path, checkpoint_path]

        def both(data, model, *, hyperparameters_path=None, hyperparameters=None):
            return [data, model, hyperparameters_path, hyperparameters]

        file = paths.HYPERPARAMETERS
        self.assert_given(
            (lambda data, model, config_path, other=5: [data, model, config_path, other], [file, 5]),
            (keyword, [file, "x"]),
            (both, [file, HYPERPARAMETERS]),
        )

    def test_without_one_nobody_gets_them(self):
        self.assert_given(
            (lambda data, model: [data, model], []),
            (lambda *arguments, **keywords: [*arguments, keywords], [{}]),
        )

    def test_of_a_method_count_without_the_object(self):
        class Trainer:
            def train(self, data, model):
                self.seen = [data, model]

        trainer = Trainer()
        call_with_hyperparameters(trainer.train, "/data", HYPERPARAMETERS)
        self.assertEqual(trainer.seen, ["/data", paths.MODEL])

    def test_of_a_function_that_cannot_take_them_the_signature_is_named(self):
        def one(data):
            raise AssertionError("never called")

        def four(data, model, hyperparameters, rows):
            raise AssertionError("never called")

        for function, words in [
            (one, r"one\(\) takes 1 positional argument but 2 were given"),
            (lambda: None, "takes 0 positional arguments but 2 were given"),
            (four, r"four\(\) missing 1 required positional argument: 'rows'"),
        ]:
            with self.subTest(words):
                message = words + r"\. Define train\(input_data_path, model_save_path\)$"
                with self.assertRaisesRegex(HarnessError, message):
                    call_with_hyperparameters(function, "/data", HYPERPARAMETERS)

    def test_a_type_error_inside_the_code_stays_the_codes(self):
        def train(data, model):
            return one()

        def one(rows):
            raise AssertionError("never called")

        with self.assertRaisesRegex(TypeError, "missing 1 required positional argument: 'rows'"):
            call_with_hyperparameters(train, "/data", HYPERPARAMETERS)


class Train(ContainerTest):
    def train(self, code=None, place="/opt/program/training"):
        if code is not None:
            self.write(place + "/training.py", code)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            train()
        return printed.getvalue()

    def test_runs_the_images_own_code_in_its_directory(self):
        self.write("/opt/program/training/neighbour.py", "NAME = 'beside'")
        self.write("/opt/ml/input/config/hyperparameters.json", '{"rate": "0.5"}')
        code = """
import os, sys, neighbour
def train(data, model, hyperparameters):
    print(os.environ["PWD"] == sys.path[0] == os.path.dirname(__file__), neighbour.NAME, __name__)
    print(__file__, os.path.samefile(os.getcwd(), sys.path[0]))
    print(hyperparameters, os.environ["SM_HP_RATE"], os.listdir(model))
"""
        self.assertEqual(
            self.train(code),
            "True beside training\n%s True\n{'rate': 0.5} 0.5 []\n"
            % self.path("/opt/ml/code/training.py"),
        )

    def test_runs_code_that_is_sent_in_place_of_the_images_own(self):
        self.write("/opt/program/training/training.py", "def train(data, model): print('old')")
        self.write("/opt/program/common/shared.py", "NAME = 'old'")
        self.write("/code/common/shared.py", "NAME = 'new'")
        self.send("""
import os, shared
def train(data, model): print(data, shared.NAME, os.environ["SM_CHANNELS"])
""")
        self.write("/opt/ml/input/config/inputdataconfig.json", '{"code": {}, "images": {}}')
        shown = "%s new [\"images\"]\n" % self.path("/opt/ml/input/data/images")
        self.assertEqual(self.train(), shown)

    def send(self, training):
        self.write("/code/code/training.py", training)
        archive = self.path("/opt/ml/input/data/code/sourcedir.tar.gz")
        os.makedirs(os.path.dirname(archive), exist_ok=True)
        with tarfile.open(archive, "w:gz") as file:
            file.add(self.path("/code"), arcname=".")
        self.replace(sent, "ARCHIVE", archive)
        self.replace(tempfile, "tempdir", self.root)

    def ask_for_torchrun(self):
        hyperparameters = '{"rate": "0.5", "sagemaker_torch_distributed_enabled": "true"}'
        self.write("/opt/ml/input/config/hyperparameters.json", hyperparameters)

    def test_runs_by_torchrun_where_the_job_asks_for_it(self):
        self.ask_for_torchrun()
        sys.path.append(make_torch(self.path("/site")))
        self.send("raise RuntimeError('not in a worker')")
        self.write("/opt/ml/output/failure", "an earlier run's")
        main = os.path.join(paths.HARNESS, "main.py")
        words = ["--nnodes", "1", "--nproc_per_node", "1", main, "train"]
        os.environ.update({"MLCLI_REPORT": "/r", "SIGNAL": "15"})
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            self.assertEqual(ending(train), (143, ""))
        # The workers report in its place.
        self.assertEqual(json.loads(printed.getvalue()), [words, ["algo-1", "7777", "eth0", "0", "/r"]])
        self.assertFalse(os.path.exists(paths.TRAINING_FAILURE))

    def test_a_worker_of_torchrun_runs_the_code_that_its_launcher_unpacked(self):
        self.ask_for_torchrun()
        self.send("import shared\ndef train(data, model, values): print(shared.NAME, values)")
        self.write("/unpacked/code/training.py", self.read("/code/code/training.py"))
        self.write("/unpacked/common/shared.py", "NAME = 'unpacked'")
        self.write("/opt/ml/output/failure", "another worker's")
        for number, reports in [("0", True), ("1", False)]:
            os.environ.update({"LOCAL_RANK": number, "TORCHELASTIC_RUN_ID": "none"})
            report = self.path("/report" + number)
            os.environ.update({"PWD": self.path("/unpacked/code"), "MLCLI_REPORT": report})
            self.assertEqual(self.train(), "unpacked {'rate': 0.5}\n")
            self.assertEqual(os.path.exists(report), reports)
        self.assertEqual(self.read("/opt/ml/output/failure"), "another worker's")

    def test_keeps_the_platforms_hyperparameters_in_their_file(self):
        self.write(
            "/opt/ml/input/config/hyperparameters.json",
            '{"rate": "1", "sagemaker_program": "x.py", "_tuning_objective_metric": "loss"}',
        )
        code = """
import json, os
def train(data, model, hyperparameters):
    print(hyperparameters, os.environ["SM_HPS"], [n for n in os.environ if n.startswith("SM_HP_")])
    with open(%r) as file: print(sorted(json.load(file)))
"""
        file = self.path("/opt/ml/input/config/hyperparameters.json")
        self.assertEqual(
            self.train(code % file),
            "{'rate': 1} {\"rate\":1} ['SM_HP_RATE']\n"
            "['_tuning_objective_metric', 'rate', 'sagemaker_program']\n",
        )

    def test_gets_the_channel_whatever_it_is_called(self):
        code = "import os\ndef train(data, model): print(data, os.environ['ML_CHANNEL_TRAINING'])"
        data = self.path("/opt/ml/input/data")
        for channels, place in [
            (["training"], data + "/training"),
            (["validation", "training"], data + "/training"),
            (["images"], data + "/images"),
            (["train", "test"], data),
            ([], data),
        ]:
            config = {name: {"TrainingInputMode": "File"} for name in channels}
            self.write("/opt/ml/input/config/inputdataconfig.json", json.dumps(config))
            os.environ.clear()
            with self.subTest(channels):
                self.assertEqual(self.train(code), "%s %s/training\n" % (place, data))

    def test_prefers_the_code_that_is_mounted(self):
        self.write("/opt/program/training/training.py", "raise RuntimeError('the image')")
        code = "def train(data, model): print('mounted')"
        self.assertEqual(self.train(code, "/opt/ml/code"), "mounted\n")

    def test_takes_an_empty_mount_for_none(self):
        os.makedirs(self.path("/opt/ml/code"))
        self.assertEqual(self.train("def train(data, model): print('image')"), "image\n")

    def test_says_what_the_code_lacks_also_in_the_failure_file(self):
        program = self.path("/opt/program/training")
        mounted = self.path("/opt/ml/code")
        lacks = "%s/training.py does not define train(input_data_path, model_save_path)" % mounted
        for code, problem in [
            (None, "No training code in %s or %s" % (mounted, program)),
            ("x = 1", lacks),
            ("train = 5", lacks),
        ]:
            with self.subTest(code):
                self.assertEqual(ending(lambda: self.train(code)), (1, "mlcli: %s\n" % problem))
                self.assertEqual(self.read("/opt/ml/output/failure"), problem)
        os.remove(self.path("/opt/program/training/training.py"))
        self.assertEqual(
            ending(self.train), (1, "mlcli: Training code not found: %s/training.py\n" % mounted)
        )
