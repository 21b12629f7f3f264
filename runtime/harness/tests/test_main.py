import os
import subprocess
import sys
import tempfile
import unittest

from support import HARNESS

# Stands for Python: says what it was started with, and as which process.
PYTHON = """#!/bin/sh
printf '%s\\n' "$PYTHONUNBUFFERED" "$PYTHONDONTWRITEBYTECODE" "$$" "$@"
"""


class EntryPoint(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="mlcli-test-")
        self.addCleanup(directory.cleanup)
        self.path = directory.name
        dirname = os.path.join(self.path, "dirname")
        os.symlink("/usr/bin/dirname", dirname)

    def python(self, name):
        path = os.path.join(self.path, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(PYTHON)
        os.chmod(path, 0o755)

    def start(self, *arguments, **variables):
        """(status, lines of standard output, standard error); the id of the process is `own`."""
        child = subprocess.Popen(
            ["/bin/sh", os.path.join(HARNESS, "entrypoint"), *arguments],
            env={"PATH": self.path, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        stdout, stderr = child.communicate(timeout=30)
        lines = ["own" if line == str(child.pid) else line for line in stdout.splitlines()]
        return child.returncode, lines, stderr

    def test_becomes_python_with_the_arguments(self):
        self.python("python3")
        main = os.path.join(HARNESS, "main.py")
        for arguments in (["train"], ["serve"], ["process", "a b.py"], ["process", "a", "", "--x"]):
            with self.subTest(arguments):
                self.assertEqual(self.start(*arguments), (0, ["1", "1", "own", main, *arguments], ""))

    def test_leaves_what_the_image_says_of_python(self):
        self.python("python")
        self.python("python3")
        _, lines, _ = self.start("train", PYTHONUNBUFFERED="", PYTHONDONTWRITEBYTECODE="")
        self.assertEqual(lines[:2], ["", ""])

    def test_takes_python_where_there_is_no_python3(self):
        self.python("python")
        self.assertEqual(self.start("train")[0], 0)
        os.remove(os.path.join(self.path, "python"))
        status, lines, said = self.start("train")
        self.assertEqual((status, lines), (127, []))
        self.assertIn("no python3 in this image", said)

    def test_takes_no_other_arguments(self):
        self.python("python3")
        for arguments in ([], ["test"], ["train", "x"], ["serve", ""], ["process"], ["TRAIN"]):
            with self.subTest(arguments):
                self.assertEqual(
                    self.start(*arguments),
                    (2, [], "usage: train | serve | process FILE [ARGS...]\n"),
                )


# Stands for the harness: each of its parts says that it was called, and whether SIGTERM was in
# order by then.
PARTS = """
import signal, sys, types
def part(name, function, action=None):
    def call(*arguments):
        print(function, *arguments, signal.getsignal(signal.SIGTERM) != signal.SIG_DFL)
    module = sys.modules[name] = types.ModuleType(name)
    module.__dict__[function] = call
part("mlcli_harness.train", "train")
part("mlcli_harness.process", "process")
part("mlcli_harness.serving.server", "serve")
import main
main.main(sys.argv[1:])
"""


class Main(unittest.TestCase):
    def test_starts_what_it_was_asked_for(self):
        for arguments, line in [
            (["train"], "train True\n"),
            (["serve"], "serve True\n"),
            (["process", "a.py", "x", "y"], "process a.py ['x', 'y'] True\n"),
        ]:
            with self.subTest(arguments):
                result = subprocess.run(
                    [sys.executable, "-B", "-S", "-E", "-c", PARTS, *arguments],
                    cwd=HARNESS,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    timeout=30,
                    check=False,
                    encoding="utf-8",
                )
                self.assertEqual((result.stdout, result.stderr), (line, ""))
