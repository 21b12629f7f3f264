"""The app's serving code: the four functions, and the model that they share."""

import os

from mlcli_harness import paths
from mlcli_harness.code import enter_code_directory, load_module, required_function
from mlcli_harness.failure import HarnessError
from mlcli_harness.serving.codecs import default_input_fn, default_output_fn


class Model:
    """A loaded model with the functions that the server calls."""

    def __init__(self, model, predict_fn, input_fn=None, output_fn=None):
        self.model = model
        self.predict_fn = predict_fn
        self.input_fn = input_fn or default_input_fn
        self.output_fn = output_fn or default_output_fn


def load_model():
    """Loads the serving code and, with its model_fn, the model.

    Raises HarnessError where the code lacks a function, and whatever the user's code raises.
    """
    # Each worker does: the server has told by then where the code is.
    path = find_serving_code(enter_code_directory("prediction", tell=None))
    module = load_module("serve", path)
    model_fn = required_function(module, "model_fn", "(model_dir)", path)
    predict_fn = required_function(module, "predict_fn", "(input_data, model)", path)
    return Model(
        model_fn(paths.MODEL),
        predict_fn,
        getattr(module, "input_fn", None),
        getattr(module, "output_fn", None),
    )


def find_serving_code(directory):
    """The path of `serve`, or of `serve.py`, which editors recognise as Python."""
    for name in ("serve", "serve.py"):
        path = os.path.join(directory, name)
        if os.path.isfile(path):
            return path
    raise HarnessError("Serving code not found: %s" % os.path.join(directory, "serve"))
