"""Starts gunicorn around the application."""

import mmap
import os

from gunicorn.app.base import BaseApplication
from gunicorn.errors import HaltServer

from mlcli_harness.code import code_directory
from mlcli_harness.environment import set_shared_environment
from mlcli_harness.failure import HarnessError, describe, log
from mlcli_harness.serving.application import Application
from mlcli_harness.serving.balance import Balance
from mlcli_harness.serving.callers import Callers
from mlcli_harness.serving.model import load_model

# SageMaker's documented limit for the body of a request.
MAX_BODY_MB = 6

# SageMaker gives a container 4 minutes from its start to the first answered /ping. A worker that
# shows no sign of life for this long, while it loads the model or later, is replaced.
START_SECONDS = 240

# SageMaker kills a container 30 s after SIGTERM; requests that are under way get most of it.
STOP_SECONDS = 25

# Places in the memory that the workers share: 1 once any of them has loaded the model, or failed to.
BOOTED, FAILED = 0, 1


def serve():
    """Serves until SIGTERM. Ends the process; the status is not 0 if the model does not load."""
    set_shared_environment()
    try:
        server = Server(Settings(os.environ))
        # Before there are workers, so that one line tells where it is not as on the platform.
        code_directory("prediction")
    except HarnessError as error:
        log(describe(error))
        raise SystemExit(1) from error
    server.run()


class Settings:
    """What can be set from outside, by environment variables."""

    def __init__(self, environ):
        def number(default, *names, least=1):
            for name in names:
                value = environ.get(name, "").strip()
                if value:
                    return integer(name, value, least)
            return default

        self.port = number(8080, "SAGEMAKER_BIND_TO_PORT")
        self.workers = number(
            len(os.sched_getaffinity(0)), "MLCLI_WORKERS", "SAGEMAKER_MODEL_SERVER_WORKERS"
        )
        # 0 is no limit: legal in transform jobs (CreateTransformJob, MaxPayloadInMB), which stream.
        self.max_body_bytes = 1024 * 1024 * number(
            MAX_BODY_MB, "MLCLI_MAX_BODY_MB", "SAGEMAKER_MAX_PAYLOAD_IN_MB", least=0
        )
        # For models that are not safe to use from several threads: 1. Default: no limit.
        self.concurrent_predictions = number(0, "MLCLI_CONCURRENT_PREDICTIONS")
        self.access_log = environ.get("MLCLI_ACCESS_LOG", "") not in ("", "0")
        # Names of the server on the user's own machine; set by `mlcli local deploy` alone.
        self.allowed_hosts = environ.get("MLCLI_ALLOWED_HOSTS", "").split()


def integer(name, value, least):
    if not value.isdecimal() or int(value) < least:
        wanted = "a positive integer" if least else "0 (no limit) or a positive integer"
        raise HarnessError("%s must be %s, not '%s'" % (name, wanted, value))
    return int(value)


class Server(BaseApplication):
    """gunicorn, set up by code. Each worker process loads the model for itself, when it boots."""

    def __init__(self, settings):
        self.settings = settings
        # One token for all workers: whoever takes it is the first that failed to load the model.
        self.failure_token, writing_end = os.pipe()
        os.write(writing_end, b"1")
        os.close(writing_end)
        # Shared by all workers: whether the model was loaded, or failed to load.
        self.booting = mmap.mmap(-1, 2)
        self.balance = Balance()
        super().__init__()

    def report_failed(self):
        """Notes that the model did not load in a worker. Returns whether that one is the first."""
        self.booting[FAILED] = 1
        return bool(os.read(self.failure_token, 1))

    def report_booted(self):
        """Notes that a worker has loaded the model."""
        self.booting[BOOTED] = 1

    def look_after_ended_worker(self, arbiter, worker):
        """What gunicorn's master calls for each worker that has ended."""
        self.balance.leave(worker.age)
        self.end_if_not_booted(arbiter, worker)

    def end_if_not_booted(self, arbiter, worker):
        """Ends the server where a worker died before any could load the model: the next ones
        would die, too."""
        # An arbiter that is being stopped has closed its listeners first.
        if self.booting[BOOTED] or not arbiter.LISTENERS:
            return
        # FAILED: a worker ended with an exception, and has logged it. The arbiter should have ended
        # then, but it does not always: what a signal handler raises while Python forks is ignored.
        if not self.booting[FAILED]:
            log("mlcli: a worker process died while it loaded the model; was there too little memory?")
        raise HaltServer("Worker failed to boot.", arbiter.WORKER_BOOT_ERROR)

    def load_config(self):
        options = {
            "bind": "0.0.0.0:%d" % self.settings.port,
            "workers": self.settings.workers,
            # By name: 20.1 takes no class here.
            "worker_class": "mlcli_harness.serving.worker.PredictionWorker",
            "timeout": START_SECONDS,
            "graceful_timeout": STOP_SECONDS,
            "accesslog": "-" if self.settings.access_log else None,
            "loglevel": "warning",
            # Heartbeats go to a file; on a disk they can block. /dev/shm is memory.
            "worker_tmp_dir": "/dev/shm" if os.access("/dev/shm", os.W_OK) else None,
            "child_exit": self.look_after_ended_worker,
            # Newer versions open a socket for a control program that nobody here uses.
            "control_socket_disable": True,
        }
        for name, value in options.items():
            if name in self.cfg.settings:
                self.cfg.set(name, value)

    def load(self):
        settings = self.settings
        return Application(
            load_model(),
            settings.concurrent_predictions,
            Callers(settings.allowed_hosts) if settings.allowed_hosts else None,
            # A transform job's answers may be larger than an endpoint's.
            warn_large=settings.max_body_bytes > 0,
        )
