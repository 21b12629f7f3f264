"""Runs the tests beside it, and prints what became of each as JSON: a list of objects with `file`,
`name` and, where it did not pass, `problem`. Exit status 0 whatever became of them.

    python3 report.py

For people, `python3 -m unittest discover tests` runs the same, in the directory above.
"""

import faulthandler
import io
import json
import os
import sys
import unittest
from contextlib import redirect_stderr, redirect_stdout

# In seconds. The tests take 10 s on an idle machine, and minutes on a busy one.
LONGEST = 300


class Report(unittest.TestResult):
    """Keeps a problem a test; a test that is skipped, or succeeds where it must not, has one, too."""

    def __init__(self):
        super().__init__()
        self.problems = {}

    def add(self, test, problem):
        self.problems.setdefault(test, []).append(problem)

    def startTest(self, test):
        super().startTest(test)
        self.problems.setdefault(test, [])

    def addError(self, test, err):
        self.add(test, self._exc_info_to_string(err, test))

    addFailure = addError

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.add(test, "%s\n%s" % (subtest, self._exc_info_to_string(err, test)))

    def addSkip(self, test, reason):
        self.add(test, "skipped: %s" % reason)

    def addUnexpectedSuccess(self, test):
        self.add(test, "succeeded, and was to fail")


def main():
    faulthandler.dump_traceback_later(LONGEST, exit=True)
    folder = os.path.dirname(os.path.abspath(__file__))
    report = Report()
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        unittest.defaultTestLoader.discover(folder).run(report)
    rows = []
    for test, problems in report.problems.items():
        # `test_codecs.Csv.test_reads_rows`; a module that does not load has no class of ours.
        parts = test.id().split(".")
        row = {"file": parts[0], "name": " ".join(parts[1:]).replace("test_", "").replace("_", " ")}
        if problems:
            row["problem"] = "\n".join([*problems, printed.getvalue()])
        rows.append(row)
    json.dump(rows, sys.stdout)


if __name__ == "__main__":
    main()
