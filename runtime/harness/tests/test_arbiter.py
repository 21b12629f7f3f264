import itertools
import os
import signal
import tempfile
import unittest
from types import SimpleNamespace
from unittest import mock

from support import ending
from mlcli_harness import paths
from mlcli_harness.serving import arbiter as module, booting
from mlcli_harness.serving.arbiter import ServingArbiter, describe_end
from mlcli_harness.serving.booting import BootRecord
from mlcli_harness.serving.memory import Limit

MB = 1024**2
KILLED = int(signal.SIGKILL)


def exited(status):
    """What `wait` says of a process that ended with it."""
    return status << 8


class FakeWorker:
    """A worker, as the master sees it."""

    def __init__(self, pid):
        self.pid = pid
        self.age = 7
        self.boot = BootRecord()
        self.asked = self.aborted = False
        self.tmp = mock.Mock()


class ArbiterTest(unittest.TestCase):
    LIMITS = []
    MACHINE = "/no/meminfo"

    def setUp(self):
        self.log = []
        self.now = 1000.0
        for target, name, value in [
            (module, "log", self.log.append),
            (booting, "log", self.log.append),
            (module.memory, "memory_limits", lambda: list(self.LIMITS)),
            (module.memory, "MACHINE", self.MACHINE),
            (module.time, "monotonic", lambda: self.now),
        ]:
            patch = mock.patch.object(target, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        self.app = SimpleNamespace(
            cfg=SimpleNamespace(workers=3, timeout=240),
            preloaded=None,
            failure_token=mock.Mock(),
            balance=mock.Mock(),
        )
        self.pids = itertools.count(100)
        self.start_server()

    def start_server(self):
        self.arbiter = ServingArbiter(self.app)

    def worker(self, loaded=False, sizes=(0, 0)):
        """One more worker."""
        worker = FakeWorker(next(self.pids))
        self.arbiter.WORKERS[worker.pid] = worker
        if loaded:
            worker.boot.loaded(*sizes)
        return worker

    def end(self, worker, status):
        """The worker ends, and the main loop comes round."""
        del self.arbiter.WORKERS[worker.pid]
        self.arbiter.ended.append((worker, status))
        self.arbiter.manage_workers()

    def spawned(self):
        """Whether the master makes workers when it is asked to."""
        self.arbiter.calls.clear()
        self.arbiter.spawn_workers()
        return "spawn_workers" in self.arbiter.calls


class Ends(ArbiterTest):
    def test_of_workers_that_served_are_told_and_end_nothing(self):
        for status, how in [
            (exited(0), "exit code 0"),
            (exited(3), "exit code 3"),
            (exited(4), "exit code 4"),
            (KILLED, "SIGKILL, probably out of memory"),
            (int(signal.SIGSEGV) | 0x80, "SIGSEGV"),
        ]:
            worker = self.worker(loaded=True)
            self.end(worker, status)
            self.assertEqual(
                self.log.pop(),
                "mlcli: worker process %d exited (%s); starting another one" % (worker.pid, how),
            )
        self.assertEqual((self.log, self.arbiter.num_workers), ([], 3))

    def test_that_were_asked_for_are_none_of_the_logs(self):
        worker = self.worker(loaded=True)
        self.arbiter.kill_worker(worker.pid, signal.SIGTERM)
        self.end(worker, exited(0))
        self.assertEqual(self.log, [])
        # This one has its log opened anew, and goes on.
        worker = self.worker(loaded=True)
        self.arbiter.kill_worker(worker.pid, signal.SIGUSR1)
        self.end(worker, exited(1))
        self.assertEqual(len(self.log), 1)
        sent = [call for call in self.arbiter.calls if isinstance(call, tuple)]
        self.assertEqual(sent, [(100, signal.SIGTERM), (101, signal.SIGUSR1)])

    def test_by_the_master_itself_are_told_as_what_they_are(self):
        worker = self.worker(loaded=True)
        worker.aborted = True
        self.arbiter.kill_worker(worker.pid, signal.SIGKILL)
        self.end(worker, KILLED)
        self.assertIn("exited (no heartbeat for 240 s); starting another", self.log[0])

    def test_have_names(self):
        for status, how in [
            (exited(255), "exit code 255"),
            (int(signal.SIGABRT), "SIGABRT"),
            (int(signal.SIGRTMIN) + 1, "signal 35"),
        ]:
            self.assertEqual(describe_end(status), how)

    def test_of_one_after_the_other_do_not_keep_the_master_busy(self):
        self.assertTrue(self.spawned())
        self.now += 100
        self.end(self.worker(loaded=True), exited(3))
        # After a long life, its place is taken at once.
        self.assertTrue(self.spawned())
        self.now += 0.1
        self.end(self.worker(loaded=True), exited(3))
        self.assertFalse(self.spawned())
        self.now += 1
        self.assertTrue(self.spawned())


class FailuresToLoad(ArbiterTest):
    def failed(self):
        worker = self.worker()
        worker.boot.failed()
        return worker

    def test_end_a_server_that_has_no_model(self):
        for worker, status, said in [
            (self.failed(), exited(3), []),
            (self.worker(), exited(3), ["(exit code 3)"]),
            (self.worker(), KILLED, ["(SIGKILL, probably out of memory)"]),
        ]:
            # Another one that is still at it makes no difference.
            self.worker()
            self.arbiter.calls.clear()
            self.assertEqual(ending(lambda: self.end(worker, status)), (3, ""))
            self.assertEqual(self.arbiter.calls, ["stop"])
            self.assertEqual(
                self.log, ["mlcli: a worker process exited while loading the model " + how for how in said]
            )
            self.log.clear()

    def test_later_are_tried_again_ever_less_often(self):
        serving = self.worker(loaded=True)
        pauses = []
        for _ in range(8):
            failed = self.failed()
            self.end(failed, exited(3))
            self.assertRegex(
                self.log[-1],
                r"^mlcli: worker process \d+ exited while loading the model \(exit code 3\); "
                r"retrying in \d+ s$",
            )
            pauses.append(int(self.log[-1].split()[-2]))
            self.now += pauses[-1] - 0.5
            self.assertFalse(self.spawned())
            self.now += 0.5
            self.assertTrue(self.spawned())
        self.assertEqual(pauses, [1, 2, 4, 8, 16, 32, 60, 60])
        # Each time, one of those that fail may say why.
        self.assertEqual(self.app.failure_token.renew.call_count, 8)
        # All is well again.
        self.worker(loaded=True)
        self.worker(loaded=True)
        self.arbiter.manage_workers()
        self.end(self.failed(), exited(3))
        self.assertIn("in 1 s", self.log[-1])
        self.assertEqual(self.arbiter.num_workers, 3)
        # The last one that serves takes the server with it, since the next cannot.
        for worker in list(self.arbiter.WORKERS.values()):
            self.end(worker, exited(0))
        self.assertNotIn(serving, self.arbiter.WORKERS.values())
        self.assertEqual(ending(lambda: self.end(self.failed(), exited(3))), (3, ""))

    def test_for_want_of_memory_leave_the_server_with_fewer(self):
        self.worker(loaded=True)
        for left in (2, 1):
            worker = self.worker()
            self.end(worker, KILLED)
            self.assertEqual(
                self.log.pop(),
                "mlcli: worker process %d exited while loading the model (SIGKILL, probably out of memory); "
                "the server continues with %d of 3" % (worker.pid, left),
            )
            self.assertEqual(self.arbiter.num_workers, left)
        # There has to be one.
        self.end(self.worker(), KILLED)
        self.assertIn("retrying in 1 s", self.log.pop())
        self.assertEqual(self.arbiter.num_workers, 1)


class SlowLoads(ArbiterTest):
    def test_are_told_at_growing_intervals_until_there_is_a_model(self):
        worker = self.worker()
        told = []
        for second in range(401):
            self.now = 1000.0 + second
            self.arbiter.manage_workers()
            if self.log:
                told.append(second)
                line = self.log.pop()
                self.assertRegex(line, r"^mlcli: the model has been loading for %d s \(model_fn" % second)
                self.assertIn("and /ping fails until it is loaded. SageMaker waits 240 s", line)
        self.assertEqual(told, [10, 20, 40, 80, 160, 320])
        worker.boot.loaded(0, 0)
        self.worker()
        self.now += 1000
        self.arbiter.manage_workers()
        self.assertEqual(self.log, [])
        # Without it, the next wait begins.
        del self.arbiter.WORKERS[worker.pid]
        self.arbiter.manage_workers()
        self.assertEqual(self.log, [])
        self.now += 11
        self.arbiter.manage_workers()
        self.assertIn("loading for 11 s", self.log[0])

    def test_are_not_ended(self):
        loading, loaded, ended = self.worker(), self.worker(loaded=True), self.worker()
        ended.tmp.notify.side_effect = ValueError("closed")
        self.arbiter.murder_workers()
        loading.tmp.notify.assert_called_once_with()
        loaded.tmp.notify.assert_not_called()
        self.assertEqual(self.arbiter.calls, ["murder_workers"])


class Starts(ArbiterTest):
    def test_are_side_by_side_where_no_limit_is_known(self):
        self.arbiter.manage_workers()
        self.assertEqual(self.arbiter.num_workers, 3)

    def test_hold_signals_back_while_a_worker_is_made(self):
        self.assertLessEqual(booting.HELD_BACK, self.arbiter.spawn_worker())
        self.assertFalse(booting.HELD_BACK & signal.pthread_sigmask(signal.SIG_BLOCK, []))

    def test_notice_children_that_end(self):
        pid = os.fork()
        if not pid:
            os._exit(3)
        worker = FakeWorker(pid)
        self.arbiter.WORKERS[pid] = worker
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        self.arbiter.reap_workers()
        self.assertEqual(self.arbiter.WORKERS, {})
        self.assertEqual(list(self.arbiter.ended), [(worker, exited(3))])
        worker.tmp.close.assert_called_once_with()
        self.app.balance.leave.assert_called_once_with(7)
        # Where there are no children, there is nothing to notice.
        self.arbiter.reap_workers()


class StartsWithALimit(ArbiterTest):
    LIMITS = ["limit"]

    def start(self, room, sizes):
        """The workers there may be once the first has loaded, one is loading, and both have."""
        limit = Limit(1000 * MB, "", "", "")
        self.arbiter.manage_workers()
        self.assertEqual(self.arbiter.num_workers, 1)
        first = self.worker()
        self.arbiter.manage_workers()
        self.assertEqual(self.arbiter.num_workers, 1)
        first.boot.loaded(*sizes)
        numbers = []
        left = None if room is None else (limit, room)
        with mock.patch.object(module.memory, "room", lambda limits: left):
            for _ in range(2):
                self.arbiter.manage_workers()
                numbers.append(self.arbiter.num_workers)
                self.worker(loaded=True)
        return numbers

    def test_are_of_all_once_the_first_has_shown_that_they_fit(self):
        self.assertEqual(self.start(400 * MB, (100 * MB, 150 * MB)), [3, 3])
        self.assertEqual(self.log, [])

    def test_are_one_after_the_other_where_loading_takes_more(self):
        self.assertEqual(self.start(400 * MB, (100 * MB, 250 * MB)), [2, 3])
        self.assertEqual(self.log, [])

    def test_are_of_those_that_fit(self):
        self.assertEqual(self.start(199 * MB, (100 * MB, 120 * MB)), [2, 2])
        self.assertEqual(len(self.log), 1)
        self.assertRegex(
            self.log[0],
            "^mlcli: the model needs 100 MB per worker, and 199 MB of the container's 1000 MB are "
            "free: only 2 of 3 workers start. Set MLCLI_PRELOAD=1 .* --memory.* MLCLI_WORKERS=2",
        )

    def test_are_of_one_where_no_other_fits(self):
        for room in (99 * MB, -1):
            self.start_server()
            self.assertEqual(self.start(room, (100 * MB, 100 * MB)), [1, 1])
            self.assertIn("1 of 3 workers start", self.log.pop())

    def test_are_of_all_where_nothing_can_be_measured(self):
        self.assertEqual(self.start(None, (100 * MB, 100 * MB)), [3, 3])
        self.start_server()
        self.assertEqual(self.start(100 * MB, (0, 0)), [3, 3])
        self.assertEqual(self.log, [])

    def test_are_side_by_side_of_a_model_that_is_there_already(self):
        self.app.preloaded = "application"
        self.assertEqual(ServingArbiter(self.app).num_workers, 3)
        self.app.preloaded = None
        self.app.cfg.workers = 1
        self.assertEqual(ServingArbiter(self.app).limits, [])


class StartsWithoutALimit(ArbiterTest):
    """So many processors, GB of free memory, and GB of the model: in files, per worker, and at most
    while it loads. Expected: the workers that start first, after that one, and in the end."""

    REPORTS = [
        # Five workers of 1.5 GB, on a machine with less: https://github.com/benoitc/gunicorn/issues/1646
        (5, 6, 1.5, 1.5, 1.5, [1, 4, 4]),
        # Eight copies of a model of 3 GB: https://github.com/benoitc/gunicorn/issues/2007
        (8, 16, 3, 3, 3, [1, 5, 5]),
        # Each worker more needs a copy: https://github.com/SeldonIO/MLServer/issues/1232
        (4, 4, 1, 1.25, 1.25, [1, 3, 3]),
        # Loading takes more than the model: https://github.com/SeldonIO/MLServer/issues/1316
        (4, 7, 1, 1, 4, [1, 2, 3]),
        # A small model on 256 processors: https://github.com/bentoml/BentoML/issues/2246
        (256, 120, 0, 0.25, 0.25, [1, 256, 256]),
        # All memory is used at the start: https://github.com/bentoml/BentoML/issues/3037
        (32, 4, 0, 0.25, 0.25, [1, 16, 16]),
        # Four copies of 0.9 GB, for which there is room: https://github.com/pytorch/serve/issues/941
        (4, 16, 0.25, 0.9, 0.9, [4, 4, 4]),
    ]

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="mlcli-test-")
        self.addCleanup(directory.cleanup)
        self.MACHINE = os.path.join(directory.name, "meminfo")
        super().setUp()
        self.model = os.path.join(directory.name, "model.bin")
        with open(self.model, "wb"):
            pass
        patch = mock.patch.object(paths, "MODEL", directory.name)
        patch.start()
        self.addCleanup(patch.stop)

    def machine(self, available):
        with open(self.MACHINE, "w", encoding="ascii") as file:
            file.write("MemTotal: %d kB\nMemAvailable: %d kB\n" % (128 * 1024**2, available * 1024**2))

    def test_are_of_those_that_fit_into_the_machine(self):
        for workers, available, files, takes, peak, expected in self.REPORTS:
            self.log.clear()
            self.app.cfg.workers = workers
            self.machine(available)
            os.truncate(self.model, int(files * 1024) * MB)
            self.start_server()
            self.arbiter.WORKERS.clear()
            self.arbiter.manage_workers()
            numbers = [self.arbiter.num_workers]
            for loaded in (1, 2):
                self.worker(loaded=True, sizes=(int(takes * 1024) * MB, int(peak * 1024) * MB))
                self.machine(available - loaded * takes)
                self.arbiter.manage_workers()
                numbers.append(self.arbiter.num_workers)
            self.assertEqual(numbers, expected)
            if expected[1] < workers and takes == peak:
                said = self.log.pop()
                start = "of the machine's 131072 MB are free: only %d of %d workers start"
                start %= expected[1], workers
                self.assertIn(start, said)
                self.assertRegex(said, "machine with more free memory.* MLCLI_WORKERS=%d" % expected[1])
            self.assertEqual(self.log, [])
