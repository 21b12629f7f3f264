"""Answers {"input": {...}} with {"status": "succeeded", "output": ...}, as cog's own server does."""

import asyncio
import base64
import inspect
import io
import itertools
import json
import mimetypes
import pathlib
import re
import threading
import types
import typing
import weakref
from collections.abc import Iterator

import cog
import cog.predictor
from cog.types import URLPath

# From cog 0.17 on, Input() is Input(default=None), which is not the same for a Secret.
INPUT = cog.Input
cog.Input = lambda default=..., **others: INPUT(default, **others)

PREDICTOR = cog.predictor.load_predictor_from_ref("predict.py:Predictor")  # as in cog.yaml
# cog's own classes have both methods: the one that the predictor defines counts.
OWN = [vars(one) for one in type(PREDICTOR).__mro__ if not one.__module__.startswith("cog.")]
NAME = "run" if any("run" in names for names in OWN) else "predict"
METHOD = PREDICTOR if inspect.isfunction(PREDICTOR) else getattr(PREDICTOR, NAME)
INPUTS = inspect.signature(METHOD).parameters
TYPES = typing.get_type_hints(METHOD)
DEFAULTS = {name: getattr(one.default, "default", one.default) for name, one in INPUTS.items()}
NO_DEFAULT = (..., inspect.Parameter.empty)

# The model of pydantic that checks inputs in cog before 0.17. Later versions check them in Rust.
MODEL = getattr(cog.predictor, "get_input_type", lambda predictor: None)(PREDICTOR)

# Names that JSON Schema has for the types of inputs. Files and secrets come as strings.
JSON_TYPES = {
    **dict.fromkeys((cog.Path, cog.File, getattr(cog, "Secret", str), str), "string"),
    **{bool: "boolean", int: "integer", float: "number", list: "array", dict: "object", typing.Any: "object"},
}
HAS_TYPE = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: type(value) is int or isinstance(value, float) and value.is_integer(),
    "number": lambda value: type(value) in (int, float),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
# Options of Input(), with the type that each limits, the test of a mistake, and the server's words.
LIMITS = {
    "choices": (None, lambda value, limit: value not in limit, "is not one of {}"),
    "ge": ("number", lambda value, limit: value < limit, "is less than the minimum of {}"),
    "le": ("number", lambda value, limit: value > limit, "is greater than the maximum of {}"),
    "min_length": ("string", lambda value, limit: len(value) < limit, "is shorter than {} characters"),
    "max_length": ("string", lambda value, limit: len(value) > limit, "is longer than {} characters"),
    "regex": ("string", lambda value, limit: not re.search(limit, value), "does not match {}"),
}

# mlcli calls predict_fn from several threads, and cog's server answers one request at a time.
ONE_AT_A_TIME = threading.Lock()
LOOP = asyncio.new_event_loop()


class BaseInferenceToolkitError(Exception):
    """mlcli answers with the status of an error of this name, which is that of AWS's toolkit."""

    status_code = 422  # As cog answers invalid inputs.
    message = property(str)


def model_fn(model_dir):
    """Sets up the predictor. Weights that setup() takes are the file of the model, or all of it."""
    files = [path for path in pathlib.Path(model_dir).glob("[!.]*") if path.name != "README.md"]
    weights = cog.Path(files[0] if len(files) == 1 else model_dir) if files else None
    setup = getattr(PREDICTOR, "setup", lambda: None)
    if weights and "cog.types.File" in str(typing.get_type_hints(setup).get("weights")):
        weights = open(weights, "rb")
    finished(setup(weights) if "weights" in inspect.signature(setup).parameters else setup())
    return METHOD


def input_fn(request_body, content_type):
    """Returns the arguments of a prediction."""
    if content_type != "application/json":
        raise ValueError("Unsupported content type: {}".format(content_type))
    body = json.loads(request_body)
    given = body.get("input") or {} if isinstance(body, dict) else body
    if not isinstance(given, dict):
        reject(['expected {"input": {...}}'])
    reject(mistake for name, value in given.items() for mistake in mistakes_of_files(name, value))
    if MODEL is None:
        reject(mistake for name in INPUTS for mistake in mistakes_of_input(name, given))
        defaults = {name: None if one in NO_DEFAULT else one for name, one in DEFAULTS.items()}
        values = {name: given.get(name, default) for name, default in defaults.items()}
    else:
        try:
            values = dict(MODEL(**given))
        except ValueError as error:
            reject(".".join(map(str, one["loc"])) + ": " + one["msg"] for one in error.errors())
    return {name: converted(value, str(TYPES.get(name))) for name, value in values.items()}


