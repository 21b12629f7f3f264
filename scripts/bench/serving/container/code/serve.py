"""What every server of the bench serves: the sample app, and two requests that it has no use for.

`application/octet-stream` is answered with the body's length, so that reading the body is what is
measured; `application/x-seconds` computes for so many seconds.
"""

import importlib.util
import time
from importlib.machinery import SourceFileLoader

LOADER = SourceFileLoader("sample", "/opt/program/prediction/serve")
sample = importlib.util.module_from_spec(importlib.util.spec_from_loader("sample", LOADER))
LOADER.exec_module(sample)

model_fn = sample.model_fn
output_fn = sample.output_fn


def input_fn(request_body, content_type):
    if content_type == "application/octet-stream":
        return [len(request_body)]
    if content_type == "application/x-seconds":
        return float(request_body)
    return sample.input_fn(request_body, content_type)


def predict_fn(input_data, model):
    if isinstance(input_data, float):
        end = time.monotonic() + input_data
        while time.monotonic() < end:
            pass
        return [input_data]
    if isinstance(input_data[0], int):
        return input_data
    return sample.predict_fn(input_data, model)
