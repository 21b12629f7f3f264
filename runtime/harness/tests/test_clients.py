import unittest
from types import SimpleNamespace
from unittest import mock

import support  # noqa: F401, puts the harness on the path
from mlcli_harness.serving import clients as module
from mlcli_harness.serving.clients import is_over, is_stuck

NOW = 1000.0


def connection(waits_since=None, lingers_until=None, rested_at=0.0, is_idle=False):
    """As much of a connection as decides when it is over, on a clock that says NOW."""
    return SimpleNamespace(
        sender=SimpleNamespace(waits_since=waits_since, backlog=waits_since and [b"a"]),
        lingers_until=lingers_until,
        rested_at=rested_at,
        is_idle=lambda: is_idle,
    )


class Stop(unittest.TestCase):
    def setUp(self):
        patch = mock.patch.object(module, "time", SimpleNamespace(monotonic=lambda: NOW))
        patch.start()
        self.addCleanup(patch.stop)

    def test_gives_clients_some_seconds_for_their_answers(self):
        for waits_since, elapsed, expected in [
            (None, 100, False),
            # One that is made late has a second of its own.
            (NOW - 0.5, 100, False),
            (NOW - 1, 100, True),
            (NOW - 1, 3, True),
            (NOW - 100, 2.9, False),
        ]:
            with self.subTest(waits_since=waits_since, elapsed=elapsed):
                one = connection(waits_since=waits_since)
                self.assertEqual(is_stuck(one, elapsed), expected)
                if waits_since:
                    self.assertEqual(is_over(one, elapsed), expected)

    def test_ends_what_there_is_nothing_to_wait_for(self):
        for one, elapsed, expected in [
            (connection(is_idle=True), 0.05, False),
            (connection(is_idle=True), 0.1, True),
            # Half a request.
            (connection(), 2.9, False),
            (connection(), 3, True),
            (connection(lingers_until=NOW + 60, rested_at=NOW - 0.9), 100, False),
            (connection(lingers_until=NOW + 60, rested_at=NOW - 1), 0, True),
        ]:
            with self.subTest(vars(one), elapsed=elapsed):
                self.assertEqual(is_over(one, elapsed), expected)

    def test_is_over_within_the_6_seconds_that_the_design_allows(self):
        seconds = (module.STOP_CLIENTS_SECONDS, module.STOP_ANSWER_SECONDS, module.STOP_LINGER_SECONDS)
        self.assertLess(sum(seconds), 6)
