"""Answers as `mlflow models serve` does, by the code of the mlflow in the image: its
mlflow/pyfunc/scoring_server/__init__.py. mlcli calls the four functions `..._fn`."""

import os
import tempfile

import mlflow
from mlflow.exceptions import MlflowException
from mlflow.pyfunc import load_model, scoring_server

# As mlflow's server sets it: data then gets the types of the model's type hints.
os.environ["_MLFLOW_IS_IN_SERVING_ENVIRONMENT"] = "true"

# By default, mlflow keeps runs in the working directory, which may be read-only.
if not os.environ.get("MLFLOW_TRACKING_URI"):
    scheme = "sqlite:///" if mlflow.get_tracking_uri().startswith("sqlite") else "file://"
    mlflow.set_tracking_uri(f"{scheme}{tempfile.gettempdir()}/mlflow_runs")


class BaseInferenceToolkitError(Exception):
    """mlcli answers with the status of an error of this name, which is that of AWS's toolkit."""


def ask_application(body, content_type, model, schema):
    """Before mlflow 2.6, only a Flask application has all of it."""
    client = scoring_server.init(model).test_client()
    answer = client.post("/invocations", data=body, content_type=content_type)
    return answer.get_data(as_text=True), answer.status_code, answer.mimetype


ask = getattr(scoring_server, "invocations", ask_application)
model_fn = load_model


def input_fn(request_body, content_type, context):
    return request_body, context.headers.get("Content-Type") or content_type  # With its parameters.


def predict_fn(request, model):
    try:
        text, status, content_type = ask(*request, model, model.metadata.get_input_schema())
    except MlflowException as failure:
        text, status = failure.message, failure.get_http_status_code()
    if status == 200:
        return text, content_type
    error = BaseInferenceToolkitError(text)
    error.status_code, error.message = status, text
    raise error


def output_fn(answer, accept):
    return answer  # In JSON, whatever the client accepts, as mlflow's.
