"""How a worker process gets the application, and with it the model."""

import os
import signal
import sys
import time

from gunicorn.arbiter import Arbiter
from gunicorn.workers.base import Worker

from mlcli_harness.failure import describe, log

# A worker whose failure is not the first to be reported waits this long for the master to end it.
STOPPED_BY_MASTER = 1


class BootingWorker(Worker):
    """A gunicorn worker that can be stopped while the model loads, and tells a failure once."""

    def load_wsgi(self):
        # A model can take minutes to load: a stop must not wait for it.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        try:
            self.wsgi = self.app.load()
        except (Exception, SystemExit) as error:
            self.fail_to_boot(error)
        finally:
            signal.signal(signal.SIGTERM, self.handle_exit)
        self.app.report_booted()

    def fail_to_boot(self, error):
        """Ends the server, since a model that does not load will not load the next time either."""
        # Two failures would confuse the master (20.1 ends with a stack trace of its own): the first
        # to fail reports and ends it. The master then ends the others, except one that it has made
        # at that moment: that one misses the signal and ends by itself.
        signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
        if not self.app.report_failed():
            time.sleep(STOPPED_BY_MASTER)
            sys.exit(0)
        log(describe(error))
        sys.exit(Arbiter.WORKER_BOOT_ERROR)