def predict_fn(data, predict):
    with ONE_AT_A_TIME:
        return {"status": "succeeded", "output": encoded(finished(predict(**data)))}


def reject(mistakes):
    message = "; ".join(itertools.islice(mistakes, 20))
    if message:
        raise BaseInferenceToolkitError(message)


def mistakes_of_files(name, value):
    """Yields a mistake for an input that names a file elsewhere: it would be opened or fetched."""
    is_file = re.search(r"cog\.types\.(Path|File)\b", str(TYPES.get(name)))
    for one in (value if isinstance(value, list) else [value]) if is_file else []:
        if isinstance(one, str) and not re.match("data:[^,]*,", one):
            yield name + ": a file must come in the request: data:image/png;base64,..."


def mistakes_of_input(name, given):
    """Yields the mistakes that cog 0.17 and later report for a value."""
    kind, default = TYPES.get(name), DEFAULTS[name]
    if name not in given:
        has_none = type(None) in typing.get_args(kind) or kind is cog.Secret and default is None
        if default in (None, *NO_DEFAULT) and not has_none:
            yield name + ": Field required"
        return
    value = given[name]
    yield from mistakes_of_type(name, value, kind)
    for option, (type_name, is_mistake, words) in LIMITS.items():
        limit = getattr(INPUTS[name].default, option, None)
        is_limited = type_name is None or HAS_TYPE[type_name](value)
        if limit is not None and is_limited and is_mistake(value, limit):
            yield "{}: {} {}".format(name, json_text(value), words.format(json_text(limit)))


def mistakes_of_type(path, value, kind):
    args = [one for one in typing.get_args(kind) if one is not type(None)]
    origin = typing.get_origin(kind) or kind
    type_name = JSON_TYPES.get(origin)
    if origin in (typing.Union, getattr(types, "UnionType", None)):
        found = [list(mistakes_of_type(path, value, one)) for one in args]
        yield from [] if [] in found else found[0]
    elif type_name and not HAS_TYPE[type_name](value):
        yield '{}: {} is not of type "{}"'.format(path, json_text(value), type_name)
    elif origin is list and args:
        for index, one in enumerate(value):
            yield from mistakes_of_type("{}/{}".format(path, index), one, args[0])


def json_text(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)[:200]


def converted(value, kind):
    """Returns a value as the predictor declares it, such as typing.Optional[cog.types.Path]."""
    if isinstance(value, list):
        return [converted(one, kind) for one in value]
    if isinstance(value, str) and "cog.types.Secret" in kind:
        return cog.Secret(value)
    if isinstance(value, str) and value.startswith("data:"):
        for one in (cog.Path, cog.File):
            value = one.validate(value) if "cog.types." + one.__name__ in kind else value
    if not isinstance(value, URLPath):
        return value
    file = value.convert()
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
    if isinstance(value, (pathlib.Path, io.IOBase)):
        return data_uri(value)
    if any(hasattr(value, name) for name in ("__dataclass_fields__", "__fields_set__", "model_dump")):
        value = vars(value)
    if isinstance(value, dict):
        return {key: encoded(one) for key, one in value.items()}
    if isinstance(value, (list, tuple, set, Iterator)):
        return [encoded(one) for one in value]
    return value


def data_uri(value):
    with value.open("rb") if isinstance(value, pathlib.Path) else value as file:
        if file.seekable():
            file.seek(0)
        content = file.read()
    content = content.encode() if isinstance(content, str) else content
    kind = mimetypes.guess_type(str(getattr(file, "name", "")))[0] or "application/octet-stream"
    return "data:{};base64,{}".format(kind, base64.b64encode(content).decode())
