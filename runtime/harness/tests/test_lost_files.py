import json
import os
import signal

from support import ContainerTest, run_python
from mlcli_harness import lost_files

PROCESSING = "/opt/ml/processing"

# Runs the script as `process` does, with the container's paths below a root.
RUN = """
import os
root, = sys.argv[1:]
from mlcli_harness import paths
for name, path in list(vars(paths).items()):
    if isinstance(path, str) and path.startswith("/opt/"): setattr(paths, name, root + path)
from mlcli_harness.stopping import stop_on_sigterm
stop_on_sigterm()
from mlcli_harness.process import process
process("script.py", [])
"""


class LostFiles(ContainerTest):
    def run_script(self, code, report="/report"):
        """(exit code, standard output, the report's rows with paths of the container)."""
        os.makedirs(self.path(PROCESSING), exist_ok=True)
        self.write("/opt/program/processing/script.py", "import os, sys, time\n" + code)
        self.write("/report", "")
        env = {"PROCESSING": self.path(PROCESSING), "PATH": "/usr/bin:/bin"}
        if report:
            env["MLCLI_REPORT"] = self.path(report)
        result = run_python(RUN, self.root, env=env)
        rows = [json.loads(line) for line in self.read("/report").splitlines()]
        return (
            result.returncode,
            result.stdout,
            # test_packages.py and test_failure.py check the other rows.
            [
                [kind, path.replace(self.root, "")]
                for kind, path in rows
                if kind not in ("python", "package", "reason")
            ],
        )

    WRITE = "open(os.environ['PROCESSING'] + '/b', 'w').close()\n"
    ROWS = [["lost", PROCESSING + "/b"]]

    def test_are_reported_however_the_script_ends(self):
        for end, status in {
            "": 0,
            "raise ValueError('x')": 1,
            "sys.exit(7)": 7,
            "os.kill(os.getpid(), %d); time.sleep(20)" % signal.SIGTERM: 143,
            "import signal; signal.signal(15, lambda *_: sys.exit(3)); os.kill(os.getpid(), 15)": 3,
            "raise KeyboardInterrupt": 130,
            "import threading; threading.Thread(target=lambda: time.sleep(0.01)).start()": 0,
            "os.closerange(3, 1000)": 0,
        }.items():
            with self.subTest(end):
                self.assertEqual(self.run_script(self.WRITE + end), (status, "", self.ROWS))
                os.remove(self.path(PROCESSING + "/b"))

    def test_are_reported_if_the_script_writes_them_at_exit(self):
        code = "import atexit\natexit.register(lambda: open(os.environ['PROCESSING'] + '/b', 'w').close())"
        self.assertEqual(self.run_script(code), (0, "", self.ROWS))

    def test_are_reported_once_if_a_forked_child_exits_as_its_parent_does(self):
        self.assertEqual(
            self.run_script(self.WRITE + "os.fork() or sys.exit()\nos.wait()\n"), (0, "", self.ROWS)
        )

    def test_are_new_and_changed_files_outside_input_and_output(self):
        for name in ("image.txt", "changed.txt", "code/own.py"):
            self.write("%s/%s" % (PROCESSING, name), "")
            os.utime(self.path("%s/%s" % (PROCESSING, name)), (1, 1))
        code = (
            "os.chdir(os.environ['PROCESSING'])\n"
            "for name in ('input', 'output/deep', 'train', 'output2/input'): os.makedirs(name)\n"
            "for name in ('input/a', 'output/deep/a', 'train/a', 'output2/input/a', 'changed.txt', 'b'):\n"
            "    open(name, 'w').close()\n"
            "open('image.txt').close()\n"
            "os.symlink('nowhere', 'link')\n"
        )
        lost = ["b", "changed.txt", "link", "output2/input/a", "train/a"]
        self.assertEqual(
            self.run_script(code), (0, "", [["lost", "%s/%s" % (PROCESSING, n)] for n in lost])
        )

    def test_are_reported_in_ten_lines_at_most(self):
        code = "for n in range(30): open(os.environ['PROCESSING'] + '/%02d' % n, 'w').close()\n"
        rows = self.run_script(code)[2]
        self.assertEqual(rows, [["lost", PROCESSING + "/%02d" % n] for n in range(10)])

    def test_are_listed_up_to_a_limit(self):
        for name in "abc":
            self.write("/many/" + name, "")
        self.replace(lost_files, "MOST_FILES", 2)
        self.assertEqual(len(lost_files.files_below(self.path("/many"), [])), 2)

    def test_do_not_fail_the_script_if_the_report_cannot_be_written(self):
        self.assertEqual(self.run_script(self.WRITE, report="/opt"), (0, "", []))

    def test_are_not_reported_on_sagemaker_and_the_script_never_sees_the_variable(self):
        code = "print([n for n in os.environ if n.startswith('MLCLI_')])\n" + self.WRITE
        self.assertEqual(self.run_script(code), (0, "[]\n", self.ROWS))
        # The three standard streams, and the directory that is being listed.
        code += "print(len(os.listdir('/proc/self/fd')))"
        self.assertEqual(self.run_script(code, report=None), (0, "[]\n4\n", []))
