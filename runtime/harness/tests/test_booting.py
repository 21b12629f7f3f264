import os
import signal
import sys
import threading
import time
import unittest
from types import SimpleNamespace
from unittest import mock

from support import ending
from mlcli_harness.serving import booting as module
from mlcli_harness.serving.booting import FAILED, HELD_BACK, LOADED, LOADING, BootingWorker, SlowLoad


class BootingTest(unittest.TestCase):
    def setUp(self):
        self.log = []
        patch = mock.patch.object(module, "log", self.log.append)
        patch.start()
        self.addCleanup(patch.stop)


class Loading(BootingTest):
    def setUp(self):
        super().setUp()
        # As the master's are when it makes a worker.
        handler = signal.signal(signal.SIGTERM, signal.SIG_IGN)
        self.addCleanup(signal.signal, signal.SIGTERM, handler)
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, HELD_BACK)
        self.addCleanup(signal.pthread_sigmask, signal.SIG_SETMASK, mask)
        self.during = None
        self.error = None
        self.worker = BootingWorker()
        self.worker.app = SimpleNamespace(
            load=self.load,
            preloaded=None,
            failure_token=mock.Mock(**{"take.side_effect": [True, False]}),
        )
        self.worker.handle_exit = lambda signum, frame: None
        self.worker.ppid = os.getpid()
        self.woken = []
        handler = signal.signal(signal.SIGCHLD, lambda *_: self.woken.append(self.worker.boot.state))
        self.addCleanup(signal.signal, signal.SIGCHLD, handler)

    def load(self):
        self.during = (signal.getsignal(signal.SIGTERM), signal.pthread_sigmask(signal.SIG_BLOCK, []))
        self.assertEqual(self.worker.boot.state, LOADING)
        self.taken = bytearray(b"x") * (32 * 1024**2)
        if self.error:
            raise self.error
        return "application"

    def test_can_be_ended_at_once(self):
        self.worker.load_wsgi()
        self.assertEqual(self.worker.wsgi, "application")
        self.assertEqual(self.during[0], signal.SIG_DFL)
        self.assertFalse(self.during[1] & HELD_BACK)
        self.assertEqual(signal.getsignal(signal.SIGTERM), self.worker.handle_exit)

    def test_tells_the_master_that_it_is_done_and_what_it_took(self):
        self.worker.load_wsgi()
        self.assertEqual(self.woken, [LOADED])
        growth, peak = self.worker.boot.sizes
        self.assertGreater(growth, 30 * 1024**2)
        self.assertLess(growth, 64 * 1024**2)
        self.assertGreaterEqual(peak, 0)

    def test_tells_across_processes(self):
        pid = os.fork()
        if not pid:
            self.worker.boot.loaded(3, 2**40)
            os._exit(0)
        os.waitpid(pid, 0)
        self.assertEqual((self.worker.boot.state, self.worker.boot.sizes), (LOADED, (3, 2**40)))

    def test_takes_what_the_master_has_loaded(self):
        self.worker.app.preloaded = "preloaded"
        seeded = []
        modules = {
            "numpy.random": SimpleNamespace(seed=lambda: seeded.append("numpy")),
            "torch": SimpleNamespace(seed=lambda: seeded.append("torch")),
        }
        with mock.patch.dict(sys.modules, modules):
            self.worker.load_wsgi()
        self.assertEqual((self.worker.wsgi, self.during), ("preloaded", None))
        # Random numbers would be the same in all workers.
        self.assertEqual(seeded, ["numpy", "torch"])
        # Those that a worker itself has loaded are as its code wants them.
        self.worker = self.renewed()
        self.worker.app.preloaded = None
        with mock.patch.dict(sys.modules, modules):
            self.worker.load_wsgi()
        self.assertEqual(seeded, ["numpy", "torch"])

    def test_that_fails_is_told_by_the_first_alone(self):
        for error in (ValueError("no model"), SystemExit("enough"), BaseException("panic")):
            self.error = error
            self.worker.app.failure_token.take.side_effect = [True, False]
            self.assertEqual(ending(self.worker.load_wsgi), (3, ""))
            self.assertIn(str(error), self.log.pop())
            self.assertEqual(ending(self.worker.load_wsgi), (3, ""))
            self.assertEqual((self.log, self.worker.boot.state), ([], FAILED))
            self.worker = self.renewed()

    def renewed(self):
        worker = BootingWorker()
        worker.app, worker.ppid = self.worker.app, self.worker.ppid
        worker.handle_exit = self.worker.handle_exit
        return worker

    def test_that_fails_is_told_though_the_master_wants_an_end(self):
        ended = []
        self.error = ValueError("no model")

        def told(text):
            os.kill(os.getpid(), signal.SIGTERM)
            self.log.append(text)
            self.assertEqual(ended, [])

        with mock.patch.object(module, "log", told), mock.patch.object(os, "_exit", ended.append):
            self.assertEqual(ending(self.worker.load_wsgi), (3, ""))
        self.assertEqual((len(self.log), ended), (1, [0]))


class SlowLoads(BootingTest):
    def test_are_told_from_a_thread_that_ends_with_them(self):
        heard = threading.Event()

        def load():
            self.assertTrue(heard.wait(20))
            return "application"

        with mock.patch.object(module, "FIRST_WORD", 0.01), mock.patch.object(
            module, "log", lambda text: (self.log.append(text), heard.set())
        ):
            self.assertEqual(SlowLoad().told_during(load), "application")
        self.assertRegex(self.log[0], r"^mlcli: the model has been loading for \d+ s \(model_fn")
        self.assertEqual(threading.active_count(), 1)

    def test_that_fail_end_the_thread_too(self):
        self.assertRaises(ValueError, SlowLoad().told_during, lambda: int("x"))
        self.assertEqual((threading.active_count(), self.log), (1, []))

    def test_say_so_once_where_nobody_asked_for_long(self):
        with mock.patch.object(time, "monotonic", return_value=1000):
            slow = SlowLoad()
            self.assertEqual(slow.tell(), 10)
        with mock.patch.object(time, "monotonic", return_value=1100):
            self.assertEqual([slow.tell(), slow.tell()], [60, 60])
        self.assertEqual(len(self.log), 1)
