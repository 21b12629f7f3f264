"""The app's serving code: the four functions, and the model that they share."""

from __future__ import annotations

import inspect
import os

from mlcli_harness import paths
from mlcli_harness.code import enter_code_directory, load_module, required_function
from mlcli_harness.failure import HarnessError
from mlcli_harness.serving.codecs import default_input_fn, default_output_fn
from mlcli_harness.serving.context import Context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


class Model:
    """A loaded model with the functions that the server calls: each with its two arguments and, where
    one of them `takes_context`, all with the request's context."""

    def __init__(
        self,
        model: Any,
        predict_fn: Callable[..., Any],
        input_fn: Callable[..., Any] | None = None,
        output_fn: Callable[..., Any] | None = None,
    ) -> None:
        self.model = model
        self.has_own_input_fn = bool(input_fn)
        functions = [input_fn or default_input_fn, predict_fn, output_fn or default_output_fn]
        # Signatures are looked at here, once, and not at each request.
        self.takes_context = any(context_parameter(function, 2) for function in functions)
        if self.takes_context:
            functions = [with_context(function, 2) for function in functions]
        self.input_fn, self.predict_fn, self.output_fn = functions


def with_context(function: Callable[..., Any], count: int) -> Callable[..., Any]:
    """A function of `count` arguments and the context, which `function` gets if it takes it."""
    kind = context_parameter(function, count)
    if kind == POSITIONAL:
        return function
    if kind == KEYWORD:
        return lambda *arguments: function(*arguments[:-1], context=arguments[-1])
    return lambda *arguments: function(*arguments[:-1])


POSITIONAL, KEYWORD = "positional", "keyword"


def context_parameter(function: Callable[..., Any], count: int) -> str | None:
    """How the function takes the context beside its `count` arguments: POSITIONAL, KEYWORD, or None.

    AWS's inference toolkit passes it to functions with one parameter more, whatever its name. Here it
    goes to a parameter `context`, or else to the only further one without a default: others are the
    function's own business.
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        # Some that are written in C have no signature.
        return None
    further = [
        one
        for place, one in enumerate(parameters)
        if one.kind == one.KEYWORD_ONLY
        or place >= count
        and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
    ]
    if any(one.name == "context" and one.kind != one.POSITIONAL_ONLY for one in further):
        return KEYWORD
    needed = [one for one in further if one.default is one.empty]
    return POSITIONAL if len(needed) == 1 and needed[0].kind != inspect.Parameter.KEYWORD_ONLY else None


def load_model() -> Model:
    """Loads the serving code and, with its model_fn, the model.

    Raises HarnessError where the code lacks a function, and whatever the user's code raises.
    """
    # Each worker does: the server has told by then where the code is.
    path = find_serving_code(enter_code_directory("prediction", tell=None))
    module = load_module("serve", path)
    model_fn = required_function(module, "model_fn", "(model_dir)", path)
    predict_fn = required_function(module, "predict_fn", "(input_data, model)", path)
    input_fn, output_fn = getattr(module, "input_fn", None), getattr(module, "output_fn", None)
    # Now, and not at the first request, or after a model that takes minutes to load.
    for function in (model_fn, predict_fn, input_fn, output_fn):
        check_not_async(function, path)
    check_call(model_fn, ["model_dir"], path)
    check_call(predict_fn, ["input_data", "model"], path)
    check_call(input_fn or default_input_fn, ["request_body", "content_type"], path)
    check_call(output_fn or default_output_fn, ["prediction", "accept"], path)
    return Model(
        # There is no request yet: the context has no headers.
        with_context(model_fn, 1)(paths.MODEL, Context({})),
        predict_fn,
        input_fn,
        output_fn,
    )


def check_call(function: Callable[..., Any], arguments: Sequence[str], path: str) -> None:
    """Raises HarnessError where the function cannot be called as the server does."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        # Some that are written in C have no signature.
        return
    kind = context_parameter(function, len(arguments))
    try:
        keywords = {"context": None} if kind == KEYWORD else {}
        signature.bind(*arguments, *([None] if kind == POSITIONAL else []), **keywords)
    except TypeError as error:
        name = getattr(function, "__name__", "a function")
        raise HarnessError(
            "%s: %s%s cannot be called with (%s): %s" % (path, name, signature, ", ".join(arguments), error)
        ) from error


def check_not_async(function: Callable[..., Any] | None, path: str) -> None:
    """Raises HarnessError for a function that returns a coroutine, which the server does not run."""
    # An object may be called through a method of its class.
    forms = (function, getattr(type(function), "__call__", None))
    if any(inspect.iscoroutinefunction(form) or inspect.isasyncgenfunction(form) for form in forms):
        raise HarnessError(
            "%s: %s is async; define it with def and call asyncio.run inside"
            % (path, getattr(function, "__name__", type(function).__name__))
        )


def find_serving_code(directory: str) -> str:
    """The path of `serve`, or of `serve.py`, which editors recognise as Python."""
    for name in ("serve", "serve.py"):
        path = os.path.join(directory, name)
        if os.path.isfile(path):
            return path
    raise HarnessError("Serving code not found: %s" % os.path.join(directory, "serve"))
