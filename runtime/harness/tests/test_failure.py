import json
import os
import sys

from support import ContainerTest, ending
from mlcli_harness import report
from mlcli_harness.failure import HarnessError, describe, run_user_code, summary, write_failure

FAILURE = "/opt/ml/output/failure"


class Broken(Exception):
    def __str__(self):
        return 1 / 0


class RunUserCode(ContainerTest):
    def end(self, error):
        def call():
            raise error

        return ending(lambda: run_user_code(call, self.path(FAILURE)))

    def failure(self):
        try:
            return self.read(FAILURE)
        except FileNotFoundError:
            return None

    def test_tells_an_exception_twice(self):
        status, said = self.end(ValueError("no age"))
        self.assertEqual(status, 1)
        self.assertTrue(said.startswith("Traceback "), said)
        self.assertTrue(said.endswith("\nValueError: no age\n"), said)
        self.assertNotIn("mlcli_harness", said)
        self.assertEqual(self.failure(), "ValueError: no age\n\n" + said)

    def test_takes_any_exception_for_a_failure(self):
        self.assertEqual(self.end(BaseException("panic"))[0], 1)
        self.assertEqual(self.end(GeneratorExit())[0], 1)
        self.assertEqual(self.failure().split("\n")[0], "GeneratorExit")

    def test_keeps_the_status_of_an_end(self):
        for code, status, failure in [
            (0, 0, None),
            (None, None, None),
            (7, 7, None),
            (143, 143, None),
            ("no data", "no data", "no data"),
        ]:
            with self.subTest(code):
                self.assertEqual(self.end(SystemExit(code)), (status, ""))
                self.assertEqual(self.failure(), failure)

    def test_ends_with_130_at_an_interrupt(self):
        self.assertEqual(self.end(KeyboardInterrupt()), (130, ""))
        self.assertIsNone(self.failure())

    def test_shows_its_own_errors_without_a_traceback(self):
        self.assertEqual(self.end(HarnessError("No code")), (1, "mlcli: No code\n"))
        self.assertEqual(self.failure(), "No code")

    def test_forgets_the_failure_of_an_earlier_run(self):
        self.write(FAILURE, "earlier")
        run_user_code(lambda: None, self.path(FAILURE))
        self.assertIsNone(self.failure())

    def test_tells_mlcli_the_reason_where_no_other_run_writes(self):
        self.addCleanup(report.take)
        for error, reason in [
            (ValueError("no age"), "ValueError: no age\n\nTraceback "),
            (HarnessError("No code"), "No code"),
            (SystemExit("no data"), "no data"),
            (ValueError("x" * 9000), "ValueError: " + "x" * 4084),
            (SystemExit(7), None),
            (KeyboardInterrupt(), None),
        ]:
            with self.subTest(repr(error)[:40]):
                self.write("/report", "")
                os.environ["MLCLI_REPORT"] = self.path("/report")

                def call():
                    self.assertNotIn("MLCLI_REPORT", os.environ)
                    # Another run of the app is at its end, too.
                    self.write(FAILURE, "theirs")
                    raise error

                ending(lambda: run_user_code(call, self.path(FAILURE)))
                rows = [json.loads(line) for line in self.read("/report").splitlines()]
                self.assertEqual([kind for kind, _ in rows], [] if reason is None else ["reason"])
                if reason is not None:
                    self.assertEqual(rows[0][1][: len(reason)], reason)
                    self.assertLessEqual(len(rows[0][1]), 4096)

    def test_leaves_the_failure_that_the_users_code_wrote(self):
        def call():
            self.write(FAILURE, "mine")
            raise ValueError("theirs")

        status, _ = ending(lambda: run_user_code(call, self.path(FAILURE)))
        self.assertEqual((status, self.failure()), (1, "mine"))

    def test_shows_an_error_through_the_hook_that_the_code_put_in(self):
        def hook(kind, error, traceback):
            print("hook:", kind.__name__, error, file=sys.stderr)

        self.replace(sys, "excepthook", hook)
        self.assertEqual(self.end(ValueError("x")), (1, "hook: ValueError x\n"))
        self.replace(sys, "excepthook", lambda *_: 1 / 0)
        status, said = self.end(ValueError("x"))
        self.assertEqual((status, said.split("\n")[-2]), (1, "ValueError: x"))

    def test_says_where_the_failure_cannot_be_written(self):
        self.write("/opt/ml", "a file in the way")
        status, said = self.end(HarnessError("No code"))
        self.assertEqual(status, 1)
        self.assertRegex(said, r"^mlcli: No code\nmlcli: cannot write \S+/failure: \[Errno ")


class Words(ContainerTest):
    def test_of_a_summary_are_the_type_and_the_message(self):
        self.assertEqual(summary(ValueError("a\nb")), "ValueError: a\nb")
        self.assertEqual(summary(ValueError("\nAll 5 fits failed.\n")), "ValueError: All 5 fits failed.")
        self.assertEqual(summary(ValueError()), "ValueError")
        self.assertEqual(summary(Broken()), "Broken")

    def test_leave_out_the_frames_of_the_harness(self):
        try:
            run_user_code.__globals__["write_failure"](None, None)
        except TypeError as error:
            # The first frame is the test's, as the user's is.
            self.assertIn("test_failure.py", describe(error))
        try:
            compile("def (", "training.py", "exec")
        except SyntaxError as error:
            self.assertIn('File "training.py", line 1', describe(error))

    def test_that_utf8_has_no_word_for_are_escaped(self):
        write_failure(self.path(FAILURE), "a\udc80b")
        self.assertEqual(self.read(FAILURE), "a\\udc80b")
        self.assertTrue(os.path.isfile(self.path(FAILURE)))
