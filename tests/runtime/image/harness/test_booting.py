import signal
import unittest
from types import SimpleNamespace
from unittest import mock

from support import ending
from mlcli_harness.serving import booting as module
from mlcli_harness.serving.booting import BootingWorker


class Loading(unittest.TestCase):
    def setUp(self):
        self.log = []
        patch = mock.patch.object(module, "log", self.log.append)
        patch.start()
        self.addCleanup(patch.stop)
        self.worker = BootingWorker()
        # As the master's is when it makes a worker.
        handler = signal.signal(signal.SIGTERM, signal.SIG_IGN)
        self.addCleanup(signal.signal, signal.SIGTERM, handler)
        self.during = None
        self.booted = []
        self.error = None
        self.failed = mock.Mock(side_effect=[True, False])
        self.worker.app = SimpleNamespace(
            load=self.load,
            report_booted=lambda: self.booted.append(True),
            report_failed=self.failed,
        )
        self.worker.handle_exit = lambda signum, frame: None

    def load(self):
        self.during = signal.getsignal(signal.SIGTERM)
        if self.error:
            raise self.error
        return "application"

    def test_can_be_ended_at_once(self):
        self.worker.load_wsgi()
        self.assertEqual((self.worker.wsgi, self.booted), ("application", [True]))
        self.assertEqual(self.during, signal.SIG_DFL)
        self.assertEqual(signal.getsignal(signal.SIGTERM), self.worker.handle_exit)

    def test_that_fails_is_told_by_the_first_alone(self):
        for error in (ValueError("no model"), SystemExit("enough")):
            self.error = error
            self.failed.side_effect = [True]
            self.assertEqual(ending(self.worker.load_wsgi), (3, ""))
            self.assertIn(str(error), self.log.pop())
            self.failed.side_effect = [False]
            with mock.patch.object(module.time, "sleep") as sleep:
                self.assertEqual(ending(self.worker.load_wsgi), (0, ""))
            sleep.assert_called_once_with(1)
            self.assertEqual((self.log, self.booted), ([], []))
