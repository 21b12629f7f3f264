"""Starts gunicorn around the application."""

from __future__ import annotations

import gc
import math
import os
import resource
import signal
import threading

from gunicorn.app.base import BaseApplication

from mlcli_harness.code import code_directory
from mlcli_harness.environment import set_shared_environment
from mlcli_harness.failure import HarnessError, describe, log
from mlcli_harness.serving.application import Application
from mlcli_harness.serving.arbiter import ServingArbiter
from mlcli_harness.serving.balance import Balance
from mlcli_harness.serving.booting import SlowLoad
from mlcli_harness.serving.callers import Callers
from mlcli_harness.serving.memory import memory_limits, smallest
from mlcli_harness.serving.model import load_model
from mlcli_harness.stopping import STATUS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# SageMaker's largest body: that of an asynchronous endpoint. Where the container's memory is limited,
# a quarter of it, if that is less: the functions need some for what they make of a body.
MAX_BODY_MB = 1024
BODY_SHARE = 4
# Bytes of requests that are not complete or wait for a thread, of all clients of a worker together,
# beyond the largest request that it takes; all workers together have no more than such a share of the
# container's memory for them.
UNFINISHED_BYTES = 256 * 1024 * 1024
UNFINISHED_SHARE = 8

# MaxConcurrentTransforms times MaxPayloadInMB is at most this (CreateTransformJob).
TRANSFORM_MB = 100

# What SageMaker itself takes for MaxPayloadInMB, where nobody says it.
USUAL_PAYLOAD_MB = 6

# A worker that shows no sign of life for this long, once it has loaded the model, is replaced.
SILENT_SECONDS = 240

# SageMaker kills a container 30 s after SIGTERM; requests that are under way get most of it.
STOP_SECONDS = 25

# Open files, and so connections, that the server raises its limit to where it may. No more: programs
# that user code starts may go through all numbers up to the limit.
OPEN_FILES = 1024 * 1024


def serve() -> None:
    """Serves until SIGTERM. Ends the process; the status is not 0 if the model does not load."""
    raise_open_files()
    set_shared_environment()
    try:
        server = Server(Settings(os.environ, smallest(memory_limits())))
        # Before there are workers, so that one line tells where it is not as on SageMaker.
        code_directory("prediction")
    except HarnessError as error:
        log(describe(error))
        raise SystemExit(1) from error
    server.run()


