import contextlib
import io
import sys

from support import ContainerTest, ending
from mlcli_harness.process import process


class Process(ContainerTest):
    def process(self, file, *arguments):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            process(file, list(arguments))
        return printed.getvalue()

    def test_runs_the_script_as_the_main_program(self):
        self.write("/opt/program/processing/columns.py", "NAMES = ['age']")
        self.write("/opt/program/processing/steps/beside.py", "NAME = 'beside'")
        self.write(
            "/opt/program/processing/steps/clean.py",
            "import os, sys, beside, columns\n"
            "print(sys.argv, __file__ == sys.argv[0], __name__, beside.NAME, columns.NAMES)\n"
            "print('ML_INPUT_DIR' in os.environ, sys.modules['__main__'].__dict__ is globals())\n",
        )
        path = self.path("/opt/ml/code/steps/clean.py")
        self.assertEqual(
            self.process("steps/clean.py", "--rows", "5"),
            "{} True __main__ beside ['age']\nTrue True\n".format([path, "--rows", "5"]),
        )

    def test_prefers_the_code_that_is_mounted(self):
        self.write("/opt/program/processing/a.py", "print('image')")
        self.write("/opt/ml/code/a.py", "print('mounted')")
        self.assertEqual(self.process("a.py"), "mounted\n")

    def test_says_that_there_is_no_such_file(self):
        self.write("/opt/program/processing/a.py", "")
        problem = "Processing file not found: %s" % self.path("/opt/ml/code/b.py")
        self.assertEqual(ending(lambda: self.process("b.py")), (1, "mlcli: %s\n" % problem))
        self.assertEqual(self.read("/opt/ml/output/message"), problem)

    def test_leaves_the_reason_of_a_failure_as_the_message(self):
        self.write("/opt/program/processing/a.py", "{}['age']")
        status, said = ending(lambda: self.process("a.py"))
        self.assertEqual(status, 1)
        self.assertIn("KeyError: 'age'\n", said)
        self.assertEqual(self.read("/opt/ml/output/message").split("\n")[0], "KeyError: 'age'")

    def test_keeps_the_status_that_the_script_ends_with(self):
        self.write("/opt/program/processing/a.py", "import sys; sys.exit(7)")
        self.assertEqual(ending(lambda: self.process("a.py")), (7, ""))
        self.assertEqual(sys.argv[0], self.path("/opt/ml/code/a.py"))
