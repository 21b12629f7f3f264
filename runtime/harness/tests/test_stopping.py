import signal
import unittest

from support import run_python

START = """
import os, signal, sys
from mlcli_harness.stopping import stop_on_sigterm
"""


class Sigterm(unittest.TestCase):
    """In processes of their own: what a fork calls is registered for good."""

    def run_code(self, code, start=START + "stop_on_sigterm()\n"):
        """(exit status, standard output); nothing on standard error."""
        result = run_python(start + code)
        self.assertEqual(result.stderr, "")
        return result.returncode, result.stdout

    def test_ends_the_process_with_143_and_lets_it_clean_up(self):
        code = """
try:
    os.kill(os.getpid(), signal.SIGTERM)
    print("went on")
finally:
    print("cleaned up")
"""
        self.assertEqual(self.run_code(code), (143, "cleaned up\n"))

    def test_given_twice_does_not_break_off_the_cleaning_up(self):
        code = """
try:
    os.kill(os.getpid(), signal.SIGTERM)
finally:
    os.kill(os.getpid(), signal.SIGTERM)
    print("cleaned up")
"""
        self.assertEqual(self.run_code(code), (143, "cleaned up\n"))

    def test_is_the_users_who_has_a_handler_also_in_children(self):
        code = """
signal.signal(signal.SIGTERM, lambda *_: print("mine", flush=True))
os.kill(os.getpid(), signal.SIGTERM)
child = os.fork()
if child == 0:
    os.kill(os.getpid(), signal.SIGTERM)
    os._exit(5)
print(os.WEXITSTATUS(os.waitpid(child, 0)[1]))
"""
        self.assertEqual(self.run_code(code), (0, "mine\nmine\n5\n"))

    def test_ends_children_as_it_does_without_the_harness(self):
        code = """
child = os.fork()
if child == 0:
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    finally:
        os._exit(5)
print(os.WTERMSIG(os.waitpid(child, 0)[1]))
"""
        self.assertEqual(self.run_code(code), (0, "%d\n" % signal.SIGTERM))

    def test_leaves_the_mask_of_signals_as_it_was(self):
        code = """
def mask(): return sorted(int(one) for one in signal.pthread_sigmask(signal.SIG_BLOCK, []))
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
child = os.fork()
print(*mask(), flush=True)
if child == 0: os._exit(0)
os.waitpid(child, 0)
"""
        expected = "%d\n" % signal.SIGUSR1
        self.assertEqual(self.run_code(code), (0, expected * 2))

    def test_on_its_way_while_a_child_is_made_ends_the_parent(self):
        # What is registered before the harness runs when that has blocked the signal.
        start = """
import os, signal, warnings
# Newer Pythons advise against a fork where there are threads: the signal is sent again by one.
warnings.simplefilter("ignore", DeprecationWarning)
os.register_at_fork(before=lambda: os.kill(os.getpid(), signal.SIGTERM))
"""
        code = """
try:
    child = os.fork()
    if child == 0: os._exit(0)
    os.waitpid(child, 0)
    signal.sigtimedwait([signal.SIGUSR1], 20)
    print("went on")
finally:
    print("cleaned up")
"""
        self.assertEqual(
            self.run_code(code, start + START + "stop_on_sigterm()\n"), (143, "cleaned up\n")
        )

    def test_on_its_way_to_a_child_that_is_being_made_ends_it(self):
        # Sent before the child has its handlers back: by the last that a fork calls.
        start = """
import os, signal
os.register_at_fork(after_in_child=lambda: os.kill(os.getpid(), signal.SIGTERM))
"""
        code = """
child = os.fork()
if child == 0: os._exit(5)
print(os.waitpid(child, 0)[1])
"""
        self.assertEqual(
            self.run_code(code, start + START + "stop_on_sigterm()\n"), (0, "%d\n" % signal.SIGTERM)
        )
