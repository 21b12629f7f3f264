import functools
import os
import pickle
import re
import sys
import unittest

from support import ContainerTest
from mlcli_harness.code import load_module
from mlcli_harness.failure import HarnessError
from mlcli_harness.serving.model import Model, load_model

CODE = "def model_fn(d): return [d]\ndef predict_fn(data, model): return data\n"


class LoadModel(ContainerTest):
    def test_has_what_model_fn_returns_and_the_functions(self):
        self.write("/opt/program/prediction/serve", CODE)
        model = load_model()
        self.assertEqual(model.model, [self.path("/opt/ml/model")])
        self.assertEqual(model.predict_fn(5, None), 5)
        self.assertEqual(model.input_fn("[1]", "application/json"), [1])
        self.assertEqual(model.output_fn([1], "text/csv"), "1\n")
        self.assertEqual((model.has_own_input_fn, model.takes_context), (False, False))

    def test_takes_the_codes_own_input_fn_and_output_fn(self):
        own = "def input_fn(b, t): return 'in'\ndef output_fn(p, a): return 'out'\n"
        self.write("/opt/program/prediction/serve", CODE + own)
        model = load_model()
        self.assertEqual((model.input_fn(1, 2), model.output_fn(1, 2)), ("in", "out"))
        self.assertTrue(model.has_own_input_fn)

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

    def test_says_at_once_which_function_cannot_be_called(self):
        program = self.path("/opt/ml/code/serve")
        for code, problem in [
            (
                "def model_fn(): pass\ndef predict_fn(d, m): pass\n",
                "model_fn() cannot be called with (model_dir)",
            ),
            (
                CODE + "def predict_fn(d, m, threshold, top): pass\n",
                "predict_fn(d, m, threshold, top) cannot be called with (input_data, model)",
            ),
            (
                CODE + "def input_fn(body): pass\n",
                "input_fn(body) cannot be called with (request_body, content_type)",
            ),
            (
                CODE + "def output_fn(p, a, *, indent): pass\n",
                "output_fn(p, a, *, indent) cannot be called with (prediction, accept)",
            ),
        ]:
            # Before the model is loaded, which may take minutes.
            self.write("/opt/program/prediction/serve", code.replace("return [d]", "raise MemoryError"))
            with self.subTest(code), self.assertRaises(HarnessError) as caught:
                load_model()
            # How Python says the rest depends on its version.
            self.assertRegex(str(caught.exception), "^%s: [a-z]" % re.escape("%s: %s" % (program, problem)))

    def test_names_a_function_that_is_async_before_the_model_loads(self):
        # https://github.com/runpod/runpod-python/issues/387: "coroutine was never awaited".
        for function, source in [
            ("model_fn", "async def model_fn(d): pass\n"),
            ("predict_fn", "async def predict_fn(d, m): pass\n"),
            ("input_fn", "async def input_fn(b, t): pass\n"),
            ("output_fn", "async def output_fn(p, a): yield p\n"),
            ("Scorer", "class Scorer:\n async def __call__(self, d, m): pass\npredict_fn = Scorer()\n"),
            ("partial", "import functools as f\nasync def g(x, d, m): pass\npredict_fn = f.partial(g, 1)\n"),
        ]:
            code = CODE.replace("return [d]", "raise MemoryError") + source
            self.write("/opt/program/prediction/serve", code)
            with self.subTest(function), self.assertRaises(HarnessError) as caught:
                load_model()
            self.assertEqual(
                str(caught.exception),
                "%s: %s is async; define it with def and call asyncio.run inside"
                % (self.path("/opt/ml/code/serve"), function),
            )

    def test_passes_on_what_the_code_raises(self):
        self.write("/opt/program/prediction/serve", CODE.replace("return [d]", "raise MemoryError"))
        self.assertRaises(MemoryError, load_model)

    def test_gives_model_fn_a_context_without_a_request_if_it_takes_one(self):
        code = "return [dict(context.headers), context.inference_id, context.system_properties]"
        for parameter in ("context", "context=None", "*, context"):
            self.write(
                "/opt/program/prediction/serve",
                CODE.replace("(d)", "(d, %s)" % parameter).replace("return [d]", code),
            )
            with self.subTest(parameter):
                headers, inference_id, properties = load_model().model
                self.assertEqual((headers, inference_id), ({}, None))
                self.assertEqual(properties["model_dir"], self.path("/opt/ml/model"))
                self.assertIn("gpu_id", properties)


class Callable:
    def __call__(self, data, model, context):
        return context


def wrapper(function):
    @functools.wraps(function)
    def call(*arguments, **keywords):
        return function(*arguments, **keywords)

    return call


class TakingContext(unittest.TestCase):
    """The third is what the function got for a context."""

    def test_is_up_to_the_functions_parameters(self):
        for function, given in [
            (lambda data, model: "none", "none"),
            (lambda data, model, context: context, "context"),
            (lambda data, model, context=None: context, "context"),
            (lambda data, model, *, context: context, "context"),
            (lambda data, model, *, context=None: context, "context"),
            (lambda data, model, threshold=0.5, context=None: (threshold, context), (0.5, "context")),
            (lambda data, model, context, threshold=0.5: (threshold, context), (0.5, "context")),
            (wrapper(lambda data, model, context: context), "context"),
            (Callable(), "context"),
            (Callable().__call__, "context"),
            # Of any name where it could not be called otherwise, as by AWS's toolkit.
            (lambda data, model, ctx: ctx, "context"),
            (lambda data, model, ctx, threshold=0.5: (threshold, ctx), (0.5, "context")),
            # The function's own.
            (lambda data, model, threshold=0.5: threshold, 0.5),
            (lambda data, model, ctx=None: ctx, None),
            (lambda context, model: context, "data"),
            (lambda *arguments: arguments, ("data", "model")),
            (lambda data, model, *more, **others: (more, others), ((), {})),
            (lambda *arguments, context: (arguments, context), (("data", "model"), "context")),
            (max, "model"),
        ]:
            with self.subTest(given):
                # Another takes it in any case.
                model = Model(None, function, lambda body, content_type, context: None)
                self.assertEqual(model.predict_fn("data", "model", "context"), given)

    def test_is_known_before_the_first_request(self):
        def takes(one, other, context):
            pass

        def does_not(one, other):
            pass

        self.assertFalse(Model(None, does_not, does_not, does_not).takes_context)
        for functions in ([takes], [does_not, takes], [does_not, does_not, takes]):
            self.assertTrue(Model(None, *functions).takes_context)


class LoadModule(ContainerTest):
    def test_registers_it_as_an_import_would(self):
        self.write("/opt/program/training/training", "class Model: pass\n")
        module = load_module("training", self.path("/opt/program/training/training"))
        self.assertIs(sys.modules["training"], module)
        self.assertIsInstance(pickle.loads(pickle.dumps(module.Model())), module.Model)
