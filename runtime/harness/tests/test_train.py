import contextlib
import io
import json
import os
import unittest

from support import ContainerTest, ending
from mlcli_harness import paths
from mlcli_harness.train import call_with_hyperparameters, train

HYPERPARAMETERS = {"rate": 0.1}


class Parameters(unittest.TestCase):
    def given(self, function):
        seen = []
        call_with_hyperparameters(function(seen), "/data", HYPERPARAMETERS)
        return seen

    def test_a_third_one_gets_the_hyperparameters_whatever_its_name(self):
        def three(seen):
            def train(data, model, anything):
                seen.extend([data, model, anything])

            return train

        def default(seen):
            def train(data, model, hps=None, other=5):
                seen.extend([data, model, hps, other])

            return train

        both = ["/data", paths.MODEL]
        self.assertEqual(self.given(three), [*both, HYPERPARAMETERS])
        self.assertEqual(self.given(default), [*both, HYPERPARAMETERS, 5])

    def test_a_keyword_only_one_gets_them_by_its_name(self):
        def keyword(seen):
            def train(data, model, *, hyperparameters):
                seen.extend([data, model, hyperparameters])

            return train

        def other(seen):
            def train(data, model, *, epochs=3):
                seen.extend([data, model, epochs])

            return train

        both = ["/data", paths.MODEL]
        self.assertEqual(self.given(keyword), [*both, HYPERPARAMETERS])
        self.assertEqual(self.given(other), [*both, 3])

    def test_one_whose_name_ends_in_path_gets_the_file(self):
        def third(seen):
            def train(data, model, config_path, other=5):
                seen.extend([data, model, config_path, other])

            return train

        def keyword(seen):
            def train(data, model, *, hyperparameters_path, checkpoint_path="x"):
                seen.extend([data, model, hyperparameters_path, checkpoint_path])

            return train

        def both_keywords(seen):
            def train(data, model, *, hyperparameters_path=None, hyperparameters=None):
                seen.extend([data, model, hyperparameters_path, hyperparameters])

            return train

        both, file = ["/data", paths.MODEL], paths.HYPERPARAMETERS
        self.assertEqual(self.given(third), [*both, file, 5])
        self.assertEqual(self.given(keyword), [*both, file, "x"])
        self.assertEqual(self.given(both_keywords), [*both, file, HYPERPARAMETERS])

    def test_without_one_nobody_gets_them(self):
        def two(seen):
            return lambda data, model: seen.extend([data, model])

        def rest(seen):
            def train(*arguments, **keywords):
                seen.extend([*arguments, keywords])

            return train

        both = ["/data", paths.MODEL]
        self.assertEqual(self.given(two), both)
        self.assertEqual(self.given(rest), [*both, {}])

    def test_of_a_method_count_without_the_object(self):
        class Trainer:
            def train(self, data, model):
                self.seen = [data, model]

        trainer = Trainer()
        call_with_hyperparameters(trainer.train, "/data", HYPERPARAMETERS)
        self.assertEqual(trainer.seen, ["/data", paths.MODEL])


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
            (None, "No training code: neither %s nor %s holds any" % (mounted, program)),
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
