import contextlib
import io
import os
import unittest

from support import ContainerTest, ending
from mlcli_harness import paths
from mlcli_harness.train import call_with_hyperparameters, train

HYPERPARAMETERS = {"rate": 0.1}


class Parameters(unittest.TestCase):
    def given(self, function):
        seen = []
        call_with_hyperparameters(function(seen), HYPERPARAMETERS)
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

        both = [paths.TRAINING_DATA, paths.MODEL]
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

        both = [paths.TRAINING_DATA, paths.MODEL]
        self.assertEqual(self.given(keyword), [*both, HYPERPARAMETERS])
        self.assertEqual(self.given(other), [*both, 3])

    def test_without_one_nobody_gets_them(self):
        def two(seen):
            return lambda data, model: seen.extend([data, model])

        def rest(seen):
            def train(*arguments, **keywords):
                seen.extend([*arguments, keywords])

            return train

        both = [paths.TRAINING_DATA, paths.MODEL]
        self.assertEqual(self.given(two), both)
        self.assertEqual(self.given(rest), [*both, {}])

    def test_of_a_method_count_without_the_object(self):
        class Trainer:
            def train(self, data, model):
                self.seen = [data, model]

        trainer = Trainer()
        call_with_hyperparameters(trainer.train, HYPERPARAMETERS)
        self.assertEqual(trainer.seen, [paths.TRAINING_DATA, paths.MODEL])


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
    print(os.getcwd() == sys.path[0] == os.path.dirname(__file__), neighbour.NAME, __name__)
    print(hyperparameters, os.environ["SM_HP_RATE"], os.listdir(model))
"""
        self.assertEqual(self.train(code), "True beside training\n{'rate': 0.5} 0.5 []\n")

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
        for code, problem in [
            (None, "No training code: neither %s nor %s holds any" % (mounted, program)),
            (
                "x = 1",
                "%s/training.py does not define train(input_data_path, model_save_path)" % program,
            ),
            (
                "train = 5",
                "%s/training.py does not define train(input_data_path, model_save_path)" % program,
            ),
        ]:
            with self.subTest(code):
                self.assertEqual(ending(lambda: self.train(code)), (1, "mlcli: %s\n" % problem))
                self.assertEqual(self.read("/opt/ml/output/failure"), problem)
        os.remove(self.path("/opt/program/training/training.py"))
        self.assertEqual(
            ending(self.train), (1, "mlcli: Training code not found: %s/training.py\n" % program)
        )
