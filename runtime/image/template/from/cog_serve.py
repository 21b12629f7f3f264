"""Answers {"input": {...}} with {"status": "succeeded", "output": ...}, as cog's own server does."""

import asyncio
import base64
import dataclasses
import inspect
import json
import mimetypes
import pathlib
import threading
import typing
import weakref
from collections.abc import Iterator

import cog
from cog.predictor import load_predictor_from_ref

# An input without a default is required. By cog's own Input, its default would be None.
INPUT = cog.Input
cog.Input = lambda default=..., **others: INPUT(default, **others)

PREDICTOR = load_predictor_from_ref("predict.py:Predictor")  # as in cog.yaml
# cog's own classes have both methods: the one that the predictor defines counts.
OWN = [vars(one) for one in type(PREDICTOR).__mro__ if not one.__module__.startswith("cog.")]
NAME = "run" if any("run" in names for names in OWN) else "predict"
METHOD = PREDICTOR if inspect.isfunction(PREDICTOR) else getattr(PREDICTOR, NAME)
INPUTS = inspect.signature(METHOD).parameters
TYPES = typing.get_type_hints(METHOD)

# mlcli calls predict_fn from several threads, and cog's server answers one request at a time.
ONE_AT_A_TIME = threading.Lock()
LOOP = asyncio.new_event_loop()


def model_fn(model_dir):
    """Sets up the predictor. Weights that setup() takes are the file of the model, or all of it."""
    files = [path for path in pathlib.Path(model_dir).glob("[!.]*") if path.name != "README.md"]
    weights = cog.Path(files[0] if len(files) == 1 else model_dir) if files else None
    setup = getattr(PREDICTOR, "setup", lambda: None)
    finished(setup(weights) if "weights" in inspect.signature(setup).parameters else setup())
    return METHOD


def input_fn(request_body, content_type):
    """The arguments of a prediction. A ValueError is answered with status 400."""
    if content_type != "application/json":
        raise ValueError("Unsupported content type: {}".format(content_type))
    body = json.loads(request_body)
    given = body.get("input", {}) if isinstance(body, dict) else None
    if not isinstance(given, dict) or not set(given) <= set(INPUTS):
        raise ValueError('expected {{"input": {{...}}}} with some of: {}'.format(", ".join(INPUTS)))
    values = {name: getattr(one.default, "default", one.default) for name, one in INPUTS.items()}
    values.update({name: converted(value, str(TYPES.get(name))) for name, value in given.items()})
    for name, value in values.items():
        if value is ... or value is inspect.Parameter.empty:
            raise ValueError("the input {} is missing".format(name))
    return values


def predict_fn(data, predict):
    with ONE_AT_A_TIME:
        return {"status": "succeeded", "output": encoded(finished(predict(**data)))}


def converted(value, kind):
    """A value of a request as the predictor declares it, such as typing.Optional[cog.types.Path]."""
    if isinstance(value, list):
        return [converted(one, kind) for one in value]
    if "cog.types.Secret" in kind:
        return cog.Secret(value)
    if "cog.types.Path" not in kind or value is None:
        return value
    if not isinstance(value, str) or not value.startswith("data:"):
        raise ValueError("a file must come in the request: data:image/png;base64,...")
    file = cog.Path.validate(value).convert()
    # Removed when nothing uses it any more: after the answer.
    weakref.finalize(file, pathlib.Path(file).unlink, missing_ok=True)
    return file


def finished(value):
    """What an asynchronous function gives in the end."""
    if inspect.isasyncgen(value):
        value = listed(value)
    return LOOP.run_until_complete(value) if inspect.isawaitable(value) else value


async def listed(values):
    return [value async for value in values]


def encoded(value):
    """An output as JSON has it; a file becomes a data URI."""
    if isinstance(value, pathlib.Path):
        kind = mimetypes.guess_type(value.name)[0] or "application/octet-stream"
        return "data:{};base64,{}".format(kind, base64.b64encode(value.read_bytes()).decode())
    if dataclasses.is_dataclass(value) or hasattr(value, "model_dump"):
        value = vars(value)
    if isinstance(value, dict):
        return {key: encoded(one) for key, one in value.items()}
    if isinstance(value, (list, tuple, set, Iterator)):
        return [encoded(one) for one in value]
    # Arrays and numbers of numpy and torch.
    return value.tolist() if hasattr(value, "tolist") else value
