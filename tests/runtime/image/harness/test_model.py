import os
import pickle
import sys

from support import ContainerTest
from mlcli_harness.code import load_module
from mlcli_harness.failure import HarnessError
from mlcli_harness.serving.codecs import default_input_fn, default_output_fn
from mlcli_harness.serving.model import load_model

CODE = "def model_fn(d): return [d]\ndef predict_fn(data, model): return data\n"


class LoadModel(ContainerTest):
    def test_has_what_model_fn_returns_and_the_functions(self):
        self.write("/opt/program/prediction/serve", CODE)
        model = load_model()
        self.assertEqual(model.model, [self.path("/opt/ml/model")])
        self.assertEqual(model.predict_fn(5, None), 5)
        self.assertIs(model.input_fn, default_input_fn)
        self.assertIs(model.output_fn, default_output_fn)

    def test_takes_the_codes_own_input_fn_and_output_fn(self):
        own = "def input_fn(b, t): return 'in'\ndef output_fn(p, a): return 'out'\n"
        self.write("/opt/program/prediction/serve", CODE + own)
        model = load_model()
        self.assertEqual((model.input_fn(1, 2), model.output_fn(1, 2)), ("in", "out"))

    def test_takes_serve_before_serve_py_and_the_mount_before_the_image(self):
        self.write("/opt/program/prediction/serve.py", CODE.replace("[d]", "'image.py'"))
        self.assertEqual(load_model().model, "image.py")
        self.write("/opt/program/prediction/serve", CODE.replace("[d]", "'image'"))
        self.assertEqual(load_model().model, "image")
        os.unlink(self.path("/opt/ml/code"))
        self.write("/opt/ml/code/serve.py", CODE.replace("[d]", "'mounted'"))
        self.assertEqual(load_model().model, "mounted")

    def test_says_what_is_missing(self):
        program = self.path("/opt/ml/code/")
        self.write("/opt/program/prediction/other.py", "")
        for code, problem in [
            (None, "Serving code not found: %sserve" % program),
            ("", "%sserve does not define model_fn(model_dir)" % program),
            (
                "def model_fn(d): pass",
                "%sserve does not define predict_fn(input_data, model)" % program,
            ),
        ]:
            if code is not None:
                self.write("/opt/program/prediction/serve", code)
            with self.subTest(code), self.assertRaises(HarnessError) as caught:
                load_model()
            self.assertEqual(str(caught.exception), problem)

    def test_passes_on_what_the_code_raises(self):
        self.write("/opt/program/prediction/serve", CODE.replace("return [d]", "raise MemoryError"))
        self.assertRaises(MemoryError, load_model)


class LoadModule(ContainerTest):
    def test_registers_it_as_an_import_would(self):
        self.write("/opt/program/training/training", "class Model: pass\n")
        module = load_module("training", self.path("/opt/program/training/training"))
        self.assertIs(sys.modules["training"], module)
        self.assertIsInstance(pickle.loads(pickle.dumps(module.Model())), module.Model)