def raise_open_files() -> None:
    """Lets the server have as many connections as the container allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class Settings:
    """What can be set from outside, by environment variables. `memory` is the container's limit, in
    bytes; None: there is none."""

    def __init__(self, environ: Mapping[str, str], memory: int | None = None) -> None:
        def number(default: int, *names: Any, least: int = 1) -> int:
            for name in names:
                value = environ.get(name, "").strip()
                if value:
                    return integer(name, value, least)
            return default

        self.port = number(8080, "SAGEMAKER_BIND_TO_PORT")
        self.workers = number(len(os.sched_getaffinity(0)), "MLCLI_WORKERS", "SAGEMAKER_MODEL_SERVER_WORKERS")
        # 0 is no limit: legal in transform jobs (CreateTransformJob, MaxPayloadInMB), which stream.
        self.max_body_bytes = (
            1024
            * 1024
            * number(largest_body_mb(memory), "MLCLI_MAX_BODY_MB", "SAGEMAKER_MAX_PAYLOAD_IN_MB", least=0)
        )
        self.unfinished_bytes = self.max_body_bytes + min(
            UNFINISHED_BYTES, (memory or math.inf) / UNFINISHED_SHARE / self.workers
        )
        # For models that are not safe to use from several threads: 1. Default: no limit.
        self.concurrent_predictions = number(0, "MLCLI_CONCURRENT_PREDICTIONS")
        # SageMaker sets it in transform jobs.
        self.is_transform = environ.get("SAGEMAKER_BATCH") == "true"
        # Of a transform job: what its request says, with 0 for what it leaves open.
        self.execution_parameters = execution_parameters(
            self.workers,
            number(0, "MLCLI_MAX_BODY_MB", "SAGEMAKER_MAX_PAYLOAD_IN_MB", least=0)
            or min(USUAL_PAYLOAD_MB, largest_body_mb(memory)),
            number(0, "SAGEMAKER_MAX_CONCURRENT_TRANSFORMS", least=0),
            number(0, "SAGEMAKER_MAX_PAYLOAD_IN_MB", least=0),
        )
        self.preload = switch("MLCLI_PRELOAD", environ.get("MLCLI_PRELOAD", "").strip())
        self.access_log = environ.get("MLCLI_ACCESS_LOG", "") not in ("", "0")
        # Names of the server on the user's own machine; set by `mlcli local deploy` alone.
        self.allowed_hosts = environ.get("MLCLI_ALLOWED_HOSTS", "").split()


def largest_body_mb(memory: int | None) -> int:
    """What a body may have where nobody says it, in MB."""
    if memory is None:
        return MAX_BODY_MB
    return max(1, min(MAX_BODY_MB, memory // BODY_SHARE // 1024**2))


def execution_parameters(
    workers: int, largest_mb: int, concurrent: int = 0, payload_mb: int = 0
) -> dict[str, str | int]:
    """What a transform job does where its request does not say: a request for each worker, of
    `largest_mb` if SageMaker allows that. `concurrent` and `payload_mb` are the request's, and stand
    beside what is answered here; 0 is not said."""
    concurrent = concurrent or max(1, min(workers, TRANSFORM_MB // max(1, payload_mb)))
    most_mb = max(1, TRANSFORM_MB // concurrent)
    return {
        "MaxConcurrentTransforms": concurrent,
        "BatchStrategy": "MULTI_RECORD",
        "MaxPayloadInMB": min(largest_mb, most_mb),
    }


def switch(name: str, value: Any) -> bool:
    if value not in ("", "0", "1"):
        raise HarnessError("%s must be 0 or 1, not '%s'" % (name, value))
    return value == "1"


def integer(name: str, value: str, least: int) -> int:
    if not value.isdecimal() or int(value) < least:
        wanted = "a positive integer" if least else "0 (no limit) or a positive integer"
        raise HarnessError("%s must be %s, not '%s'" % (name, wanted, value))
    return int(value)


class Token:
    """Can be taken by one process, among those that are forked after it was made."""

    def __init__(self) -> None:
        self.pipe = os.pipe()
        os.set_blocking(self.pipe[0], False)

    def renew(self) -> None:
        self.take()
        os.write(self.pipe[1], b"1")

    def take(self) -> bool:
        """Returns whether it was there."""
        try:
            return bool(os.read(self.pipe[0], 1))
        except BlockingIOError:
            return False


class Server(BaseApplication):
    """gunicorn, set up by code. Each worker process loads the model for itself, when it boots, or
    the master does so for all of them."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        # Of the workers that fail to load the model side by side, the one that takes the token tells.
        self.failure_token = Token()
        # The first worker whose model_fn returns None takes this one.
        self.none_token = Token()
        self.none_token.renew()
        # The application, where the master has loaded the model.
        self.preloaded = None
        self.balance = Balance()
        super().__init__()

    def run(self) -> None:
        if self.settings.preload:
            self.preload()
        ServingArbiter(self).run()

    def preload(self) -> None:
        """Loads the model, from which the workers are forked. Ends the process if that fails."""
        # As process 1 of a container, a process has to have a handler to be ended by SIGTERM.
        # Elsewhere it is better off without: code that is not Python's holds no signal up then.
        if os.getpid() == 1:
            signal.signal(signal.SIGTERM, lambda *_: os._exit(STATUS))
        else:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        try:
            self.preloaded = SlowLoad().told_during(self.load)
        except (Exception, SystemExit) as error:
            log(describe(error))
            raise SystemExit(ServingArbiter.WORKER_BOOT_ERROR) from error
        if threading.active_count() > 1:
            log(
                "mlcli: the model has threads, which worker processes do not inherit, so "
                "MLCLI_PRELOAD=1 might not work"
            )
        # The collector writes into the objects that it looks at: that would copy them.
        gc.freeze()

    def load_config(self) -> None:
        options = {
            "bind": "0.0.0.0:%d" % self.settings.port,
            "workers": self.settings.workers,
            # By name: 20.1 takes no class here.
            "worker_class": "mlcli_harness.serving.worker.PredictionWorker",
            "timeout": SILENT_SECONDS,
            "graceful_timeout": STOP_SECONDS,
            "accesslog": "-" if self.settings.access_log else None,
            "loglevel": "warning",
            # Heartbeats go to a file; on a disk they can block. /dev/shm is memory.
            "worker_tmp_dir": "/dev/shm" if os.access("/dev/shm", os.W_OK) else None,
            # Newer versions open a socket for a control program that nobody here uses.
            "control_socket_disable": True,
        }
        for name, value in options.items():
            if name in self.cfg.settings:
                self.cfg.set(name, value)

    def load(self) -> Application:
        settings = self.settings
        model = load_model()
        if model.model is None and self.none_token.take():
            log("mlcli: model_fn returned None, so predict_fn receives None as the model")
        return Application(
            model,
            settings.concurrent_predictions,
            Callers(settings.allowed_hosts) if settings.allowed_hosts else None,
            # A transform job's answers may take longer than an endpoint's, and be larger.
            warns=not settings.is_transform,
            execution_parameters=settings.execution_parameters,
        )
