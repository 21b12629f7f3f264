import json
import os

from support import ContainerTest
from mlcli_harness import environment
from mlcli_harness.failure import HarnessError

CONFIG = "/opt/ml/input/config/"


class Hyperparameters(ContainerTest):
    def test_are_decoded_where_they_are_json(self):
        raw = {
            "rate": "0.1",
            "layers": "[8, 4]",
            "flag": "true",
            "nothing": "null",
            "quoted": '"7"',
            "name": "a b",
            "empty": "",
            "half": "{",
            "version": "1.2.3",
            "number": 5,
            "nested": {"a": "1"},
        }
        self.write(CONFIG + "hyperparameters.json", json.dumps(raw))
        self.assertEqual(
            environment.read_hyperparameters(),
            (
                {
                    **raw,
                    "rate": 0.1,
                    "layers": [8, 4],
                    "flag": True,
                    "nothing": None,
                    "quoted": "7",
                },
                {},
            ),
        )

    def test_are_the_users_apart_from_the_platforms(self):
        users = {"rate": 1, "sagemaker": 2, "SAGEMAKER_X": 3, "my_sagemaker_x": 4, "_tuning": 5}
        platforms = {
            "sagemaker_program": "train.py",
            "sagemaker_anything": 7,
            "_tuning_objective_metric": "validation:error",
            "default_user_module_name": "x",
        }
        raw = {name: json.dumps(value) for name, value in {**users, **platforms}.items()}
        self.write(CONFIG + "hyperparameters.json", json.dumps(raw))
        self.assertEqual(environment.read_hyperparameters(), (users, platforms))

    def test_are_none_without_a_file(self):
        self.assertEqual(environment.read_hyperparameters(), ({}, {}))

    def test_that_are_broken_are_named(self):
        path = self.path(CONFIG + "hyperparameters.json")
        for text, problem in {
            "{": "%s is not valid JSON: Expecting property name" % path,
            "": "%s is not valid JSON: Expecting value" % path,
            "[1]": "%s must contain a JSON object" % path,
            "null": "%s must contain a JSON object" % path,
        }.items():
            self.write(CONFIG + "hyperparameters.json", text)
            with self.subTest(text), self.assertRaises(HarnessError) as caught:
                environment.read_hyperparameters()
            self.assertEqual(str(caught.exception)[: len(problem)], problem)


class Channels(ContainerTest):
    def test_are_those_that_the_platform_names(self):
        self.write(CONFIG + "inputdataconfig.json", '{"validation": {}, "training": {}}')
        self.write("/opt/ml/input/data/other/a.csv", "")
        self.assertEqual(environment.read_channels(), {"training": {}, "validation": {}})

    def test_are_the_directories_where_it_names_none(self):
        self.assertEqual(environment.read_channels(), {})
        self.write("/opt/ml/input/data/b/a.csv", "")
        self.write("/opt/ml/input/data/a/a.csv", "")
        self.write("/opt/ml/input/data/file.csv", "")
        self.assertEqual(environment.read_channels(), {"a": {}, "b": {}})


class TrainingEnvironment(ContainerTest):
    def set(self, hyperparameters=None):
        environment.set_training_environment(hyperparameters or {}, {}, environment.read_channels())

    def test_has_the_paths_and_what_the_files_say(self):
        self.write(CONFIG + "inputdataconfig.json", '{"training": {}}')
        self.write(CONFIG + "resourceconfig.json", '{"current_host": "algo-2"}')
        self.set({"rate": 0.1})
        ml = self.path("/opt/ml/")
        for name, value in {
            "ML_MODEL_DIR": ml + "model",
            "ML_INPUT_DIR": ml + "input",
            "ML_OUTPUT_DIR": ml + "output",
            "ML_CHANNEL_TRAINING": ml + "input/data/training",
            "SM_OUTPUT_DATA_DIR": ml + "output/data",
            "SM_CHANNEL_TRAINING": ml + "input/data/training",
            "SM_HP_RATE": "0.1",
            "SM_CURRENT_HOST": "algo-2",
        }.items():
            self.assertEqual(os.environ.get(name), value, name)

    def test_leaves_what_the_image_or_the_user_has_set(self):
        own = {"SM_MODEL_DIR": "/own", "SM_HP_RATE": "own", "SM_NUM_CPUS": "", "ML_INPUT_DIR": "/x"}
        os.environ.update(own)
        self.set({"rate": 1})
        self.assertEqual({name: os.environ[name] for name in own}, own)
        self.assertEqual(os.environ["ML_MODEL_DIR"], self.path("/opt/ml/model"))

    def test_has_no_variable_for_a_name_that_none_may_have(self):
        self.set({"a=b": 1, "c\0": 2, "d": "e\0", "f": "g=h"})
        found = sorted(name for name in os.environ if name.startswith("SM_HP_"))
        self.assertEqual(found, ["SM_HP_F"])
        # JSON writes a NUL as six characters.
        self.assertEqual(json.loads(os.environ["SM_HPS"])["d"], "e\0")

    def test_makes_the_directory_for_output(self):
        self.set()
        self.assertTrue(os.path.isdir(self.path("/opt/ml/output/data")))
        self.set()

    def test_names_a_broken_file(self):
        for name in ("inputdataconfig.json", "resourceconfig.json"):
            self.write(CONFIG + name, "[]")
            with self.subTest(name), self.assertRaisesRegex(HarnessError, "%s must contain" % name):
                self.set()
            os.remove(self.path(CONFIG + name))


class SharedEnvironment(ContainerTest):
    def test_has_the_paths_alone_and_leaves_what_is_set(self):
        os.environ["SM_INPUT_DIR"] = "/own"
        environment.set_shared_environment()
        ml = self.path("/opt/ml/")
        self.assertEqual(
            os.environ,
            {
                "ML_MODEL_DIR": ml + "model",
                "ML_INPUT_DIR": ml + "input",
                "ML_OUTPUT_DIR": ml + "output",
                "ML_CHANNEL_TRAINING": ml + "input/data/training",
                "SM_MODEL_DIR": ml + "model",
                "SM_INPUT_DIR": "/own",
                "SM_INPUT_CONFIG_DIR": ml + "input/config",
                "SM_OUTPUT_DIR": ml + "output",
                "SM_OUTPUT_DATA_DIR": ml + "output/data",
                "SM_OUTPUT_INTERMEDIATE_DIR": ml + "output/intermediate",
            },
        )
