"""What the tests of the harness share: the harness to import, and temporary places for its paths.

gunicorn is not needed: the parts of the server that are the harness's own are tested here with
stand-ins for the few names of it that they import; what gunicorn itself does is tested against the
image, in tests/e2e/serving_test.ts.
"""

import io
import os
import signal
import subprocess
import sys
import tempfile
import types
import unittest
from contextlib import redirect_stderr
from unittest import mock

HARNESS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# No __pycache__ in the source tree.
sys.dont_write_bytecode = True
sys.path.insert(0, HARNESS)


def stand_in(name, **attributes):
    """Makes a module that has these attributes, as `import` finds it."""
    module = types.ModuleType(name)
    module.__path__ = []
    module.__dict__.update(attributes)
    sys.modules[name] = module


class BaseApplication:
    """Of gunicorn: has a configuration, which it loads when it is made."""

    # Not all: versions differ in which settings they know.
    KNOWN = (
        ["bind", "workers", "worker_class", "timeout", "graceful_timeout", "keepalive"]
        + ["accesslog", "loglevel", "worker_tmp_dir"]
    )

    def __init__(self):
        self.cfg = types.SimpleNamespace(settings=self.KNOWN, chosen={})
        self.cfg.set = self.cfg.chosen.__setitem__
        self.load_config()


class Arbiter:
    """Of gunicorn: the master, as it is before it has made a worker. `WORKERS` are by process id."""

    WORKER_BOOT_ERROR = 3

    def __init__(self, app):
        self.app = app
        self.cfg = app.cfg
        self.num_workers = self.cfg.workers
        self.timeout = self.cfg.timeout
        self.WORKERS = {}
        self.calls = []

    def manage_workers(self):
        if len(self.WORKERS) < self.num_workers:
            self.spawn_workers()

    def spawn_workers(self):
        self.calls.append("spawn_workers")

    def spawn_worker(self):
        return signal.pthread_sigmask(signal.SIG_BLOCK, [])

    def murder_workers(self):
        self.calls.append("murder_workers")

    def kill_worker(self, pid, sig):
        self.calls.append((pid, sig))

    def run(self):
        self.calls.append("run")

    def stop(self):
        self.calls.append("stop")


stand_in("gunicorn")
stand_in("gunicorn.app")
stand_in("gunicorn.app.base", BaseApplication=BaseApplication)
stand_in("gunicorn.arbiter", Arbiter=Arbiter)
stand_in("gunicorn.workers")
stand_in("gunicorn.workers.base", Worker=type("Worker", (), {}))

# As in most images, whatever this machine has: the tests of NPY have a stand-in for it.
sys.modules["numpy"] = None

# Their names are taken from here, once the stand-ins are there.
from mlcli_harness import paths  # noqa: E402


class ContainerTest(unittest.TestCase):
    """A test in a directory in place of the container's `/`, with an environment of its own."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="mlcli-test-")
        self.addCleanup(directory.cleanup)
        self.root = directory.name
        for name, path in vars(paths).items():
            if isinstance(path, str) and path.startswith("/opt/"):
                self.replace(paths, name, self.path(path))
        self.replace(os, "environ", {})
        # User code runs in its directory, which comes first on sys.path.
        self.addCleanup(os.chdir, os.getcwd())
        for name in ("path", "argv"):
            self.replace(sys, name, list(getattr(sys, name)))
        modules = mock.patch.dict(sys.modules)
        modules.start()
        self.addCleanup(modules.stop)

    def replace(self, target, name, value):
        """Gives something another value until the end of the test."""
        patch = mock.patch.object(target, name, value)
        patch.start()
        self.addCleanup(patch.stop)

    def path(self, path):
        """Where a path of the container is."""
        return self.root + path

    def write(self, path, text):
        """Writes a file of the container."""
        os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
        with open(self.path(path), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, path):
        """The text of a file of the container."""
        with open(self.path(path), encoding="utf-8") as file:
            return file.read()


def arrivals(data):
    """The ways in which a few bytes may arrive: whole, one by one, and cut in two anywhere."""
    yield [data]
    yield [data[place : place + 1] for place in range(len(data))]
    for place in range(1, len(data)):
        yield [data[:place], data[place:]]


def ending(call):
    """Calls what is to end the process: (its exit status, what it wrote to standard error)."""
    written = io.StringIO()
    with redirect_stderr(written):
        try:
            call()
        except SystemExit as stop:
            return stop.code, written.getvalue()
    raise AssertionError("The process goes on")


def run_python(code, *arguments, **options):
    """Runs code in a process of its own, with the harness to import. Its bytes are text."""
    prelude = "import sys; sys.path.insert(0, %r)\n" % HARNESS
    return subprocess.run(
        [sys.executable, "-B", "-S", "-E", "-c", prelude + code, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=30,
        check=False,
        encoding="utf-8",
        **options
    )


# A stand-in whose torchrun says what it is given, and fails as EXIT or SIGNAL says.
TORCH = """
import json, os, sys, types
class ChildFailedError(Exception):
    def get_first_failure(self):
        return 3, types.SimpleNamespace(exitcode=self.args[0])
class SignalException(Exception):
    sigval = 15
def main(words):
    names = ["MASTER_ADDR", "MASTER_PORT", "NCCL_SOCKET_IFNAME", "SM_CURRENT_HOST_RANK", "MLCLI_REPORT"]
    print(json.dumps([words, [os.environ.get(name) for name in names]]), flush=True)
    if "SIGNAL" in os.environ: raise SignalException
    if "EXIT" in os.environ: raise ChildFailedError(int(os.environ["EXIT"]))
within = "torch.distributed.elastic.multiprocessing"
for name in ["torch.distributed", "torch.distributed.elastic", within]:
    sys.modules[name] = types.ModuleType(name)
sys.modules["torch.distributed"].run = types.SimpleNamespace(main=main)
sys.modules[within].api = sys.modules[within].errors = sys.modules[__name__]
"""


def make_torch(directory):
    os.makedirs(directory)
    with open(os.path.join(directory, "torch.py"), "w", encoding="utf-8") as file:
        file.write(TORCH)
    return directory
